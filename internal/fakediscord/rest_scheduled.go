package fakediscord

import (
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// An eventInput is the JSON of a new or changed event.
type eventInput struct {
	Name        *string         `json:"name"`
	Description *string         `json:"description"`
	Start       *string         `json:"scheduled_start_time"`
	End         *string         `json:"scheduled_end_time"`
	Place       *int            `json:"entity_type"`
	Channel     *chat.ChannelID `json:"channel_id"`
	Privacy     *int            `json:"privacy_level"`
	Metadata    *struct {
		Location string `json:"location"`
	} `json:"entity_metadata"`

	given
}

func (c *call) eventInput() (eventInput, error) {
	var in eventInput
	given, err := c.fields("name", "description", "scheduled_start_time", "scheduled_end_time", "entity_type",
		"channel_id", "privacy_level", "entity_metadata")
	if err != nil {
		return in, err
	}
	in.given = given
	return in, c.decode(&in)
}

// apply sets the given fields of an event, which need not be in the world yet.
func (in *eventInput) apply(e *ScheduledEvent) error {
	if in.Name != nil {
		e.Name = strings.TrimSpace(*in.Name)
	}
	if in.has("description") {
		e.Description = ""
		if in.Description != nil {
			e.Description = strings.TrimSpace(*in.Description)
		}
	}
	for _, field := range []struct {
		name string
		text *string
		to   *time.Time
	}{{"scheduled_start_time", in.Start, &e.Start}, {"scheduled_end_time", in.End, &e.End}} {
		if !in.has(field.name) {
			continue
		}
		*field.to = time.Time{}
		if field.text == nil {
			continue
		}
		at, err := time.Parse(time.RFC3339, *field.text)
		if err != nil {
			return invalid(field.name, "DATE_TIME_TYPE_PARSE", "Could not parse %s. Should be ISO8601.", *field.text)
		}
		*field.to = at.UTC()
	}
	return nil
}

// setPlace sets the place of an event.
func (c *call) setPlace(e *ScheduledEvent, in eventInput) error {
	if in.Channel != nil {
		e.Channel = *in.Channel
	} else if in.has("channel_id") {
		e.Channel = ""
	}
	if in.Metadata != nil {
		e.Location = strings.TrimSpace(in.Metadata.Location)
	}
	place := c.eventPlace(e)
	if in.Place != nil {
		place = *in.Place
	}
	ch := c.channels[e.Channel]
	switch {
	case place == elsewhere && e.Channel != "":
		return invalid("channel_id", "GUILD_SCHEDULED_EVENT_CHANNEL_ID_INVALID", "Channel id must be null for external events.")
	case place == elsewhere:
		return nil
	case ch == nil || ch.Guild != c.ID || !c.sees(c.bot, ch):
		return errUnknownChannel
	case ch.Type != map[int]ChannelType{inStage: StageChannel, inVoice: VoiceChannel}[place]:
		return invalid("channel_id", "GUILD_SCHEDULED_EVENT_CHANNEL_TYPE_INVALID", "Channel is not of the right type for this event.")
	}
	e.Location = ""
	return nil
}

// mayAnnounce checks rights on the guild, or in the channel of the event.
func (c *call) mayAnnounce(e *ScheduledEvent, rights Permissions) bool {
	if ch := c.channels[e.Channel]; ch != nil {
		return c.permissions(c.bot, ch)&rights != 0
	}
	return c.guildPermissions(c.bot)&rights != 0
}

// event is the event of the path, if the bot sees it.
func (c *call) event() (*ScheduledEvent, error) {
	if err := c.ourGuild(); err != nil {
		return nil, err
	}
	for _, e := range c.scheduled {
		if string(e.ID) == c.vars["event"] && c.seesEvent(e) {
			return e, nil
		}
	}
	return nil, errUnknownEvent
}

func (c *call) seesEvent(e *ScheduledEvent) bool {
	ch := c.channels[e.Channel]
	return ch == nil || c.sees(c.bot, ch)
}

func listEvents(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	out := []object{}
	for _, e := range c.scheduled {
		if c.seesEvent(e) {
			out = append(out, c.countedJSON(e))
		}
	}
	return ok(out)
}

func getEvent(c *call) (answer, error) {
	e, err := c.event()
	if err != nil {
		return answer{}, err
	}
	return ok(c.countedJSON(e))
}

// countedJSON is an event with the number of those who are interested, if the request wants that. Nobody can be, here.
func (c *call) countedJSON(e *ScheduledEvent) object {
	o := c.eventJSON(e)
	if c.yes("with_user_count") {
		o["user_count"] = 0
	}
	return o
}

func createEvent(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	in, err := c.eventInput()
	if err != nil {
		return answer{}, err
	}
	e := ScheduledEvent{Guild: c.ID, Creator: c.bot.ID}
	if err := in.apply(&e); err != nil {
		return answer{}, err
	}
	switch {
	case in.Place == nil:
		return answer{}, invalid("entity_type", "BASE_TYPE_REQUIRED", "This field is required")
	case in.Privacy == nil || *in.Privacy != 2:
		return answer{}, invalid("privacy_level", "BASE_TYPE_CHOICES", "Value must be one of {2}.")
	}
	if err := c.setPlace(&e, in); err != nil {
		return answer{}, err
	}
	switch {
	case !c.mayAnnounce(&e, createEvents):
		return answer{}, errMissingPermissions
	case len(c.scheduled) >= maxEvents:
		return answer{}, errTooManyEvents
	}
	if err := c.checkEvent(&e, true); err != nil {
		return answer{}, err
	}
	made := c.schedule(e)
	c.audit(auditEventCreate, c.bot.ID, string(made.ID), c.reason(), of(AuditChange{Key: "name", New: made.Name}, made.Channel)...)
	return ok(c.eventJSON(made))
}

// mayChange reports whether the bot may change an event: its own, or with Manage Events
// any.
func (c *call) mayChange(e *ScheduledEvent) bool {
	rights := manageEvents
	if e.Creator == c.bot.ID {
		rights |= createEvents
	}
	return c.mayAnnounce(e, rights)
}

func editEvent(c *call) (answer, error) {
	e, err := c.event()
	if err != nil {
		return answer{}, err
	}
	in, err := c.eventInput()
	if err != nil {
		return answer{}, err
	}
	if !c.mayChange(e) {
		return answer{}, errMissingPermissions
	}
	changed := *e
	if err := in.apply(&changed); err != nil {
		return answer{}, err
	}
	if err := c.setPlace(&changed, in); err != nil {
		return answer{}, err
	}
	if !c.mayChange(&changed) {
		return answer{}, errMissingPermissions
	}
	if err := c.checkEvent(&changed, in.Start != nil); err != nil {
		return answer{}, err
	}
	before := *e
	*e = changed
	c.audit(auditEventUpdate, c.bot.ID, string(e.ID), c.reason(), of(AuditChange{Key: "name", Old: before.Name, New: e.Name}, e.Channel)...)
	c.emitEvent("GUILD_SCHEDULED_EVENT_UPDATE", e)
	return ok(c.eventJSON(e))
}

func deleteEvent(c *call) (answer, error) {
	e, err := c.event()
	if err != nil {
		return answer{}, err
	}
	if !c.mayChange(e) {
		return answer{}, errMissingPermissions
	}
	c.unschedule(e)
	c.audit(auditEventDelete, c.bot.ID, string(e.ID), c.reason(), of(AuditChange{Key: "name", Old: e.Name}, e.Channel)...)
	return done()
}
