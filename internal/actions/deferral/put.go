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
		Aliases:     []string{"REMIND_LATER", "FOLLOW_UP_LATER", "SCHEDULE_FOLLOW_UP"},
		Effect:      actions.Keeps,
		Later:       true,
		Brief:       "you later, knowing only prompt; max " + human(c.engine.MaxDelay),
		ExplainWhen: []string{"defer", "later", "timer", "in a minute", "in one minute", "in an hour", "minutes from", "follow up", "check back", "check again", "look again", "in a bit", "in a while"},
		Summary:     "Do something by yourself once, later, and report in a channel.",
		Sentence:    "In {delaySeconds:second}, do this in {channel}: {prompt}",
		Stores:      []string{"prompt"},
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
	o := call.Origin
	for _, who := range o.People() {
		if why := c.Barred(who, ch.Place()); why != "" {
			return actions.Result{}, chat.WithRemedy(fmt.Errorf("I don't answer you in %s", ch.ID.Mention()), "the settings say: "+why)
		}
	}
	j, err := c.engine.Schedule(ctx, engine.Job{
		Guild: o.Place.Guild, Channel: ch.ID, Name: ch.Name, Prompt: strings.TrimSpace(in.Prompt),
		Requester: o.Requester, Prompters: o.Prompters, Turn: o.Turn, AskedIn: o.Place.Channel, Outside: o.Outside,
	}, in.delay())
	if err != nil {
		return actions.Result{}, err
	}
	return actions.Result{
		Summary: fmt.Sprintf("I'll come back to this%s %s (follow-up %d)", elsewhere(o, ch), chat.FromNow(j.Due), j.ID),
		Undo:    []actions.Inverse{actions.Reverse(fmt.Sprintf("cancel follow-up %d%s", j.ID, elsewhere(o, ch)), "deferCancel", Cancel{ID: j.ID})},
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
