package standin_test

import (
	"strings"
	"testing"
)

// TestItComesIntoCalls where there are any, and knows a voice channel by its name.
func TestItComesIntoCalls(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"come to the lounge", `"channel":"lounge"`},
		{"join the Lounge voice channel", `"channel":"Lounge"`},
		{"please join the call", `"channel":"Lounge"`},
		{"talk to me", `"channel":"Lounge"`},
		{"leave the voice channel", ``},
	} {
		req := said(t, tt.text)
		req.System += "\nvoiceJoin"
		req.Messages[0].Text = "Channels: general, Lounge (voice)\n\n" + req.Messages[0].Text
		if got, words := requests(answered(t, req)); len(got) != 1 || words != "" || !strings.Contains(got[0], tt.want) {
			t.Errorf("%q leads to %q %q, want %q", tt.text, got, words, tt.want)
		}
	}
}
