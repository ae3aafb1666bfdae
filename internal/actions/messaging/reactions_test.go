package messaging_test

import (
	"testing"

	"discoclaw/internal/chat"
)

// reactions are the emoji that the bot has put on a message.
func (w *world) reactions(id string) (mine []chat.Emoji) {
	m, _ := w.Message(chat.MessageID(id))
	for _, r := range m.Reactions {
		for _, u := range r.Users {
			if u == w.UserID("bot") {
				mine = append(mine, chat.Emoji(r.Emoji))
			}
		}
	}
	return mine
}

func TestReactAndUnreact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, react, unreact, shown string }{
		{"the character", "👍", "👍", "👍"},
		{"its name", ":thumbsup:", "thumbsup", "👍"},
		{"another spelling of it", "❤️", "❤", "❤️"},
		{"a family", "👩‍👩‍👧", "👩‍👩‍👧", "👩‍👩‍👧"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, layout, func(t *testing.T, w *world) {
				id := w.say("bob", "#ops", "done")
				w.Require("ada", `{"type":"react","channelId":"ops","messageId":"`+id+`","emoji":"`+tt.react+`"}`, "Done: reacted with "+tt.shown+" to [a message](https://discord.com/channels/{server}/{ops}/"+id+") in <#{ops}>")
				if got := w.reactions(id); len(got) != 1 || !got[0].Same(chat.Emoji(tt.shown)) {
					t.Errorf("the bot's reactions are %v", got)
				}
				w.RequirePart("ada", `{"type":"unreact","channelId":"ops","messageId":"`+id+`","emoji":"`+tt.unreact+`"}`, "Done: took my reaction ")
				if got := w.reactions(id); len(got) != 0 {
					t.Errorf("afterwards the bot's reactions are %v", got)
				}
			})
		})
	}
}

func TestReactingRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		id := w.say("bob", "#ops", "done")
		w.requireEach([]example{
			{"nothing given", `{"type":"react"}`, "Failed: react: messageId: missing; emoji: missing"},
			{"blanks", `{"type":"unreact","channelId":"","messageId":"","emoji":""}`, "Failed: unreact: messageId: empty; emoji: empty"},
			{"a word", `{"type":"react","channelId":"ops","messageId":"` + id + `","emoji":"yes"}`, `Failed: react: emoji: there is no emoji "yes" here; write the character itself, such as 👍`},
			{"no such channel", `{"type":"react","channelId":"basement","messageId":"` + id + `","emoji":"👍"}`, `Failed: react: I can't see a channel #basement`},
			{"no such message", `{"type":"react","channelId":"ops","messageId":"111111111111111111","emoji":"👍"}`, "Failed: react: there is no such message in <#{ops}>; it may have been deleted"},
			{"no such message to take it from", `{"type":"unreact","channelId":"ops","messageId":"111111111111111111","emoji":"👍"}`, "Failed: unreact: there is no such message in <#{ops}>; it may have been deleted"},
			{"no such reaction", `{"type":"unreact","channelId":"ops","messageId":"` + id + `","emoji":"👍"}`, "Failed: unreact: I have no reaction 👍 on [that message](https://discord.com/channels/{server}/{ops}/" + id + ") in <#{ops}>"},
			{"an emoji of another server", `{"type":"react","channelId":"ops","messageId":"` + id + `","emoji":"<:party:123456789012345678>"}`, "Failed: react: Discord has no such emoji for me; use a plain emoji such as 👍, or one of this server's own"},
			{"a reaction with it", `{"type":"unreact","channelId":"ops","messageId":"` + id + `","emoji":"<a:party:123456789012345678>"}`, "Failed: unreact: I have no reaction :party: on [that message](https://discord.com/channels/{server}/{ops}/" + id + ") in <#{ops}>"},
		})
	})
}

func TestUnreactLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		id := w.say("bob", "#ops", "done")
		if err := w.React("bob", chat.MessageID(id), "👍"); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("ada", `{"type":"unreact","channelId":"ops","messageId":"`+id+`","emoji":"👍"}`, "Failed: unreact: I have no reaction 👍 on ")
		if m, _ := w.Message(chat.MessageID(id)); len(m.Reactions) != 1 {
			t.Errorf("the reactions are %v, want bob's", m.Reactions)
		}
	})
}
