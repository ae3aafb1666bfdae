package channels_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

// TestAMoveNeedsRightsInAllShiftedChannels: a right in one channel is none to rearrange the
// others.
func TestAMoveNeedsRightsInAllShiftedChannels(t *testing.T) {
	t.Parallel()
	const layout = `
guild disco: #general #rules #secret
category Work: #ops #dev
bot DiscoClaw
member ada: owner
member bob
deny #secret bob: View Channel
`
	onServer(t, layout, func(t *testing.T, w *world) {
		if err := w.Allow("ops", "bob", chat.ManageChannels); err != nil {
			t.Fatal(err)
		}
		for payload, want := range map[string]string{
			`{"type":"channelMove","channelId":"ops","parent":"","position":0}`: "you need *Manage Channels* for that",
			`{"type":"channelMove","channelId":"ops","parent":""}`:              "you need *Manage Channels* for that",
			`{"type":"channelMove","channelId":"ops","position":1}`:             "you need *Manage Channels* in <#",
			`{"type":"channelInfo","channelId":"secrt"}`:                        `I can't see a channel #secrt`,
		} {
			if got := w.Run("bob", payload)[0]; !strings.Contains(got, want) || strings.Contains(got, "#secret") {
				t.Errorf("%s: %s", payload, got)
			}
		}
		if err := w.Allow("Work", "bob", chat.ManageChannels); err != nil {
			t.Fatal(err)
		}
		if got := w.Run("bob", `{"type":"channelMove","channelId":"ops","position":1}`)[0]; !strings.HasPrefix(got, "Done: ") {
			t.Error(got)
		}
	})
}
