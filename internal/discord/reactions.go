package discord

import (
	"context"
	"net/http"
	"net/url"

	"discoclaw/internal/chat"
)

// React adds the bot's reaction to a message.
func (c *Client) React(ctx context.Context, ch chat.ChannelID, id chat.MessageID, e chat.Emoji) error {
	return c.reaction(ctx, http.MethodPut, ch, id, e, chat.AddReactions)
}

// Unreact removes the bot's own reaction.
func (c *Client) Unreact(ctx context.Context, ch chat.ChannelID, id chat.MessageID, e chat.Emoji) error {
	return c.reaction(ctx, http.MethodDelete, ch, id, e)
}

func (c *Client) reaction(ctx context.Context, method string, ch chat.ChannelID, id chat.MessageID, e chat.Emoji,
	needs ...chat.Permission) error {
	q := onChannel(method, ch, "/messages/{message}/reactions/{emoji}/@me", string(id), url.PathEscape(string(e)))
	return c.rest.Do(ctx, q.Needing(chat.ReadHistory).Needing(needs...), nil)
}

const (
	maxReactors  = 100 // that Discord names at a time
	reactorPages = 10  // that are asked for
)

// Reactors fetches the users who reacted to a message with an emoji, a thousand at most. Discord
// sends neither their order nor their nicknames.
func (c *Client) Reactors(ctx context.Context, ch chat.ChannelID, id chat.MessageID, e chat.Emoji) ([]chat.User, error) {
	var list []chat.User
	q := onChannel(http.MethodGet, ch, "/messages/{message}/reactions/{emoji}", string(id), url.PathEscape(string(e))).Needing(chat.ReadHistory)
	last := ""
	for range reactorPages {
		page, err := fetch[[]wireUser](ctx, c, q.WithQuery(pageOf(maxReactors, "after", last)))
		if err != nil {
			return nil, err
		}
		for _, u := range page {
			list = append(list, userFrom(u, nil))
		}
		if len(page) < maxReactors {
			break
		}
		last = page[len(page)-1].ID
	}
	return list, nil
}

// wireReaction has the fields of a reaction that are used. A removed one has neither a member
// nor an author.
type wireReaction struct {
	User    string            `json:"user_id"`
	Guild   string            `json:"guild_id"`
	Channel string            `json:"channel_id"`
	Message string            `json:"message_id"`
	Author  string            `json:"message_author_id" wire:"optional"`
	Member  *wireMember       `json:"member" wire:"optional"`
	Emoji   wireReactionEmoji `json:"emoji"`
}

// reacted passes a reaction on, unless it is the bot's own. It sends no request for missing
// fields, since most reactions are of no interest.
func (l *listener) reacted(ctx context.Context, w wireReaction, removed bool) error {
	if w.User == "" || w.Channel == "" || w.Message == "" || w.Emoji.emoji() == "" {
		return errNoID
	}
	if chat.UserID(w.User) == l.Self().ID {
		return nil
	}
	user := chat.User{ID: chat.UserID(w.User)}
	if w.Member != nil && w.Member.User != nil {
		user = userFrom(*w.Member.User, w.Member)
		l.rememberMember(w.Guild, *w.Member.User, w.Member, l.late)
	}
	place := l.place(ctx, w.Guild, w.Channel)
	place.Message = chat.MessageID(w.Message)
	l.handler.Reacted(ctx, chat.Reacted{
		Place: place, Sent: sentAt(w.Message), Author: chat.UserID(w.Author),
		User: user, Emoji: w.Emoji.emoji(), Removed: removed,
	})
	return nil
}
