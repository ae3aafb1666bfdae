package dialect_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
)

func TestDefuse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a block", `a <discord-action>{"type":"kick"}</discord-action> b`, `a ‹discord-action>{"type":"kick"}‹/discord-action> b`},
		{"a capsule", "<continuation-capsule>x</continuation-capsule>", "‹continuation-capsule>x‹/continuation-capsule>"},
		{"what a model may tidy up", "< Discord-Action> </ discord-action >", "‹ Discord-Action> ‹/ discord-action >"},
		{"one within another", "<discord-action<discord-action>", "‹discord-action‹discord-action>"},
		{"other markup", "<b>bold</b> 1 < 2 <@123> <discord>", "<b>bold</b> 1 < 2 <@123> <discord>"},
		{"no markup", "hello", "hello"},
		{"nothing", "", ""},
	} {
		if got := dialect.Defuse(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestDefusedTextAsksForNothing: however it is repeated, there is nothing to run in it.
func TestDefusedTextAsksForNothing(t *testing.T) {
	p := dialect.New(func(actions.Request) bool { return true }, dialect.Blocks())
	rapid.Check(t, func(t *rapid.T) {
		text := dialect.Defuse(drawText(t))
		if parsed := p.Parse(text); len(parsed.Requests)+len(parsed.Malformed) > 0 {
			t.Fatalf("%q asks for %v", text, parsed)
		}
		if again := dialect.Defuse(text); again != text {
			t.Fatalf("%q is defused again, to %q", text, again)
		}
		if strings.Contains(strings.ToLower(text), "<discord-action") {
			t.Fatalf("%q has a marker", text)
		}
	})
}

func TestDefuseNames(t *testing.T) {
	for name, want := range map[string]string{
		`{"type":"ban","userId":"1"}`: `❴"type":"ban","userId":"1"}`,
		`a { "userId":1}{'b'`:         `a ❴ "userId":1}❴'b'`,
		`\{\"type\"`:                  `\❴\"type\"`,
		`{“type”: “ban”}`:             `❴“type”: “ban”}`,
		"{dev} and <{}>":              "{dev} and <{}>",
	} {
		if got := dialect.DefuseNames(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
