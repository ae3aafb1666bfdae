// Package tasks is the category of tasks: what is to be done on a server, by whom and until when. It
// fronts the engine of the same name, which also keeps the posts of the task forum.
//
// The rights of a requester are checked in the task forum: who may look there may read tasks, and who may post there may
// change them. On a server without one, those in the current channel count.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	engine "discoclaw/internal/tasks"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	// Member finds a member of a server.
	Member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error)
	// MissingPermissions returns those of needs that a user lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// Readable reports whether everybody who sees a channel may read another as well.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
}

// A Category tracks work.
type Category struct {
	server Server
	engine *engine.Engine
	zone   clock.ZoneOf // of dates
	off    bool         // for people, too
}

// New returns the category tasks. Dates and times are in the zone of who asks.
func New(s Server, e *engine.Engine, zone clock.ZoneOf, off bool) *Category {
	return &Category{server: s, engine: e, zone: zone, off: off}
}

func (*Category) Name() string { return "tasks" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_TASKS", Default: true, Part: "DISCOCLAW_TASKS_ENABLED"}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.create(), c.update(), c.close(), c.show(), c.list(), c.sync(), c.reload()}
}

func (*Category) ForReference() string {
	return fmt.Sprintf("A task has a short title that says what to do, and a description of at most %d characters that says why, and when it is done. "+
		"Priorities go from 0 (urgent) to 4 (some day); without one it is %d. On a server with a task forum every task has a post there, and follows it.", engine.MaxDescription, engine.DefaultPriority)
}

// Rule keeps models from treating a task's post as the task.
func (c *Category) Rule() string {
	return fmt.Sprintf("Task 3 is %s-003. Never write in a task's post; use its taskId.", c.engine.Prefix)
}

// Rewrite lets a planClose that names a task close it where plans are switched off.
func (*Category) Rewrite(r actions.Request) (actions.Request, bool) {
	return actions.PlanCloseOfTask(r)
}

// define adds the rights that a request needs.
func define[T any](c *Category, s actions.Spec[T]) *actions.Action {
	s.Needs = []chat.Permission{chat.ViewChannel}
	if s.Effect != actions.Queries {
		s.Needs = append(s.Needs, chat.SendMessages)
	}
	s.NeedsIn = func(ctx context.Context, call actions.Call, _ T) (chat.ChannelID, error) {
		forum, err := c.forum(ctx, call)
		if forum == "" {
			forum = call.Origin.Place.Channel
		}
		return forum, err
	}
	return actions.Define(s)
}

// forum returns the task forum of the server; empty if it has none.
func (c *Category) forum(ctx context.Context, call actions.Call) (chat.ChannelID, error) {
	g, err := call.Guild()
	if err != nil {
		return "", err
	}
	ch, err := c.engine.Forum(ctx, g)
	if errors.Is(err, engine.ErrNoForum) {
		return "", nil
	}
	return ch.ID, err
}

// title returns the title of a task, unless not everybody may see the forum, or it is outside text that the turn has not read: the
// answer is not marked then.
func (c *Category) title(ctx context.Context, call actions.Call, t engine.Task) (title string, ok bool) {
	if t.Outside != "" && call.Origin.Outside == "" || !c.tells(ctx, call, t) {
		return "", false
	}
	return quoted(t.Title), true
}

// name is a task as people read it: its title, or its post where that is not told. Discord names the post only to those who may see it.
func (c *Category) name(ctx context.Context, call actions.Call, t engine.Task) string {
	if title, ok := c.title(ctx, call, t); ok {
		return title
	}
	if t.Thread != "" {
		return t.Thread.Mention()
	}
	return t.ID
}

// names is a task for a card.
func (c *Category) names(ctx context.Context, call actions.Call, id string) map[string]string {
	t, err := c.engine.Get(ctx, call.Origin.Place.Guild, id)
	if err != nil {
		return nil // it fails anyway
	}
	names := map[string]string{"taskId": c.name(ctx, call, t)}
	if _, ok := c.title(ctx, call, t); ok {
		names["taskId"] = actions.Quoted(chat.Clip(t.Title, 100))
	}
	if t.Creator == call.Origin.Requester {
		names[actions.OwnField] = "taskId"
	}
	return names
}

// tells reports whether everybody who reads the answer may see a task, which need not have a post yet.
func (c *Category) tells(ctx context.Context, call actions.Call, t engine.Task) bool {
	if t.Thread != "" && t.Thread == call.Origin.Place.Channel {
		return true
	}
	forum, err := c.forum(ctx, call)
	return err == nil && (forum == "" || call.Tells(ctx, c.server.Readable, forum))
}

func quoted(title string) string { return "“" + chat.Literal(chat.Clip(title, 100)) + "”" }

// linked is a task as people read it, with a link to its post from elsewhere.
func (c *Category) linked(ctx context.Context, call actions.Call, t engine.Task) string {
	title, ok := c.title(ctx, call, t)
	if !ok || t.Thread == "" || t.Thread == call.Origin.Place.Channel {
		return c.name(ctx, call, t)
	}
	return fmt.Sprintf("[%s](%s)", title, chat.Place{Guild: t.Guild, Channel: t.Thread, Message: chat.MessageID(t.Thread)}.Link())
}

// details are what follows the name of a task; nothing for none.
func details(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, ", ")
}

// due reads when a task is due, or by when; blank for never.
func (c *Category) due(ctx context.Context, call actions.Call, text string,
	read func(string, time.Time) (time.Time, error)) (time.Time, error) {
	if strings.TrimSpace(text) == "" {
		return time.Time{}, nil
	}
	return read(text, c.zone.Now(ctx, call.Origin.Requester))
}

// checkDue is for a Check, which knows no zone.
func checkDue(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	_, err := clock.Parse(text, time.Now())
	return err
}

// tags splits texts that list several tags.
func tags(list []string) []string {
	var split []string
	for _, text := range list {
		for tag := range strings.SplitSeq(text, ",") {
			if tag = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(tag), "#")); tag != "" {
				split = append(split, tag)
			}
		}
	}
	return split
}

// owner returns the assignee of a request, who must be a member.
func (c *Category) owner(ctx context.Context, call actions.Call, ref chat.UserRef) (chat.UserID, error) {
	if ref == "" {
		return "", nil
	}
	g, err := call.Guild()
	if err != nil {
		return "", err
	}
	m, err := c.server.Member(ctx, g, ref.ID())
	return m.ID, err
}

// failed says which task could not be changed, closed or looked up, and why.
func failed(what, id string, err error) error {
	if errors.Is(err, engine.ErrNotFound) {
		return fmt.Errorf("there is no task %s here", chat.InCode(chat.Clip(id, 40)))
	}
	return fmt.Errorf("I could not %s the task: %w", what, err)
}
