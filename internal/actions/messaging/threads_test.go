package messaging_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestThreadCreate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		kind           fakediscord.ChannelType
		minutes        int
	}{
		{"in a channel", `"channelId":"ops","name":" Release  2.0 "`, `"Release 2.0" in #ops`, fakediscord.PublicThread, 1440},
		{"in an announcement channel", `"channel":"#news","name":"Release 2.0"`, `"Release 2.0" in #news`, fakediscord.AnnouncementThread, 1440},
		{"with another pause", `"channelId":"ops","name":"Release 2.0","autoArchiveMinutes":10080`, `"Release 2.0" in #ops`, fakediscord.PublicThread, 10080},
		{"a pause in quotes", `"channelId":"ops","name":"Release 2.0","autoArchiveMinutes":"60"`, `"Release 2.0" in #ops`, fakediscord.PublicThread, 60},
		{"with quotes in its name", `"channelId":"ops","name":"the \"new\" one"`, `"the "new" one" in #ops`, fakediscord.PublicThread, 1440},
		{"with a long name", `"channelId":"ops","name":"` + strings.Repeat("x", 150) + `"`, `"` + strings.Repeat("x", 99) + `…" in #ops`, fakediscord.PublicThread, 1440},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inTown(t, layout, func(t *testing.T, w *town) {
				got := w.run(`{"type":"threadCreate",` + tt.in + `}`)[0]
				name := tt.want[1:strings.LastIndex(tt.want, `"`)]
				thread, ok := w.Channel(name)
				if !ok {
					t.Fatalf("%s, but there is no thread %q", got, name)
				}
				if want := fmt.Sprintf("Done: Created thread %s (id %s)", tt.want, thread.ID); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				if thread.Type != tt.kind || thread.AutoArchive != tt.minutes {
					t.Errorf("type %d, archived after %d minutes; want %d and %d", thread.Type, thread.AutoArchive, tt.kind, tt.minutes)
				}
			})
		})
	}
}

func TestThreadCreateFromAMessage(t *testing.T) {
	t.Parallel()
	inTown(t, layout, func(t *testing.T, w *town) {
		id := w.say("bob", "#ops", "it is broken")
		got := w.run(`{"type":"threadCreate","channelId":"ops","messageId":"` + id + `","name":"Broken"}`)[0]
		m, _ := w.Message(chat.MessageID(id))
		if want := fmt.Sprintf(`Done: Created thread "Broken" from message in #ops (id %s)`, m.Thread); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		w.require(`{"type":"threadCreate","channelId":"ops","messageId":"`+id+`","name":"Again"}`,
			`Failed: threadCreate: start thread "Again" from message in #ops: there is a thread on this message already; write there`)
		got = w.run(`{"type":"sendMessage","channel":"ops","content":"any news?"}`, `{"type":"threadCreate","channelId":"ops","messageId":"last","name":"News"}`)[1]
		if !strings.HasPrefix(got, `Done: Created thread "News" from message in #ops (id `) {
			t.Error(got)
		}
	})
}

// TestANewThreadCanBeUsedAtOnce: by its name, in the same reply.
func TestANewThreadCanBeUsedAtOnce(t *testing.T) {
	t.Parallel()
	inTown(t, layout, func(t *testing.T, w *town) {
		got := w.run(
			`{"type":"threadCreate","channelId":"ops","name":"Release 2.0"}`,
			`{"type":"sendMessage","channel":"release 2.0","content":"welcome"}`,
			`{"type":"pinMessage","channelId":"Release 2.0","messageId":"last"}`)
		if got[2] != "Done: Pinned message in #Release 2.0" {
			t.Errorf("got %q", got)
		}
	})
}

func TestThreadCreateRefuses(t *testing.T) {
	t.Parallel()
	inTown(t, layout+`thread "Help me" in #general`, func(t *testing.T, w *town) {
		w.requireEach([]example{
			{"nothing given", `{"type":"threadCreate"}`, "Failed: threadCreate: channelId: missing; name: missing"},
			{"a blank name", `{"type":"threadCreate","channelId":"ops","name":" "}`, "Failed: threadCreate: name: empty"},
			{"a pause that Discord does not know", `{"type":"threadCreate","channelId":"ops","name":"x","autoArchiveMinutes":90}`, "Failed: threadCreate: autoArchiveMinutes: 90 is not one of 60, 1440, 4320, 10080"},
			{"a forum", `{"type":"threadCreate","channelId":"ideas","name":"x"}`, "Failed: threadCreate: #ideas is a forum channel, and posts in those cannot be made yet; ask somebody to make one, then write in it"},
			{"a voice channel", `{"type":"threadCreate","channelId":"talk","name":"x"}`, "Failed: threadCreate: #talk is a voice channel, which has no threads; choose a text channel"},
			{"a thread", `{"type":"threadCreate","channelId":"help me","name":"x"}`, "Failed: threadCreate: #Help me is a thread itself, and threads have none; choose the channel around it"},
			{"no such channel", `{"type":"threadCreate","channelId":"basement","name":"x"}`, `Failed: threadCreate: there is no channel "basement" on this server`},
			{"no such message", `{"type":"threadCreate","channelId":"ops","messageId":"111111111111111111","name":"x"}`, `Failed: threadCreate: start thread "x" from message in #ops: there is no such message in #ops; it may have been deleted`},
		})
	})
}
