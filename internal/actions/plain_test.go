package actions_test

import (
	"testing"

	"discoclaw/internal/actions"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"Ada Lovelace":                "Ada Lovelace",
		"||":                          `\|\|`,
		"<@123456789012345678>":       `\<@123456789012345678\>`,
		"[Approve](https://x.y)":      `\[Approve\](https://x.y)`,
		"`a` ``` *b* __c__ ~~d~~ \\*": "\\`a\\` \\`\\`\\` " + `\*b\* \_\_c\_\_ \~\~d\~\~ \\\*`,
		"one\n2. two\u2028three\r":    "one 2. two three",
	} {
		if got := actions.Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}
