package discord_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

var testMenu = chat.Menu{Name: "bot", Summary: "All of it.", Entries: []chat.MenuEntry{
	{Name: "stop", Summary: "Stop."},
	{Name: "health", Summary: "Tell.", Options: []chat.MenuOption{
		{Name: "what", Summary: "Which.", Required: true, Choices: []string{"brief", "verbose"}},
		{Name: "about", Summary: "More.", Suggests: true},
	}},
}}

func TestAMenuIsOfferedOnce(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		offer := func(m chat.Menu) {
			t.Helper()
			if err := b.client.OfferMenu(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		other := chat.Menu{Name: "other", Summary: "Somebody else's.", Entries: []chat.MenuEntry{{Name: "x", Summary: "X."}}}
		offer(other)
		offer(testMenu)
		offer(testMenu)
		changed := testMenu
		changed.Summary = "Nearly all of it."
		offer(changed)
		const get, post, remove = "GET /applications/{application}/commands 200", "POST /applications/{application}/commands ", "DELETE /applications/{application}/commands/{command} 204"
		for range 2 {
			if err := b.client.WithdrawMenu(t.Context(), testMenu); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]string{get, post + "201", get, post + "201", get, get, post + "200", get, remove, get}, b.requests()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if left := b.Commands(); len(left) != 1 || left[0].Name != "other" {
			t.Errorf("left: %+v", left)
		}
	})
}

func TestAMenuNeedsALogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general")
		if err := errors.Join(b.client.OfferMenu(t.Context(), testMenu), b.client.WithdrawMenu(t.Context(), testMenu)); err == nil || !strings.Contains(err.Error(), "log in first") {
			t.Errorf("%v", err)
		}
	})
}

// A waiter is a handler that answers slash commands.
type waiter struct {
	recorder
	client  *discord.Client
	invoked func(context.Context, chat.Invocation)
	typing  func(context.Context, chat.Completion)
}

func (w *waiter) SlashCommand(ctx context.Context, i chat.Invocation)    { go w.invoked(ctx, i) }
func (w *waiter) Completing(ctx context.Context, typing chat.Completion) { go w.typing(ctx, typing) }

// withMenu runs f in a bubble with a client that offers the menu.
func withMenu(t *testing.T, w *waiter, f func(t *testing.T, world *discordtest.World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		world := discordtest.New(t, "guild disco: #general\nthread \"help\" in #general\nmember ada")
		w.client = discord.New(discord.Options{Token: world.Token(), APIURL: world.APIURL(), HTTP: world.HTTP()})
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- w.client.Run(ctx, w) }()
		synctest.Wait()
		if err := w.client.OfferMenu(t.Context(), testMenu); err != nil {
			t.Fatal(err)
		}
		f(t, world)
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestASlashCommandIsAnsweredPrivately(t *testing.T) {
	t.Parallel()
	var told chat.Invocation
	w := &waiter{}
	w.invoked = func(ctx context.Context, i chat.Invocation) {
		told = i
		more := chat.Outgoing{Text: "@everyone more", Files: []chat.File{{Name: "all.txt", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("all")), nil }}}}
		err := errors.Join(
			w.client.Acknowledge(ctx, i.Answer),
			w.client.Respond(ctx, i.Answer, chat.Outgoing{Text: "@everyone done"}),
			w.client.FollowUp(ctx, i.Answer, more))
		if err != nil {
			t.Error(err)
		}
	}
	withMenu(t, w, func(t *testing.T, world *discordtest.World) {
		if _, err := world.Run("ada", "help", "/bot health verbose of all"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		world.RequireTranscript(t, `
			#help bot (only for ada): @everyone done
			#help bot (only for ada): @everyone more [file all.txt]`)
		world.RequireNoMentions(t)
		want := chat.Invocation{
			Place: chat.Place{Guild: world.GuildID(), Channel: world.ChannelID("help"), Parent: world.ChannelID("general")},
			User:  told.User, Menu: "bot", Entry: "health", Values: map[string]string{"what": "verbose", "about": "of all"}, Answer: told.Answer,
		}
		if diff := cmp.Diff(want, told); diff != "" || told.User.ID != world.UserID("ada") || told.Answer.ID == "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := world.Run("ada", "@bot", "/bot stop"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if told.Place.Guild != "" || told.User.ID != world.UserID("ada") || told.Entry != "stop" {
			t.Errorf("in a direct message: %+v", told)
		}
	})
}

func TestCompletionsAreSuggested(t *testing.T) {
	t.Parallel()
	w := &waiter{}
	w.typing = func(ctx context.Context, typing chat.Completion) {
		list := []string{typing.Option, typing.Typed}
		if typing.Typed == "nothing" {
			list = nil
		}
		if err := w.client.Suggest(ctx, typing.Answer, list); err != nil {
			t.Error(err)
		}
	}
	withMenu(t, w, func(t *testing.T, world *discordtest.World) {
		for typed, want := range map[string]string{"of al": "[about of al]", "nothing": "[]"} {
			got, err := world.Type("ada", "#general", "/bot health verbose "+typed)
			if err != nil || fmt.Sprint(got) != want {
				t.Errorf("%s: %q, %v", typed, got, err)
			}
		}
		world.RequireNoMentions(t)
	})
}

// TestAnAcknowledgementIsIdempotent: Discord refuses the second attempt because the first
// succeeded.
func TestAnAcknowledgementIsIdempotent(t *testing.T) {
	t.Parallel()
	w := &waiter{}
	var failed error
	w.invoked = func(ctx context.Context, i chat.Invocation) { failed = w.client.Acknowledge(ctx, i.Answer) }
	withMenu(t, w, func(t *testing.T, world *discordtest.World) {
		world.Fail(fakediscord.Fault{Match: "POST /interactions/{interaction}/{token}/callback", Times: 1, Status: 502, Accepted: true})
		if _, err := world.Run("ada", "#general", "/bot stop"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if failed != nil {
			t.Error(failed)
		}
	})
}

// TestSlashCommandsAreNotPassedToAHandlerWithoutAMenu: Discord shows the user an error.
func TestSlashCommandsAreNotPassedToAHandlerWithoutAMenu(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada", func(t *testing.T, b *bench) {
		if err := b.client.OfferMenu(t.Context(), testMenu); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Run("ada", "#general", "/bot stop"); !errors.Is(err, fakediscord.ErrNoAnswer) {
			t.Errorf("%v", err)
		}
		if heard := b.heard.list(); len(heard) > 0 {
			t.Errorf("handled %q", heard)
		}
	})
}
