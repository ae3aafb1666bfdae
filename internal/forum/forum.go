// Package forum keeps records, such as tasks and scheduled jobs, in step with posts of a forum, which people change as well.
//
// A [Post] is what a record should look like, or what it looked like when it and the record last agreed. An [Observed] is a post as it is
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

// A Report counts what a comparison of a forum with the records has changed.
type Report struct {
	Created  int // posts
	Updated  int // posts whose name, tags or first message were changed
	Archived int // posts of records that are out of use
	Reopened int // posts of records in use that were taken out of the archive
	Taken    int // records that were changed because their post was
	Adopted  int // records made of posts
	Refused  int // posts of people who make no records
	Deferred int // posts that are archived later, because the bot is answering there
	Orphans  int // posts of the bot that belong to no record
	Failed   int // posts that could not be changed, and are retried
}

// Words says what has changed, for people. One and many are what a record is called.
func (r Report) Words(one, many string) string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{r.Created, "post made", "posts made"},
		{r.Updated, "post changed", "posts changed"},
		{r.Archived, "post archived", "posts archived"},
		{r.Reopened, "post reopened", "posts reopened"},
		{r.Taken, one + " changed", many + " changed"},
		{r.Adopted, "post made a " + one, "posts made " + many},
		{r.Refused, "post refused", "posts refused"},
		{r.Deferred, "post to be archived when I am done there", "posts to be archived when I am done there"},
		{r.Orphans, "post of no " + one, "posts of no " + one},
		{r.Failed, "failure, which I retry", "failures, which I retry"},
	} {
		if p.n > 0 {
			parts = append(parts, chat.Counted(p.n, p.one, p.many))
		}
	}
	if len(parts) == 0 {
		return "everything is up to date"
	}
	return chat.And(parts)
}
