package voice_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/voice"
)

func TestJoinsMovesAndLeaves(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.requireStatus("", "")
		h.must(h.join("hall"))
		h.requireStatus("hall", voice.Ready)
		h.must(h.join("stage"))
		h.requireStatus("stage", voice.Ready)
		for range 2 {
			h.must(h.Leave(t.Context(), h.GuildID()))
			h.requireStatus("", "")
		}
	})
}

func TestStatusTellsSinceWhen(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		begun := time.Now()
		time.Sleep(time.Hour)
		h.must(h.SetMute(t.Context(), h.GuildID(), true))
		if got, _ := h.Status(h.GuildID()); !got.Since.Equal(begun) || !got.Mute {
			t.Errorf("status %+v, want it since %v", got, begun)
		}
		h.must(h.join("stage"))
		if got, _ := h.Status(h.GuildID()); !got.Since.Equal(time.Now()) {
			t.Errorf("status %+v after a move, want it since %v", got, time.Now())
		}
	})
}

func TestSilenceAndDeafnessStayInAnotherChannel(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		g := h.GuildID()
		h.must(h.join("hall"))
		h.must(h.SetMute(t.Context(), g, true))
		h.must(h.SetDeaf(t.Context(), g, true))
		h.requireState(fakediscord.VoiceState{Channel: h.ChannelID("hall"), Mute: true, Deaf: true})
		h.must(h.join("stage"))
		h.requireState(fakediscord.VoiceState{Channel: h.ChannelID("stage"), Mute: true, Deaf: true})
		h.must(h.SetMute(t.Context(), g, false))
		h.must(h.SetMute(t.Context(), g, false)) // as it is
		h.requireState(fakediscord.VoiceState{Channel: h.ChannelID("stage"), Deaf: true})
	})
}

func TestSilenceNeedsAChannel(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		requireError(t, h.SetMute(t.Context(), h.GuildID(), true), "not in a voice channel here")
		requireError(t, h.SetDeaf(t.Context(), h.GuildID(), true), "not in a voice channel here")
	})
}

func TestSaysAtOnceThatItMayNotConnect(t *testing.T) {
	inHall(t, layout+"deny hall bot: Connect", func(t *testing.T, h *hall) {
		begun := time.Now()
		requireError(t, h.join("hall"), "I need *Connect* in <#")
		if took := time.Since(begun); took > 0 {
			t.Errorf("it took %v", took)
		}
		h.requireStatus("", "")
	})
}

func TestGivesUpAChannelThatDoesNotLetItIn(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.fill("hall")
		begun := time.Now()
		joined := h.start("hall")
		h.requireStatus("hall", voice.Signalling)
		requireError(t, <-joined, "I was not let into <#")
		if took := time.Since(begun); took != 20*time.Second {
			t.Errorf("it took %v", took)
		}
		h.requireStatus("", "")

		h.must(h.LeaveVoice("bob"))
		time.Sleep(time.Hour)
		h.requireStatus("", "") // what was given up does not happen later
	})
}

func TestStaysWhereItIsIfItCannotMove(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("attic"))
		began, _ := h.Status(h.GuildID())
		h.fill("hall")
		requireError(t, h.join("hall"), "I was not let into <#")
		h.requireStatus("attic", voice.Ready)
		if now, _ := h.Status(h.GuildID()); now != began {
			t.Errorf("the status is %+v, and was %+v", now, began)
		}
	})
}

func TestTwoJoinsOfOneChannelAreOne(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.drop() // so that it takes a while
		first, second := h.start("hall"), h.start("hall")
		h.must(<-first)
		h.must(<-second)
		h.requireStatus("hall", voice.Ready)
		if n := h.Gateway().Counts().Commands; n != 1 {
			t.Errorf("%d commands were sent", n)
		}
	})
}

func TestTheLaterOfTwoChannelsIsTheOneMeant(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.fill("hall")
		first := h.start("hall")
		h.must(h.join("attic"))
		requireError(t, <-first, "something else was asked for")
		h.requireStatus("attic", voice.Ready)
	})
}

func TestTheSecondOfTwoJoinsHasNoMoreTimeThanTheFirst(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.fill("hall")
		begun := time.Now()
		first, second := h.start("hall"), h.start("hall")
		requireError(t, <-first, "in time")
		requireError(t, <-second, "within 20s")
		if took := time.Since(begun); took != 20*time.Second {
			t.Errorf("it took %v", took)
		}
		h.requireStatus("", "")
	})
}

func TestLeavingEndsAJoin(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.fill("hall")
		joined := h.start("hall")
		begun := time.Now()
		h.must(h.Leave(t.Context(), h.GuildID()))
		requireError(t, <-joined, "something else was asked for")
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %v", took)
		}
		h.requireStatus("", "")
	})
}

func TestNobodyIsLeftWaitingByWhoGivesUp(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 {
			if err := h.Join(over, h.GuildID(), h.ChannelID("hall")); err == nil {
				t.Error("joined for nobody")
			}
			h.requireStatus("", "")
		}

		h.fill("hall")
		brief, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Join(brief, h.GuildID(), h.ChannelID("hall")); err == nil {
			t.Error("joined a full channel")
		}
		time.Sleep(5 * time.Second)
		h.requireStatus("", "")
	})
}

func TestLeavesEverythingInTheEnd(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.LeaveAll(t.Context())
		h.requireStatus("", "")
		requireError(t, h.join("hall"), "shutting down")
		h.LeaveAll(t.Context())
	})
}

func TestTheEndDoesNotWaitForADeadConnection(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.Gateway().Refuse(true)
		h.drop()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		begun := time.Now()
		h.LeaveAll(ctx)
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		h.Gateway().Refuse(false)
		synctest.Wait()
	})
}
