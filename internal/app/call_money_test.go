package app

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/llm/script"
)

// TestWhoSpeaksPays for what was recognised of them, and for what was said to them.
func TestWhoSpeaksPays(t *testing.T) {
	inCall(t, script.New(script.Say("It is open. And the door?")), func(l *lounge) {
		bob, zed := l.enter("bob"), l.enter("zed")
		zed.ask("disco claw, open the window for me")
		began := time.Now()
		bob.say("disco claw, open the window")
		long := time.Since(began)
		l.wait(time.Minute)
		bob.call.Close()
		l.must(l.LeaveVoice("bob"))
		l.wait(time.Minute)
		var sound, others, characters int64
		l.must(l.bot.core.db.QueryRowContext(l.t.Context(), `SELECT SUM(sound * (person = ?1)), SUM((sound + characters) * (person <> ?1)), SUM(characters)
			FROM spending`, l.UserID("bob")).Scan(&sound, &others, &characters)) // of sound, there are microseconds
		if heard := time.Duration(sound) * time.Microsecond; heard < long-300*time.Millisecond || heard > long+300*time.Millisecond {
			t.Errorf("bob spoke for %v, and pays %v", long, heard)
		}
		if characters != int64(len("It is open.And the door?")) || others != 0 {
			t.Errorf("%d characters were paid, and %d by others", characters, others)
		}
	})
}

// TestAUsedUpBudgetIsNotHeard: the person is told once, however often they go on.
func TestAUsedUpBudgetIsNotHeard(t *testing.T) {
	model := obedient()
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		for range 4 {
			ada.ask("open a task to buy a yacht")
			l.wait(time.Minute)
		}
		l.requireUnheard(model)
		if n := strings.Count(l.chat("Lounge"), "⚠️"); n != 1 || !strings.Contains(l.chat("Lounge"), "I can't understand you in the call now: ") {
			t.Errorf("it was told %d times\n%s", n, l.chat("Lounge"))
		}
	}, "DISCOCLAW_BUDGET_USER_DAY_USD=0.001")
}

// TestAMutedBotSynthesisesNothing: it answers in writing.
func TestAMutedBotSynthesisesNothing(t *testing.T) {
	inCall(t, script.New(script.Say("It is open. And the door?"), script.Say("Now aloud.")), func(l *lounge) {
		ada := l.enter("ada")
		l.MustSay("ada", "general", "!voice mute")
		ada.ask("open the window")
		if n := len(l.mouth.Asked()); n > 0 || l.spoken() > 0 || !strings.Contains(l.chat("Lounge"), "And the door?") {
			t.Errorf("%d sentences were synthesised, and %d characters paid\n%s", n, l.spoken(), l.chat("Lounge"))
		}
		l.MustSay("ada", "general", "!voice unmute")
		ada.ask("and the door")
		if got := ada.hears(); got != "now aloud." {
			t.Errorf("ada hears %q", got)
		}
	})
}
