package dialect_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
)

// A dialectCase is what must be made of a reply, with all categories on. Requests are as they were written, before
// Bind.
type dialectCase struct {
	Name     string   `json:"name"`
	Dialects []string `json:"dialects"`
	Options  struct{ DirectivesPosition string }
	Input    string           `json:"input"`
	Text     string           `json:"cleanText"`
	Actions  []map[string]any `json:"actions"`
	Control  map[string]any   `json:"control"`
	Stripped []string         `json:"strippedUnrecognizedTypes"`
	Failures int              `json:"parseFailures"`
}

type dialectVectors struct {
	Cases     []dialectCase
	Streaming []struct {
		Name     string
		Dialects []string
		Deltas   []string
		Visible  []string
	}
	Emoji   []struct{ Input, Emoji string }
	Names   []struct{ Input, Kind, Value string }
	Respond []struct{ Input, Decision string }
	Boolean []struct {
		Input string
		Value *bool
	}
}

func allDialectVectors(t testing.TB) (v dialectVectors) {
	t.Helper()
	raw, err := os.ReadFile("testdata/dialect-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// catalogue has the names of all actions.
func catalogue(t testing.TB) *actions.Registry {
	t.Helper()
	return actionstest.Registry(t, actionstest.Catalogue(nil)...)
}

// named finds the names of the catalogue, and the aliases that the real categories have.
func named(t testing.TB, reg *actions.Registry) func(string) (string, bool) {
	raw, err := os.ReadFile("testdata/aliases.json")
	if err != nil {
		t.Fatal(err)
	}
	var aliases map[string][]string
	if err := json.Unmarshal(raw, &aliases); err != nil {
		t.Fatal(err)
	}
	means := map[string]string{}
	for typ, names := range aliases {
		for _, name := range names {
			means[actions.FoldName(name)] = typ
		}
	}
	return func(name string) (string, bool) {
		if typ, ok := means[actions.FoldName(name)]; ok {
			return typ, true
		}
		return reg.Named(name)
	}
}

// speaking returns a parser with the named dialects besides blocks, and its gate, which is open.
func speaking(t testing.TB, position string, names ...string) (*dialect.Parser, actions.Gate) {
	t.Helper()
	reg := catalogue(t)
	setting := strings.Join(names, ",")
	if setting == "" {
		setting = "none"
	}
	list, err := dialect.Options{Setting: setting, Position: position, Named: named(t, reg)}.List()
	if err != nil {
		t.Fatal(err)
	}
	gate := reg.Gate(actionstest.Open(reg))
	return list.Parser(gate), gate
}

func TestDialectVectors(t *testing.T) {
	for _, v := range allDialectVectors(t).Cases {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p, gate := speaking(t, v.Options.DirectivesPosition, v.Dialects...)
			parsed := p.Parse(v.Input)
			try, stripped := gate.Split(parsed.Requests)
			got := v
			got.Text, got.Failures, got.Actions, got.Control = parsed.Text, parsed.Failures(), nil, controlSet(t, parsed.Control)
			got.Stripped = append(stripped, parsed.Stripped...)
			for _, r := range try {
				var object map[string]any
				if err := json.Unmarshal(r.Args, &object); err != nil {
					t.Fatalf("arguments %s: %v", r.Args, err)
				}
				if object["type"] != r.Type || !slices.Contains(append(v.Dialects, "blocks"), r.Dialect) {
					t.Errorf("the request is %+v, and says %s", r, r.Args)
				}
				got.Actions = append(got.Actions, object)
			}
			if diff := cmp.Diff(v, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%q (-want +got):\n%s", v.Input, diff)
			}
		})
	}
}

// controlSet has what is set in a Control.
func controlSet(t testing.TB, c dialect.Control) (set map[string]any) {
	t.Helper()
	raw, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(raw, &set)
	}
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestStreamingVectors(t *testing.T) {
	for _, v := range allDialectVectors(t).Streaming {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p, _ := speaking(t, "", v.Dialects...)
			soFar := ""
			for i, delta := range v.Deltas {
				soFar += delta
				if got := p.Visible(soFar); got != v.Visible[i] {
					t.Errorf("Visible(%q) = %q, want %q", soFar, got, v.Visible[i])
				}
			}
		})
	}
}

func TestEmojiVectors(t *testing.T) {
	for _, v := range allDialectVectors(t).Emoji {
		if got := dialect.Emoji(v.Input); got != v.Emoji {
			t.Errorf("Emoji(%q) = %q, want %q", v.Input, got, v.Emoji)
		}
	}
}

// TestNameVectors asks for each name in an envelope without a text, where a name without an effect of its own means silence.
func TestNameVectors(t *testing.T) {
	p, gate := speaking(t, "", "envelope")
	for _, v := range allDialectVectors(t).Names {
		name, err := json.Marshal(v.Input)
		if err != nil {
			t.Fatal(err)
		}
		parsed := p.Parse(`{"user":"Bo","text":"","action":` + string(name) + `}`)
		try, _ := gate.Split(parsed.Requests)
		kind, value := "unknown", ""
		switch c := parsed.Control; {
		case len(try) == 1:
			kind, value = "type", try[0].Type
		case c.Continue:
			kind, value = "control", "continue"
		case c.Resume:
			kind, value = "control", "resume"
		case c.Stop:
			kind, value = "control", "stop"
		case c.NoReply:
			kind, value = "control", "none"
		}
		if kind != v.Kind || value != v.Value || (kind == "unknown") != slices.Contains(parsed.Stripped, v.Input) {
			t.Errorf("%s is %s %s, want %s %s", v.Input, kind, value, v.Kind, v.Value)
		}
	}
}

func TestDecisionVectors(t *testing.T) {
	v := allDialectVectors(t)
	for _, r := range v.Respond {
		if got := dialect.RespondDecision(r.Input); string(got) != r.Decision {
			t.Errorf("RespondDecision(%q) = %q, want %q", r.Input, got, r.Decision)
		}
	}
	for _, b := range v.Boolean {
		value, ok := dialect.Boolean(b.Input)
		if ok != (b.Value != nil) || ok && value != *b.Value {
			t.Errorf("Boolean(%q) = %v, %v", b.Input, value, ok)
		}
	}
}
