package dialect_test

import (
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
)

const (
	open  = dialect.CapsuleOpen
	close = dialect.CapsuleClose
	goes  = "Focus: the release\nNext step: write the notes"
)

func TestCapsules(t *testing.T) {
	const whole = open + `{"currentFocus":"the release","nextStep":"write the notes"}` + close
	long := strings.Repeat("ü", 201)
	for _, tt := range []struct{ name, in, text, capsule string }{
		{"JSON", "Done. " + whole, "Done.", goes},
		{"lines", "a\n" + open + "\ncurrentFocus: the release\nnextStep: write the notes\n" + close + "\nb", "a\n\nb", goes},
		{"names with underscores", open + `{"current_focus":"the release","next_step":"write the notes","active_task_id":"ws-001","blocked_on":"Ada: her key"}` + close,
			"", goes + "\nTask: ws-001\nBlocked on: Ada: her key"},
		{"lines as in Markdown", open + "- **Current focus:** the release\n- **Next step:** write the notes\n" + close, "", goes},
		{"in a fence of its own", open + "\n```json\n{\"currentFocus\":\"the release\",\"nextStep\":\"write the notes\"}\n```\n" + close, "", goes},
		{"not blocked", open + "currentFocus: the release\nnextStep: write the notes\nactiveTaskId: (n/a)\nblockedOn: None" + close, "", goes},
		{"blocked on an empty list", open + `{"currentFocus":"the release","nextStep":"write the notes","blockedOn":[],"activeTaskId":null}` + close, "", goes},
		{"the last one wins", open + "currentFocus: x\nnextStep: y" + close + "a" + whole, "a", goes},
		{"the last valid one", whole + open + "currentFocus: x" + close + open + `{"nextStep":"none","currentFocus":"x"}` + close + open + "nonsense" + close, "", goes},
		{"fields are short and on one line", open + `{"currentFocus":"the\nrelease","nextStep":"` + long + `"}` + close, "", "Focus: the release\nNext step: " + long[:400]},
		{"in a fence", "```\n" + whole + "\n```", "```\n" + whole + "\n```", ""},
		{"in inline code", "Write `" + whole + "`.", "Write `" + whole + "`.", ""},
		{"in a quote", "> " + whole, "> " + whole, ""},
		{"without an end", "a " + open + "currentFocus: x\nnextStep: y\n\nThe answer.", "a \n\nThe answer.", ""},
		{"without an end before another", open + "currentFocus: x\nnextStep: y" + whole, "", goes},
		{"without a beginning", "a" + close + "b", "ab", ""},
		{"around a block", open + "x " + actions.BlockOpen + `{"type":"taskList"}` + actions.BlockClose + close + " b", "b", ""},
		{"in a block", actions.BlockOpen + `{"type":"taskShow","x":"<continuation-capsule>{'currentFocus: a\nnextStep: b</continuation-capsule>"}` + actions.BlockClose + "b", "b", ""},
		{"none", "a < b", "a < b", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := dialect.New(accepted, dialect.Blocks()).WithCapsules().Parse(tt.in)
			if got.Text != tt.text || got.Capsule != tt.capsule {
				t.Errorf("%q\nis %q, and says\n%s\nwant %q and\n%s", tt.in, got.Text, got.Capsule, tt.text, tt.capsule)
			}
		})
	}
}

// TestACapsuleIsNoOtherWord: beside it, a reply may still be nothing but blocks in code.
func TestACapsuleIsNoOtherWord(t *testing.T) {
	p := dialect.New(accepted, dialect.Blocks()).WithCapsules()
	if got := p.Parse("```\n" + actions.BlockOpen + `{"type":"taskList"}` + actions.BlockClose + "\n```\n" + open + "currentFocus: x\nnextStep: y" + close); !got.Fenced {
		t.Errorf("got %+v", got)
	}
}

func TestCapsulesAreHeldBack(t *testing.T) {
	p := dialect.New(accepted, dialect.Blocks()).WithCapsules()
	for soFar, want := range map[string]string{
		"a <contin":                             "a",
		"a <continue":                           "a <continue",
		"a " + open + "currentFocus: x\n\nmore": "a",
		"a " + open + "x</continuation-":        "a",
		"a " + open + "x" + close + " b":        "a  b",
		"a </continuation-cap":                  "a",
		"a `" + open:                            "a `",
		"a `" + open + "`":                      "a `",
		"a `" + open + "` b":                    "a `" + open + "` b",
	} {
		if got := p.Visible(soFar); got != want {
			t.Errorf("Visible(%q) = %q, want %q", soFar, got, want)
		}
	}
}
