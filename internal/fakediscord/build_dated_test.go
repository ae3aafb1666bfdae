package fakediscord_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
)

// TestALayoutHasAPast: what its lines say has happened when they say, and the clock is right afterwards.
func TestALayoutHasAPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour) // to after Discord's epoch
		now := time.Now()
		w, err := fakediscord.New(`
			guild disco: #general help:forum talk:voice
			member ada: owner
			member bob
			stranger zed
			about bob: sails alone
			tag boat in help
			-40m bob in #general: Hello @ada, see #general!\nBye.
			-2d 09:12 ada in #general: Read this first.
			pinned
			reaction 👍: bob, zed
			-1d 10:00 bob posts "It creaks" in help [boat]: Since yesterday.
			-3h ada in "It creaks": Oil it.
			-6d 18:30 ada asks in #general: Lunch? | pizza (bob, zed) | pasta
			+3d 19:00 ada holds "Supper" in talk for 2h: All are welcome.
			+1d 08:00 bob holds "Walk" in the old pier for 90m: Slowly.
			task of ada: nothing for Discord`)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		day := func(n int, at time.Duration) time.Time { return now.Truncate(24*time.Hour).AddDate(0, 0, n).Add(at) }
		var sent []time.Time
		said := w.Messages("general")
		for _, m := range said {
			sent = append(sent, m.Sent)
			if c, _ := w.Channel("general"); string(c.ID) >= string(m.ID) {
				t.Error("a message is older than its channel")
			}
		}
		want := []time.Time{day(-6, 18*time.Hour+30*time.Minute), day(-2, 9*time.Hour+12*time.Minute), now.Add(-40 * time.Minute)}
		if diff := cmp.Diff(want, sent, cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
		ada, _ := w.Member("ada")
		general, _ := w.Channel("general")
		if got, want := said[2].Content, "Hello "+ada.ID.Mention()+", see "+general.ID.Mention()+"!\nBye."; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if pins := w.Pins("general"); len(pins) != 1 || len(pins[0].Reactions) != 1 || len(pins[0].Reactions[0].Users) != 2 {
			t.Errorf("pins = %+v", pins)
		}
		if post := w.Messages("It creaks"); len(post) != 2 || !post[0].Sent.Equal(day(-1, 10*time.Hour)) {
			t.Errorf("the post has %+v", post)
		}
		if events := w.Events(); len(events) != 2 || events[0].Location != "the old pier" || events[1].Channel == "" || !events[1].Start.Equal(day(3, 19*time.Hour)) {
			t.Errorf("events = %+v", events)
		}
		if bob, _ := w.Member("bob"); bob.Note != "sails alone" || bob.Stranger {
			t.Errorf("bob = %+v", bob)
		}
		if fresh, err := w.Say("bob", "general", "now"); err != nil || !fresh.Sent.Equal(now) {
			t.Errorf("%+v, %v", fresh, err)
		}
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		all := w.Messages("general")
		if last := all[len(all)-1]; last.Type != fakediscord.PollResult || !last.Sent.Equal(said[0].Poll.Ends) {
			t.Errorf("the poll ends at %v, and the last message is %+v", said[0].Poll.Ends, last)
		}
	})
}
