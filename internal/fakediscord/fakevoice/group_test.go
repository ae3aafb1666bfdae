package fakevoice_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
)

// requireGroup requires that members are encrypted together, in the order of the group, and agree on it.
func (h *hall) requireGroup(what string, all []*client, members ...uint64) {
	h.t.Helper()
	synctest.Wait()
	now := h.Call(channel)
	if !slices.Equal(now.Members, members) || now.Proposed || len(now.Pending) > 0 {
		h.t.Fatalf("%s: the call is %+v, want the members %v", what, now, members)
	}
	code := ""
	for _, c := range all {
		s := c.dave.State()
		if code == "" {
			code = s.PrivacyCode
		}
		if len(s.Members) != len(members) || s.PrivacyCode != code || !c.dave.CanSend() {
			h.t.Errorf("%s: %d is in %+v", what, c.user, s)
		}
	}
}

func TestThePreferredCommitWins(t *testing.T) {
	for winner, loser := range map[uint64]uint64{ada: bob, bob: ada} {
		t.Run(fmt.Sprint(winner), func(t *testing.T) {
			inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
				h.PreferCommits(channel, winner)
				a, b := h.join(ada), h.join(bob)
				h.requireGroup("founded", []*client{a, b}, winner, loser) // the founder is first
				c := h.join(eve)
				h.requireGroup("joined", []*client{a, b, c}, winner, loser, eve)
				if epoch := h.Call(channel).Epoch; epoch != 2 {
					t.Errorf("the epoch is %d", epoch)
				}
			})
		})
	}
}

func TestOneWhoIsLeftAloneBeginsAnew(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		h.PreferCommits(channel, ada)
		a, b := h.join(ada), h.join(bob)
		h.requireGroup("founded", []*client{a, b}, ada, bob)
		h.Expel(guild, bob)
		h.requireGroup("alone", nil)
		if now := h.Call(channel); !slices.Equal(now.People, []uint64{ada}) || now.Epoch != 0 {
			t.Errorf("the call is %+v", now)
		}
		b = h.join(bob)
		h.requireGroup("again", []*client{a, b}, ada, bob)
	})
}

// TestTransitionsWait for all, for as long as they are held, and not for ever.
func TestTransitionsWait(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		h.PreferCommits(channel, ada)
		a, b := h.join(ada), h.join(bob)
		h.requireGroup("founded", []*client{a, b}, ada, bob)
		a.require("8, 2, 4, 25, 11, 27, 29, 22")

		h.Hold(22)
		h.join(eve)
		h.Expel(guild, eve)
		a.require("11, 27, 29, 13, 27, 29")
		h.Release(22)
		a.require("22, 22")
		h.requireGroup("released", []*client{a, b}, ada, bob)

		h.Downgrade(channel)
		a.require("21, 22")
		if now := h.Call(channel); now.Version != 0 || now.Encrypted || len(now.Members) != 0 {
			t.Errorf("the call is %+v", now)
		}
		h.Immediate(channel, true)
		h.Upgrade(channel)
		a.require("24, 27, 29")
		h.requireGroup("at once", []*client{a, b}, ada, bob)

		h.Tell(bob, 21, map[string]any{"protocol_version": 1, "transition_id": 900})
		synctest.Wait()
		if all := h.Complaints(); len(all) != 1 { // it was ready for what the server knows nothing of
			t.Errorf("the complaints are %q", all)
		}
	})
}

// TestWhoIsNotReadyInTimeIsNotWaitedFor, but complained about.
func TestWhoIsNotReadyInTimeIsNotWaitedFor(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		a, b := h.join(ada), h.connect(bob)
		h.Downgrade(channel)
		a.require("8, 2, 4, 21, 22")
		b.require("8")
		h.Cut(ada, true)
		h.Downgrade(channel)
		time.Sleep(4 * time.Second)
		if now := h.Call(channel); len(now.Pending) != 1 || !slices.Equal(now.Away, []uint64{ada}) {
			t.Errorf("the call is %+v", now)
		}
		time.Sleep(2 * time.Second)
		if now := h.Call(channel); len(now.Pending) != 0 {
			t.Errorf("the call is %+v", now)
		}
	})
}

// TestWhoCannotUseACommitIsAddedAnew, also if nobody can and all have to begin anew.
func TestWhoCannotUseACommitIsAddedAnew(t *testing.T) {
	inHall(t, fakevoice.Options{Heartbeat: time.Hour}, func(t *testing.T, h *hall) {
		h.PreferCommits(channel, ada)
		a, b := h.join(ada), h.join(bob)
		h.SpoilNext(bob, 29)
		c := h.join(eve)
		h.requireGroup("one", []*client{a, b, c}, ada, bob, eve)

		time.Sleep(time.Minute) // clients recover only so often
		h.SpoilNext(eve, 30)
		h.Expel(guild, eve)
		c = h.join(eve)
		h.requireGroup("a newcomer", []*client{a, b, c}, ada, bob, eve)

		for _, user := range []uint64{ada, bob} {
			h.SpoilNext(user, 29)
		}
		h.Expel(guild, eve)
		h.requireGroup("all", []*client{a, b}, ada, bob)
	})
}

// TestWhoLeavesBeforeBeingAddedIsNotAdded.
func TestWhoLeavesBeforeBeingAddedIsNotAdded(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		h.PreferCommits(channel, ada)
		a := h.join(ada)
		h.Hold(27)
		h.join(bob)
		synctest.Wait()
		h.Expel(guild, bob)
		h.Release(27)
		h.requireGroup("founding", nil)
		b := h.join(bob)
		h.requireGroup("founded", []*client{a, b}, ada, bob)

		h.Hold(27)
		h.join(eve)
		synctest.Wait()
		h.Expel(guild, eve)
		h.Release(27)
		h.requireGroup("revoked", []*client{a, b}, ada, bob)
	})
}

// TestTheSenderMayComeFirst.
func TestTheSenderMayComeFirst(t *testing.T) {
	inHall(t, fakevoice.Options{SenderFirst: true}, func(t *testing.T, h *hall) {
		h.PreferCommits(channel, ada)
		a, b := h.join(ada), h.join(bob)
		a.require("8, 2, 25, 4, 11, 27, 29, 22")
		b.require("8, 2, 25, 4, 11, 27, 30, 22")
	})
}
