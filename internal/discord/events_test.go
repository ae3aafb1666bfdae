package discord_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
)

func TestMessagesArriveInOrderAndWithoutTheBotsOwn(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		var want []string
		for i := range 50 {
			b.MustSay("bob", "general", fmt.Sprint(i))
			want = append(want, fmt.Sprint("bob: ", i))
			if i%10 == 0 {
				b.send(t, "general", "mine")
			}
		}
		synctest.Wait()
		if diff := cmp.Diff(want, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAMessageHasItsPlace(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob\nthread \"help\" in #general\nthread \"old\" in #general: archived", func(t *testing.T, b *bench) {
		general := b.ChannelID("general")
		for _, tt := range []struct {
			channel string
			place   chat.Place
		}{
			{"general", chat.Place{Guild: b.GuildID(), Channel: general}},
			{"help", chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("help"), Parent: general}},
			{"old", chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("old"), Parent: general}},
		} {
			said := b.MustSay("bob", tt.channel, "hello")
			synctest.Wait()
			got := b.heard.last(t)
			tt.place.Message = said.ID
			if diff := cmp.Diff(tt.place, got.Place); diff != "" {
				t.Errorf("in %s (-want +got):\n%s", tt.channel, diff)
			}
			if got.ID != said.ID || got.Text != "hello" || got.System || got.Webhook || got.InDM() || !got.Sent.Equal(said.Sent) {
				t.Errorf("in %s: %+v, said at %v", tt.channel, got, said.Sent)
			}
		}
	})
}

// TestAMessageOfAServerIsNoDirectMessage, though the event does not name the server: its channel tells.
func TestAMessageOfAServerIsNoDirectMessage(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		b.raw("MESSAGE_CREATE", fmt.Sprintf(`{"id":"77","channel_id":"%s","content":"hm","author":{"id":"5","username":"eve"}}`, b.ChannelID("general")))
		synctest.Wait()
		if got := b.heard.last(t); got.InDM() || got.Place.Guild != b.GuildID() {
			t.Errorf("message = %+v", got)
		}
	})
}

func TestAMessageArrivesAlthoughItsThreadCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: "GET /channels/{channel}", Kind: fakediscord.Hang})
		b.raw("MESSAGE_CREATE", fmt.Sprintf(`{"id":"77","channel_id":"123456789012345678","guild_id":"%s","content":"hm","author":{"id":"5","username":"eve"}}`, b.GuildID()))
		b.MustSay("bob", "general", "hello")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"eve: hm", "bob: hello"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if first := b.heard.messages[0]; first.InDM() || first.Place.Parent != "" {
			t.Errorf("message = %+v", first)
		}
	})
}

func TestDirectMessagesHaveNoServer(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		said := b.MustSay("bob", "@bot", "psst")
		synctest.Wait()
		got := b.heard.last(t)
		if !got.InDM() || got.Place.Channel != said.Channel || got.Text != "psst" {
			t.Errorf("message = %+v", got)
		}
		if id, err := b.client.Send(t.Context(), got.Place.Channel, chat.Outgoing{Text: "yes?"}); err != nil {
			t.Error(err)
		} else if m := b.message(t, id); m.Channel != said.Channel {
			t.Errorf("answer = %+v", m)
		}
	})
}

// raw dispatches an event as Discord might send it.
func (b *bench) raw(name, data string) {
	b.Gateway().Dispatch(0, fakegateway.Event{Name: name, Data: json.RawMessage(data)})
	synctest.Wait()
}

func TestMessagesOfAllKindsAreDecoded(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		where := fmt.Sprintf(`"channel_id":"%s","guild_id":"%s"`, b.ChannelID("general"), b.GuildID())
		place := chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general"), Message: "1234567890123456789"}
		sent := time.Date(2024, time.April, 29, 18, 12, 2, 167e6, time.UTC)
		for _, tt := range []struct {
			name, data string
			want       chat.Message
		}{
			{"a nickname", `"author":{"id":"5","username":"bob","global_name":"Bob"},"member":{"nick":"Bobby"}`,
				chat.Message{Author: chat.User{ID: "5", Name: "Bobby", Handle: "bob"}}},
			{"a display name", `"author":{"id":"5","username":"bob","global_name":"Bob"},"member":{"nick":null}`,
				chat.Message{Author: chat.User{ID: "5", Name: "Bob", Handle: "bob"}}},
			{"another bot", `"author":{"id":"5","username":"robo","global_name":null,"bot":true}`,
				chat.Message{Author: chat.User{ID: "5", Name: "robo", Handle: "robo", Bot: true}}},
			{"a webhook", `"author":{"id":"5","username":"hook","bot":true},"webhook_id":"5"`,
				chat.Message{Author: chat.User{ID: "5", Name: "hook", Handle: "hook", Bot: true}, Webhook: true}},
			{"a pin notice", `"author":{"id":"5","username":"bob"},"type":6,"message_reference":{"message_id":"77"}`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, System: true}},
			{"a slash command of another bot", `"author":{"id":"5","username":"robo","bot":true},"type":20`,
				chat.Message{Author: chat.User{ID: "5", Name: "robo", Handle: "robo", Bot: true}, System: true}},
			{"a reply", `"author":{"id":"5","username":"bob"},"type":19,"message_reference":{"message_id":"77"}`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, ReplyTo: "77"}},
			{"the head of a thread", `"author":{"id":"5","username":"bob"},"type":21,"content":"","message_reference":{"message_id":"9"},"referenced_message":{"id":"9","author":{"id":"6","username":"eve"},"content":"the plan"}`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, System: true, Answers: &chat.Message{
					ID: "9", Place: chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general"), Message: "9"}, Author: chat.User{ID: "6", Name: "eve", Handle: "eve"}, Text: "the plan",
					Sent: time.Date(2015, time.January, 1, 0, 0, 0, 0, time.UTC)}}},
			{"a mention in words that Discord keeps back", `"author":{"id":"5","username":"bob"},"content":"","mentions":[{"id":"6"}],"components":[]`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Mentions: []chat.UserID{"6"}}},
			{"a reply without words", `"author":{"id":"5","username":"bob"},"type":19,"content":"","mentions":[{"id":"6"}],"attachments":[{"filename":"a.txt"}]`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Attachments: []chat.Attachment{{Name: "a.txt"}}}},
			{"mentions of everyone and of a role", `"author":{"id":"5","username":"bob"},"content":"<@&9> <@!6> @everyone","mentions":[{"id":"6"}],"mention_roles":["9"],"mention_everyone":true`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Text: "<@&9> <@!6> @everyone", Mentions: []chat.UserID{"6"}}},
			{"extras", `"author":{"id":"5","username":"bob"},"pinned":true,"sticker_items":[{"id":"1","name":"s","format_type":1}],` +
				`"embeds":[{"title":"T","description":"D","url":"U","author":{"name":"A"},"footer":{"text":"F"},"fields":[{"name":"n","value":"v"}]}],` +
				`"reactions":[{"count":2,"me":true,"emoji":{"id":null,"name":"👍"}},{"count":1,"me":false,"emoji":{"id":"88","name":"blob"}}],` +
				`"components":[{"type":17,"components":[{"type":999}]}]`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Pinned: true, Buttons: true, StickerNames: []string{"s"},
					Embeds:    []chat.Embed{{Title: "T", Description: "D", URL: "U", Author: "A", Footer: "F", Fields: []chat.EmbedField{{Name: "n", Value: "v"}}}},
					Reactions: []chat.Reaction{{Emoji: "👍", Count: 2, Mine: true}, {Emoji: "blob:88", Count: 1}}}},
			{"a forward", `"author":{"id":"5","username":"bob"},"content":"","mentions":[{"id":"6"}],"flags":16384,"message_reference":{"type":1,"channel_id":"8","message_id":"77"},` +
				`"message_snapshots":[{"message":{"type":0,"content":"the plan","attachments":[{"filename":"a.png"}],"embeds":[{"title":"T"}],"sticker_items":[{"id":"1","name":"s","format_type":1}],"components":[{"type":10,"content":"C"}]}}]`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Forwards: &chat.Message{Text: "the plan", Buttons: true, Components: "C",
					Attachments: []chat.Attachment{{Name: "a.png"}}, Embeds: []chat.Embed{{Title: "T"}}, StickerNames: []string{"s"}}}},
			{"a forwarded secret", `"author":{"id":"5","username":"bob"},"message_reference":{"type":1,"channel_id":"8","message_id":"77"},"message_snapshots":[{"message":{"content":"!secret KEY=1"}}]`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Forwards: &chat.Message{Text: "(a secret, told to the bot alone)"}}},
			{"a voice message", `"author":{"id":"5","username":"bob"},"flags":8192,"attachments":[{"filename":"voice-message.ogg","content_type":"audio/ogg","duration_secs":12.34,"waveform":"AA=="}]`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Attachments: []chat.Attachment{{Name: "voice-message.ogg", Type: "audio/ogg", Spoken: 12 * time.Second}}}},
			{"components with texts, and one of a new kind", `"author":{"id":"5","username":"bob"},"flags":32768,"components":[{"type":10,"id":1,"content":"one"},{"type":999,"content":{"new":true}},` +
				`{"type":17,"id":2,"components":[{"type":9,"id":3,"components":[{"type":10,"id":4,"content":"two"}],"accessory":{"type":11,"id":5,"media":{"url":"U"},"description":"three"}},{"type":14,"id":6}]},` +
				`{"type":12,"id":7,"items":[{"media":{"url":"U"},"description":null},{"media":{"url":"U"},"description":"four"}]},{"type":13,"id":8,"file":{"url":"U"},"name":"five.txt"},` +
				`{"type":1,"id":9,"components":[{"type":2,"id":10,"label":"press"}]}]`,
				chat.Message{Author: chat.User{ID: "5", Name: "bob", Handle: "bob"}, Buttons: true, Components: "one\ntwo\n(picture: three)\n(picture)\n(picture: four)\n(file: five.txt)"}},
		} {
			b.raw("MESSAGE_CREATE", `{"id":"1234567890123456789",`+where+`,`+tt.data+`}`)
			tt.want.ID, tt.want.Place, tt.want.Sent = "1234567890123456789", place, sent
			if diff := cmp.Diff(tt.want, b.heard.last(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	})
}

func TestEditsAndDeletionsArrive(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		said := b.MustSay("bob", "general", "helo")
		mine := b.send(t, "general", "mine")
		if err := b.EditAs("bob", said.ID, "hello"); err != nil {
			t.Fatal(err)
		}
		if err := b.client.Edit(t.Context(), b.ChannelID("general"), mine, chat.Outgoing{Text: "changed"}); err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf(`"channel_id":"%s","guild_id":"%s"`, b.ChannelID("general"), b.GuildID())
		b.raw("MESSAGE_UPDATE", `{"id":"77",`+where+`,"embeds":[]}`)                                                // a link got its preview
		b.raw("MESSAGE_UPDATE", `{"id":"77",`+where+`,"edited_timestamp":null,"author":{"id":"5","username":"x"}}`) // the same, with all fields
		if err := b.DeleteAs("bob", said.ID); err != nil {
			t.Fatal(err)
		}
		b.raw("MESSAGE_DELETE_BULK", `{"ids":["1","2"],`+where+`}`)
		if diff := cmp.Diff([]string{"bob: helo", "bob edited: hello", "deleted", "deleted", "deleted"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		want := []chat.Place{
			{Guild: b.GuildID(), Channel: b.ChannelID("general"), Message: said.ID},
			{Guild: b.GuildID(), Channel: b.ChannelID("general"), Message: "1"},
			{Guild: b.GuildID(), Channel: b.ChannelID("general"), Message: "2"},
		}
		if diff := cmp.Diff(want, b.heard.places); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAPressIsAcknowledgedAndHandled(t *testing.T) {
	t.Parallel()
	const callback = "POST /interactions/{interaction}/{token}/callback"
	for _, tt := range []struct {
		name     string
		fault    *fakediscord.Fault
		answered bool
	}{
		{"at once", nil, true},
		{"after a fault", &fakediscord.Fault{Match: callback, Times: 1}, true},
		{"after a fault that was none", &fakediscord.Fault{Match: callback, Times: 1, Accepted: true}, true},
		{"after a rate limit", &fakediscord.Fault{Match: callback, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: time.Second}, true},
		{"although Discord does not answer", &fakediscord.Fault{Match: callback, Kind: fakediscord.Hang}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general\nmember bob\nthread \"help\" in #general", func(t *testing.T, b *bench) {
				open := b.open(t, "help")
				synctest.Wait()
				b.heard.forget()
				if tt.fault != nil {
					b.Fail(*tt.fault)
				}
				answer, err := b.Press("bob", open, "stop:1")
				if tt.answered && (err != nil || answer.Kind != fakediscord.UpdateDeferred) {
					t.Errorf("bob got %q, %v", answer.Kind, err)
				}
				time.Sleep(3 * time.Second)
				synctest.Wait()
				if diff := cmp.Diff([]string{"bob pressed stop:1"}, b.heard.list()); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				want := chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("help"), Parent: b.ChannelID("general"), Message: open}
				if diff := cmp.Diff(want, b.heard.presses[0].Place); diff != "" {
					t.Errorf("place (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAPressIsAcknowledgedDuringARateLimit(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		open := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: patchMessage, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: 20 * time.Second, Global: true})
		var previewing sync.WaitGroup
		previewing.Go(func() {
			if err := b.client.Edit(t.Context(), b.ChannelID("general"), open, chat.Outgoing{Text: "so far"}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := b.Press("bob", open, "stop:1"); err != nil {
			t.Error(err)
		}
		previewing.Wait()
	})
}

func TestEventsThatMakeNoSenseAreSkipped(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		names := []string{
			"GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE",
			"GUILD_MEMBER_UPDATE", "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE",
			"THREAD_LIST_SYNC", "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "INTERACTION_CREATE",
			"SOMETHING_NEW",
		}
		guild := string(b.GuildID())
		for _, name := range names {
			for _, data := range []string{
				`null`, `{}`, `[]`, `"text"`, `17`, `{"id":17}`, `{"id":null,"guild_id":null}`, `{"guild_id":"` + guild + `"}`,
				`{"id":"1","type":3,"data":null,"message":null,"member":{"user":null}}`,
				`{"id":"1","channel_id":"2","author":null,"mentions":[null],"embeds":[null],"reactions":[null,{"emoji":null}]}`,
				`{"guild_id":"` + guild + `","role":null,"threads":[null],"ids":[null],"channels":[null],"roles":[null],"members":[null]}`,
				`{"id":"1","guild_id":"` + guild + `","permission_overwrites":[null],"thread_metadata":null,"roles":[null]}`,
			} {
				b.raw(name, data)
			}
		}
		for _, user := range []string{`null`, `{}`, `17`} { // package gateway checks the rest of READY
			b.raw("READY", `{"session_id":"s","resume_gateway_url":"ws://fake.discord/gateway","user":`+user+`}`)
		}
		b.heard.forget()
		b.MustSay("bob", "general", "still there?")
		synctest.Wait()
		if diff := cmp.Diff([]string{"bob: still there?"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := b.client.Channel(t.Context(), b.GuildID(), "", "general"); err != nil {
			t.Error(err)
		}
		if got := b.Gateway().Counts().Connections; got != 1 {
			t.Errorf("%d connections, want 1", got)
		}
	})
}

func TestReadyIsCalledForEveryNewSession(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		b.Gateway().Inject(fakegateway.InvalidSession(false))
		time.Sleep(time.Minute)
		synctest.Wait()
		b.MustSay("bob", "general", "hello")
		synctest.Wait()
		if diff := cmp.Diff([]string{"ready DiscoClaw", "bob: hello"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if self := b.client.Self(); self.ID != b.UserID("bot") || !self.Bot {
			t.Errorf("Self() = %+v", self)
		}
	})
}

func TestNoEventIsLostWhenTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		b.MustSay("bob", "general", "one")
		synctest.Wait()
		b.Gateway().Inject(fakegateway.Drop())
		b.MustSay("bob", "general", "two")
		time.Sleep(time.Minute)
		b.MustSay("bob", "general", "three")
		synctest.Wait()
		if diff := cmp.Diff([]string{"bob: one", "bob: two", "bob: three"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAServerWithAnOutageDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		b.raw("READY", fmt.Sprintf(`{"user":{"id":"%s","username":"DiscoClaw"},"guilds":[{"id":"%s"},{"id":"999"}]}`, b.UserID("bot"), b.GuildID()))
		if got := b.heard.list(); len(got) > 0 {
			t.Errorf("handled %q before the servers were described", got)
		}
		b.MustSay("bob", "general", "hello")
		synctest.Wait()
		if diff := cmp.Diff([]string{"ready DiscoClaw", "bob: hello"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestAServerThatIsNeverDescribedDoesNotHoldUpQuietOthers: there is no other event that would
// show that the session has begun.
func TestAServerThatIsNeverDescribedDoesNotHoldUpQuietOthers(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		ready := fmt.Sprintf(`{"user":{"id":"%s","username":"DiscoClaw"},"guilds":[{"id":"%s"},{"id":"999"}]}`, b.UserID("bot"), b.GuildID())
		b.raw("READY", ready)
		time.Sleep(10 * time.Second)
		b.raw("READY", ready) // another session, which has its own timeout
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if got := b.heard.list(); len(got) > 0 {
			t.Errorf("handled %q before the servers could be described", got)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		b.raw("GUILD_CREATE", `{"id":"999","owner_id":"1"}`)
		if diff := cmp.Diff([]string{"ready DiscoClaw", "available 999"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestRunEndsAtOnceWithAWrongToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general")
		wrong := discord.New(discord.Options{Token: "wrong.token", APIURL: b.APIURL(), HTTP: b.HTTP()})
		err := wrong.Run(t.Context(), b.heard)
		if err == nil || !strings.Contains(err.Error(), "Discord refused the token") || !strings.Contains(err.Error(), "DISCORD_TOKEN") || strings.Contains(err.Error(), "wrong.token") {
			t.Errorf("error %v", err)
		}
		if got := len(b.Requests()); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
	})
}

func TestRunNamesTheIntentThatIsOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general")
		b.WithoutMessageContent()
		if err := b.client.Run(t.Context(), b.heard); err == nil || !strings.Contains(strings.ToLower(err.Error()), "message content") {
			t.Errorf("error %v", err)
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := b.client.Run(ctx, b.heard); err != nil {
			t.Errorf("error %v", err)
		}
	})
}

// TestAPressIsHandledAtOnce: neither Stop nor any later event waits for the
// acknowledgement.
func TestAPressIsHandledAtOnce(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		open := b.open(t, "general")
		b.Fail(fakediscord.Fault{Match: "POST /interactions/{interaction}/{token}/callback", Kind: fakediscord.Hang})
		pressed := make(chan struct{})
		go func() {
			defer close(pressed)
			_, _ = b.Press("bob", open, "stop:1") // Discord shows an error; the bot handles it all the same
		}()
		synctest.Wait()
		b.heard.mu.Lock()
		presses := len(b.heard.presses)
		b.heard.mu.Unlock()
		if presses != 1 {
			t.Errorf("%d presses were handled before any time passed", presses)
		}
		<-pressed
		time.Sleep(time.Minute)
	})
}
