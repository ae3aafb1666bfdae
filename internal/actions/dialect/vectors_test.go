package dialect_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
)

// A vector is one case of the contract in docs/blocks.md: an input and what must be
// made of it.
type vector struct {
	Name      string           `json:"name"`
	Flags     []string         `json:"flags"` // categories that are on; none means all
	Allow     *[]string        `json:"allowedActionTypes"`
	Input     string           `json:"input"`
	CleanText string           `json:"cleanText"`
	Actions   []map[string]any `json:"actions"`
	Stripped  []string         `json:"strippedUnrecognizedTypes"`
	Failures  int              `json:"parseFailures"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	raw, err := os.ReadFile("testdata/parse-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func (v vector) gate(t testing.TB) actions.Gate {
	reg := actionstest.Registry(t, actionstest.Catalogue(nil)...)
	var narrow []actions.Narrowing
	if v.Allow != nil {
		narrow = append(narrow, actions.Only(*v.Allow, "not listed"))
	}
	return reg.Gate(actionstest.Open(reg, v.Flags...), narrow...)
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			gate := v.gate(t)
			parsed := dialect.New(gate.Accepts, dialect.Blocks()).Parse(v.Input)
			try, stripped := gate.Split(parsed.Requests)

			got := vector{Name: v.Name, Flags: v.Flags, Allow: v.Allow, Input: v.Input, CleanText: parsed.Text, Stripped: stripped, Failures: parsed.Failures()}
			for _, r := range try {
				var object map[string]any
				if err := json.Unmarshal(r.Args, &object); err != nil {
					t.Fatalf("arguments %s: %v", r.Args, err)
				}
				if object["type"] != r.Type {
					t.Errorf("request is called %q, its arguments say %v", r.Type, object["type"])
				}
				got.Actions = append(got.Actions, object)
			}
			if diff := cmp.Diff(v, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%q (-want +got):\n%s", v.Input, diff)
			}
		})
	}
}

// TestVisibleShowsNoMarkup feeds every vector byte by byte, as a stream might cut
// it anywhere, and compares each preview with the finished reply.
func TestVisibleShowsNoMarkup(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p := dialect.New(v.gate(t).Accepts, dialect.Blocks())
			requireNoMarkup(t, p, v.Input)
		})
	}
}

// requireNoMarkup fails if any prefix of the stream shows markup that the
// finished text does not have.
func requireNoMarkup(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *dialect.Parser, text string) {
	t.Helper()
	final := p.Parse(text).Text
	marks := []string{actions.BlockOpen, actions.BlockClose, dialect.CapsuleOpen, dialect.CapsuleClose, `{"type"`}
	whole := 0
	for _, mark := range marks[:4] {
		whole += strings.Count(text, mark)
	}
	if strings.Count(text, "<") == whole {
		// Nothing but markers begins like one, so not even a beginning may show.
		marks = append(marks, "<")
	}
	for n := range len(text) + 1 {
		shown := p.Visible(text[:n])
		for _, mark := range marks {
			if strings.Count(shown, mark) > strings.Count(final, mark) {
				t.Fatalf("the preview of %q\nshows %q\nfor the reply %q: %q is not in it", text[:n], shown, final, mark)
			}
		}
	}
}

// TestVisibleOfTheWholeTextIsTheReply holds for all vectors but those that end in
// the middle of something, and those that a reply with more to come could still
// read in another way.
func TestVisibleOfTheWholeTextIsTheReply(t *testing.T) {
	less := map[string]string{
		"unbalanced-json-drops-to-end-of-line": "first",
		"unbalanced-then-next-line-closers":    "a",
		"extra-closing-brace-leaves-residue":   "tail",
	}
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			want, ok := less[v.Name]
			if !ok {
				want = v.CleanText
			}
			if got := dialect.New(v.gate(t).Accepts, dialect.Blocks()).Visible(v.Input); got != want {
				t.Errorf("Visible(%q) = %q, want %q", v.Input, got, want)
			}
		})
	}
}
