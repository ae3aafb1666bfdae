package discord

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// maxNameLength is how long the name of a channel or thread may be, in UTF-16 units.
const maxNameLength = 100

// archiveTimes are the idle times after which Discord can archive a thread.
var archiveTimes = []time.Duration{time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour}

type threadBody struct {
	Name         string                `json:"name"`
	ArchiveAfter int                   `json:"auto_archive_duration,omitempty"` // minutes
	Type         discordgo.ChannelType `json:"type,omitempty"`                  // not for a thread on a message
}

// StartThread opens a public thread in a channel, on the message from unless that is empty.
// Discord archives it when nothing was written for archiveAfter, which is an hour or one,
// three or seven days, or 0 for the channel's own setting. An attempt with an unclear outcome
// is not retried.
func (c *Client) StartThread(ctx context.Context, ch chat.ChannelID, from chat.MessageID, name string,
	archiveAfter time.Duration) (chat.Channel, error) {
	body, err := newThread("thread", name, archiveAfter)
	if err != nil {
		return chat.Channel{}, err
	}
	parent, err := c.channelByID(ctx, ch)
	if err != nil {
		return chat.Channel{}, err
	}
	switch parent.Kind {
	case chat.TextChannel:
		body.Type = discordgo.ChannelTypeGuildPublicThread
	case chat.Announcements:
		body.Type = discordgo.ChannelTypeGuildNewsThread
	default:
		return chat.Channel{}, fmt.Errorf("%s; threads can be started in text and announcement channels", nature(parent.Channel))
	}
	q := onChannel(http.MethodPost, ch, "/threads")
	if from != "" {
		body.Type = 0 // follows from the message's channel
		q = onChannel(http.MethodPost, ch, "/messages/{message}/threads", string(from))
	}
	thread, err := c.sendChannel(ctx, parent.Guild, q.Needing(chat.CreateThreads).WithBody(body))
	return thread.Channel, err
}

// StartPrivateThread opens a private thread in a text channel, with the bot as its only member. For archiveAfter see
// StartThread. An attempt with an unclear outcome is not retried.
func (c *Client) StartPrivateThread(ctx context.Context, ch chat.ChannelID, name string, archiveAfter time.Duration) (chat.Channel, error) {
	body, err := newThread("thread", name, archiveAfter)
	if err != nil {
		return chat.Channel{}, err
	}
	parent, err := c.channelByID(ctx, ch)
	switch {
	case err != nil:
		return chat.Channel{}, err
	case parent.Kind != chat.TextChannel:
		return chat.Channel{}, fmt.Errorf("%s; private threads can be started in text channels", nature(parent.Channel))
	}
	body.Type = discordgo.ChannelTypeGuildPrivateThread
	q := onChannel(http.MethodPost, ch, "/threads").Needing(chat.CreatePrivateThreads).WithBody(body)
	thread, err := c.sendChannel(ctx, parent.Guild, q)
	return thread.Channel, err
}

// AddToThread makes a user a member of a thread. It is idempotent.
func (c *Client) AddToThread(ctx context.Context, thread chat.ChannelID, u chat.UserID) error {
	return c.rest.Do(ctx, onChannel(http.MethodPut, thread, "/thread-members/{user}", string(u)).Needing(chat.SendMessages), nil)
}

// newThread checks a thread or a post and returns its body.
func newThread(what, name string, archiveAfter time.Duration) (threadBody, error) {
	name, err := checkName(what, name)
	if err != nil {
		return threadBody{}, err
	}
	if archiveAfter == 0 {
		return threadBody{Name: name}, nil
	}
	minutes, err := archiveMinutes(what, archiveAfter)
	return threadBody{Name: name, ArchiveAfter: minutes}, err
}

// archiveMinutes refuses idle times that Discord does not know.
func archiveMinutes(what string, after time.Duration) (int, error) {
	if !slices.Contains(archiveTimes, after) {
		return 0, fmt.Errorf("a %s cannot be archived after %v; choose an hour, or one, three or seven days", what, after)
	}
	return int(after / time.Minute), nil
}

// checkName trims a name, and refuses one that Discord would.
func checkName(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch n := chat.Length(name); {
	case n == 0:
		return "", fmt.Errorf("a %s needs a name", what)
	case n > maxNameLength:
		return "", fmt.Errorf("the name has %d characters, and Discord takes %d at most; shorten it", n, maxNameLength)
	}
	return name, nil
}
