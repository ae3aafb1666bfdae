// Package forum is what parts of the bot need that keep records in the posts of a forum, where people change them as well: tasks, and
// scheduled jobs.
//
// A [Post] is what a record should look like, or what it looked like when it and the record last agreed. A [Sight] is a post as it is
// now; what differs from the one that was last agreed on is a person's change. [Posts] makes and edits posts, and writes down
// before each request what it will have done, so that the bot's own edits are never taken for a person's. [Rounds] says which
// posts and servers are to be looked at, and when. A [TagSet] is what the tags of a forum mean.
package forum

import (
	"context"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A Server is Discord, as [discord.Client] is.
type Server interface {
	Self() chat.User
	Now() time.Time
	Channels(ctx context.Context, g chat.GuildID) ([]chat.Channel, error)
	ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error)
	ActiveThreads(ctx context.Context, g chat.GuildID) ([]chat.Channel, error)
	ArchivedSince(ctx context.Context, forum chat.ChannelID, since time.Time) ([]chat.Channel, error)
	StartPost(ctx context.Context, forum chat.ChannelID, name, content string, tags []string,
		archiveAfter time.Duration) (chat.Channel, chat.MessageID, error)
	ChangeThread(ctx context.Context, id chat.ChannelID, e chat.ThreadEdit) (chat.Channel, error)
	Message(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Message, error)
	Messages(ctx context.Context, ch chat.ChannelID, before chat.MessageID, limit int) ([]chat.Message, error)
	Edit(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error
}

// Find returns the forum of a server that has an ID or, if that is empty, a name. It returns false if there is none that the bot sees.
func Find(ctx context.Context, s Server, g chat.GuildID, id chat.ChannelID, name string) (forum chat.Channel, found bool, err error) {
	if id != "" {
		forum, err = s.ChannelByID(ctx, id)
		if chat.IsPermanent(err) || err == nil && (forum.Guild != g || !forum.Kind.HasPosts()) {
			return chat.Channel{}, false, nil
		}
		return forum, err == nil, err
	}
	list, err := s.Channels(ctx, g)
	i := slices.IndexFunc(list, func(ch chat.Channel) bool {
		return ch.Kind.HasPosts() && strings.EqualFold(ch.Name, name)
	})
	if err != nil || i < 0 {
		return chat.Channel{}, false, err
	}
	return list[i], true, nil
}
