package deferral

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/deferral"
)

// A Defer asks for a follow-up.
type Defer struct {
	Channel chat.ChannelRef `json:"channel" alias:"channelId" doc:"Where it is posted: channel name or ID, the current one too."`
	Prompt  string          `json:"prompt" doc:"What you are to do then, with all that you need to know." max:"4000"`
	Seconds float64         `json:"delaySeconds" alias:"delay,seconds" doc:"In how many seconds, more than 0."`
}

func (c *Category) put() *actions.Action {
	return actions.Define(actions.Spec[Defer]{
		Name:        "defer",
		Brief:       "you alone, later, knowing only prompt; at most " + human(c.engine.MaxDelay),
		ExplainWhen: []string{"defer", "later", "timer", "seconds", "minutes", "in a minute", "in an hour", "follow up", "check back", "in a bit", "in a while"},
		Summary:     "Do something by yourself once, later, and report in a channel.",
		Needs:       []chat.Permission{chat.ViewChannel, chat.SendMessages},
		Examples:    []Defer{{Channel: "general", Prompt: "Look whether the build of release 12 is green, and tell ada.", Seconds: 600}},
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
	name := "#" + chat.OneLine(ch.Name)
	rejected := func(why error) (actions.Result, error) {
		return actions.Result{}, fmt.Errorf("one-shot deferred follow-up for %s rejected: %w", name, why)
	}
	o := call.Origin
	for _, who := range o.People() {
		if why := c.Barred(who, ch.Place()); why != "" {
			return rejected(fmt.Errorf("it would not run there (%s)", why))
		}
	}
	j, err := c.engine.Schedule(ctx, engine.Job{
		Guild: o.Place.Guild, Channel: ch.ID, Name: ch.Name, Prompt: strings.TrimSpace(in.Prompt),
		Requester: o.Requester, Prompter: o.Prompter, Turn: o.Turn,
	}, in.delay())
	if err != nil {
		return rejected(err)
	}
	return actions.Result{
		Summary: fmt.Sprintf("One-shot deferred follow-up scheduled for %s in %s (id=%d, runs at %s)", name, human(in.delay()), j.ID, clock(j.Due)),
		Undo:    []actions.Inverse{actions.Reverse(fmt.Sprintf("cancel the follow-up %d in %s", j.ID, chat.Literal(name)), "deferCancel", Cancel{ID: j.ID})},
	}, nil
}

// delay is the time until the run. Values beyond time.Duration are cut to one that is refused
// anyway.
func (in Defer) delay() time.Duration {
	const forever = 1e9 // seconds, some thirty years
	return time.Duration(max(-forever, min(in.Seconds, forever)) * float64(time.Second))
}
