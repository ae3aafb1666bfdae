package guild

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

const (
	// usualLength is the default length of an event where Discord requires an end.
	usualLength = time.Hour
	// unknownPlace is the default place of an event.
	unknownPlace = "TBD"
	// maxDescriptionLength is how much of one is shown in a list.
	maxDescriptionLength = 80
)

// An EventRef is a reference to an event: an ID, a link to it, or its name.
type EventRef string

// UnmarshalText takes the ID out of a link.
func (r *EventRef) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if _, path, ok := strings.Cut(s, "/events/"); ok {
		s = path[strings.LastIndexByte(path, '/')+1:]
	}
	if s == "" {
		return errors.New("give the event's name or ID")
	}
	*r = EventRef(s)
	return nil
}

// An EventList shows the events of a server.
type EventList struct{}

// eventList needs no right: it shows only what is visible to the requester.
func (c *Category) eventList() *actions.Action {
	return actions.Define(actions.Spec[EventList]{
		Name:      "eventList",
		Summary:   "List this server's scheduled events.",
		Effect:    actions.Queries,
		Reads:     actions.Texts,
		Examples:  []EventList{{}},
		AlsoNeeds: forMembers[EventList](c),
		Do: func(ctx context.Context, call actions.Call, _ EventList) (actions.Result, error) {
			seen, err := c.sightOf(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			all, err := c.server.Events(ctx, call.Origin.Place.Guild)
			if err != nil {
				return actions.Result{}, err
			}
			res := actions.Result{Open: true}
			var lines []string
			for _, e := range all {
				if e.Channel != "" {
					if ok, err := seen.sees(e.Channel); err != nil {
						return actions.Result{}, err
					} else if !ok {
						continue
					}
					res.From = append(res.From, e.Channel)
				}
				lines = append(lines, listed(e, seen))
				if e.Description != "" || e.Location != "" {
					res.Outside.Add("the text of an event")
				}
			}
			res.Found, res.Summary = "No scheduled events", actions.Listed("listed", len(lines), "event", "events")
			if len(lines) > 0 {
				res.Found = "Scheduled events:\n" + strings.Join(lines, "\n")
			}
			return res, nil
		},
	})
}

// listed is an event in a list.
func listed(e chat.Event, seen *sight) string {
	where := chat.OneLine(e.Location)
	if e.Channel != "" {
		where = seen.name(e.Channel)
	}
	line := fmt.Sprintf("%s (id:%s) — %s", chat.Name(e.Name), e.ID, timeOf(e, utc))
	if where != "" {
		line += " — " + where
	}
	if e.Description != "" {
		line += " — " + chat.Clip(chat.OneLine(e.Description), maxDescriptionLength)
	}
	return line
}

// when is the time of an event, for people.
func when(e chat.Event) string { return timeOf(e, chat.Clock) }

// timeOf is the time of an event as clock writes it.
func timeOf(e chat.Event, clock func(time.Time) string) string {
	switch {
	case e.Start.IsZero():
		return unknownPlace
	case e.End.IsZero():
		return clock(e.Start)
	}
	return clock(e.Start) + " to " + clock(e.End)
}

// linked is an event as a link, in which the model finds its ID. Its name is told where all readers may see
// its channel; Discord hides it from others.
func (c *Category) linked(ctx context.Context, call actions.Call, e chat.Event) string {
	if c.isHidden(ctx, call, e) {
		return fmt.Sprintf("[this one](%s) in %s", e.Link(call.Origin.Place.Guild), e.Channel.Mention())
	}
	return fmt.Sprintf("[%s](%s)", chat.Literal(e.Name), e.Link(call.Origin.Place.Guild))
}

// titled is an event that may be gone when it is read.
func (c *Category) titled(ctx context.Context, call actions.Call, e chat.Event) string {
	if c.isHidden(ctx, call, e) {
		return "in " + e.Channel.Mention()
	}
	return chat.Bold(e.Name)
}

// isHidden reports whether a reader of the turn may not see an event.
func (c *Category) isHidden(ctx context.Context, call actions.Call, e chat.Event) bool {
	return e.Channel != "" && !call.Tells(ctx, c.server.Readable, e.Channel)
}

// An EventCreate announces an event.
type EventCreate struct {
	Name        string          `json:"name" doc:"Its name." max:"100"`
	Start       When            `json:"startTime" alias:"start" doc:"When it begins." example:"2027-05-01T18:00:00Z"`
	End         When            `json:"endTime,omitempty" alias:"end" doc:"When it ends; outside of channels an hour later if left out."`
	Description string          `json:"description,omitempty" doc:"What it is about." max:"1000"`
	Location    string          `json:"location,omitempty" doc:"Where it is, if not in a channel." max:"100"`
	Channel     chat.ChannelRef `json:"channelId,omitempty" alias:"channel" doc:"Voice or stage channel in which it is, name or ID."`
}

func (in EventCreate) check() error {
	switch {
	case chat.OneLine(in.Name) == "":
		return errors.New("name: empty")
	case in.Location != "" && in.Channel != "":
		return errors.New("an event is in a channel or at a location; give one of the two")
	case in.End != "" && !in.End.Time().After(in.Start.Time()):
		return fmt.Errorf("endTime %s is not after startTime %s", in.End, in.Start)
	}
	return nil
}

func (c *Category) eventCreate() *actions.Action {
	return actions.Define(actions.Spec[EventCreate]{
		Name:     "eventCreate",
		Brief:    "voice channel or location",
		Summary:  "Announce an event in a voice or stage channel, or at a location.",
		Sentence: "Create the event {name}, {startTime:time}[ to {endTime:time}][, in {channelId}][, at {location}][, with the description {description}]",
		Needs:    []chat.Permission{chat.CreateEvents},
		MayNeed:  toHost,
		Examples: []EventCreate{{Name: "Game night", Start: "2027-05-01T18:00:00Z", Location: "The usual place"}},
		Check:    EventCreate.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in EventCreate) (chat.ChannelID, error) {
			if in.Channel == "" {
				return "", nil
			}
			ch, err := c.stage(ctx, call, in.Channel)
			return ch.ID, err
		},
		AlsoNeeds: func(ctx context.Context, call actions.Call, _ EventCreate) ([]actions.Demand, error) {
			return c.onStage(ctx, call)
		},
		Do: c.doEventCreate,
	})
}

// toHost are the rights of a stage moderator. Discord requires them for events there.
var toHost = []chat.Permission{chat.ManageChannels, chat.MuteMembers, chat.MoveMembers}

// onStage demands them, if the checked channel is a stage.
func (c *Category) onStage(ctx context.Context, call actions.Call) ([]actions.Demand, error) {
	id, ok := call.Checked()
	if !ok {
		return nil, nil
	}
	ch, err := call.Channel(ctx, c.server.AnyChannel, chat.ChannelRef(id))
	if err != nil || ch.Kind != chat.Stage {
		return nil, err
	}
	return []actions.Demand{{Channel: ch.ID, Rights: toHost}}, nil
}

// stage finds a channel that an event can be in.
func (c *Category) stage(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	ch, err := call.Channel(ctx, c.server.AnyChannel, ref)
	if err == nil && ch.Kind != chat.Voice && ch.Kind != chat.Stage {
		err = fmt.Errorf("%s is not a voice or stage channel; choose one, or give a location instead", ch.ID.Mention())
	}
	return ch, err
}

func (c *Category) doEventCreate(ctx context.Context, call actions.Call, in EventCreate) (actions.Result, error) {
	g, err := call.Guild()
	if err != nil {
		return actions.Result{}, err
	}
	n := chat.NewEvent{
		Name: chat.OneLine(in.Name), Description: strings.TrimSpace(in.Description), Start: in.Start.Time(), End: in.End.Time(),
		Location: chat.OneLine(in.Location),
	}
	if err := ahead(n.Start); err != nil {
		return actions.Result{}, err
	}
	if in.Channel != "" {
		ch, err := c.stage(ctx, call, in.Channel)
		if err != nil {
			return actions.Result{}, err
		}
		n.Channel = ch.ID
	} else {
		if n.Location == "" {
			n.Location = unknownPlace
		}
		if n.End.IsZero() {
			n.End = n.Start.Add(usualLength)
		}
	}
	e, err := c.server.CreateEvent(ctx, g, n)
	if err != nil {
		return actions.Result{}, err
	}
	back := actions.Reverse("call off the event "+c.titled(ctx, call, e), "eventDelete", EventDelete{EventRef(e.ID)})
	return actions.Done(nil, fmt.Sprintf("created the event %s, %s", c.linked(ctx, call, e), when(e)), back)
}

// ahead refuses a start in the past.
func ahead(start time.Time) error {
	if now := time.Now(); !start.After(now) {
		return fmt.Errorf("%s has already passed; an event needs a later time", chat.Clock(start))
	}
	return nil
}

// event finds the event of an action.
func (c *Category) event(ctx context.Context, call actions.Call, ref EventRef) (chat.Event, error) {
	g, err := call.Guild()
	if err != nil {
		return chat.Event{}, err
	}
	if !chat.IsID(string(ref)) {
		return c.eventCalled(ctx, call, g, string(ref))
	}
	e, err := c.server.Event(ctx, g, chat.EventID(ref))
	if err == nil && !c.isVisible(ctx, call, e) {
		err = errNoEvent
	}
	return e, err
}

// isVisible reports whether the requester may see where an event takes place.
func (c *Category) isVisible(ctx context.Context, call actions.Call, e chat.Event) bool {
	if e.Channel == "" {
		return true
	}
	_, err := c.newStage(ctx, call, chat.ChannelRef(e.Channel))
	return err == nil
}

// eventCalled finds an event by its name.
func (c *Category) eventCalled(ctx context.Context, call actions.Call, g chat.GuildID, name string) (chat.Event, error) {
	all, err := c.server.Events(ctx, g)
	if err != nil {
		return chat.Event{}, err
	}
	letters := chat.Letters(name)
	found := slices.DeleteFunc(all, func(e chat.Event) bool {
		same := strings.EqualFold(e.Name, name) || letters != "" && chat.Letters(e.Name) == letters
		return !same || !c.isVisible(ctx, call, e)
	})
	switch len(found) {
	case 0:
		return chat.Event{}, fmt.Errorf("I can't find an event called %s", chat.Bold(chat.Clip(name, 100)))
	case 1:
		return found[0], nil
	}
	var which []string
	for _, e := range found[:min(len(found), 5)] {
		which = append(which, fmt.Sprintf("[%s](%s), %s", chat.Literal(e.Name), e.Link(g), chat.Clock(e.Start)))
	}
	return chat.Event{}, fmt.Errorf("which event do you mean: %s?", strings.Join(which, " or "))
}

// errNoEvent has the client's words for an unknown event, so that the two cannot be told
// apart.
var errNoEvent = errors.New("there is no such event; it may be over, or somebody has called it off")

// checkedEvent is event after the check of rights: the event may have been moved to another
// channel since.
func (c *Category) checkedEvent(ctx context.Context, call actions.Call, ref EventRef) (chat.Event, error) {
	e, err := c.event(ctx, call, ref)
	if checked, _ := call.Checked(); err == nil && e.Channel != checked {
		err = errors.New("the event was moved to another place meanwhile; try again")
	}
	return e, err
}

// An EventDelete cancels an event.
type EventDelete struct {
	Event EventRef `json:"eventId" alias:"event,id" doc:"Event name or ID, see eventList."`
}

func (c *Category) eventDelete() *actions.Action {
	return actions.Define(actions.Spec[EventDelete]{
		Name:        "eventDelete",
		Summary:     "Call off a scheduled event and delete it.",
		Needs:       mayManageEvents,
		MayNeed:     toHost,
		Destructive: true,
		Examples:    []EventDelete{{"123456789012345678"}},
		NeedsIn: func(ctx context.Context, call actions.Call, in EventDelete) (chat.ChannelID, error) {
			e, err := c.event(ctx, call, in.Event)
			return e.Channel, err
		},
		AlsoNeeds: func(ctx context.Context, call actions.Call, _ EventDelete) ([]actions.Demand, error) {
			return c.onStage(ctx, call)
		},
		Ask: func(ctx context.Context, call actions.Call, in EventDelete) (EventDelete, string, error) {
			e, err := c.event(ctx, call, in.Event)
			in.Event = EventRef(e.ID) // the name may be another event's when it is approved
			if err != nil {
				return in, "", err
			}
			name := actions.Quoted(e.Name)
			if c.isHidden(ctx, call, e) {
				name = c.linked(ctx, call, e)
			}
			return in, fmt.Sprintf("Call off the event %s (%s) and delete it, with the list of those who are interested.", name, when(e)), nil
		},
		Do: func(ctx context.Context, call actions.Call, in EventDelete) (actions.Result, error) {
			e, err := c.checkedEvent(ctx, call, in.Event)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Done(c.server.DeleteEvent(ctx, call.Origin.Place.Guild, e), "called off the event "+c.titled(ctx, call, e))
		},
	})
}
