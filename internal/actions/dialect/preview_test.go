package dialect_test

import (
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
)

func TestPreviewGrowsWithTheStream(t *testing.T) {
	p := dialect.New(accepted, dialect.Blocks())
	text := "First, x < y.\n" + actions.BlockOpen + `{"type":"taskList"}` + actions.BlockClose + "\nThen `" + actions.BlockOpen + "` in code.\n[end]"
	for _, tt := range []struct{ soFar, want string }{
		{"First, x <", "First, x"}, // it may be a marker
		{"First, x < ", "First, x <"},
		{"First, x < y.\n<discord-", "First, x < y."},
		{`First, x < y.` + "\n" + actions.BlockOpen + `{"type":"ta`, "First, x < y."},
		{`First, x < y.` + "\n" + actions.BlockOpen + `{"type":"taskList"}</disc`, "First, x < y."},
		{`First, x < y.` + "\n" + actions.BlockOpen + `{"type":"taskList"}</discord-action>` + "\nTh", "First, x < y.\n\nTh"},
		{text[:strings.Index(text, "` in code")], "First, x < y.\n\nThen `"},
		{text, "First, x < y.\n\nThen `" + actions.BlockOpen + "` in code.\n[end]"},
	} {
		if !strings.HasPrefix(text, tt.soFar) {
			t.Fatalf("%q is not how the text begins", tt.soFar)
		}
		if got := p.Visible(tt.soFar); got != tt.want {
			t.Errorf("Visible(%q) = %q, want %q", tt.soFar, got, tt.want)
		}
	}
}

// TestPreviewShowsWhatIsCertain: holding everything back would be safe, and of no
// use.
func TestPreviewShowsWhatIsCertain(t *testing.T) {
	const open, close = actions.BlockOpen, actions.BlockClose
	list := open + `{"type":"taskList"}`
	for _, tt := range []struct{ name, soFar, want string }{
		{"behind a block without closing marker", "a " + list + " b", "a  b"},
		{"behind several of them", "a " + list + " b " + list + " c", "a  b  c"},
		{"behind one that is closed and one that is not", list + close + " {a} " + list + " b", "{a}  b"},
		{"behind a payload that mentions a marker", open + `{"type":"taskShow","x":"` + open + `"} prose`, "prose"},
		{"a foreign tag behind the right closing marker", "a " + list + close + "</inv", "a </inv"},
		{"braces behind an example", "`" + open + "` is how it begins, {x} more", "`" + open + "` is how it begins, {x} more"},
		{"prose behind a list in a block", open + `[{"type":"taskList"}]` + close + " tail", "tail"},
		{"prose behind a brace too many", list + "}" + close + " tail", "tail"},
		{"a stray closing marker", "a " + close + " b", "a " + close + " b"},
		{"an open fence with an example", "```\n" + list, "```\n" + list},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := dialect.New(accepted, dialect.Blocks()).Visible(tt.soFar); got != tt.want {
				t.Errorf("Visible(%q) = %q, want %q", tt.soFar, got, tt.want)
			}
		})
	}
}

// TestPreviewHidesWhatIsNot has texts in which something arrives late that makes
// markup of what looked harmless.
func TestPreviewHidesWhatIsNot(t *testing.T) {
	const open, close = actions.BlockOpen, actions.BlockClose
	off := open + `{"type":"nope"}`
	for _, tt := range []struct{ name, text string }{
		{"a closing marker on an indented line", open + `{"type":"taskList"}` + "\n    " + close + "\nok"},
		{"the same behind a payload that mentions one", open + `{"type":"taskShow","x":"` + close + `"}` + "\n    " + close + "\nok"},
		{"a fenced example behind a block without closing marker", off + "\n```\n" + open + `{"type":"taskList"}` + close + "\n```\nend"},
		{"an inline example behind one", off + " use `" + open + "` now " + close + " end"},
		{"a second payload behind one", off + `{"type":"kick"}` + close + " ok"},
		{"a second payload after some prose", off + ` and {"type":"kick"}` + close + " ok"},
		{"one backtick more", "`" + open + `{"type":"taskList"}` + close + "`` x"},
		{"a reading that changes at the end", open + "{" + close + open + `{"type":"taskList"}` + close + "}" + open + "{}" + close},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			requireNoMarkup(t, dialect.New(accepted, dialect.Blocks()), tt.text)
		})
	}
}
