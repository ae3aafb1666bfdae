package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/turn/render"
)

func TestBlocksOfCode(t *testing.T) {
	t.Parallel()
	const text = "one\n```go\nx := 1\n\n```\ntwo ```no```\n~~~~ text title\n```\n~~~\n~~~~\n```\nopen"
	want := []render.Block{
		{Info: "go", Code: "x := 1\n\n", From: 4, To: 22},
		{Info: "text title", Code: "```\n~~~\n", From: 35, To: 64},
		{Code: "open", From: 64, To: 72},
	}
	if diff := cmp.Diff(want, render.Blocks(text)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// TestBlocksLeaveNothingOut: what is in no block has no fence in it, and every block
// begins with one.
func TestBlocksLeaveNothingOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := normalized(drawText(t))
		at := 0
		for _, b := range render.Blocks(text) {
			if b.From < at || b.To < b.From || !strings.Contains(text[b.From:b.To], b.Code) {
				t.Fatalf("block %+v of %q, after %d", b, text, at)
			}
			if open := openFence(text[at:b.From]); open != "" {
				t.Fatalf("%q is open above block %+v of %q", open, b, text)
			}
			at = b.To
		}
		if open := openFence(text[at:]); open != "" {
			t.Fatalf("%q is open below the last block of %q", open, text)
		}
	})
}
