package crons

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/cron"
)

// An Update asks for a change of a job. What is not given stays.
type Update struct {
	ID       string `json:"cronId" alias:"id,job" doc:"Its ID, such as cron-1a2b3c4d, or its name." max:"80"`
	Name     string `json:"name,omitempty" alias:"title" doc:"New name." max:"80"`
	Schedule string `json:"schedule,omitempty" alias:"cron,when" doc:"New times: five cron fields, English, or once 2027-05-01 18:00." max:"500"`
	Limits
	Channel  chat.ChannelRef      `json:"channel,omitempty" alias:"channelId" doc:"Where its answers go from now on."`
	Prompt   string               `json:"prompt,omitempty" alias:"instruction,task" doc:"New prompt, all of it." max:"4000"`
	Timezone string               `json:"timezone,omitempty" alias:"zone,tz" rare:"yes" doc:"New time zone, if that is asked for: a job stays in its own when its author moves." max:"60"`
	Silent   schema.Opt[bool]     `json:"silent,omitzero" rare:"yes" doc:"Whether answers with nothing to report are not posted."`
	Missed   string               `json:"missed,omitempty" rare:"yes" doc:"What becomes of missed times." enum:"skip,once,all"`
	Allowed  schema.Opt[[]string] `json:"allowedActions,omitzero" rare:"yes" doc:"The only types of actions that it may run; an empty text for all." max:"60"`
	Chain    schema.Opt[[]string] `json:"chain,omitzero" rare:"yes" doc:"IDs of jobs that run after it; an empty text for none." max:"10"`
	Routing  schema.Opt[string]   `json:"routingMode,omitzero" rare:"yes" doc:"json, or an empty text." enum:"default,json,"`
	Model    schema.Opt[string]   `json:"model,omitzero" rare:"yes" doc:"A model or tier; an empty text for the usual one." max:"100"`
	Tags     schema.Opt[[]string] `json:"tags,omitzero" rare:"yes" doc:"All of its tags from now on." max:"10"`
	Trigger  string               `json:"triggerType,omitempty" rare:"yes" alias:"trigger" doc:"What begins its runs from now on." enum:"schedule,manual,webhook"`
	State    schema.Opt[string]   `json:"state,omitzero" rare:"yes" doc:"New state, a JSON object; {} for none." max:"8000"`
}

func (c *Category) update() *actions.Action {
	return actions.Define(actions.Spec[Update]{
		Name:       "cronUpdate",
		Summary:    "Change a scheduled job.",
		Brief:      "what is not given stays, also every and time zone",
		Sentence:   "Change the scheduled job {cronId}:[, rename it to {name}][, run it {schedule}][, set its time zone to {timezone}][, have it post in {channel}][, set its prompt to {prompt}][, {silent?keep it silent when there is nothing to report|have it always report}][, {state:object?set its state to $|remove its state}]",
		Effect:     actions.Keeps,
		Later:      true,
		Own:        true,
		Idempotent: true,
		Stores:     []string{"prompt", "name"},
		Needs:      []chat.Permission{chat.ViewChannel, chat.SendMessages},
		Examples:   []Update{{ID: "cron-1a2b3c4d", Schedule: "weekdays at 8:00"}},
		Check:      Update.check,
		Holds:      c.updateGrants,
		Plain:      c.newTimes,
		Settles:    c.settleUpdate,
		Names: func(ctx context.Context, call actions.Call, in Update) map[string]string {
			names := c.names(ctx, call, in.ID)
			maps.Copy(names, onCard(c.newTimes(ctx, call, in)))
			return names
		},
		NeedsIn: func(ctx context.Context, call actions.Call, in Update) (chat.ChannelID, error) {
			if in.Channel != "" {
				ch, err := c.target(ctx, call, in.Channel)
				return ch.ID, err
			}
			j, err := c.find(ctx, call, in.ID)
			return j.Channel, err
		},
		Do: c.doUpdate,
	})
}

// newTimes are the times of a change in words.
func (c *Category) newTimes(ctx context.Context, call actions.Call, in Update) map[string]string {
	j, err := c.own(ctx, call, in.ID)
	if err != nil || in.Schedule == "" && in.Limits.given() == nil {
		return nil
	}
	return c.plainTimes(in.Limits, in.Schedule, j.Schedule, cmp.Or(in.Timezone, j.Zone))
}

// settleUpdate settles which jobs a held change is about. One that lets a job do things without asking also settles what it will be, as
// the card shows it.
func (c *Category) settleUpdate(ctx context.Context, call actions.Call, in Update) (Update, error) {
	j, err := c.own(ctx, call, in.ID)
	if err != nil {
		return in, err
	}
	change, err := c.changeOf(ctx, call, in)
	if err != nil {
		return in, err
	}
	after := j
	if err := change(&after); err != nil {
		return in, err
	}
	grants := c.updateGrants(ctx, call, in) != ""
	if in.ID = j.ID; in.Schedule != "" || in.Limits.given() != nil {
		in.Schedule, in.Limits = exactly(after.Schedule)
	}
	if grants {
		in.Prompt, in.Channel = cmp.Or(in.Prompt, j.Prompt), cmp.Or(in.Channel, chat.ChannelRef(j.Channel))
		in.Schedule, in.Limits = exactly(after.Schedule)
	}
	chain, err := c.following(ctx, call, in.Chain.Value)
	if len(chain) > 0 {
		in.Chain.Value = chain
	}
	return in, err
}

// updateGrants is what a card says of a change of a job that may run actions without asking, before or after it: what was approved was
// another job.
func (c *Category) updateGrants(ctx context.Context, call actions.Call, in Update) string {
	j, err := c.own(ctx, call, in.ID)
	if err != nil {
		return "" // it fails anyway
	}
	change, err := c.changeOf(ctx, call, in)
	if err != nil {
		return ""
	}
	if err := change(&j); err != nil {
		return ""
	}
	return c.grants(c.name(ctx, call, j), j.Definition, string(j.State))
}

func (in Update) check() error {
	if reflect.DeepEqual(in, Update{ID: in.ID}) {
		return errors.New("say what to change")
	}
	return checkState(in.State.Value)
}

func (c *Category) doUpdate(ctx context.Context, call actions.Call, in Update) (actions.Result, error) {
	j, err := c.own(ctx, call, in.ID)
	if err != nil {
		return actions.Result{}, err
	}
	change, err := c.changeOf(ctx, call, in)
	if err != nil {
		return actions.Result{}, err
	}
	before, after, err := c.engine.Update(ctx, j.Guild, j.ID, func(j *engine.Job) error {
		wished := j.Wished()
		if err := change(j); err != nil {
			return err
		}
		for _, who := range call.Origin.People() {
			if who != j.Author { // whose words it has from now on
				j.Prompters = chat.Union(who, j.Prompters)
			}
		}
		j.Mark(call.Origin.Outside, wished+"\n"+call.WordsFor(j.Prompt))
		return nil
	})
	if err != nil {
		return actions.Result{}, err
	}
	changed := c.differences(before, after)
	if len(changed) == 0 {
		return actions.Result{Summary: "nothing to change: " + c.name(ctx, call, after) + " is like that already"}, nil
	}
	text := "changed " + c.name(ctx, call, after) + ": " + chat.And(changed) + "; " +
		map[bool]string{true: "it is paused, and when it is resumed "}[after.Rests()] + "it " + c.about(call.Origin.Place.Channel, after)
	if before.Channel != after.Channel && before.State != nil && !in.State.Given {
		text += "; its notes were dropped, since other people read there"
	}
	if before.Prompt != after.Prompt && after.State != nil && !in.State.Given {
		text += "; it goes on with what it has kept, which may not fit the new prompt"
	}
	return actions.Result{
		Summary: text,
		Undo:    []actions.Inverse{actions.Reverse("change "+c.name(ctx, call, after)+" back", "cronUpdate", back(before, after))},
	}, nil
}

// changeOf checks what a request changes.
func (c *Category) changeOf(ctx context.Context, call actions.Call, in Update) (func(*engine.Job) error, error) {
	var to chat.Channel
	var allowed, chain []string
	var err error
	if in.Channel != "" {
		if to, err = c.served(ctx, call, in.Channel); err != nil {
			return nil, err
		}
	}
	if len(listed(in.Allowed.Value)) > 0 {
		if allowed, err = c.types(in.Allowed.Value); err != nil {
			return nil, err
		}
	}
	if chain, err = c.following(ctx, call, in.Chain.Value); err != nil {
		return nil, err
	}
	if in.Model.Value != "" && c.Model != nil {
		if err := c.Model(in.Model.Value); err != nil {
			return nil, err
		}
	}
	if err := c.canBegin(engine.Trigger(in.Trigger)); err != nil {
		return nil, err
	}
	return func(j *engine.Job) error {
		set(&j.Name, in.Name)
		set(&j.Prompt, in.Prompt)
		set(&j.Zone, in.Timezone)
		set(&j.Missed, engine.Missed(in.Missed))
		if in.Schedule != "" || in.Limits.given() != nil {
			times, err := c.limited(in.Limits, in.Schedule, j.Schedule, j.Zone)
			if err != nil {
				return err
			}
			j.Schedule, j.Trigger = times, engine.BySchedule
		}
		set(&j.Trigger, engine.Trigger(in.Trigger))
		if to.ID != "" {
			if to.ID != j.Channel {
				j.State = nil // other people read there
			}
			j.Channel, j.ChannelName = to.ID, to.Name
		}
		give(&j.Silent, in.Silent)
		give(&j.Model, in.Model)
		if in.Allowed.Given {
			j.Allowed = allowed
		}
		if in.Chain.Given {
			j.Chain = chain
		}
		if in.Tags.Given {
			j.Tags = listed(in.Tags.Value)
		}
		if in.Routing.Given {
			j.Routes = in.Routing.Value == "json"
		}
		if in.State.Given {
			j.State = state(in.State.Value)
		}
		return nil
	}, nil
}

func set[T comparable](field *T, value T) {
	if value != *new(T) {
		*field = value
	}
}

func give[T any](field *T, value schema.Opt[T]) {
	if value.Given {
		*field = value.Value
	}
}

// differences lists what a change has changed, as people read it.
func (c *Category) differences(before, after engine.Job) []string {
	var list []string
	say := func(differs bool, what string) {
		if differs {
			list = append(list, what)
		}
	}
	say(before.Name != after.Name, "new name")
	retimed := before.Schedule != after.Schedule || before.Trigger != after.Trigger
	say(after.Trigger == engine.BySchedule && retimed, "new times (before: "+c.words(before.Definition)+")")
	say(after.Trigger != engine.BySchedule && before.Trigger != after.Trigger, "what begins it")
	say(before.Zone != after.Zone, "new time zone")
	say(before.Channel != after.Channel, "now in "+after.Channel.Mention())
	say(before.Prompt != after.Prompt, "new prompt")
	say(before.Model != after.Model, "another model")
	say(before.Silent != after.Silent, map[bool]string{true: "silent", false: "not silent"}[after.Silent])
	say(before.Missed != after.Missed, "missed times: "+string(after.Missed))
	say(before.Routes != after.Routes, "where its answers go")
	say(!slices.Equal(before.Allowed, after.Allowed) && after.Allowed != nil, "which actions it may run")
	say(before.Allowed != nil && after.Allowed == nil, "it may run every action now")
	say(!slices.Equal(before.Chain, after.Chain), "which jobs follow it")
	say(!slices.Equal(before.Tags, after.Tags), "tags")
	say(string(before.State) != string(after.State) && (before.Channel == after.Channel || after.State != nil), "what it has kept")
	return list
}

// back is the request that undoes a change.
func back(before, after engine.Job) Update {
	in := Update{ID: after.ID, Name: before.Name, Prompt: before.Prompt, Timezone: before.Zone,
		Trigger: string(before.Trigger), Missed: string(before.Missed)}
	in.Schedule, in.Limits = exactly(before.Schedule)
	if before.Channel != after.Channel {
		in.Channel = chat.ChannelRef(before.Channel)
	}
	if !slices.Equal(before.Allowed, after.Allowed) {
		in.Allowed = schema.Some(append([]string{}, before.Allowed...))
	}
	if !slices.Equal(before.Chain, after.Chain) {
		in.Chain = schema.Some(append([]string{}, before.Chain...))
	}
	if !slices.Equal(before.Tags, after.Tags) {
		in.Tags = schema.Some(append([]string{}, before.Tags...))
	}
	in.Silent, in.Model = schema.Some(before.Silent), schema.Some(before.Model)
	in.Routing = schema.Some(map[bool]string{true: "json", false: "default"}[before.Routes])
	if string(before.State) != string(after.State) || before.Channel != after.Channel {
		in.State = schema.Some(string(before.State))
		if before.State == nil {
			in.State.Value = "{}"
		}
	}
	return in
}

// A Which names a job.
type Which struct {
	ID string `json:"cronId" alias:"id,job,name" word:"text" doc:"Its ID, such as cron-1a2b3c4d, or its name." max:"80"`
}

// managing is the definition of an action that does something with a job.
func managing(c *Category, name, summary, sentence string,
	do func(context.Context, actions.Call, engine.Job) (actions.Result, error)) actions.Spec[Which] {
	return actions.Spec[Which]{
		Name: name, Summary: summary, Sentence: sentence, Effect: actions.Keeps, Idempotent: true, Own: true,
		Examples: []Which{{ID: "cron-1a2b3c4d"}},
		Settles: func(ctx context.Context, call actions.Call, in Which) (Which, error) {
			j, err := c.own(ctx, call, in.ID)
			return Which{j.ID}, err
		},
		Names: func(ctx context.Context, call actions.Call, in Which) map[string]string {
			return c.names(ctx, call, in.ID)
		},
		Do: func(ctx context.Context, call actions.Call, in Which) (actions.Result, error) {
			j, err := c.own(ctx, call, in.ID)
			if err != nil {
				return actions.Result{}, err
			}
			return do(ctx, call, j)
		},
	}
}

func (c *Category) pause() *actions.Action {
	return actions.Define(managing(c, "cronPause", "Pause a scheduled job until it is resumed.", "Pause the scheduled job {cronId}", func(ctx context.Context, call actions.Call, j engine.Job) (actions.Result, error) {
		waiting, err := c.engine.Waiting(ctx, j.ID)
		if err != nil {
			return actions.Result{}, err
		}
		before, j, err := c.engine.Update(ctx, j.Guild, j.ID, func(j *engine.Job) error {
			j.Paused = true
			for _, who := range call.Origin.People() {
				if who != j.Author { // an operator
					j.PausedBy = cmp.Or(j.PausedBy, who)
				}
			}
			return nil
		})
		if err != nil {
			return actions.Result{}, err
		}
		if before.Paused && before.PausedBy == j.PausedBy {
			return actions.Result{Summary: "already paused: " + c.name(ctx, call, j)}, nil
		}
		text := "paused " + c.name(ctx, call, j)
		if waiting > 0 {
			text += ", dropped " + chat.Counted(waiting, "call that waited", "calls that waited")
		}
		if c.engine.Stop(j.ID, call.Origin.Requester) {
			text += ", and stopped its run"
		}
		return actions.Result{Summary: text, Undo: []actions.Inverse{actions.Reverse("resume "+c.name(ctx, call, j), "cronResume", Which{j.ID})}}, nil
	}))
}

// released returns why the people of the turn cannot have a job run: an operator has paused it.
func (c *Category) released(ctx context.Context, call actions.Call, j engine.Job) error {
	for _, who := range call.Origin.People() {
		if j.PausedBy != "" && !c.operates(ctx, who, j.Guild) {
			return fmt.Errorf("%s has paused %s; only the people who run me can let it run again", j.PausedBy.Mention(), c.name(ctx, call, j))
		}
	}
	return nil
}

// runnable returns why a run of a job would be refused when it begins, and what to do about it.
func (c *Category) runnable(ctx context.Context, call actions.Call, j engine.Job) error {
	if err := c.engine.May(ctx, j); err != nil {
		return fmt.Errorf("%s can't run now: %w", c.name(ctx, call, j), err)
	}
	return nil
}

func (c *Category) resume() *actions.Action {
	s := managing(c, "cronResume", "Let a paused scheduled job go on.", "Resume the scheduled job {cronId}", func(ctx context.Context, call actions.Call, j engine.Job) (actions.Result, error) {
		if !j.Rests() {
			return actions.Result{Summary: "not paused: " + c.name(ctx, call, j) + ", which " + c.about(call.Origin.Place.Channel, j)}, nil
		}
		if err := c.released(ctx, call, j); err != nil {
			return actions.Result{}, err
		}
		ch, err := c.settled(ctx, call, j)
		if err != nil {
			return actions.Result{}, err
		}
		j.Channel = ch.ID
		if err := c.runnable(ctx, call, j); err != nil {
			return actions.Result{}, err
		}
		by := j.PausedBy
		_, j, err = c.engine.Update(ctx, j.Guild, j.ID, func(j *engine.Job) error {
			if j.PausedBy != by && j.PausedBy != "" {
				return fmt.Errorf("%s has paused it meanwhile", j.PausedBy.Mention())
			}
			j.Channel, j.ChannelName, j.Paused, j.PausedBy, j.Archived = ch.ID, ch.Name, false, "", false
			return nil
		})
		if err != nil {
			return actions.Result{}, err
		}
		return actions.Result{
			Summary: "resumed " + c.name(ctx, call, j) + ", which " + c.about(call.Origin.Place.Channel, j),
			Undo:    []actions.Inverse{actions.Reverse("pause "+c.name(ctx, call, j), "cronPause", Which{j.ID})},
		}, nil
	})
	s.Later = true
	return actions.Define(s)
}

func (c *Category) trigger() *actions.Action {
	s := managing(c, "cronTrigger", "Run a scheduled job now, besides its times.", "Run the scheduled job {cronId} now", func(ctx context.Context, call actions.Call, j engine.Job) (actions.Result, error) {
		if err := c.released(ctx, call, j); err != nil {
			return actions.Result{}, err
		}
		if j.Channel == "" {
			return actions.Result{}, fmt.Errorf("%s has no channel yet; resume it, or say in which one it is to run", c.name(ctx, call, j))
		}
		if err := c.runnable(ctx, call, j); err != nil {
			return actions.Result{}, err
		}
		key, _ := call.IdempotencyKey()
		j, err := c.engine.Trigger(ctx, j.Guild, j.ID, call.Origin.Requester, string(call.Origin.Turn)+"/"+key)
		if err != nil {
			return actions.Result{}, err
		}
		text := c.name(ctx, call, j) + " runs now"
		if j.Channel != call.Origin.Place.Channel {
			text += " in " + j.Channel.Mention()
		}
		return actions.Result{Summary: text}, nil
	})
	s.Final = true
	s.Later = true
	return actions.Define(s)
}

func (c *Category) delete() *actions.Action {
	s := managing(c, "cronDelete", "Delete a scheduled job.", "", func(ctx context.Context, call actions.Call, j engine.Job) (actions.Result, error) {
		j, err := c.engine.Delete(ctx, j.Guild, j.ID)
		if err != nil {
			return actions.Result{}, err
		}
		text := "deleted " + c.name(ctx, call, j)
		if c.engine.Stop(j.ID, call.Origin.Requester) {
			text += ", and stopped its run"
		}
		return actions.Result{Summary: text}, nil
	})
	s.Destructive = true
	s.Ask = func(ctx context.Context, call actions.Call, in Which) (Which, string, error) {
		j, err := c.own(ctx, call, in.ID)
		what := fmt.Sprintf("Delete the scheduled job %s, which runs %s, with all that it has kept.", c.titled(ctx, call, j), c.words(j.Definition))
		return Which{j.ID}, what, err
	}
	return actions.Define(s)
}
