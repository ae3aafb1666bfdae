package main

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

// approveHalf is between the halves of the story, when a person approves what was forged.
const approveHalf half = "approval"

// askedPoints are the steps with which work on a plan begins, by a message or by a button.
func askedPoints() (list []planPoint) {
	for _, c := range []struct {
		half         half
		step, change string
	}{
		{forgeHalf, "answer of the model", "insert rounds 1"},
		{forgeHalf, "action begun", "insert steps 1"},
		{forgeHalf, "plan", "insert plans 1"},
		{forgeHalf, "task", "insert tasks 1"},
		{forgeHalf, "file of the plan noted", "update plans 1"},
		{forgeHalf, "forge begun", "insert plan_work 1"},
		{forgeHalf, "result of the action", "update steps 1"},
		{approveHalf, "approved", "update plans 1"},
		{runHalf, "divided", "update plans 1"},
		{runHalf, "run begun", "insert plan_work 1"},
	} {
		for _, when := range []string{"before", "after"} {
			list = append(list, planPoint{step: fmt.Sprintf("database: %s (asked for the %s)", c.step, c.half), when: when, half: c.half, change: c.change})
		}
	}
	return list
}

// playAsked plays the story with a person who asks for the plan in a message, and decides with the buttons of its card.
func (r *planRig) playAsked(t *testing.T, p planPoint) {
	t.Helper()
	r.launch(t)
	r.online(t)
	r.watch()
	r.ask(t, p, forgeHalf, func() { r.world.MustSay("ada", "general", wanted) })
	r.untilOver(t, forgeHalf)
	r.ask(t, p, approveHalf, func() { r.press("approve") })
	r.until(func() bool { _, id := r.button("run"); return id != "" })
	r.ask(t, p, runHalf, func() { r.press("run") })
	r.untilOver(t, runHalf)
	r.leave(t)
}

// ask has the person do something. A button that is still there after a kill is pressed again; a message is not written again.
func (r *planRig) ask(t *testing.T, p planPoint, h half, do func()) {
	t.Helper()
	if p.half != h {
		do()
		return
	}
	r.order(t, killPoint{when: p.when, change: p.change})
	do()
	r.awaitEnd(t)
	r.launch(t)
	r.online(t)
	r.watch()
	if h != forgeHalf {
		do()
	}
}

// button returns the card with a button, and the button's ID, which is empty if no card has it.
func (r *planRig) button(verb string) (card chat.MessageID, id string) {
	for _, m := range r.world.Messages("general") {
		for _, b := range m.Buttons() {
			if strings.HasPrefix(b.CustomID, "plan:"+verb+":") {
				return m.ID, b.CustomID
			}
		}
	}
	return "", ""
}

// press presses a button of the card, if it has it.
func (r *planRig) press(verb string) {
	message, id := r.button(verb)
	go func() { _, _ = r.world.Press("ada", message, id) }() // a process that is killed gives no answer
}
