package crons

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/cron"
)

// A Create asks for a new job.
type Create struct {
	Name     string `json:"name" alias:"title" doc:"A short name." max:"80"`
	Schedule string `json:"schedule,omitempty" alias:"cron,when" doc:"Five cron fields, such as 0 9 * 1-11 * for all months but December, or: every 15 minutes, daily at 7:30, weekdays at 9, mondays and thursdays at 18:00, on the 1st of every month at 9, last friday of the month at 17:00, once 2027-05-01 18:00, @every 90m." max:"500"`
	Limits
	Channel  chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Where its answers go; here if left out."`
	Prompt   string          `json:"prompt" alias:"instruction,task" doc:"What you are to do, with all that you need to know." max:"4000"`
	Timezone string          `json:"timezone,omitempty" alias:"zone,tz" rare:"yes" doc:"Such as Europe/Berlin, if not the usual one." max:"60"`
	Extras
}

// Extras are what few jobs need.
type Extras struct {
	Silent  bool                 `json:"silent,omitempty" rare:"yes" doc:"Whether answers with nothing to report are not posted."`
	Missed  string               `json:"missed,omitempty" rare:"yes" doc:"What becomes of times that pass while you are offline: nothing, one run for all, or all of them." enum:"skip,once,all"`
	Allowed schema.Opt[[]string] `json:"allowedActions,omitzero" rare:"yes" doc:"The only types of actions that it may run; those that need approval are approved with it." max:"60"`
	Chain   []string             `json:"chain,omitempty" rare:"yes" doc:"IDs of jobs that run after it." max:"10"`
	Routing string               `json:"routingMode,omitempty" rare:"yes" doc:"With json, its answers name their channels themselves." enum:"default,json"`
	Model   string               `json:"model,omitempty" rare:"yes" doc:"A model or tier (fast, capable, deep), if not the usual one." max:"100"`
	Tags    []string             `json:"tags,omitempty" rare:"yes" doc:"Words to find it by." max:"10"`
	State   string               `json:"state,omitempty" rare:"yes" doc:"What its first run begins with: a JSON object." max:"8000"`
	Trigger string               `json:"triggerType,omitempty" rare:"yes" alias:"trigger" doc:"What begins its runs. {{body}} in prompt stands for what a webhook is called with." enum:"schedule,manual,webhook"`
}

func (c *Category) create() *actions.Action {
	return actions.Define(actions.Spec[Create]{
		Name:       "cronCreate",
		Aliases:    []string{"CREATE_CRON", "SCHEDULE_JOB", "CREATE_SCHEDULE"},
		Summary:    "Schedule a job that runs by itself, again and again or once.",
		Sentence:   "Schedule the job {name} in {channel}[, running {schedule}][ in the time zone {timezone}], with the prompt {prompt}[, begun by: {triggerType}][, {silent?silent when there is nothing to report}][, with the state {state:object}]",
		Brief:      "schedule: 0 7 * 1-11 1-5 (not in December), first monday of the month at 9, once 2027-05-01 18:00, @every 90m (from with its hour); every \"2 weeks\", from, until and skip (dates) leave out days; you know only prompt",
		Effect:     actions.Keeps,
		Later:      true,
		Own:        true,
		Idempotent: true,
		Stores:     []string{"prompt", "name"},
		Needs:      []chat.Permission{chat.ViewChannel, chat.SendMessages},
		Examples: []Create{
			{Name: "Morning weather", Schedule: "weekdays at 7:00", Channel: "general", Prompt: "Say what the weather in Berlin will be."},
			{Name: "Paper", Schedule: "tuesdays at 9", Limits: Limits{Every: schema.Some("2 weeks"), Skip: schema.Some([]string{"2027-12-28"})}, Prompt: "Say that the paper is collected tomorrow."},
		},
		Check: Create.check,
		Holds: c.createGrants,
		Plain: func(_ context.Context, _ actions.Call, in Create) map[string]string {
			return c.plainTimes(in.Limits, in.Schedule, "", in.Timezone)
		},
		Names: func(_ context.Context, _ actions.Call, in Create) map[string]string {
			names := onCard(c.plainTimes(in.Limits, in.Schedule, "", in.Timezone))
			if names != nil { // the sentence says the time zone itself
				names["schedule"] = strings.TrimSuffix(names["schedule"], " ("+in.Timezone+")")
			}
			return names
		},
		Settles: func(ctx context.Context, call actions.Call, in Create) (_ Create, err error) {
			if in.Allowed.Given {
				if in.Allowed.Value, err = c.types(in.Allowed.Value); err != nil {
					return in, err
				}
			}
			if in.Schedule, err = c.limited(in.Limits, in.Schedule, "", in.Timezone); err != nil {
				return in, err
			}
			if in.Limits.given() != nil {
				in.Schedule, in.Limits = exactly(in.Schedule)
			}
			in.Chain, err = c.following(ctx, call, in.Chain)
			return in, err
		},
		NeedsIn: func(ctx context.Context, call actions.Call, in Create) (chat.ChannelID, error) {
			ch, err := c.target(ctx, call, in.Channel)
			return ch.ID, err
		},
		Do: c.doCreate,
	})
}

// createGrants is what a card says of a job that may run actions without asking.
func (c *Category) createGrants(ctx context.Context, call actions.Call, in Create) string {
	ch, err := c.target(ctx, call, in.Channel)
	if err != nil {
		return "" // it fails anyway
	}
	times, err := c.limited(in.Limits, in.Schedule, "", in.Timezone)
	if err != nil {
		return "" // likewise
	}
	return c.grants(chat.Bold(chat.Clip(in.Name, engine.MaxName)), engine.Definition{
		Allowed: listed(in.Allowed.Value), Channel: ch.ID, Trigger: cmp.Or(engine.Trigger(in.Trigger), engine.BySchedule),
		Schedule: times, Zone: in.Timezone, Prompt: in.Prompt, Silent: in.Silent, Routes: in.Routing == "json", Chain: in.Chain,
	}, in.State)
}

func (in Create) check() error {
	if in.Allowed.Given && len(listed(in.Allowed.Value)) == 0 {
		return errNoTypes // or a job that is to do nothing could do everything
	}
	if in.Schedule == "" && in.Trigger != string(engine.ByHand) && in.Trigger != string(engine.ByWebhook) {
		return errors.New("say when it runs, in schedule; or give triggerType manual for a job that is only triggered, or webhook")
	}
	return checkState(in.State)
}

func checkState(text string) error {
	var object map[string]any
	if text != "" && (json.Unmarshal([]byte(text), &object) != nil || object == nil) {
		return errors.New("state must be a JSON object, such as {\"count\":0}")
	}
	return nil
}

// target finds the channel of a job, which is that of the turn if none is named.
func (c *Category) target(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	if ref == "" {
		ref = chat.ChannelRef(call.Origin.Place.Channel)
	}
	return call.TextChannel(ctx, c.server.Channel, ref, "scheduled job")
}

// served is target for a channel in which the people of the turn are served.
func (c *Category) served(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	ch, err := c.target(ctx, call, ref)
	if err != nil {
		return ch, err
	}
	for _, who := range call.Origin.People() {
		if c.Barred == nil {
			break
		}
		if why := c.Barred(who, ch.Place()); why != "" {
			return ch, chat.WithRemedy(fmt.Errorf("I don't answer you in %s", ch.ID.Mention()), "the settings say: "+why)
		}
	}
	return ch, nil
}

func (c *Category) doCreate(ctx context.Context, call actions.Call, in Create) (actions.Result, error) {
	ch, err := c.served(ctx, call, in.Channel)
	if err != nil {
		return actions.Result{}, err
	}
	o := call.Origin
	if in.Timezone == "" {
		in.Timezone = c.engine.ZoneOf(ctx, o.Requester).String()
	}
	times, err := c.limited(in.Limits, in.Schedule, "", in.Timezone)
	if err != nil {
		return actions.Result{}, err
	}
	j := engine.Job{Guild: o.Place.Guild, Author: o.Requester, State: state(in.State), Definition: engine.Definition{
		Name: in.Name, Trigger: cmp.Or(engine.Trigger(in.Trigger), engine.BySchedule),
		Schedule: times, Zone: in.Timezone, Channel: ch.ID, ChannelName: ch.Name,
		Prompt: in.Prompt, Model: in.Model, Tags: listed(in.Tags), Routes: in.Routing == "json", Silent: in.Silent,
		Missed: engine.Missed(in.Missed), Prompters: o.Prompters, Outside: o.Outside, Words: call.WordsFor(in.Prompt),
	}}
	if err := c.canBegin(j.Trigger); err != nil {
		return actions.Result{}, err
	}
	if j.Chain, err = c.following(ctx, call, in.Chain); err != nil {
		return actions.Result{}, err
	}
	if in.Allowed.Given {
		if j.Allowed, err = c.types(in.Allowed.Value); err != nil {
			return actions.Result{}, err
		}
	}
	if in.Model != "" && c.Model != nil {
		if err := c.Model(in.Model); err != nil {
			return actions.Result{}, err
		}
	}
	if key, ok := call.IdempotencyKey(); ok {
		j.Dedupe = string(o.Turn) + "/" + key
	} else if named, ok := ctx.Value(request{}).(string); ok {
		j.Dedupe = named
	}
	if j, err = c.engine.Create(ctx, j); err != nil {
		return actions.Result{}, err
	}
	return actions.Result{
		Summary: c.name(ctx, call, j) + " " + c.about(o.Place.Channel, j),
		Undo:    []actions.Inverse{actions.Reverse("delete "+c.name(ctx, call, j), "cronDelete", Which{ID: j.ID})},
	}, nil
}

// request is the key under which a context names a request for a new job that belongs to no turn, so that a repeated one makes no second
// job.
type request struct{}

// canBegin returns why a trigger cannot begin jobs here.
func (c *Category) canBegin(by engine.Trigger) error {
	if by == engine.ByWebhook && c.Webhooks == "" {
		return chat.WithRemedy(errors.New("webhooks are switched off here"), "set DISCOCLAW_WEBHOOK_ENABLED=1")
	}
	return nil
}

func state(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if cmp.Or(text, "{}") == "{}" {
		return nil
	}
	return json.RawMessage(text)
}
