package render_test

import (
	"fmt"
	"testing"

	"discoclaw/internal/turn/render"
)

func TestReport(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		body           string
		lines, notices []string
		want           string
	}{
		{"nothing", " \n", nil, nil, ""},
		{"a body alone", "Hello. \n\n", nil, nil, "Hello."},
		{"an open fence alone", "```go\nx\n", nil, nil, "```go\nx"},
		{"lines", "Hello.\n", []string{"Done: a", "Failed: b"}, nil, "Hello.\n\nDone: a\nFailed: b"},
		{"lines without a body", "\n", []string{"Done: a", "Failed: b"}, nil, "Done: a\nFailed: b"},
		{"notices", "Hello.", nil, []string{"Ignored a.", "Ignored b."}, "Hello.\n\nIgnored a.\n\nIgnored b."},
		{"all", "Hello.", []string{"Done: a"}, []string{"Ignored b."}, "Hello.\n\nDone: a\n\nIgnored b."},
		{"notices alone", "", nil, []string{"Ignored b."}, "Ignored b."},
		{"blank parts", "Hello.", []string{"", "Done: a", " "}, []string{"", "Ignored b."}, "Hello.\n\nDone: a\n\nIgnored b."},
		{"an open fence above lines", "```go\nx\n", []string{"Done: a"}, nil, "```go\nx\n```\n\nDone: a"},
		{"an open fence above notices", "~~~~\nx", nil, []string{"Ignored b."}, "~~~~\nx\n~~~~\n\nIgnored b."},
		{"a closed fence", "```\nx\n```", []string{"Done: a"}, nil, "```\nx\n```\n\nDone: a"},
		{"a shorter fence does not close", "````\nx\n```", []string{"Done: a"}, nil, "````\nx\n```\n````\n\nDone: a"},
		{"a fence closed on other line ends", "```\r\nx\r\n```\r\n", []string{"Done: a"}, nil, "```\nx\n```\n\nDone: a"},
		{"code in lines", "Hello.", []string{"Done: it says\n```\nx\n```", "Done: `b`"}, nil, "Hello.\n\nDone: it says\n```\nx\n```\nDone: `b`"},
		{"an open fence in a line", "", []string{"Done: it says\n```\nx", "Done: b"}, []string{"~~~", "Ignored c."},
			"Done: it says\n```\nx\n```\nDone: b\n\n~~~\n~~~\n\nIgnored c."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := render.Report(tt.body, tt.lines, tt.notices); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func ExampleReport() {
	body := "I pinned it:\n~~~\nBe kind."
	lines := []string{"Done: Pinned the message in #rules", "Failed: kick: the bot may not kick members"}
	fmt.Println(render.Report(body, lines, []string{"Ignored `ban`: set DISCOCLAW_DISCORD_ACTIONS_MODERATION=1."}))
	// Output:
	// I pinned it:
	// ~~~
	// Be kind.
	// ~~~
	//
	// Done: Pinned the message in #rules
	// Failed: kick: the bot may not kick members
	//
	// Ignored `ban`: set DISCOCLAW_DISCORD_ACTIONS_MODERATION=1.
}
