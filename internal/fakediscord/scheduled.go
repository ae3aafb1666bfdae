package fakediscord

import (
	"errors"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// Limits of a scheduled event.
// https://discord.com/developers/docs/resources/guild-scheduled-event
const (
	maxEventName        = 100
	maxEventDescription = 1000
	maxLocation         = 100
	maxEvents           = 100
)

// A ScheduledEvent is an announced event: in a voice or stage channel, or at a place that
// its location names.
type ScheduledEvent struct {
	ID          chat.EventID   `json:"id"`
	Guild       chat.GuildID   `json:"guild,omitempty"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Start       time.Time      `json:"start"`
	End         time.Time      `json:"end,omitzero"` // zero if it is open
	Channel     chat.ChannelID `json:"channel,omitempty"`
	Location    string         `json:"location,omitempty"`
	Creator     chat.UserID    `json:"creator"`
}

// Kinds of places where an event can be.
const (
	inStage   = 1
	inVoice   = 2
	elsewhere = 3
)

// place is the kind of place where the event is.
func (w *World) eventPlace(e *ScheduledEvent) int {
	switch c := w.channels[e.Channel]; {
	case c == nil:
		return elsewhere
	case c.Type == StageChannel:
		return inStage
	default:
		return inVoice
	}
}

// check refuses an invalid event. startsAnew says that its start was just set and so must
// be in the future.
func (w *World) checkEvent(e *ScheduledEvent, startsAnew bool) error {
	switch n := chat.Length(e.Name); {
	case n == 0 || n > maxEventName:
		return invalid("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxEventName)
	case chat.Length(e.Description) > maxEventDescription:
		return invalid("description", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEventDescription)
	case e.Start.IsZero():
		return invalid("scheduled_start_time", "BASE_TYPE_REQUIRED", "This field is required")
	case startsAnew && !e.Start.After(w.now()):
		return invalid("scheduled_start_time", "GUILD_SCHEDULED_EVENT_SCHEDULE_PAST", "Cannot schedule event in the past.")
	case e.Channel == "" && chat.Length(e.Location) == 0, chat.Length(e.Location) > maxLocation:
		return invalid("entity_metadata.location", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxLocation)
	case e.Channel == "" && e.End.IsZero():
		return invalid("scheduled_end_time", "BASE_TYPE_REQUIRED", "This field is required")
	case !e.End.IsZero() && !e.End.After(e.Start):
		return invalid("scheduled_end_time", "GUILD_SCHEDULED_EVENT_END_BEFORE_START", "Cannot schedule event to end before it starts.")
	}
	return nil
}

// AddEvent announces an event for a member, whatever their rights, and returns it.
func (w *World) AddEvent(by string, e ScheduledEvent) (ScheduledEvent, error) {
	err := w.change(func() error {
		who, err := w.soleMember(by)
		if err != nil {
			return err
		}
		if c := w.channels[e.Channel]; e.Channel != "" && (c == nil || !c.Type.isVocal()) {
			return errors.New("an event is in a voice or stage channel, or has a location")
		}
		if err := w.checkEvent(&e, true); err != nil {
			return err
		}
		e.Creator, e.Guild = who.ID, who.Guild
		e = *w.schedule(e)
		return nil
	})
	return e, err
}

// schedule puts an event into the world.
func (w *World) schedule(e ScheduledEvent) *ScheduledEvent {
	e.ID = chat.EventID(w.newID())
	g := w.guild(e.Guild)
	g.scheduled = append(g.scheduled, &e)
	w.emitEvent("GUILD_SCHEDULED_EVENT_CREATE", &e)
	return &e
}

func (w *World) unschedule(e *ScheduledEvent) {
	g := w.guild(e.Guild)
	g.scheduled = slices.DeleteFunc(g.scheduled, func(other *ScheduledEvent) bool { return other == e })
	w.emitEvent("GUILD_SCHEDULED_EVENT_DELETE", e)
}

// emitEvent emits an event if the bot sees its channel, if it has one.
func (w *World) emitEvent(name string, e *ScheduledEvent) {
	if c := w.channels[e.Channel]; c != nil {
		w.emit(name, intentScheduledEvents, c, w.eventJSON(e))
		return
	}
	w.emitOn(w.guild(e.Guild), name, intentScheduledEvents, w.eventJSON(e))
}

// Events are all announced events, oldest first.
func (w *World) Events() []ScheduledEvent {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []ScheduledEvent
	for _, e := range w.allScheduled() {
		all = append(all, *e)
	}
	return all
}

// allScheduled are the events of all guilds.
func (w *World) allScheduled() []*ScheduledEvent {
	var all []*ScheduledEvent
	for _, g := range w.guilds {
		all = append(all, g.scheduled...)
	}
	return all
}

func (w *World) eventJSON(e *ScheduledEvent) object {
	place := w.eventPlace(e)
	o := object{
		"id": e.ID, "guild_id": e.Guild, "name": e.Name, "description": idOrNull(e.Description),
		"channel_id": idOrNull(e.Channel), "creator_id": e.Creator, "creator": w.userJSON(w.user(e.Creator)), "image": nil,
		"scheduled_start_time": timestamp(e.Start), "scheduled_end_time": orNull(e.End), "status": 1, "privacy_level": 2,
		"entity_type": place, "entity_id": nil, "entity_metadata": nil, "recurrence_rule": nil,
		"guild_scheduled_event_exceptions": []any{},
	}
	if place == elsewhere {
		o["entity_metadata"] = object{"location": e.Location}
	}
	return o
}
