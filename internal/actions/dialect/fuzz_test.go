package dialect_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/test/skip"
)

// pieces are what texts go wrong with.
var pieces = []string{
	"<discord-action>", "</discord-action>", "</invoke>", "</func_1>", "<", "</", "<discord-", "</disc",
	`{"type":"taskList"}`, `{"type":"nope"}`, `{"type":7}`, `{"type":"kick","n":"</discord-action>"}`,
	`{"type":"taskShow","x":"<discord-action>"}`, `[{"type":"taskList"}]`,
	"{", "}", `"`, `\`, "`", "``", "```", "~~~", "\n", "\n\n\n", "\n> ", ">", "\n>>> ", "    ", "\t", " ", "\u00a0", "\r", "word", "é", "🔥",
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces"), "")
}

// accepted is a gate that is open for some of the types in pieces.
func accepted(r actions.Request) bool { return r.Type == "taskList" || r.Type == "taskShow" }

func requireOracle(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	want := oracle(text, accepted)
	got := dialect.New(accepted, dialect.Blocks()).Parse(text)
	if got.Text != want.Text || got.Failures() != want.Failures || len(got.Requests) != len(want.Requests) {
		t.Fatalf("text %q\n got %q, %d failures, %v\nwant %q, %d failures, %v",
			text, got.Text, got.Failures(), got.Requests, want.Text, want.Failures, want.Requests)
	}
	for i, r := range got.Requests {
		if r.Type != want.Requests[i].Type || !bytes.Equal(r.Args, want.Requests[i].Args) {
			t.Fatalf("text %q: request %d is %s %s, want %s", text, i, r.Type, r.Args, want.Requests[i].Args)
		}
	}
}

func TestParserDoesWhatTheContractSays(t *testing.T) {
	skip.UnderRace(t, "a parser is a value of one goroutine")
	for _, v := range vectors(t) {
		requireOracle(t, v.Input)
	}
	rapid.Check(t, func(t *rapid.T) { requireOracle(t, drawText(t)) })
}

func TestPreviewsOfRandomTextsShowNoMarkup(t *testing.T) {
	skip.UnderRace(t, "a parser is a value of one goroutine")
	p := dialect.New(accepted, dialect.Blocks())
	rapid.Check(t, func(t *rapid.T) { requireNoMarkup(t, p, drawText(t)) })
}

// capsulePieces are what texts with capsules go wrong with.
var capsulePieces = append([]string{dialect.CapsuleOpen, dialect.CapsuleOpen, dialect.CapsuleClose, dialect.CapsuleClose, "<continuation", "</continuation-",
	`{"currentFocus":"a","nextStep":"b"}`, "currentFocus: a\nnextStep: b\n"}, pieces...)

// TestCapsulesOfRandomTextsAreNotShown, neither while the text arrives nor in the end, and change nothing about blocks.
func TestCapsulesOfRandomTextsAreNotShown(t *testing.T) {
	skip.UnderRace(t, "a parser is a value of one goroutine")
	plain := dialect.New(accepted, dialect.Blocks())
	p := plain.WithCapsules()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(capsulePieces), 0, 24).Draw(t, "pieces"), "")
		requireNoMarkup(t, p, text)
		with, without := p.Parse(text), plain.Parse(text)
		if !reflect.DeepEqual(with.Requests, without.Requests) || !reflect.DeepEqual(with.Malformed, without.Malformed) {
			t.Fatalf("%q asks for %v, without capsules for %v", text, with, without)
		}
		if !strings.ContainsAny(text, "`~>\t") && !strings.Contains(text, "    ") {
			for _, mark := range []string{dialect.CapsuleOpen, dialect.CapsuleClose} {
				if strings.Contains(with.Text, mark) {
					t.Fatalf("%q becomes %q", text, with.Text)
				}
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Input)
	}
	f.Fuzz(func(t *testing.T, text string) { requireOracle(t, text) })
}

func FuzzVisible(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Input)
	}
	p := dialect.New(accepted, dialect.Blocks())
	f.Fuzz(func(t *testing.T, text string) {
		// Every prefix of a long text takes long and shows nothing new.
		requireNoMarkup(t, p, text[:min(len(text), 2000)])
	})
}
