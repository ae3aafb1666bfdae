package discord

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"time"

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

type wireEmoji struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Animated  bool   `json:"animated"`
	Available bool   `json:"available"`
}

// Emojis fetches a server's own emoji.
func (c *Client) Emojis(ctx context.Context, g chat.GuildID) ([]chat.ServerEmoji, error) {
	q := onServer(http.MethodGet, g, "/emojis").Needing(onTheServer)
	return fetchAll(ctx, c, q, func(w wireEmoji) chat.ServerEmoji { return chat.ServerEmoji(w) })
}

type pollBody struct {
	Question pollText     `json:"question"`
	Answers  []pollAnswer `json:"answers"`
	Hours    int          `json:"duration"`
	Multiple bool         `json:"allow_multiselect"`
	Layout   int          `json:"layout_type"`
}

type pollAnswer struct {
	Text pollText `json:"poll_media"`
}

type pollText struct {
	Text string `json:"text"`
}

// wirePoll is a poll in a message.
type wirePoll struct {
	Question pollText `json:"question"`
	Answers  []struct {
		ID   int      `json:"answer_id"`
		Text pollText `json:"poll_media"`
	} `json:"answers"`
	Multiple bool      `json:"allow_multiselect" wire:"optional"`
	Expiry   time.Time `json:"expiry" wire:"optional"`
	Results  *struct {
		Counts []struct {
			Answer int `json:"id"`
			Votes  int `json:"count"`
		} `json:"answer_counts"` // without answers that have no votes
		Final bool `json:"is_finalized"`
	} `json:"results" wire:"optional"` // where Discord leaves it out, the votes are not known
}

func (w wirePoll) poll() *chat.Poll {
	p := &chat.Poll{Question: w.Question.Text, Multiple: w.Multiple, Ends: w.Expiry}
	p.Over = w.Results != nil && w.Results.Final || !w.Expiry.IsZero() && !time.Now().Before(w.Expiry)
	for _, a := range w.Answers {
		p.Answers = append(p.Answers, a.Text.Text)
		if w.Results != nil {
			p.Votes = append(p.Votes, w.votes(a.ID))
		}
	}
	return p
}

// votes returns how many people chose an answer.
func (w wirePoll) votes(answer int) int {
	for _, count := range w.Results.Counts {
		if count.Answer == answer {
			return count.Votes
		}
	}
	return 0
}

// EndPoll ends a poll of the bot's own and returns it with its votes.
func (c *Client) EndPoll(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Poll, error) {
	ended, err := fetch[wireMessage](ctx, c, onChannel(http.MethodPost, ch, "/polls/{message}/expire", string(id)).Needing(chat.ReadHistory))
	if err != nil {
		return chat.Poll{}, err
	}
	if ended.Poll == nil {
		return chat.Poll{}, errors.New("Discord ended the poll, but did not say how")
	}
	return *ended.Poll.poll(), nil
}

// SendPoll posts a poll and returns the ID of its message.
func (c *Client) SendPoll(ctx context.Context, ch chat.ChannelID, p chat.Poll) (chat.MessageID, error) {
	poll := pollBody{Question: pollText{p.Question}, Hours: int(p.Duration / time.Hour), Multiple: p.Multiple, Layout: 1}
	for _, a := range p.Answers {
		poll.Answers = append(poll.Answers, pollAnswer{pollText{a}})
	}
	body := messageBody{Poll: &poll, Nonce: rand.Text()[:25], EnforceNonce: true, AllowedMentions: mentionNobody()}
	return c.post(ctx, onChannel(http.MethodPost, ch, "/messages").Needing(chat.SendMessages, chat.CreatePolls).WithBody(body), true)
}
