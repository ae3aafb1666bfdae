package messaging_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/chat"
)

func TestEditMessage(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"frist"}`)
		w.Require("ada", `{"type":"editMessage","channelId":"ops","messageId":"`+w.latest("#ops")+`","content":"first"}`, "Done: edited [a message](https://discord.com/channels/{server}/{ops}/1477998909849600012) in <#{ops}>")
		w.requireTexts("#ops", "first")
	})
}

func TestEditMessageRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		id := w.say("bob", "#ops", "mine")
		w.requireEach([]example{
			{"nothing given", `{"type":"editMessage"}`, "Failed: editMessage: messageId: missing; content: missing"},
			{"one character too many", `{"type":"editMessage","channelId":"ops","messageId":"` + id + `","content":"` + strings.Repeat("x", 2001) + `"}`, "Failed: editMessage: content: has 2001 characters, must have at most 2000"},
			{"somebody else's message", `{"type":"editMessage","channelId":"ops","messageId":"` + id + `","content":"yours"}`, "Failed: editMessage: I can only edit messages that I was asked to send, and that is none of them"},
			{"no such message", `{"type":"editMessage","channelId":"ops","messageId":"111111111111111111","content":"x"}`, "Failed: editMessage: I can only edit messages that I was asked to send, and that is none of them"},
			{"no such channel", `{"type":"editMessage","channelId":"basement","messageId":"` + id + `","content":"x"}`, `Failed: editMessage: I can't see a channel #basement`},
		})
		w.requireTexts("#ops", "mine")
	})
}

func TestDeleteMessage(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		id := w.say("bob", "#ops", "rude")
		w.say("bob", "#ops", "polite")
		w.Require("ada", `{"type":"deleteMessage","channelId":"ops","messageId":"`+id+`"}`, "Done: deleted a message in <#{ops}>")
		w.requireTexts("#ops", "polite")
		w.Require("ada", `{"type":"deleteMessage","channelId":"ops","messageId":"`+id+`"}`, "Failed: deleteMessage: there is no such message in <#{ops}>; it may have been deleted")
		w.Require("ada", `{"type":"deleteMessage","channelId":"ops"}`, "Failed: deleteMessage: messageId: missing")
		w.Require("ada", `{"type":"deleteMessage","channelId":"basement","messageId":"last"}`, `Failed: deleteMessage: I can't see a channel #basement`)
	})
}

// TestDeletingNeedsTheRight: Discord lets authors delete their messages. What the bot sent for a person counts as theirs; the rest of
// what it wrote does not.
func TestDeletingNeedsTheRight(t *testing.T) {
	t.Parallel()
	onServer(t, layout+"member cleo\n", func(t *testing.T, w *world) {
		var forBob chat.MessageID
		w.Offer(messaging.New(w.Bot, messaging.Options{SentFor: func(_ context.Context, at chat.Place) (chat.UserID, error) {
			if at.Message == forBob || forBob == "" {
				return w.UserID("bob"), nil
			}
			return "", nil
		}}))
		w.Guard, w.Agreed = access.Guard(access.Policy{}, w.Bot), true
		w.Run("bob", `{"type":"sendMessage","channel":"ops","content":"for bob"}`, `{"type":"sendMessage","channel":"ops","content":"my own"}`)
		sent := w.Messages("#ops")
		forBob = sent[0].ID
		theirs := w.say("cleo", "#ops", "hers")
		remove := func(id chat.MessageID) string {
			return `{"type":"deleteMessage","channelId":"ops","messageId":"` + string(id) + `"}`
		}
		const refused = "Failed: deleteMessage: you need *Manage Messages* in <#{ops}> for that"
		w.RequirePart("cleo", remove(forBob), refused)
		w.RequirePart("bob", remove(sent[1].ID), refused)
		forBob = ""
		w.RequirePart("bob", remove(chat.MessageID(theirs)), refused)
		forBob = sent[0].ID
		w.requireTexts("#ops", "for bob", "my own", "hers")
		w.Require("bob", remove(forBob), "Done: deleted a message in <#{ops}>")
		w.requireTexts("#ops", "my own", "hers")
	})
}

// TestNoticesOfDiscordAreNobodysOwn, though they have an author: one of AutoMod's has the person whom it caught.
func TestNoticesOfDiscordAreNobodysOwn(t *testing.T) {
	t.Parallel()
	onServer(t, layout+"allow #ops bob: Pin Messages\n", func(t *testing.T, w *world) {
		w.Guard, w.Agreed = access.Guard(access.Policy{}, w.Bot), true
		w.Must(w.PinAs("bob", chat.MessageID(w.say("bob", "#ops", "his"))))
		w.RequirePart("bob", `{"type":"deleteMessage","channelId":"ops","messageId":"`+w.latest("#ops")+`"}`, "Failed: deleteMessage: you need *Manage Messages*")
	})
}

func TestDeletingTheLastTwiceDeletesNothingElse(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"keep"}`)
		const last = `{"type":"deleteMessage","channelId":"ops","messageId":"last"}`
		got := w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"oops"}`, last, last)
		if got[1] != w.WithIDs("Done: deleted a message in <#{ops}>") || !strings.HasPrefix(got[2], "Failed: deleteMessage: ") {
			t.Errorf("got %q", got)
		}
		w.requireTexts("#ops", "keep")
	})
}

func TestBulkDelete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		old, late int // messages older than 14 days, and later ones
		count     int
		want      string
	}{
		{"only as many as asked", 0, 5, 3, "deleted 3 messages in <#{ops}>"},
		{"fewer than asked", 0, 2, 50, "deleted 2 messages in <#{ops}>"},
		{"not the old ones", 2, 3, 100, "deleted 3 messages in <#{ops}>; 2 older than 14 days stay"},
		{"just one", 4, 1, 3, "deleted 1 message in <#{ops}>; 2 older than 14 days stay"},
		{"none but old ones", 3, 0, 3, "found nothing to delete in <#{ops}> that is younger than 14 days"},
		{"none at all", 0, 0, 3, "found nothing to delete in <#{ops}> that is younger than 14 days"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, server.New(t, layout))
				var all []string
				say := func(n int) {
					for range n {
						all = append(all, fmt.Sprint("message ", len(all)))
						w.say("bob", "#ops", all[len(all)-1])
					}
				}
				say(tt.old)
				time.Sleep(14 * 24 * time.Hour)
				say(tt.late)
				w.Connect()
				w.askedIn("#general")
				w.Require("ada", fmt.Sprintf(`{"type":"bulkDelete","channelId":"ops","count":%d}`, tt.count), "Done: "+tt.want)
				w.requireTexts("#ops", all[:max(tt.old, len(all)-tt.count)]...)
			})
		})
	}
}

// TestBulkDeleteSparesTheConversation: the reply that reports it is being written in the
// same channel.
func TestBulkDeleteSparesTheConversation(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.say("bob", "#general", "spam 1")
		w.say("bob", "#general", "spam 2")
		w.askedIn("#general")
		w.say("bob", "#general", "later")
		w.Require("ada", `{"type":"bulkDelete","channelId":"general","count":2}`, "Done: deleted 2 messages in <#{general}>")
		w.requireTexts("#general", "please", "please", "later")

		// A reaction can be on an old message; the latest ones are deleted.
		w.Asked.Flow = actions.FlowReaction
		w.Require("ada", `{"type":"bulkDelete","channelId":"general","count":2}`, "Done: deleted 2 messages in <#{general}>")
		w.requireTexts("#general", "please")
	})
}

func TestBulkDeleteRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.say("bob", "#ops", "stay")
		w.requireEach([]example{
			{"nothing given", `{"type":"bulkDelete"}`, "Failed: bulkDelete: channelId: missing; count: missing"},
			{"one", `{"type":"bulkDelete","channelId":"ops","count":1}`, "Failed: bulkDelete: count: 1 is not 2 to 100"},
			{"too many", `{"type":"bulkDelete","channelId":"ops","count":101}`, "Failed: bulkDelete: count: 101 is not 2 to 100"},
			{"two and a half", `{"type":"bulkDelete","channelId":"ops","count":2.5}`, "Failed: bulkDelete: count: must be a whole number, not 2.5"},
			{"a voice channel", `{"type":"bulkDelete","channelId":"talk","count":2}`, "Failed: bulkDelete: <#{talk}> is a voice channel, which cannot be used for messages; choose a text channel or a thread"},
			{"no such channel", `{"type":"bulkDelete","channelId":"basement","count":2}`, `Failed: bulkDelete: I can't see a channel #basement`},
		})
		w.requireTexts("#ops", "stay")
	})
}

func TestCrosspost(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		got := w.Run("ada", `{"type":"sendMessage","channel":"news","content":"2.0 is out"}`, `{"type":"crosspost","channelId":"news","messageId":"last"}`)
		if !strings.HasPrefix(got[1], "Done: published [a message](") {
			t.Error(got[1])
		}
		const crossposted = 1 // Discord's flag
		if m, _ := w.Message(chat.MessageID(w.latest("news"))); m.Flags&crossposted == 0 {
			t.Error("the message was not published")
		}
		w.RequirePart("ada", `{"type":"crosspost","channelId":"news","messageId":"last"}`, "Failed: crosspost: this message was published before")
		w.Require("ada", `{"type":"crosspost","channelId":"general","messageId":"`+w.latest("#general")+`"}`, "Failed: crosspost: <#{general}> is not an announcement channel, and only those have followers")
		w.Require("ada", `{"type":"crosspost"}`, "Failed: crosspost: messageId: missing")
		w.Require("ada", `{"type":"crosspost","channelId":"basement","messageId":"last"}`, `Failed: crosspost: I can't see a channel #basement`)
	})
}
