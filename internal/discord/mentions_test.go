package discord_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
)

const mentionsWorld = `
guild disco: #general ideas:forum
member ada: owner
member bob
bot DiscoClaw: Administrator
`

// FuzzMentions sends any text in every way there is. Whether or not Discord accepts it, no user
// is notified.
func FuzzMentions(f *testing.F) {
	for _, text := range []string{
		"", "hello", "@everyone", "@here @everyone", "<@1477998909849600003>", "<@!1477998909849600003> <@&1477998909849600000>", "<@&1477998909849600000>",
		"```\n@everyone\n```", "`@here`", "@\u200beveryone", "＠everyone", "@every\x00one", "\xff@everyone\xfe",
		`","allowed_mentions":{"parse":["everyone"]},"x":"`, `{"allowed_mentions":null}`, "\r\n\r\n--x\r\n@everyone", "\u202e@everyone", "https://discord.gg/x @here",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		onBench(t, mentionsWorld, func(t *testing.T, b *bench) {
			b.sendEverywhere(t, text)
			b.RequireNoMentions(t)
		})
	})
}

// TestNoMessageHasALinkPreview, however it is sent: Discord would fetch an address that a model composed.
func TestNoMessageHasALinkPreview(t *testing.T) {
	t.Parallel()
	onBench(t, mentionsWorld, func(t *testing.T, b *bench) {
		b.sendEverywhere(t, "https://evil.example/?told=everything")
		seen := 0
		for _, ch := range b.Channels() {
			for _, m := range b.Messages(string(ch.ID)) {
				if strings.Contains(m.Content, "https://") && m.Author == b.UserID("bot") {
					seen++
					if !m.EmbedsHidden() {
						t.Errorf("a preview is allowed in #%s: %s", ch.Name, m.Content)
					}
				}
			}
		}
		if seen < 4 {
			t.Errorf("only %d messages with the address were sent", seen)
		}
	})
}

// sendEverywhere sends a text in every way. Discord refuses some texts, which does not matter
// here.
func (b *bench) sendEverywhere(t *testing.T, text string) {
	t.Helper()
	ctx, channel := t.Context(), b.ChannelID("general")
	asked := b.MustSay("ada", "general", "hello")
	_, _ = b.client.Send(ctx, channel, chat.Outgoing{Text: text, ReplyTo: asked.ID})
	_, _ = b.client.Send(ctx, channel, chat.Outgoing{Text: text, Files: []chat.File{file(text, text)}})
	// No action has a poll with a blank or a long text.
	_, _ = b.client.SendPoll(ctx, channel, chat.Poll{Question: "? " + chat.Shorten(text, 50), Answers: []string{"! " + chat.Shorten(text, 50), "no"}, Duration: time.Hour})
	_, _, _ = b.client.StartPost(ctx, b.ChannelID("ideas"), "a post", text, nil, time.Hour)

	mine, err := b.client.Send(ctx, channel, chat.Outgoing{Text: "mine", Buttons: []chat.Button{{ID: "x", Label: "X"}}})
	if err != nil {
		t.Fatal(err)
	}
	_ = b.client.Edit(ctx, channel, mine, chat.Outgoing{Text: text})
	if _, err := b.Press("ada", mine, "x"); err != nil {
		t.Fatal(err)
	}
	b.respondEphemeral(t, text)

	_ = b.client.Replace(ctx, channel, mine, chat.Outgoing{Text: text, Files: []chat.File{file("a.txt", text)}})
}

// respondEphemeral answers the last press. An answer cannot be empty, so there is a word before the
// text.
func (b *bench) respondEphemeral(t *testing.T, text string) {
	t.Helper()
	synctest.Wait()
	b.heard.mu.Lock()
	press := b.heard.presses[len(b.heard.presses)-1]
	b.heard.mu.Unlock()
	_ = b.client.RespondEphemeral(t.Context(), press, "Psst: "+text)
}

// TestPreviewsNeedEmbedLinks: where previews are on, nobody gets one through the bot that they could not have themselves.
func TestPreviewsNeedEmbedLinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, mentionsWorld+"deny #general bob: Embed Links\ndeny ideas bob: Embed Links\n")
		b := &bench{World: w, heard: &recorder{}, client: discord.New(discord.Options{
			Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP(), LinkPreviews: true,
		})}
		b.login(t)
		for who, hidden := range map[string]bool{"ada": false, "bob": true} {
			ctx := chat.AskedBy(t.Context(), chat.Asker{User: b.UserID(who)})
			sent, err := b.client.Send(ctx, b.ChannelID("general"), chat.Outgoing{Text: "https://example.com"})
			if err != nil {
				t.Fatal(err)
			}
			post, first, err := b.client.StartPost(ctx, b.ChannelID("ideas"), "a post", "https://example.com", nil, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			edited, err := b.client.Send(t.Context(), post.ID, chat.Outgoing{Text: "none"})
			if err != nil {
				t.Fatal(err)
			}
			if err := b.client.Edit(ctx, post.ID, edited, chat.Outgoing{Text: "https://example.com"}); err != nil {
				t.Fatal(err)
			}
			for _, id := range []chat.MessageID{sent, first, edited} {
				if m, _ := w.Message(id); m.EmbedsHidden() != hidden {
					t.Errorf("hidden in a message for %s: %t", who, !hidden)
				}
			}
		}
	})
}
