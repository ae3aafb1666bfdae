// Package deferral is the category defer: deferred runs, which the bot starts later by
// itself. It fronts the engine of the same name, which stores them until they are due.
//
// A deferred run is a turn of its own: it has the rights of its requester, has only its
// prompt as context, and cannot defer another one.
package deferral

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/deferral"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	// Channel finds a channel or a thread of one server.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
}

// Options are the rules of access. With the zero value every member is served everywhere,
// and there are no operators.
type Options struct {
	// Barred returns why a user's run would be refused in a place; empty means that it would
	// not.
	Barred func(who chat.UserID, where chat.Place) (why string)
	// Operates reports whether a user may manage the runs of others.
	Operates func(ctx context.Context, who chat.UserID, g chat.GuildID) bool
}

// A Category defers runs.
type Category struct {
	Options
	server Server
	engine *engine.Engine
}

// New returns the category defer.
func New(s Server, e *engine.Engine, o Options) *Category {
	if o.Barred == nil {
		o.Barred = func(chat.UserID, chat.Place) string { return "" }
	}
	if o.Operates == nil {
		o.Operates = func(context.Context, chat.UserID, chat.GuildID) bool { return false }
	}
	return &Category{Options: o, server: s, engine: e}
}

func (*Category) Name() string { return "defer" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_DEFER", Default: true}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.put(), c.list(), c.cancel()}
}

func (c *Category) ForReference() string {
	return fmt.Sprintf("A follow-up runs once, at most %s from now, and its reply is posted in its channel. "+
		"It knows nothing of this conversation but its prompt, so write down there all that it needs. "+
		"At most %d may wait at a time, and a follow-up cannot schedule another one.", human(c.engine.MaxDelay), c.engine.MaxPending)
}

// theirs reports whether all people of the turn may manage a run. Without a requester it is
// false.
func (c *Category) theirs(ctx context.Context, o actions.Origin, j engine.Job) bool {
	people := o.People()
	for _, who := range people {
		if who != j.Requester && !c.Operates(ctx, who, o.Place.Guild) {
			return false
		}
	}
	return len(people) > 0 && j.Guild == o.Place.Guild
}

// A Defer asks for a follow-up.
type Defer struct {
	Channel chat.ChannelRef `json:"channel" alias:"channelId" doc:"Where it is posted: channel name or ID, the current one too."`
	Prompt  string          `json:"prompt" doc:"What you are to do then, with all that you need to know." max:"4000"`
	Seconds float64         `json:"delaySeconds" alias:"delay,seconds" doc:"In how many seconds, more than 0."`
}

func (c *Category) put() *actions.Action {
	return actions.Define(actions.Spec[Defer]{
		Name:     "defer",
		Aliases:  []string{"REMIND_LATER", "FOLLOW_UP_LATER", "SCHEDULE_FOLLOW_UP"},
		Effect:   actions.Keeps,
		Later:    true,
		Brief:    "you later, knowing only prompt; max " + human(c.engine.MaxDelay),
		Summary:  "Do something by yourself once, later, and report in a channel.",
		Sentence: "In {delaySeconds:second}, do this in {channel}: {prompt}",
		Stores:   []string{"prompt"},
		Needs:    []chat.Permission{chat.ViewChannel, chat.SendMessages},
		Examples: []Defer{{Channel: "general", Prompt: "Look whether the build of release 12 is green, and tell ada.", Seconds: 600}},
		NeedsIn: func(ctx context.Context, call actions.Call, in Defer) (chat.ChannelID, error) {
			ch, err := call.TextChannel(ctx, c.server.Channel, in.Channel, "follow-up")
			return ch.ID, err
		},
		Do: c.doPut,
	})
}

func (c *Category) doPut(ctx context.Context, call actions.Call, in Defer) (actions.Result, error) {
	ch, err := call.TextChannel(ctx, c.server.Channel, in.Channel, "follow-up")
	if err != nil {
		return actions.Result{}, err
	}
	o := call.Origin
	for _, who := range o.People() {
		if why := c.Barred(who, ch.Place()); why != "" {
			return actions.Result{}, chat.WithRemedy(fmt.Errorf("I don't answer you in %s", ch.ID.Mention()), "the settings say: "+why)
		}
	}
	j, err := c.engine.Schedule(ctx, engine.Job{
		Guild: o.Place.Guild, Channel: ch.ID, Name: ch.Name, Prompt: strings.TrimSpace(in.Prompt),
		Requester: o.Requester, Prompters: o.Prompters, Turn: o.Turn, AskedIn: o.Place.Channel,
		Outside: o.Outside, Words: call.WordsFor(in.Prompt),
	}, in.delay())
	if err != nil {
		return actions.Result{}, err
	}
	return actions.Result{
		Summary: fmt.Sprintf("I'll come back to this%s on %s", elsewhere(o, ch), chat.Clock(j.Due)),
		ID:      fmt.Sprintf("follow-up %d", j.ID),
		Undo:    []actions.Inverse{actions.Reverse("cancel the follow-up"+elsewhere(o, ch)+" on "+chat.Clock(j.Due), "deferCancel", Cancel{ID: j.ID})},
	}, nil
}

// elsewhere names the channel of a follow-up, unless it is that of the turn.
func elsewhere(o actions.Origin, ch chat.Channel) string {
	if ch.ID == o.Place.Channel {
		return ""
	}
	return " in " + ch.ID.Mention()
}

// delay is the time until the run. Values beyond time.Duration are cut to one that is refused
// anyway.
func (in Defer) delay() time.Duration {
	const forever = 1e9 // seconds, some thirty years
	return time.Duration(max(-forever, min(in.Seconds, forever)) * float64(time.Second))
}

// A List queries the pending runs.
type List struct{}

func (c *Category) list() *actions.Action {
	return actions.Define(actions.Spec[List]{
		Name:     "deferList",
		Summary:  "List the follow-ups that wait on this server.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []List{{}},
		Do: func(ctx context.Context, call actions.Call, _ List) (actions.Result, error) {
			all, err := c.engine.Pending(ctx, call.Origin.Place.Guild)
			if err != nil {
				return actions.Result{}, err
			}
			var lines []string
			var outside chat.Sources
			for _, j := range all {
				if c.theirs(ctx, call.Origin, j) {
					outside.Add(j.Outside)
					lines = append(lines, fmt.Sprintf("%d. %s", len(lines)+1, describe(j, c.engine.Now())))
				}
			}
			found := "No pending one-shot deferred actions"
			if len(lines) > 0 {
				found = fmt.Sprintf("Pending one-shot deferred actions (%d):\n%s", len(lines), strings.Join(lines, "\n"))
			}
			return actions.Result{Found: found, Summary: actions.Listed("listed", len(lines), "follow-up that waits", "follow-ups that wait"), Outside: outside}, nil
		},
	})
}

// maxShown is how many characters of a prompt are listed.
const maxShown = 120

// describe is a run in a list. The channel is a mention, whose name Discord shows only to
// members who see it.
func describe(j engine.Job, now time.Time) string {
	remaining := "due now"
	if left := j.Due.Sub(now); j.PutOff {
		remaining = "due, waiting to be tried again"
	} else if left > 0 {
		remaining = human(left)
	}
	prompt := strings.ReplaceAll(chat.Clip(chat.OneLine(j.Prompt), maxShown), `"`, "'")
	return fmt.Sprintf(`id=%d | channel=<#%s> | remaining=%s | runsAt=%s | prompt="%s"`, j.ID, j.Channel, remaining, clock(j.Due), prompt)
}

// A Cancel cancels a run.
type Cancel struct {
	ID int64 `json:"id" doc:"Its ID, as defer and deferList tell it." min:"1"`
}

func (c *Category) cancel() *actions.Action {
	return actions.Define(actions.Spec[Cancel]{
		Name:     "deferCancel",
		Effect:   actions.Keeps,
		Summary:  "Cancel a follow-up that waits.",
		Sentence: "Cancel the follow-up with the number {id}",
		Examples: []Cancel{{ID: 3}},
		Do: func(ctx context.Context, call actions.Call, in Cancel) (actions.Result, error) {
			j, err := c.engine.Cancel(ctx, in.ID, func(j engine.Job) bool { return c.theirs(ctx, call.Origin, j) })
			if errors.Is(err, engine.ErrNotPending) {
				// The same for another member's run, whose existence is private.
				return actions.Result{}, fmt.Errorf("you have no follow-up %d that is waiting", in.ID)
			}
			if err != nil {
				return actions.Result{}, err
			}
			summary := fmt.Sprintf("cancelled the follow-up in %s on %s", j.Channel.Mention(), chat.Clock(j.Due))
			if j.PutOff {
				summary += "; what it may have done before it was put off stays"
			}
			return actions.Result{Summary: summary}, nil
		},
	})
}

// clock is a time as the category writes it.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// human is a duration in hours, minutes and seconds, as in 1h 2m 3s.
func human(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%gs", d.Round(time.Millisecond).Seconds())
	}
	d = d.Round(time.Second)
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, unit.name))
		}
		d %= unit.size
	}
	return strings.Join(parts, " ")
}
