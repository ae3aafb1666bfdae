// Package crons is the category of scheduled jobs: work that the bot does by itself, again and again or once. It fronts
// the engine of package cron.
//
// A job runs with the rights of its author. Members see the jobs of channels that they see; its author and operators change a job.
package crons

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/cron"
	"discoclaw/internal/cron/posts"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	// Channel finds a channel or a thread of one server.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// MissingPermissions returns those of the permissions that a member lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// Readable reports whether everybody who sees a channel may read another as well.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
}

// Options are what the category needs besides. With the zero value every member is served everywhere, there are no operators, and no
// action is known.
type Options struct {
	// Barred returns why a user's job would be refused in a place; empty means that it would not.
	Barred func(who chat.UserID, where chat.Place) (why string)
	// Operates reports whether a user may manage the jobs of others.
	Operates func(ctx context.Context, who chat.UserID, g chat.GuildID) bool
	// Type finds an action by its name, and whether jobs may run it.
	Type func(name string) (a *actions.Action, v actions.Verdict)
	// Model checks the name of a model.
	Model func(name string) error
	// Posts keeps jobs in the posts of a forum.
	Posts    *posts.Engine
	Webhooks string // where the webhooks of jobs are, each under its job's ID; empty if there are none
	Slash    bool   // commands are also offered as slash commands
	Log      *slog.Logger
}

// A Category schedules jobs.
type Category struct {
	Options
	server Server
	engine *engine.Engine
}

// New returns the category crons.
func New(s Server, e *engine.Engine, o Options) *Category {
	return &Category{Options: o, server: s, engine: e}
}

func (*Category) Name() string { return "crons" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_CRONS", Default: true, Part: "DISCOCLAW_CRON_ENABLED"}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.create(), c.update(), c.list(), c.show(), c.pause(), c.resume(), c.delete(), c.trigger(), c.sync(), c.reload()}
}

func (c *Category) ForReference() string {
	return "A scheduled job is a turn of its own: at each time you get its prompt, without this conversation, and your answer is posted in its channel. " +
		"A schedule is five cron fields (minute hour day month weekday), or English: every 15 minutes, every 2 hours, every day at 7:30, weekdays at 9, mondays and thursdays at 18:00, " +
		"monthly on the 1st at 9, first monday of the month at 9, last friday of the month at 17:00; or @every 90m; or a date and time at which the job runs once: once 2027-05-01 18:00. " +
		"What every, from, until and skip say may also stand in the schedule: every second tuesday at 9 from 2 december until 1 march but not on 24 and 31 december, or 0 9 * * 2 every 2 weeks from 2027-05-01 skip 2027-05-18. " +
		"Weeks begin on Monday; a date that is left out counts as not missed. Times are in the job's timezone, which is its author's unless it names another. " +
		"After its run, a job that runs once is over: it stays until its author's jobs are too many, and runs again if it is given a new time. To post a text that is fixed already, use a reminder."
}

// theirs reports whether all people of the turn may change a job.
func (c *Category) theirs(ctx context.Context, o actions.Origin, j engine.Job) bool {
	people := o.People()
	for _, who := range people {
		if who != j.Author && !c.operates(ctx, who, o.Place.Guild) {
			return false
		}
	}
	return len(people) > 0
}

func (c *Category) operates(ctx context.Context, who chat.UserID, g chat.GuildID) bool {
	return c.Operates != nil && c.Operates(ctx, who, g)
}

// sees reports whether all people of the turn see the channel of a job.
func (c *Category) sees(ctx context.Context, call actions.Call, j engine.Job) bool {
	if c.theirs(ctx, call.Origin, j) {
		return true
	}
	ok, err := call.May(ctx, c.server.MissingPermissions, j.Channel, chat.ViewChannel)
	return err == nil && ok && j.Channel != ""
}

// find returns a job that the people of the turn see, by its ID or its name.
func (c *Category) find(ctx context.Context, call actions.Call, ref string) (engine.Job, error) {
	g, err := call.Guild()
	if err != nil {
		return engine.Job{}, err
	}
	all, err := c.engine.List(ctx, g)
	if err != nil {
		return engine.Job{}, err
	}
	var like []engine.Job
	for _, j := range all {
		if strings.EqualFold(j.ID, ref) && c.sees(ctx, call, j) {
			return j, nil // whatever others are called
		}
		if chat.Letters(j.Name) == chat.Letters(ref) && chat.Letters(ref) != "" && c.sees(ctx, call, j) {
			like = append(like, j)
		}
	}
	switch len(like) {
	case 0:
		return engine.Job{}, fmt.Errorf("there is no scheduled job %s here", chat.InCode(chat.Clip(ref, 60)))
	case 1:
		return like[0], nil
	}
	var ids []string
	for _, j := range like {
		ids = append(ids, j.ID)
	}
	return engine.Job{}, fmt.Errorf("several scheduled jobs are called that: %s; name one by its ID", strings.Join(ids, ", "))
}

// own is find for a job that the people of the turn may change.
func (c *Category) own(ctx context.Context, call actions.Call, ref string) (engine.Job, error) {
	j, err := c.find(ctx, call, ref)
	if err == nil && !c.theirs(ctx, call.Origin, j) {
		err = fmt.Errorf("%s belongs to %s; only they and the people who run me can change it", c.name(ctx, call, j), j.Author.Mention())
	}
	return j, err
}

// settled returns the channel of a job. One of another installation may have only the name of a channel. Whether its author may write there
// is checked at each run.
func (c *Category) settled(ctx context.Context, call actions.Call, j engine.Job) (chat.Channel, error) {
	if j.Channel != "" {
		return chat.Channel{ID: j.Channel, Name: j.ChannelName}, nil
	}
	if j.ChannelName == "" {
		return chat.Channel{}, fmt.Errorf("%s has no channel; say in which one it is to run", c.name(ctx, call, j))
	}
	return c.served(ctx, call, chat.ChannelRef(j.ChannelName))
}

// where is the channel of a job. One of another installation may have only the name of it.
func where(j engine.Job) string {
	if j.Channel == "" {
		return "#" + chat.Literal(j.ChannelName)
	}
	return j.Channel.Mention()
}

// name is a job as people read it. Its name is left out where not everybody may see its channel, and if it is outside text that the turn
// has not read.
func (c *Category) name(ctx context.Context, call actions.Call, j engine.Job) string {
	if !c.tells(ctx, call, j) {
		return "the scheduled job " + j.ID
	}
	all, _ := c.engine.List(ctx, j.Guild) // without it the name is enough
	return called(all, j)
}

// called is the name of a job, with its ID if another one is called the same.
func called(all []engine.Job, j engine.Job) string {
	for _, other := range all {
		if other.ID != j.ID && chat.Letters(other.Name) == chat.Letters(j.Name) {
			return actions.Quoted(j.Name) + " (" + j.ID + ")"
		}
	}
	return actions.Quoted(j.Name)
}

// tells reports whether the name of a job may be told to all readers of the turn.
func (c *Category) tells(ctx context.Context, call actions.Call, j engine.Job) bool {
	here := j.Channel == call.Origin.Place.Channel || call.Tells(ctx, c.server.Readable, j.Channel)
	return here && (j.Outside == "" || call.Origin.Outside != "")
}

// titled is a job for a card: by its name, or by its channel where the name is not told.
func (c *Category) titled(ctx context.Context, call actions.Call, j engine.Job) string {
	if !c.tells(ctx, call, j) {
		return "in " + j.Channel.Mention()
	}
	return actions.Quoted(j.Name)
}

// names is a job for a card, with its times.
func (c *Category) names(ctx context.Context, call actions.Call, id string) map[string]string {
	j, err := c.own(ctx, call, id)
	if err != nil {
		return nil // it fails anyway
	}
	times := strings.NewReplacer(" (", ", ", ")", "").Replace(c.words(j.Definition)) // it stands in brackets itself
	return map[string]string{"cronId": c.titled(ctx, call, j) + " (" + times + ")"}
}

// nextTimes returns the next three times of a job, unless it has none.
func nextTimes(j engine.Job) []time.Time {
	if j.Next.IsZero() {
		return nil
	}
	plan, zone := j.Plan()
	return append([]time.Time{j.Next}, plan.Upcoming(j.Next, zone, 2)...)
}

// listed splits texts that list several things.
func listed(list []string) []string {
	var split []string
	for _, text := range list {
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" && !slices.Contains(split, one) {
				split = append(split, one)
			}
		}
	}
	return split
}

// following checks a list of jobs that are to run after another: whoever chains to a job runs it.
func (c *Category) following(ctx context.Context, call actions.Call, list []string) ([]string, error) {
	var ids []string
	for _, ref := range listed(list) {
		j, err := c.own(ctx, call, ref)
		if err != nil {
			return nil, fmt.Errorf("chain: %w", err)
		}
		ids = append(ids, j.ID)
	}
	return ids, nil
}

var errNoTypes = errors.New("allowedActions: name at least one action, or leave it out for all of them")

// types checks a list of types of actions.
func (c *Category) types(list []string) ([]string, error) {
	types := listed(list)
	var unknown []string
	for i, name := range types {
		a, v := c.Type(name)
		switch {
		case a == nil:
			unknown = append(unknown, chat.InCode(chat.Clip(name, 40)))
		case v.Decision == actions.Stripped: // it would count as approved as soon as it is switched on
			return nil, v.Refusal(fmt.Sprintf("a scheduled job can't be allowed to use %s, because %s", chat.InCode(a.Name), v.Why))
		default:
			types[i] = a.Name
		}
	}
	switch {
	case len(unknown) > 0:
		return nil, fmt.Errorf("allowedActions: I know no actions %s", strings.Join(unknown, ", "))
	case len(types) == 0:
		return nil, errNoTypes
	}
	return types, nil
}

// maxOnCard is how much of a prompt a card shows.
const maxOnCard = 1200

// grants describes a job, for a card, that may run actions without asking which need approval elsewhere; empty if it names none.
func (c *Category) grants(name string, d engine.Definition, state string) string {
	var grave []string
	for _, typ := range d.Allowed {
		if a, _ := c.Type(typ); a != nil && a.MayAsk() {
			grave = append(grave, lowered(a.Summary))
		}
	}
	if len(grave) == 0 {
		return ""
	}
	what := fmt.Sprintf("Let the scheduled job %s do this without asking, wherever you could do it yourself: %s.\nIt runs %s in %s. Its prompt: “%s”", name,
		chat.And(grave), c.words(d), d.Channel.Mention(), chat.Literal(chat.Clip(chat.OneLine(d.Prompt), maxOnCard)))
	for _, more := range []struct {
		holds bool
		says  string
	}{
		{state != "", "What it has kept: " + chat.InCode(chat.Clip(state, 200)) + "."},
		{d.Silent, "Short answers of it are not posted."},
		{d.Routes, "It can post in channels of its choice."},
		{len(d.Chain) > 0, "Other jobs run after it."},
	} {
		if more.holds {
			what += " " + more.says
		}
	}
	return what
}

// lowered is the summary of an action within a sentence.
func lowered(summary string) string {
	return strings.ToLower(summary[:1]) + strings.TrimSuffix(summary[1:], ".")
}
