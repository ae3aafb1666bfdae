package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"discoclaw/internal/play"
)

// atStep waits until the tour is at a step, and its button says a text.
func (b *tab) atStep(count, button string) {
	b.Helper()
	b.wait(fmt.Sprintf(`document.querySelector('.tour-count')?.textContent === %s && document.querySelector('[data-tour=do]').textContent.startsWith(%s)`, quote(count), quote(button)))
}

// hasSeen waits until the tour says what the last step has shown.
func (b *tab) hasSeen(text string) {
	b.Helper()
	b.wait(fmt.Sprintf(`document.querySelector('.tour-seen')?.textContent.includes(%s)`, quote(text)))
}

// TestTheTourIsTakenFromStartToEnd by its buttons, on a screen of each kind, in the server of people.
func TestTheTourIsTakenFromStartToEnd(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]look{"desktop": desktop, "dark": {width: 1280, height: 800, dark: true}, "phone": phone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := enterWith(t, l, play.Options{Pace: 15 * time.Millisecond, Bot: ownProcess()})
			step := 0
			do := func() {
				t.Helper()
				b.frames()
				b.shoot(fmt.Sprintf("tour-%s-%d", name, step))
				step++
				for _, fault := range eval[[]string](b, tooWide) {
					t.Error(fault)
				}
				b.click("[data-tour=do]")
			}
			b.wait(`document.querySelector('.tour-words').textContent.startsWith('New here?') && document.querySelector('.who-answers')`)
			do()
			b.atStep("1 of 6", "Say “make a channel")
			do()
			b.hasSeen("It did so. ")
			b.atStep("2 of 6", "Say “hello?” as zed")
			do()
			b.hasSeen("zed gets no answer. ")
			b.wait(`document.querySelector('.message .silence')?.textContent.includes('No answer: zed')`)
			b.atStep("3 of 6", "Say “!undo”")
			do()
			b.atStep("3 of 6", "Go to the card")
			do()
			b.presses("Approve")
			b.hasSeen("It is as it was before.")
			b.wait(`!document.querySelector('.channel[title=tour]')`)
			b.atStep("4 of 6", "Say “delete #attic")
			do()
			b.atStep("4 of 6", "Go to the card")
			do()
			b.wait(`document.activeElement.matches('[data-found]') && document.activeElement.textContent.includes('Approve')`)
			b.presses("Reject")
			b.hasSeen("Nothing was done. ")
			b.atStep("5 of 6", "Move the clock on")
			do()
			b.hasSeen("A job ran in #")
			b.atStep("6 of 6", "Ask for a story")
			do()
			b.atStep("6 of 6", "Start it again")
			do()
			b.hasSeen("The bot goes on with the same message.")
			b.wait(`document.querySelector('.tour-words').textContent.endsWith('That was all. Try whatever you like.')`)
			b.sees("The end.")
			b.frames()
			b.shoot("tour-" + name + "-end")
			b.click("[data-tour=leave]")
			b.wait(`document.querySelector('#tour').hidden`)
		})
	}
}

// TestTheTourIsLeftInTheMiddle and not offered again, but it can be taken again. What somebody does by hand counts.
func TestTheTourIsLeftInTheMiddle(t *testing.T) {
	t.Parallel()
	b := enter(t, desktop) // where the bot cannot be killed alone, nor is there a job
	b.click("[data-tour=do]")
	b.atStep("1 of 5", "Say “make a channel")
	b.says("what channels do we have?")
	b.atStep("2 of 5", "Say “hello?” as zed")
	b.click("[data-tour=skip]")
	b.atStep("3 of 5", "Say “!undo”")
	b.click("[data-tour=skip]")
	b.atStep("4 of 5", "Say “delete #random")
	b.says("delete #random")
	b.atStep("4 of 5", "Go to the card")
	b.says("what is 6 * 7?") // another turn meanwhile
	b.sees("42")
	b.presses("Approve")
	b.hasSeen("It was done only then.")
	b.atStep("5 of 5", "Say “every day")
	b.click("[data-tour=leave]")
	b.wait(`document.querySelector('#tour').hidden && document.activeElement.id === 'writing'`)
	b.visit(eval[string](b, `location.origin`))
	b.enters()
	if eval[bool](b, `!document.querySelector('#tour').hidden`) {
		t.Error("it is offered again")
	}
	b.click("#tour-again")
	b.atStep("1 of 5", "Say “make a channel")
}

// TestTheTourIsTakenWithTheKeyboard: the focus is never lost.
func TestTheTourIsTakenWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.about["strangers"] = []string{samID}
	s.clock["jobs"] = []object{{"id": "j1", "name": "Water the plants", "channel": generalID, "next": time.Now().Add(time.Hour)}}
	s.bot["own"] = true
	b := show(t, s, desktop)
	b.run(toTheStart)
	for range 20 {
		b.keys(kb.Tab)
		if eval[string](b, focused) == "Take the tour" {
			break
		}
	}
	b.keys("\r")
	b.atStep("1 of 6", "Say “")
	b.keys("\r")
	b.wait(`document.querySelector('#feed').textContent.includes('make a channel')`)
	if diff := s.contents(generalID); len(diff) != 1 || !strings.Contains(diff[0], "make a channel") {
		t.Errorf("it says %q", diff)
	}
	s.publish("turn", object{"id": "1", "turn": "A", "kind": "message", "channel": generalID, "rounds": []object{{}}})
	b.hasSeen("It answered. ")
	b.atStep("2 of 6", "Say “")
	b.wait(focused + `.startsWith('Say “')`)
	b.keys(kb.Tab)
	for n := range 5 { // skipped
		b.wait(focused + ` === 'Skip'`)
		b.keys("\r")
		if n < 4 {
			b.atStep(fmt.Sprint(n+3, " of 6"), "")
		}
	}
	b.wait(focused + ` === 'Close'`)
	b.keys("\r")
	b.wait(`document.querySelector('#tour').hidden && document.activeElement.id === 'writing'`)
}

// TestTheTourSaysWhatWentWrong next to its buttons.
func TestTheTourSaysWhatWentWrong(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	b := show(t, s, noisyDesktop)
	s.refuse("POST /messages", "you are timed out until tomorrow")
	b.click("[data-tour=do]")
	b.atStep("1 of 4", "Say “")
	b.click("[data-tour=do]")
	b.wait(`document.querySelector('.tour .error-line')?.textContent === 'You are timed out until tomorrow.'`)
	b.click("[data-tour=skip]")
	b.wait(`!document.querySelector('.tour .error-line')`)
}
