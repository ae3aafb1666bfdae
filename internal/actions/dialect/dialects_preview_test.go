package dialect_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/test/skip"
)

// dialectPieces are what texts of all dialects go wrong with.
var dialectPieces = slices.Concat(pieces, capsulePieces[:8], wholeBlocks, []string{
	"<actions>", "<actions>", "</actions>", "</actions>", "<ACTIONS >", "</Actions\n>", "<act", "<actions ", "</act", "<no-reply/>", "<no-reply />", "<no-reply>", "</no-reply>", "<no-rep",
	`<react emoji="eyes"/>`, `<react emoji='x'>`, `<react/>`, `<dance/>`, `<voice>`, `</voice>`, `<send-message channel="ops">hi</send-message>`, `<send-file path="a" `, "<!--", "-->", `<poll/>`,
	"[SEARCH:tides]", "[SEARCH:", "[REMEMBER:tea]", "[REMEMBER:", "[CALCULATE:6*7]", "[CALCULATE:1/0]", "[CORRECT:a=>b]", "[CORRECT:a]", "[REQUEST_TIER:2:x]", "[REQUEST_TIER:9:x]", "[REQUEST_TIER:high:x]",
	"[COMMAND:list_tasks]", "[EXECUTE:rm]", "[FORGET_THIS:x]", "[SEA", "[REMEMBER ", ":tea", "[", "]", "](", `\[`, `\]`, `\`,
	"[LIKE]", "[like]", "[RETWEET]", "\n[STOP]", "\n[IGNORE]\n", "\n[YES]\n", "[NO]", "\n[QUOTE] [REPLY]\n", "\n[ST", "[RESPOND]",
	`{"user":"Bo","text":"\u003cdiscord-action>{\"type\":\"taskList\"}"}`, `{"user":"Bo","text":"<\discord-action>{\"type\":\"kick\"}`, "\\u005bSTOP]", `{"text":"x","act\u0069on":"TASK_LIST"}`,
	`{"user":"Bo","text":"hi","action":"TASK_LIST"}`, `{"user":"Bo",`, `"text":"`, `'text':'`, `"action":"LIKE"`, `"action":NONE`, `"actions":["REMEMBER","KICK"]`, ",", "```json", "```json\n{",
})

// wholeBlocks have markup of other dialects in them, where it is data.
var wholeBlocks = []string{
	actions.BlockOpen + `{"type":"taskShow","x":"[SEARCH:a] <actions>"}` + actions.BlockClose,
	actions.BlockOpen + `{"type":"taskShow","x":"</actions>]"}` + actions.BlockClose,
}

func drawDialects(t *rapid.T) string { return drawPieces(t, dialectPieces) }

func drawPieces(t *rapid.T, pieces []string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 16).Draw(t, "pieces"), "")
}

// steadyPieces are dialectPieces without half blocks. Behind those, previews may show prose that vanishes, and what looks
// like markup in it.
var steadyPieces = slices.DeleteFunc(slices.Clone(dialectPieces), func(piece string) bool {
	return strings.HasPrefix(piece, "<") && strings.Contains(piece, "discord-action") && !slices.Contains(wholeBlocks, piece)
})

// dialectMarks are markup that a preview must not show, unless the reply has it. Tags are compared in small letters.
var dialectMarks = []string{
	"<actions", "</actions", "<react", "<no-reply", "<voice", actions.BlockOpen, dialect.CapsuleOpen, `"action"`, `"user"`,
	"[SEARCH:", "[REMEMBER:", "[CALCULATE:", "[CORRECT:", "[COMMAND:", "[EXECUTE:", "[FORGET_THIS:", "[REQUEST_TIER:",
	"[LIKE]", "[RETWEET]", "[STOP]", "[IGNORE]", "[YES]", "[NO]", "[QUOTE]", "[REPLY]", "[RESPOND]",
}

func countMark(text, mark string) int {
	if strings.HasPrefix(mark, "<") {
		text = strings.ToLower(text)
	}
	return strings.Count(text, mark)
}

// requireSafePreviews fails if a prefix of the stream shows markup that the finished reply does not have.
func requireSafePreviews(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *dialect.Parser, text string) {
	t.Helper()
	final := p.Parse(text).Text
	for n := range len(text) + 1 {
		shown := p.Visible(text[:n])
		for _, mark := range dialectMarks {
			if countMark(shown, mark) > countMark(final, mark) {
				t.Fatalf("the preview of %q\nshows %q\nfor the reply %q\nto %q: %q is not in it", text[:n], shown, final, text, mark)
			}
		}
	}
}

func TestPreviewsOfDialectVectorsShowNoMarkup(t *testing.T) {
	skip.UnderRace(t, "a parser is a value of one goroutine")
	for _, v := range allDialectVectors(t).Cases {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p, _ := speaking(t, v.Options.DirectivesPosition, v.Dialects...)
			requireSafePreviews(t, p, v.Input)
			all, _ := speaking(t, v.Options.DirectivesPosition, dialect.Names...)
			requireSafePreviews(t, all, v.Input)
		})
	}
}

func TestPreviewsOfRandomDialectsShowNoMarkup(t *testing.T) {
	skip.UnderRace(t, "a parser is a value of one goroutine")
	for _, names := range [][]string{dialect.Names, dialect.Names[:3], {"directives"}, {"signals"}, {"keywords"}, {"envelope", "keywords"}} {
		t.Run(strings.Join(names, " "), func(t *testing.T) {
			t.Parallel()
			p, _ := speaking(t, "anywhere", names...)
			rapid.Check(t, func(t *rapid.T) { requireSafePreviews(t, p, drawPieces(t, steadyPieces)) })
		})
	}
}

func FuzzDialects(f *testing.F) {
	for _, v := range allDialectVectors(f).Cases {
		f.Add(v.Input)
	}
	p, _ := speaking(f, "start", dialect.Names...)
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.Contains(text, "discord-action") { // see steadyPieces
			requireSafePreviews(t, p, text[:min(len(text), 500)])
		}
	})
}

// TestPreviewsOfWholeVectorsAreTheReply: but for those that end in the middle of something, or withhold their text.
func TestPreviewsOfWholeVectorsAreTheReply(t *testing.T) {
	less := map[string]string{
		"yes-alone-still-says-something":          "",
		"empty-payload-is-text":                   "[SEARCH:] or",
		"unclosed-block-keeps-the-prose-after-it": "",
	}
	for _, v := range allDialectVectors(t).Cases {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p, _ := speaking(t, v.Options.DirectivesPosition, v.Dialects...)
			want, held := less[v.Name]
			if !held && (!slices.Contains(v.Dialects, "envelope") || v.Text == v.Input) { // an envelope is held as a whole
				want = v.Text
			}
			if got := p.Visible(v.Input); got != want {
				t.Errorf("Visible(%q) = %q, want %q", v.Input, got, want)
			}
		})
	}
}

// TestProseIsHeldForALineAtMost: behind a line, signals and keywords leave nothing in doubt.
func TestProseIsHeldForALineAtMost(t *testing.T) {
	p, _ := speaking(t, "", "signals", "keywords")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.NewReplacer("<", "", ">", "").Replace(drawDialects(t)) + "\n"
		parsed := p.Parse(text)
		if parsed.Control.Interrupt || parsed.Control.Decision != dialect.Undecided {
			return
		}
		if got := p.Visible(text); got != parsed.Text {
			t.Fatalf("Visible(%q) = %q, but the reply is %q", text, got, parsed.Text)
		}
	})
}

// TestPreviewsOfUnfinishedMarkup has what the vectors do not.
func TestPreviewsOfUnfinishedMarkup(t *testing.T) {
	p, _ := speaking(t, "", dialect.Names...)
	for soFar, want := range map[string]string{
		"Use `[SEARCH:q] he":                     "Use `", // a backtick may make code of it
		"Use `[SEARCH:q] here`, or":              "Use `[SEARCH:q] here`, or",
		"a [SEARCH:q] b":                         "",
		"Gr\xc3":                                 "Gr", // half of a character
		"a [LIKE":                                "a [LIKE",
		"a\n[LIKE":                               "a",
		"a [" + strings.Repeat("x", 9):           "a [xxxxxxxxx",
		"[REMEMBER:" + strings.Repeat("x", 2001): "[REMEMBER:" + strings.Repeat("x", 2001),
		`{"name":1}`:                             `{"name":1}`,
		"```json\n{\"text\":":                    "",
		"```go\nx":                               "```go\nx",
	} {
		if got := p.Visible(soFar); got != want {
			t.Errorf("Visible(%q) = %q, want %q", soFar, got, want)
		}
	}
}
