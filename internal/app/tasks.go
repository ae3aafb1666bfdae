package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/tasks"
)

// newTasks returns the engine of tasks.
func newTasks(c *Core) *tasks.Engine {
	cfg := c.Config.Tasks
	return tasks.New(c.db, tasks.Options{
		Prefix:     cfg.Prefix,
		Forum:      chat.ChannelID(cfg.Forum),
		TagMap:     cmp.Or(cfg.TagMap, filepath.Join(c.dataDir, "tasks", "tag-map.json")),
		Server:     c.discord,
		Outbox:     c.outbox,
		Guilds:     func() []chat.GuildID { return c.served("tasks") },
		Allowed:    c.policy().Admits(access.ByThread),
		MayMention: c.mayMentionOwner,
		Now:        c.now,
		Log:        c.log,
	})
}

// served returns the servers on which the part of the bot behind a category runs: those on which the bot answers,
// unless it is switched off.
func (c *Core) served(category string) []chat.GuildID {
	if !c.people[category].On {
		return nil
	}
	only := chat.GuildID(c.Config.Discord.Guild)
	return slices.DeleteFunc(c.discord.Servers(), func(g chat.GuildID) bool { return only != "" && g != only })
}

// mayMentionOwner reports whether who set a task's date could mention its owner in its post: both see it, and the one
// may write there.
func (c *Core) mayMentionOwner(ctx context.Context, t tasks.Task) (bool, error) {
	for _, need := range []struct {
		who   chat.UserID
		needs []chat.Permission
	}{
		{t.DueBy, []chat.Permission{chat.ViewChannel, chat.SendInThreads}},
		{t.Owner, []chat.Permission{chat.ViewChannel}},
	} {
		missing, err := c.discord.MissingPermissions(ctx, t.Guild, need.who, t.Thread, need.needs)
		if errors.Is(err, discord.ErrNotFound) || err == nil && len(missing) > 0 { // or they have left the server
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("look up the rights of a user: %w", err)
		}
	}
	return true, nil
}

// titlesIn returns the outside texts among the names in a text: those which outsiders chose, for themselves or for threads, those which the
// bot gave after outside text, and the titles of tasks and scheduled jobs, which their posts have as well. If they cannot be looked up,
// the text counts as outside text.
func (c *Core) titlesIn(g chat.GuildID, text string) (of chat.Sources) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	marked, err := c.tasks.List(ctx, g, tasks.Filter{Status: tasks.All, Marked: true})
	jobs, failed := c.crons.List(ctx, g)
	given, unknown := c.outbox.Given(ctx, g)
	if err = errors.Join(err, failed, unknown); err != nil {
		c.log.ErrorContext(ctx, "cannot look up the titles of posts", "guild", g, "err", err)
		return "the title of a post"
	}
	letters := chat.Letters(chat.Visible(text))
	add := func(title string, outside chat.Sources) {
		const shortest, shown = 6, 45 // a shorter one is no order; posts have a number before a title, and their names are clipped
		if key := chat.Letters(chat.Visible(chat.Clip(title, shown))); len(key) >= shortest && strings.Contains(letters, key) {
			of.Add(outside)
		}
	}
	for _, t := range marked {
		add(t.Title, t.Outside)
	}
	for _, j := range jobs {
		add(j.Name, j.Outside)
	}
	for _, n := range given {
		add(n.Name, n.Outside)
	}
	self, policy := c.discord.Self().ID, c.policy()
	for _, n := range c.discord.ChosenNames(g) {
		if n.By == self || n.By != "" && !policy.Outsider(chat.Message{Author: chat.User{ID: n.By}}, self) {
			continue
		}
		if n.Thread != "" {
			add(n.Name, chat.Sources("the title of "+n.Thread.Mention()))
		} else {
			add(n.Name, chat.Sources("the name of "+n.By.Mention()))
		}
	}
	return of
}
