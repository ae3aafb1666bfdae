package guild

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// mayManageEvents is needed to change an event.
var mayManageEvents = []chat.Permission{chat.ManageEvents}

// An EventEdit changes an event.
type EventEdit struct {
	Event       EventRef           `json:"eventId" alias:"event,id" doc:"Event name or ID, see eventList."`
	Name        string             `json:"name,omitempty" doc:"New name." max:"100"`
	Start       When               `json:"startTime,omitempty" alias:"start" doc:"New beginning."`
	End         schema.Opt[When]   `json:"endTime,omitzero" alias:"end" doc:"New end; an empty text removes it, in channels only."`
	Description schema.Opt[string] `json:"description,omitzero" rare:"yes" doc:"New description; an empty text removes it." max:"1000"`
	Location    string             `json:"location,omitempty" doc:"Place to move it to." max:"100"`
	Channel     chat.ChannelRef    `json:"channelId,omitempty" alias:"channel" rare:"yes" doc:"Voice or stage channel to move it to, name or ID."`
}

func (in EventEdit) check() error {
	switch {
	case in.Name == "" && in.Start == "" && !in.End.Given && !in.Description.Given && in.Location == "" && in.Channel == "":
		return errors.New("nothing to change; give a name, startTime, endTime, description, location or channelId")
	case in.Location != "" && in.Channel != "":
		return errors.New("an event is in a channel or at a location; give one of the two")
	case in.Start != "" && in.End.Value != "" && !in.End.Value.Time().After(in.Start.Time()):
		return fmt.Errorf("endTime %s is not after startTime %s", in.End.Value, in.Start)
	}
	return nil
}

func (c *Category) eventEdit() *actions.Action {
	return actions.Define(actions.Spec[EventEdit]{
		Name:     "eventEdit",
		Summary:  "Change a scheduled event's name, time, place or description.",
		Sentence: "Change {eventId:event}:[, rename it to {name}][, set its beginning to {startTime:time}][, {endTime:time?set its end to $|remove its end}][, move it to {location}][, move it to {channelId}][, {description?set its description to $|remove its description}]",
		Needs:    mayManageEvents,
		MayNeed:  toHost,
		Examples: []EventEdit{{Event: "123456789012345678", Start: "2027-05-01T19:00:00Z", End: schema.Some[When]("2027-05-01T21:00:00Z")}},
		Check:    EventEdit.check,
		Names: func(ctx context.Context, call actions.Call, in EventEdit) map[string]string {
			e, err := c.event(ctx, call, in.Event)
			if err != nil {
				return nil
			}
			return map[string]string{"event": e.Name} // cards link it by its ID
		},
		NeedsIn: func(ctx context.Context, call actions.Call, in EventEdit) (chat.ChannelID, error) {
			e, err := c.event(ctx, call, in.Event)
			return e.Channel, err
		},
		AlsoNeeds: c.whereItGoes,
		Do:        c.doEventEdit,
	})
}

// whereItGoes demands the same right in the channel that the event is moved to.
func (c *Category) whereItGoes(ctx context.Context, call actions.Call, in EventEdit) ([]actions.Demand, error) {
	demands, err := c.onStage(ctx, call)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Location != "":
		return append(demands, actions.Demand{Rights: mayManageEvents}), nil
	case in.Channel != "":
		to, err := c.newStage(ctx, call, in.Channel)
		rights := mayManageEvents
		if to.Kind == chat.Stage {
			rights = slices.Concat(mayManageEvents, toHost)
		}
		return append(demands, actions.Demand{Channel: to.ID, Rights: rights}), err
	}
	return demands, nil
}

// newStage finds the channel to move an event to, which is not the checked one.
func (c *Category) newStage(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	return c.stage(ctx, actions.Call{Origin: call.Origin}, ref)
}

func (c *Category) doEventEdit(ctx context.Context, call actions.Call, in EventEdit) (actions.Result, error) {
	was, err := c.checkedEvent(ctx, call, in.Event)
	if err != nil {
		return actions.Result{}, err
	}
	edit, err := c.editOf(ctx, call, in)
	if err != nil {
		return actions.Result{}, err
	}
	if err := fits(was, edit); err != nil {
		return actions.Result{}, err
	}
	now, err := c.server.EditEvent(ctx, call.Origin.Place.Guild, was, edit)
	if err != nil {
		return actions.Result{}, err
	}
	back := actions.Reverse(fmt.Sprintf("change the event %s back", c.titled(ctx, call, was)), "eventEdit", eventBack(was, edit))
	return actions.Done(nil, fmt.Sprintf("changed the event %s, now %s", c.linked(ctx, call, now), when(now)), back)
}

// editOf is the edit of an input.
func (c *Category) editOf(ctx context.Context, call actions.Call, in EventEdit) (chat.EventEdit, error) {
	var e chat.EventEdit
	if in.Name != "" {
		e.Name = new(chat.OneLine(in.Name))
	}
	if in.Description.Given {
		e.Description = new(strings.TrimSpace(in.Description.Value))
	}
	if in.Start != "" {
		e.Start = new(in.Start.Time())
		if err := ahead(*e.Start); err != nil {
			return e, err
		}
	}
	if in.End.Given {
		e.End = new(in.End.Value.Time())
	}
	if in.Location != "" {
		e.Location = new(chat.OneLine(in.Location))
	}
	if in.Channel != "" {
		to, err := c.newStage(ctx, call, in.Channel)
		if err == nil {
			err = c.still(ctx, call, to.ID, chat.ManageEvents)
		}
		if err != nil {
			return e, err
		}
		e.Channel = &to.ID
	}
	return e, nil
}

// fits refuses changes that would make an event invalid.
func fits(was chat.Event, e chat.EventEdit) error {
	start, end := was.Start, was.End
	if e.Start != nil {
		start = *e.Start
	}
	if e.End != nil {
		end = *e.End
	}
	outside := was.Channel == "" && e.Channel == nil || e.Location != nil
	switch {
	case outside && end.IsZero():
		return errors.New("an event outside of channels needs an end")
	case !end.IsZero() && !end.After(start):
		return fmt.Errorf("the event would begin %s and end %s; choose times that fit", chat.Clock(start), chat.Clock(end))
	}
	return nil
}

// eventBack restores an event, as far as it was changed.
func eventBack(was chat.Event, e chat.EventEdit) EventEdit {
	back := EventEdit{Event: EventRef(was.ID)}
	if e.Name != nil {
		back.Name = was.Name
	}
	if e.Description != nil {
		back.Description = schema.Some(was.Description)
	}
	if e.Start != nil {
		back.Start = whenOf(was.Start)
	}
	if e.End != nil {
		back.End = schema.Opt[When]{Given: true}
		if !was.End.IsZero() {
			back.End.Value = whenOf(was.End)
		}
	}
	if e.Location != nil || e.Channel != nil {
		back.Location, back.Channel = was.Location, chat.ChannelRef(was.Channel)
		if was.Channel == "" && back.Location == "" {
			back.Location = unknownPlace
		}
	}
	return back
}
