package discord

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Limits of one page of archived threads, as Discord documents them.
const (
	fewestThreads = 2
	maxThreads    = 100
)

// editThreadBody changes a thread. Nil fields stay as they are.
type editThreadBody struct {
	Name     *string   `json:"name,omitempty"`
	Tags     *[]string `json:"applied_tags,omitempty"`
	Archived *bool     `json:"archived,omitempty"`
	Locked   *bool     `json:"locked,omitempty"`

	ArchiveAfter *int `json:"auto_archive_duration,omitempty"` // minutes

	Flags *discordgo.ChannelFlags `json:"flags,omitempty"` // all that it shall have
}

// ArchivedThreads fetches up to limit archived public threads of a channel, or posts of a forum,
// those archived last first. Their names can be resolved from then on.
func (c *Client) ArchivedThreads(ctx context.Context, ch chat.ChannelID, limit int) ([]chat.Channel, error) {
	parent, err := c.channelByID(ctx, ch)
	if err != nil {
		return nil, err
	}
	switch parent.Kind {
	case chat.TextChannel, chat.Announcements, chat.Forum, chat.Media:
	default:
		return nil, fmt.Errorf("%s, which has no threads; choose a text channel or a forum", nature(parent.Channel))
	}
	all, err := c.archived(ctx, parent, time.Time{}, limit)
	return all[:max(0, min(limit, len(all)))], err
}

// ArchivedSince fetches the archived posts of a forum that were archived after a time, those archived last
// first.
func (c *Client) ArchivedSince(ctx context.Context, forum chat.ChannelID, since time.Time) ([]chat.Channel, error) {
	parent, err := c.channelByID(ctx, forum)
	if err == nil {
		err = checkForum(parent.Channel)
	}
	if err != nil {
		return nil, err
	}
	all, err := c.archived(ctx, parent, since, math.MaxInt)
	return slices.DeleteFunc(all, func(ch chat.Channel) bool { return ch.ArchivedAt.Before(since) }), err
}

// archived fetches pages of archived threads until they reach a time or a number.
func (c *Client) archived(ctx context.Context, parent channel, since time.Time, limit int) ([]chat.Channel, error) {
	var all []chat.Channel
	for before := (time.Time{}); len(all) < limit; {
		page, err := c.archivedBefore(ctx, parent.ID, before, limit-len(all))
		if err != nil {
			return nil, err
		}
		for _, wire := range page.Threads {
			thread := channelFrom(wire, parent.Guild)
			c.cache.put(thread)
			all = append(all, thread.Channel)
		}
		if !page.More || len(page.Threads) == 0 {
			break
		}
		last := page.Threads[len(page.Threads)-1]
		if last.Thread == nil || last.Thread.ArchivedAt.Before(since) {
			break // without a time, the next page is unknown
		}
		before = last.Thread.ArchivedAt
	}
	return all, nil
}

// ActiveThreads fetches the threads of a server that are not archived. [Client.Channels] has them without a request, but
// may be behind.
func (c *Client) ActiveThreads(ctx context.Context, g chat.GuildID) ([]chat.Channel, error) {
	page, err := fetch[threadPage](ctx, c, onServer(http.MethodGet, g, "/threads/active").Needing(onTheServer))
	var all []chat.Channel
	for _, wire := range page.Threads {
		thread := channelFrom(wire, g)
		c.cache.put(thread)
		all = append(all, thread.Channel)
	}
	return all, err
}

type threadPage struct {
	Threads []wireChannel `json:"threads"`
	More    bool          `json:"has_more"`
}

func (c *Client) archivedBefore(ctx context.Context, ch chat.ChannelID, before time.Time, limit int) (threadPage, error) {
	from := ""
	if !before.IsZero() {
		from = before.UTC().Format(time.RFC3339Nano)
	}
	query := pageOf(min(max(limit, fewestThreads), maxThreads), "before", from)
	return fetch[threadPage](ctx, c, onChannel(http.MethodGet, ch, "/threads/archived/public").Needing(chat.ReadHistory).WithQuery(query))
}

// EditThread changes a thread and leaves it in the archive or out of it as it was, whatever e.Archived is: an archived
// thread is opened for that and archived again. If the latter fails, the edit is done nevertheless, and warning says why.
func (c *Client) EditThread(ctx context.Context, id chat.ChannelID, e chat.ThreadEdit) (thread chat.Channel, warning string, err error) {
	before, body, err := c.threadEdit(ctx, id, e)
	if err != nil {
		return chat.Channel{}, "", err
	}
	archived := before.Archived
	after, err := c.patchThread(ctx, before, body, archived)
	if !archived && errors.Is(err, ErrArchived) { // the cache is behind
		archived = true
		after, err = c.patchThread(ctx, before, body, archived)
	}
	if archived && !isRefusal(err) {
		again, problem := c.archive(ctx, before)
		if problem != nil {
			warning = fmt.Sprintf("the thread could not be archived again: %v", problem)
		} else if err == nil {
			after = again
		}
	}
	return after.Channel, warning, err
}

// isRefusal reports whether Discord has refused a request, so that nothing has changed.
func isRefusal(err error) bool {
	refused := (*Error)(nil)
	return errors.As(err, &refused) && !refused.Unclear()
}

// threadEdit finds a thread and checks an edit of it. The body does not say whether the thread is archived.
func (c *Client) threadEdit(ctx context.Context, id chat.ChannelID, e chat.ThreadEdit) (thread channel, body editThreadBody, err error) {
	thread, err = c.channelByID(ctx, id)
	if err == nil && thread.Kind != chat.Thread {
		err = fmt.Errorf("%s, not a thread", nature(thread.Channel))
	}
	if err != nil {
		return thread, body, err
	}
	body.Locked = e.Locked
	if e.ArchiveAfter != nil {
		body.ArchiveAfter = new(int(*e.ArchiveAfter / time.Minute))
	}
	if e.Name != nil {
		checked, err := checkName("thread", *e.Name)
		if err != nil {
			return thread, body, err
		}
		body.Name = &checked
	}
	if e.Tags != nil {
		forum, err := c.channelByID(ctx, thread.Parent)
		if err != nil {
			return thread, body, err
		}
		ids, err := tagIDs(forum.Channel, *e.Tags)
		if err != nil {
			return thread, body, err
		}
		body.Tags = &ids
	}
	return thread, body, nil
}

// patchThread changes a thread, and takes it out of the archive with the same
// request: one that is refused leaves the thread where it was.
func (c *Client) patchThread(ctx context.Context, thread channel, body editThreadBody, open bool) (channel, error) {
	if open {
		archived := false
		body.Archived = &archived
	}
	return c.sendChannel(ctx, thread.Guild, onChannel(http.MethodPatch, thread.ID, "").Needing(chat.ManageThreads).WithBody(body))
}

// archive archives a thread again, even if ctx has ended: it was not open before.
func (c *Client) archive(ctx context.Context, thread channel) (channel, error) {
	archived := true
	return c.patchThread(context.WithoutCancel(ctx), thread, editThreadBody{Archived: &archived}, false)
}

// ChangeThread changes a thread with one request. One that is archived has to be taken out of the archive with
// it, or before.
func (c *Client) ChangeThread(ctx context.Context, id chat.ChannelID, e chat.ThreadEdit) (chat.Channel, error) {
	thread, body, err := c.threadEdit(ctx, id, e)
	if err != nil {
		return chat.Channel{}, err
	}
	body.Archived = e.Archived
	changed, err := c.patchThread(ctx, thread, body, false)
	return changed.Channel, err
}

// SetArchived puts a thread into the archive or takes it out.
func (c *Client) SetArchived(ctx context.Context, id chat.ChannelID, archived bool) (chat.Channel, error) {
	return c.ChangeThread(ctx, id, chat.ThreadEdit{Archived: &archived})
}
