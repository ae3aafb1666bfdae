package fakediscord

import (
	"slices"
	"time"
)

// maxPins is how many messages a channel can have pinned.
const maxPins = 250

// pin pins a message for a member with the right, and posts a notice in the channel.
func (w *World) pin(who *Member, c *Channel, m *Message) error {
	switch {
	case isSystem(m.Type):
		return errSystemMessage
	case !m.Pinned.IsZero():
		return nil
	case len(w.pinned(c)) >= maxPins:
		return errTooManyPins
	}
	m.Pinned, c.LastPin = w.now(), w.now()
	w.emitPins(c)
	w.emitMessage("MESSAGE_UPDATE", c, m)
	w.post(draft{author: who, channel: c, kind: PinNotice, replyTo: m.ID})
	return nil
}

func (w *World) unpin(c *Channel, m *Message) {
	if m.Pinned.IsZero() {
		return
	}
	m.Pinned = time.Time{}
	w.emitPins(c)
	w.emitMessage("MESSAGE_UPDATE", c, m)
}

func (w *World) emitPins(c *Channel) {
	o := object{"channel_id": c.ID, "last_pin_timestamp": orNull(c.LastPin)}
	intent := intentDirectMessages
	if c.Type != DMChannel {
		o["guild_id"], intent = c.Guild, intentGuilds
	}
	w.emit("CHANNEL_PINS_UPDATE", intent, c, o)
}

// pinned are the pinned messages of a channel, the latest pin first.
func (w *World) pinned(c *Channel) []*Message {
	all := slices.DeleteFunc(w.public(c), func(m *Message) bool { return m.Pinned.IsZero() })
	slices.SortStableFunc(all, func(a, b *Message) int { return b.Pinned.Compare(a.Pinned) })
	return all
}

// toPin checks the right to pin and unpin. Since February 2026 that is Pin Messages;
// Manage Messages does not suffice.
func (c *call) toPin() (*Channel, *Message, error) {
	ch, m, may, err := c.found()
	switch {
	case err != nil:
		return nil, nil, err
	case ch.Type != DMChannel && !may.Has(pinMessages):
		return nil, nil, errMissingPermissions
	case ch.Archived:
		return nil, nil, errArchived
	}
	return ch, m, nil
}

func addPin(c *call) (answer, error) {
	ch, m, err := c.toPin()
	if err != nil {
		return answer{}, err
	}
	already := !m.Pinned.IsZero()
	if err := c.pin(c.bot, ch, m); err != nil {
		return answer{}, err
	}
	if !already {
		c.auditMessages(auditPin, ch, string(m.Author), map[string]string{"message_id": string(m.ID)})
	}
	return done()
}

func removePin(c *call) (answer, error) {
	ch, m, err := c.toPin()
	if err != nil {
		return answer{}, err
	}
	if !m.Pinned.IsZero() {
		c.unpin(ch, m)
		c.auditMessages(auditUnpin, ch, string(m.Author), map[string]string{"message_id": string(m.ID)})
	}
	return done()
}

// listPins answers page by page.
func listPins(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	limit, err := c.number("limit", 50, 1, 50)
	if err != nil {
		return answer{}, err
	}
	all := c.pinned(ch)
	if !may.Has(readHistory) {
		all = nil // Discord returns an empty list instead of an error
	}
	until, err := c.moment("before")
	if err != nil {
		return answer{}, err
	}
	if !until.IsZero() {
		all = slices.DeleteFunc(all, func(m *Message) bool { return !m.Pinned.Before(until) })
	}
	items := []object{}
	for _, m := range all[:min(limit, len(all))] {
		items = append(items, object{"pinned_at": timestamp(m.Pinned), "message": c.readable(ch, m)})
	}
	return ok(object{"items": items, "has_more": len(all) > limit})
}

// listPinsAtOnce is the older form.
func listPinsAtOnce(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	out := []object{}
	if may.Has(readHistory) {
		for _, m := range c.pinned(ch) {
			out = append(out, c.readable(ch, m))
		}
	}
	return ok(out[:min(50, len(out))])
}
