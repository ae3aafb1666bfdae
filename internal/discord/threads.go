package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// longestName is how long the name of a channel or thread may be, in UTF-16 units.
const longestName = 100

// archiveTimes are the pauses after which Discord can archive a thread.
var archiveTimes = []time.Duration{time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour}

type threadBody struct {
	Name         string                `json:"name"`
	ArchiveAfter int                   `json:"auto_archive_duration,omitempty"` // minutes
	Type         discordgo.ChannelType `json:"type,omitempty"`                  // not for a thread on a message
}

// StartThread opens a public thread in a channel, on the message from unless that
// is empty. Discord archives it when nothing was written for archiveAfter, which is
// an hour or one, three or seven days, or 0 for the channel's own setting. If
// Discord does not say whether it was done, it is not tried again.
func (c *Client) StartThread(ctx context.Context, ch chat.ChannelID, from chat.MessageID, name string, archiveAfter time.Duration) (chat.Channel, error) {
	name = strings.TrimSpace(name)
	switch n := chat.Length(name); {
	case n == 0:
		return chat.Channel{}, errors.New("a thread needs a name")
	case n > longestName:
		return chat.Channel{}, fmt.Errorf("the name has %d characters, and Discord takes %d at most; shorten it", n, longestName)
	case archiveAfter != 0 && !slices.Contains(archiveTimes, archiveAfter):
		return chat.Channel{}, fmt.Errorf("a thread cannot be archived after %v; choose an hour, or one, three or seven days", archiveAfter)
	}
	parent, err := c.channelByID(ctx, ch)
	if err != nil {
		return chat.Channel{}, err
	}
	body := threadBody{Name: name, ArchiveAfter: int(archiveAfter / time.Minute)}
	switch parent.Kind {
	case chat.TextChannel:
		body.Type = discordgo.ChannelTypeGuildPublicThread
	case chat.Announcements:
		body.Type = discordgo.ChannelTypeGuildNewsThread
	default:
		return chat.Channel{}, fmt.Errorf("%s is a %s channel; threads can be started in text and announcement channels", label(parent.Channel), parent.Kind)
	}
	q := request{
		method:  http.MethodPost,
		route:   "/channels/{channel}/threads",
		address: discordgo.EndpointChannelThreads(string(ch)),
		channel: ch,
		needs:   []chat.Permission{chat.ViewChannel, chat.CreateThreads},
	}
	if from != "" {
		body.Type = 0 // follows from the message's channel
		q.address = discordgo.EndpointChannelMessageThread(string(ch), string(from))
		q.route = "/channels/{channel}/messages/{message}/threads"
	}
	q.body = body
	var wire discordgo.Channel
	if err := c.call(ctx, q, &wire); err != nil {
		return chat.Channel{}, err
	}
	thread := channelFrom(wire, parent.Guild)
	c.cache.put(thread)
	return thread.Channel, nil
}
