package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
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
	var all []chat.Channel
	for before := (time.Time{}); len(all) < limit; {
		page, err := c.archivedBefore(ctx, ch, before, limit-len(all))
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
		if last.Thread == nil {
			break // without a time, the next page is unknown
		}
		before = last.Thread.ArchiveTimestamp
	}
	return all[:max(0, min(limit, len(all)))], nil
}

type threadPage struct {
	Threads []wireChannel `json:"threads"`
	More    bool          `json:"has_more"`
}

func (c *Client) archivedBefore(ctx context.Context, ch chat.ChannelID, before time.Time, limit int) (threadPage, error) {
	query := url.Values{"limit": {strconv.Itoa(min(max(limit, fewestThreads), maxThreads))}}
	if !before.IsZero() {
		query.Set("before", before.UTC().Format(time.RFC3339Nano))
	}
	var page threadPage
	err := c.rest.Do(ctx, rest.Request{
		Method:  http.MethodGet,
		Route:   "/channels/{channel}/threads/archived/public",
		Address: discordgo.EndpointChannelPublicArchivedThreads(string(ch)),
		Query:   query,
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ReadHistory},
	}, &page)
	return page, err
}

// EditThread changes the name of a thread, or the tags of a forum's post, given by name or ID;
// nil stays as it is. An archived thread is opened for that and archived again. If the latter
// fails, the edit is done nevertheless, and warning says why.
func (c *Client) EditThread(ctx context.Context, id chat.ChannelID, name *string, tags *[]string) (thread chat.Channel, warning string, err error) {
	before, err := c.channelByID(ctx, id)
	switch {
	case err != nil:
		return chat.Channel{}, "", err
	case before.Kind != chat.Thread:
		return chat.Channel{}, "", fmt.Errorf("%s, not a thread", nature(before.Channel))
	}
	body, err := c.threadEdit(ctx, before, name, tags)
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

// isRefusal reports whether Discord has refused a request.
func isRefusal(err error) bool {
	refused := (*Error)(nil)
	return errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500
}

// threadEdit checks an edit and returns its body.
func (c *Client) threadEdit(ctx context.Context, thread channel, name *string, tags *[]string) (editThreadBody, error) {
	var body editThreadBody
	if name == nil && tags == nil {
		return body, errors.New("there is nothing to change; give a name or tags")
	}
	if name != nil {
		checked, err := checkName("thread", *name)
		if err != nil {
			return body, err
		}
		body.Name = &checked
	}
	if tags != nil {
		forum, err := c.channelByID(ctx, thread.Parent)
		if err != nil {
			return body, err
		}
		ids, err := tagIDs(forum.Channel, *tags)
		if err != nil {
			return body, err
		}
		body.Tags = &ids
	}
	return body, nil
}

// patchThread changes a thread, and takes it out of the archive with the same
// request: one that is refused leaves the thread where it was.
func (c *Client) patchThread(ctx context.Context, thread channel, body editThreadBody, open bool) (channel, error) {
	if open {
		archived := false
		body.Archived = &archived
	}
	return c.sendChannel(ctx, thread.Guild, rest.Request{
		Method:  http.MethodPatch,
		Route:   "/channels/{channel}",
		Address: discordgo.EndpointChannel(string(thread.ID)),
		Body:    body,
		Channel: thread.ID,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ManageThreads},
	})
}

// archive archives a thread again, even if ctx has ended: it was not open before.
func (c *Client) archive(ctx context.Context, thread channel) (channel, error) {
	archived := true
	return c.patchThread(context.WithoutCancel(ctx), thread, editThreadBody{Archived: &archived}, false)
}

// SetArchived puts a thread into the archive or takes it out.
func (c *Client) SetArchived(ctx context.Context, id chat.ChannelID, archived bool) (chat.Channel, error) {
	thread, err := c.channelByID(ctx, id)
	switch {
	case err != nil:
		return chat.Channel{}, err
	case thread.Kind != chat.Thread:
		return chat.Channel{}, fmt.Errorf("%s, not a thread", nature(thread.Channel))
	}
	changed, err := c.patchThread(ctx, thread, editThreadBody{Archived: &archived}, false)
	return changed.Channel, err
}
