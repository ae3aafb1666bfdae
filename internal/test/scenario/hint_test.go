package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakegateway"
)

// callUnheard has a member mention the bot in a message without content, as for bots without
// the Message Content intent.
func (st *stage) callUnheard(who, channel string) {
	st.t.Helper()
	m := st.MustSay(who, channel, "(what nobody hears)")
	st.Gateway().Dispatch(0, fakegateway.Event{Name: "MESSAGE_CREATE", Data: json.RawMessage(fmt.Sprintf(
		`{"id":"%s","channel_id":"%s","guild_id":"%s","type":0,"content":"","attachments":[],"embeds":[],"components":[],"author":{"id":"%s","username":"%s"},"mentions":[{"id":"%s"}]}`,
		m.ID, m.Channel, st.GuildID(), m.Author, who, st.UserID("bot")))})
	st.settle()
}

// TestAMissingIntentIsExplained: once an hour in each channel, and never where the bot does
// not answer.
func TestAMissingIntentIsExplained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, "guild disco: #general #ops #other\nmember ada: owner\nmember bob\nstranger zed", "DISCOCLAW_RESPOND=mentions\nDISCORD_CHANNEL_IDS={#general},{#ops}")
		hints := func(channel string) int {
			n := 0
			for _, m := range st.Messages(channel) {
				if m.Author == st.UserID("bot") && strings.Contains(m.Content, "Message Content Intent") {
					n++
				}
			}
			return n
		}
		st.callUnheard("zed", "general")
		st.callUnheard("ada", "other")
		if got := len(st.Messages("general")) + len(st.Messages("other")); got != 2 {
			t.Errorf("the bot spoke where it should not:\n%s", st.Transcript())
		}
		st.callUnheard("ada", "general")
		st.callUnheard("bob", "general")
		st.callUnheard("ada", "ops")
		if hints("general") != 1 || hints("ops") != 1 {
			t.Errorf("hints are missing, or too many:\n%s", st.Transcript())
		}
		time.Sleep(time.Hour)
		st.callUnheard("ada", "general")
		if hints("general") != 2 {
			t.Errorf("an hour later:\n%s", st.Transcript())
		}
		st.RequireNoMentions(t)
	})
}
