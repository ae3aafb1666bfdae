package voice_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/voice"
)

// drop breaks the bot's connection; the session stays.
func (h *hall) drop() {
	h.t.Helper()
	h.Gateway().Inject(fakegateway.Drop())
	synctest.Wait()
}

// inexact is how late the start of a session is noticed.
const inexact = time.Second / 10

// lose ends the bot's session and waits for the next one.
func (h *hall) lose() {
	h.t.Helper()
	n := h.Gateway().Counts().Identifies
	h.Gateway().Inject(fakegateway.InvalidSession(false))
	for range 10 * 60 * 10 { // new sessions are made at long intervals if there are many
		time.Sleep(inexact)
		if h.Gateway().Counts().Identifies > n {
			synctest.Wait()
			return
		}
	}
	h.t.Fatal("the bot did not come back")
}

func TestFollowsWhereItIsMoved(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.must(h.EnterVoice("bot", "attic"))
		h.requireStatus("attic", voice.Ready)
		h.must(h.SetMute(t.Context(), h.GuildID(), true))
		h.requireStatus("attic", voice.Ready)
	})
}

func TestDoesNotComeBackWhenItIsTakenOut(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		for name, takeOut := range map[string]func() error{
			"by a moderator":   func() error { return h.LeaveVoice("bot") },
			"with its channel": func() error { return h.DeleteChannel("hall") },
		} {
			if _, there := h.Channel("hall"); !there {
				if _, err := h.AddChannel("hall:voice"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			h.must(h.join("hall"))
			h.must(takeOut())
			synctest.Wait()
			if got, known := h.Status(h.GuildID()); known {
				t.Errorf("%s: the status is %+v", name, got)
			}
			time.Sleep(time.Hour)
			h.requireStatus("", "")
			requireError(t, h.SetMute(t.Context(), h.GuildID(), true), "not in a voice channel here")
		}
	})
}

func TestARESUMEChangesNothing(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		before, _ := h.Status(h.GuildID())
		h.drop()
		time.Sleep(time.Minute)
		h.requireStatus("hall", voice.Ready)
		if now, _ := h.Status(h.GuildID()); now != before {
			t.Errorf("the status is %+v, and was %+v", now, before)
		}
		if n := h.Gateway().Counts().Commands; n != 1 {
			t.Errorf("%d commands were sent, want the one of the join", n)
		}
	})
}

func TestHearsOfWhatHappenedWhileItWasAway(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.drop()
		h.must(h.EnterVoice("bot", "attic"))
		time.Sleep(time.Minute)
		h.requireStatus("attic", voice.Ready)
		h.drop()
		h.must(h.LeaveVoice("bot"))
		time.Sleep(time.Minute)
		h.requireStatus("", "")
	})
}

func TestComesBackInANewSession(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.must(h.SetMute(t.Context(), h.GuildID(), true))
		h.lose()
		h.requireStatus("hall", voice.Disconnected)
		requireError(t, h.SetDeaf(t.Context(), h.GuildID(), true), "being restored")
		time.Sleep(time.Second)
		h.requireStatus("hall", voice.Ready)
		if there, _ := h.VoiceState("bot"); !there.Mute {
			t.Error("the bot is no longer silent")
		}
	})
}

// TestComesBackFiveTimes: the pauses double, and after the fifth try it is over.
func TestComesBackFiveTimes(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.must(h.Deny("hall", "bot", "Connect")) // it stays where it is, but does not come in again
		h.lose()
		for i, pause := range []time.Duration{1, 2, 4, 8, 16} {
			h.requireStatus("hall", voice.Disconnected)
			time.Sleep(pause*time.Second - 2*inexact)
			synctest.Wait()
			if n := strings.Count(h.log.String(), "not joined again"); n != i {
				t.Errorf("%d tries before pause %d was over", n, i+1)
			}
			time.Sleep(2 * inexact)
		}
		h.requireStatus("", "")
		if text := h.log.String(); !strings.Contains(text, "voice channel given up") {
			t.Errorf("log:\n%s", text)
		}
		h.must(h.Allow("hall", "bot", "Connect"))
		synctest.Wait()
		h.must(h.join("hall"))
		h.requireStatus("hall", voice.Ready)
	})
}

func TestAConnectionThatHoldsMayBeLostAgain(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		for range 7 {
			time.Sleep(2 * time.Minute)
			h.requireStatus("hall", voice.Ready)
			h.lose()
			time.Sleep(time.Second) // always the first pause
		}
		h.requireStatus("hall", voice.Ready)
	})
}

func TestAServerThatWasThereForLongMayGoAgain(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		for range 7 {
			time.Sleep(2 * time.Minute)
			h.requireStatus("hall", voice.Ready)
			h.must(h.SetVoiceServer(false))
			time.Sleep(21 * time.Second) // without a server, and then always the first pause
		}
		h.requireStatus("hall", voice.Ready)
	})
}

func TestAConnectionThatNeverHoldsIsGivenUp(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		for range 5 {
			h.must(h.SetVoiceServer(false))
			h.requireStatus("hall", voice.Connecting)
			time.Sleep(20 * time.Second) // without a server
			h.requireStatus("hall", voice.Disconnected)
			time.Sleep(16 * time.Second)
			h.requireStatus("hall", voice.Ready)
		}
		h.must(h.SetVoiceServer(false))
		time.Sleep(20 * time.Second)
		h.requireStatus("", "")
	})
}

func TestWaitsForAnotherServer(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.must(h.SetVoiceServer(false))
		time.Sleep(19 * time.Second)
		h.requireStatus("hall", voice.Connecting)
		h.must(h.SetVoiceServer(true))
		h.requireStatus("hall", voice.Ready)
		time.Sleep(time.Hour)
		h.requireStatus("hall", voice.Ready)
		if n := h.Gateway().Counts().Commands; n != 1 {
			t.Errorf("%d commands were sent, want the one of the join", n)
		}
	})
}

func TestAskingAgainDoesNotKeepADeadServer(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.must(h.SetVoiceServer(false))
		h.requireStatus("hall", voice.Connecting)
		requireError(t, h.join("hall"), "nothing came back")
		h.requireStatus("hall", voice.Connecting)
		time.Sleep(25 * time.Second)
		h.requireStatus("hall", voice.Ready) // it has left and come back
	})
}

func TestSomethingElseEndsComingBack(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.lose()
		h.fill("hall")
		time.Sleep(2 * time.Second)
		h.requireStatus("hall", voice.Signalling)
		h.must(h.join("attic"))
		h.requireStatus("attic", voice.Ready)

		h.lose()
		h.must(h.Leave(t.Context(), h.GuildID()))
		time.Sleep(time.Hour)
		h.requireStatus("", "")
	})
}
