package fakediscord

import (
	"encoding/json"
	"fmt"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
)

// An Event is a change of the world, as the gateway sends it.
type Event struct {
	Name    string         // MESSAGE_CREATE and so on
	Channel chat.ChannelID // empty if it concerns the guild
	Data    json.RawMessage
}

// A pendingEvent is queued for the watchers and the bot.
type pendingEvent struct {
	Event
	guild  chat.GuildID // empty if it belongs to none
	intent int
	toBot  json.RawMessage // as the bot may see it; nil if it may not
	bare   any             // for sessions that may not read content; nil if it is the same
}

// Watch calls f for every event of the world from now on, one after the other,
// also for those that the bot does not get. f may use the world.
func (w *World) Watch(f func(Event)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers = append(slices.Clip(w.watchers), f)
}

// emit queues an event of a channel. The bot gets it if it sees the channel.
func (w *World) emit(name string, intent int, c *Channel, data any) {
	w.queue(name, intent, c, data, data, w.sees(w.botMember(), c))
}

// emitOn queues an event of a whole guild.
func (w *World) emitOn(g *guild, name string, intent int, data any) {
	w.queueOn(g, name, intent, data, data, true)
}

func (w *World) queue(name string, intent int, c *Channel, data, forBot any, toBot bool) {
	if g := w.guild(c.Guild); g != nil {
		toBot = toBot && w.tells(g)
	}
	w.enqueue(pendingEvent{Event: Event{Name: name, Channel: c.ID}, guild: c.Guild, intent: intent}, data, forBot, toBot)
}

func (w *World) queueOn(g *guild, name string, intent int, data, forBot any, toBot bool) {
	w.enqueue(pendingEvent{Event: Event{Name: name}, guild: g.ID, intent: intent}, data, forBot, toBot && w.tells(g))
}

// tells reports whether the bot gets events of a guild.
func (w *World) tells(g *guild) bool { return !g.outage && w.hasBot(g) }

func (w *World) enqueue(e pendingEvent, data, forBot any, toBot bool) {
	e.Data = encode(data)
	if toBot {
		e.toBot = encode(forBot)
	}
	w.pending = append(w.pending, e)
}

// deliver delivers the queued events in order, without holding the lock. If another
// goroutine is delivering already, that one delivers these as well.
func (w *World) deliver() {
	for {
		e, watchers, ok := w.nextEvent()
		if !ok {
			return
		}
		w.Sync() // the event may be another goroutine's, which has not saved it yet
		for _, watch := range watchers {
			watch(e.Event)
		}
		if e.toBot != nil {
			w.gateway.Dispatch(e.intent, fakegateway.Event{Name: e.Name, Data: e.toBot, Guild: string(e.guild), Needs: intentContent, Bare: e.bare})
		}
		w.mu.Lock()
		w.delivering = false
		w.mu.Unlock()
	}
}

func (w *World) nextEvent() (pendingEvent, []func(Event), bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.delivering || len(w.pending) == 0 {
		return pendingEvent{}, nil, false
	}
	w.delivering = true
	e := w.pending[0]
	w.pending = w.pending[1:]
	return e, w.watchers, true
}

// encode encodes maps, slices and plain values, which never fails.
func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fakediscord: encode an answer: %v", err))
	}
	return data
}
