package fakediscord

import (
	"cmp"
	"slices"

	"discoclaw/internal/fakediscord/fakegateway"
)

// A Presence is the bot's presence.
type Presence struct {
	Status     string // online, idle, dnd, invisible
	Activities []Activity
}

// An Activity is the bot's activity. Type is Discord's number for it; members see the
// State of a custom one.
type Activity struct {
	Name  string
	Type  int
	State string
}

// BotPresence is the presence that the bot has set last; online by default.
func (w *World) BotPresence() Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.presence
	p.Activities = slices.Clone(p.Activities)
	return p
}

// setPresence sets the bot's presence. There is no event: bots do not get their own
// presence, and members have none here.
func (w *World) setPresence(p fakegateway.Presence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.presence = presenceFrom(p)
}

func presenceFrom(p fakegateway.Presence) Presence {
	shown := Presence{Status: cmp.Or(p.Status, "online")}
	if p.Activities == nil && p.Game != nil {
		p.Activities = []fakegateway.Activity{*p.Game}
	}
	for _, a := range p.Activities {
		shown.Activities = append(shown.Activities, Activity(a))
	}
	return shown
}
