package discord_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
)

func TestMessagesAfterAreInOrder(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada", func(t *testing.T, b *bench) {
		var ids []chat.MessageID
		for range 5 {
			ids = append(ids, b.MustSay("ada", "general", "hello").ID)
		}
		place := chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general"), Message: ids[0]}
		page, err := b.client.MessagesAfter(t.Context(), place, 3)
		if err != nil {
			t.Fatal(err)
		}
		var got []chat.MessageID
		for _, m := range page {
			got = append(got, m.ID)
			if m.Place.Message != m.ID || m.Place.Guild != b.GuildID() {
				t.Errorf("the place of %s is %+v", m.ID, m.Place)
			}
		}
		if !slices.Equal(got, ids[1:4]) {
			t.Errorf("%v, want %v", got, ids[1:4])
		}
	})
}

func TestLastMessagesHasAllChannels(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general ideas:forum\nmember ada\nthread \"plan\" in #general", func(t *testing.T, b *bench) {
		list := b.client.LastMessages()
		slices.SortFunc(list, func(x, y chat.LastMessage) int { return cmp.Compare(x.Channel, y.Channel) })
		general := b.ChannelID("general")
		want := []chat.Place{{Guild: b.GuildID(), Channel: general}, {Guild: b.GuildID(), Channel: b.ChannelID("plan"), Parent: general}}
		var got []chat.Place
		for _, p := range list {
			if !p.Made.Equal(time.Now()) {
				t.Errorf("%s was made at %v", p.Channel, p.Made)
			}
			p.Message = ""
			got = append(got, p.Place)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// TestAThreadIsNotAsOldAsItsMessage, whose ID it has.
func TestAThreadIsNotAsOldAsItsMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general\nmember ada")
		said := b.MustSay("ada", "general", "let us talk")
		time.Sleep(24 * time.Hour)
		thread, err := b.StartThreadOn("ada", said.ID, "talk")
		if err != nil {
			t.Fatal(err)
		}
		b.login(t)
		for _, p := range b.client.LastMessages() {
			if p.Channel == thread.ID && p.Made.Equal(time.Now()) {
				return
			}
		}
		t.Errorf("%+v", b.client.LastMessages())
	})
}

// A bystander is a recorder that also records OwnMessage and ChannelSeen.
type bystander struct {
	*recorder

	mu    sync.Mutex
	wrote []chat.MessageID
	made  []chat.Place
}

func (w *bystander) ChannelSeen(at chat.Place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = append(w.made, at)
}

func (w *bystander) OwnMessage(m chat.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrote = append(w.wrote, m.ID)
}

func TestOwnMessageIsCalled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general\nmember ada")
		w := &bystander{recorder: &recorder{}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- b.client.Run(ctx, w) }()
		synctest.Wait()
		b.MustSay("ada", "general", "hello")
		id, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "hi"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if !slices.Contains(w.wrote, id) || len(w.messages) != 1 {
			t.Errorf("OwnMessage was called for %v, and Message for %d", w.wrote, len(w.messages))
		}
	})
}

func TestChannelSeenIsCalledForNewChannels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general\nmember ada")
		w := &bystander{recorder: &recorder{}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- b.client.Run(ctx, w) }()
		synctest.Wait()
		for _, name := range []string{"#news", "ideas:forum"} { // a forum itself takes no messages
			if _, err := b.AddChannel(name); err != nil {
				t.Fatal(err)
			}
		}
		theirs, err := b.StartThread("ada", "general", "theirs")
		if err != nil {
			t.Fatal(err)
		}
		general := b.ChannelID("general")
		own, err := b.client.StartThread(t.Context(), general, "", "own", 0)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		g := b.GuildID()
		want := []chat.Place{{Guild: g, Channel: b.ChannelID("news")}, {Guild: g, Channel: theirs.ID, Parent: general}, {Guild: g, Channel: own.ID, Parent: general}}
		if !slices.Equal(w.made, want) {
			t.Errorf("%+v, want %+v", w.made, want)
		}
	})
}

// TestChannelsSayWhenTheyWereActive: from their description, and from messages since. A change of the
// channel does not set that back, and a forum is as active as its posts.
func TestChannelsSayWhenTheyWereActive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general #quiet ideas:forum\nmember ada: owner\nthread \"plan\" in #general\nthread \"post\" in ideas")
		first := b.MustSay("ada", "general", "hello").Sent
		time.Sleep(time.Hour)
		b.login(t)
		active := func(name string) time.Time {
			ch, err := b.client.ChannelByID(t.Context(), b.ChannelID(name))
			if err != nil {
				t.Fatal(err)
			}
			return ch.Active
		}
		if !active("general").Equal(first) || !active("quiet").IsZero() {
			t.Errorf("after login: general %v, quiet %v", active("general"), active("quiet"))
		}
		want := map[string]time.Time{}
		for _, name := range []string{"plan", "post", "quiet"} {
			time.Sleep(time.Hour)
			want[name] = b.MustSay("ada", name, "hello").Sent
		}
		want["ideas"], want["general"] = want["post"], first
		synctest.Wait()
		if _, err := b.client.EditChannel(t.Context(), b.ChannelID("ideas"), chat.ChannelEdit{Topic: new("All of them")}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for name, at := range want {
			if got := active(name); !got.Equal(at) {
				t.Errorf("%s was active at %v, want %v", name, got, at)
			}
		}
	})
}
