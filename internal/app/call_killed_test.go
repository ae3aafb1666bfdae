package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/llm/script"
)

// killedCall has ada ask for something in a process that is killed at a step, 0 for none, and then runs the next process.
func killedCall(t *testing.T, answer string, kill int, check func(l *lounge, first *killer)) {
	t.Helper()
	inCall(t, script.New(script.Say(answer)), func(l *lounge) {
		ada := l.enter("ada")
		first, bot := l.killer, l.bot
		first.written = map[int]bool{}
		bot.runner.Remember = first.ledgers(bot)
		first.arm(kill, func() { _ = bot.core.db.Close() })
		ada.ask("open a task to buy a yacht")
		asked := len(l.mouth.Asked())
		if kill > 0 {
			next := script.New(script.Say("I was not to be asked." + opensTask))
			l.crash(next)
			l.wait(10 * time.Minute)
			if n := len(next.Requests()); n > 0 {
				l.t.Errorf("killed %s: the model was asked again", first.where)
			}
		}
		if n := len(l.mouth.Asked()) - asked; n > 0 {
			l.t.Errorf("killed %s: %d more sentences were synthesised", first.where, n)
		}
		check(l, first)
	})
}

// TestACallWhoseProcessIsKilled: at whatever step, nothing is done, answered or told twice, and people are told only if something may have
// been done of which they have no answer.
func TestACallWhoseProcessIsKilled(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"words": "It is open.", "an action": "It is on the list." + opensTask} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kill := 1; kill <= mostSteps; kill++ {
				t.Run(fmt.Sprint(kill), func(t *testing.T) {
					killedCall(t, answer, kill, func(l *lounge, first *killer) { l.requireOnce(first, answer) })
				})
			}
		})
	}
}

// mostSteps are a few more than a turn has: the last ones are killed after it.
const mostSteps = 18

// requireOnce fails if anything is there twice, or unfinished, or not told that should be.
func (l *lounge) requireOnce(first *killer, answer string) {
	l.t.Helper()
	done, all := l.tasks(), l.chat("Lounge")
	posted := strings.HasPrefix(first.where, "after PATCH") || first.where == "before the delivery is written down" // and it does not know that
	told, line := strings.Count(all, "I was interrupted while I did"), strings.Count(all, "Done: opened")
	switch {
	case done > 1 || told > 1 || line > 1:
		l.t.Errorf("killed %s: done %d times, told %d times, and the answer stands there %d times\n%s", first.where, done, told, line, all)
	case told == 1 && done == 0 && !first.busy:
		l.t.Errorf("killed %s: it was told though nothing was done\n%s", first.where, all)
	case told == 1 && line == 1 && !posted, told == 0 && line == 0 && done == 1:
		l.t.Errorf("killed %s: the answer stands there %d times, and it was told %d times\n%s", first.where, line, told, all)
	}
	for _, m := range l.Messages("Lounge") {
		if m.Unfinished() || strings.Contains(m.Content, "Thinking") {
			l.t.Errorf("killed %s: it is unfinished: %q", first.where, m.Content)
		}
	}
}

// TestACallWhoseProcessIsKilledWhileItSpeaks: people have its answer to read, so there is nothing to tell.
func TestACallWhoseProcessIsKilledWhileItSpeaks(t *testing.T) {
	inCall(t, script.New(script.Say(tale+opensTask)), func(l *lounge) {
		ada := l.enter("ada")
		ada.say("open a task to buy a yacht")
		ada.awaits("he had a")
		before := l.chat("Lounge")
		next := script.New()
		l.crash(next)
		l.wait(10 * time.Minute)
		if got := l.chat("Lounge"); got != before || !strings.Contains(got, "Done: opened") {
			t.Errorf("the chat had\n%s\nand has\n%s", before, got)
		}
		if n := len(next.Requests()); n > 0 {
			t.Errorf("the model was asked again")
		}
	})
}
