package fakediscord

import (
	"slices"

	"discoclaw/internal/fakediscord/fakegateway"
)

// A Presence is how the bot shows itself to people.
type Presence struct {
	Status     string // online, idle, dnd, invisible
	Activities []Activity
}

// An Activity is what the bot shows itself doing. Type is Discord's number for it;
// of a custom one, State is what people see.
type Activity struct {
	Name  string
	Type  int
	State string
}

// BotPresence is what the bot has said about itself last. A bot that said nothing
// is online.
func (w *World) BotPresence() Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.presence
	p.Activities = slices.Clone(p.Activities)
	return p
}

// setPresence takes what the bot says about itself. Nobody else is told: bots cannot
// see their own presence, and people have none here.
func (w *World) setPresence(p fakegateway.Presence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.presence = presenceFrom(p)
}

func presenceFrom(p fakegateway.Presence) Presence {
	shown := Presence{Status: p.Status}
	for _, a := range p.Activities {
		shown.Activities = append(shown.Activities, Activity(a))
	}
	return shown
}
