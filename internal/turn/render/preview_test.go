package render_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/turn/render"
)

func TestPreview(t *testing.T) {
	t.Parallel()
	long := of(99, "x") + "\n" // a line of 100 units
	for _, tt := range []struct{ name, text, status, want string }{
		{"nothing", "", "", ""},
		{"no text", " \n", "12 s", "-# 12 s"},
		{"no status", "Hello.\n", " ", "Hello."},
		{"both", "Hello.\n\n", "12 s", "Hello.\n-# 12 s"},
		{"a status of many lines", "Hello.", "12 s\n```\n\nand on", "Hello.\n-# 12 s ``` and on"},
		{"a status that never ends", "Hello.", of(5000, "x"), "Hello.\n-# " + of(200, "x") + "…"},
		{"an open fence", "Look:\n```go\nx := 1\n", "12 s", "Look:\n```go\nx := 1\n```\n-# 12 s"},
		{"just full", of(1992, "x"), "12 s", of(1992, "x") + "\n-# 12 s"},
		{"just full with a fence", "```\n" + of(1984, "x"), "12 s", "```\n" + of(1984, "x") + "\n```\n-# 12 s"},
		{"too much", "Gone.\n" + of(20, long), "12 s", "…\n" + of(19, long) + "-# 12 s"},
		{"too much code", "Look:\n```go\n" + of(20, long), "12 s", "…\n```go\n" + of(19, long) + "```\n-# 12 s"},
		{"code that ends in the shown part", "```go\n" + of(20, long) + "```\nDone.", "12 s", "…\n```go\n" + of(19, long) + "```\nDone.\n-# 12 s"},
		{"code that ends where the shown part would begin", "```go\n" + of(20, long) + "```\n" + of(1980, "y"), "12 s", "…\n" + of(1980, "y") + "\n-# 12 s"},
		{"a long line", of(2100, "x") + of(1000, "y"), "12 s", "…" + of(991, "x") + of(1000, "y") + "\n-# 12 s"},
		{"a long line of code", "```go\n" + of(2100, "x"), "12 s", "…\n```go\n…" + of(1979, "x") + "\n```\n-# 12 s"},
		{"a long line of families", of(300, "👩‍👩‍👧"), "12 s", "…" + of(248, "👩‍👩‍👧") + "\n-# 12 s"},
		{"a long line of backticks in code", "~~~\n" + of(3000, "~"), "", "…\n~~~\n…" + of(1989, "~") + "\n~~~"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := render.Preview(tt.text, tt.status)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("preview (-want +got):\n%s", diff)
			}
			requirePreview(t, tt.text, tt.status)
		})
	}
}
