package app

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
)

// TestNoMachineAnswersAQuestion: what is asked of people is not answered by a webhook
// that calls itself one of them, nor by another bot, nor by the bot itself, typed or
// pressed.
func TestNoMachineAnswersAQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, trialWorld)
		s := startShow(t, w)
		s.model.Add(script.Say(`Asking.<discord-action>{"type":"channelDelete","channelId":"ops"}</discord-action>`))
		w.MustSay("ada", "general", "delete #ops")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		all := w.Messages("general")
		card := all[len(all)-1]
		button := card.Buttons()[0].CustomID
		_, token, _ := strings.Cut(button, ":")
		place := chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general"), Message: card.ID}
		ada, self := w.UserID("ada"), w.UserID("DiscoClaw")
		n := 0
		for name, m := range map[string]chat.Message{
			"a webhook":      {Author: chat.User{ID: ada, Name: "ada"}, Webhook: true},
			"another bot":    {Author: chat.User{ID: ada, Name: "ada", Bot: true}},
			"the bot itself": {Author: chat.User{ID: self, Name: "DiscoClaw"}},
			"nobody":         {},
			"a notice":       {Author: chat.User{ID: ada, Name: "ada"}, System: true},
		} {
			n++
			m.ID, m.Place, m.Text = chat.MessageID(fmt.Sprintf("14779989098497%05d", n)), place, "!confirm "+token
			s.bot.flows.Message(t.Context(), m)
			if !m.Webhook && !m.System { // what presses is always somebody's account
				s.bot.flows.Pressed(t.Context(), chat.Press{Place: place, User: m.Author, Button: button})
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if _, there := w.Channel("ops"); !there {
				t.Fatalf("%s has answered", name)
			}
		}
		if said := len(w.Messages("general")); said != len(all) {
			t.Errorf("somebody was told something:\n%s", w.Transcript())
		}
		if text := s.agree("ada"); !strings.Contains(text, "Done: ") {
			t.Errorf("the question could not be answered at all: %s", text)
		}
		s.end()
	})
}
