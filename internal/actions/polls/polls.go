// Package polls is the category of that name: questions that people vote on.
package polls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	actions.Pacer
	actions.Emojis
	// Channel finds a channel or a thread of one server.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// Message, Self and LatestOwn find polls of the bot's own.
	Message(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Message, error)
	Self() chat.User
	LatestOwn(ctx context.Context, ch chat.ChannelID) (chat.MessageID, error)
	// EndPoll returns the poll with its votes.
	EndPoll(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Poll, error)
	SendPoll(ctx context.Context, ch chat.ChannelID, p chat.Poll) (chat.MessageID, error)
}

// A Category posts polls.
type Category struct {
	server  Server
	madeFor func(context.Context, chat.Place) (chat.UserID, error)
}

// New returns the polls category. MadeFor finds for whom the bot posted a poll; it is empty if that is not known.
func New(s Server, madeFor func(context.Context, chat.Place) (chat.UserID, error)) *Category {
	return &Category{server: s, madeFor: madeFor}
}

func (*Category) Name() string { return "polls" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_POLLS", Default: true}
}

func (c *Category) Actions() []*actions.Action { return []*actions.Action{c.poll(), c.pollEnd()} }

// Limits of a poll.
// https://discord.com/developers/docs/resources/poll
const (
	maxQuestionLength = 300
	maxAnswerLength   = 55
)

// A Text is a question or an answer. It stands on one line, as Discord shows it.
type Text string

// UnmarshalText refuses blank text.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Text(chat.OneLine(string(text)))
	if *t == "" {
		return errors.New("empty")
	}
	return nil
}

// A Poll asks people a question.
type Poll struct {
	Channel  chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Channel name or ID; the current one if it is left out."`
	Question Text            `json:"question" doc:"What is asked, at most 300 characters."`
	Answers  []Text          `json:"answers" alias:"options" doc:"What can be chosen, at most 55 characters each." min:"1" max:"10"`
	Multiple bool            `json:"allowMultiselect,omitempty" alias:"multiselect" doc:"People may choose several answers."`
	Hours    int             `json:"durationHours,omitempty" alias:"duration" doc:"How long people can vote." min:"1" max:"768" default:"24"`
}

// place is the channel of a poll.
func (in Poll) place(call actions.Call) chat.ChannelRef {
	return cmp.Or(in.Channel, chat.ChannelRef(call.Origin.Place.Channel))
}

func (in Poll) check() error {
	if n := chat.Length(string(in.Question)); n > maxQuestionLength {
		return fmt.Errorf("question: has %d characters, must have at most %d", n, maxQuestionLength)
	}
	for i, a := range in.Answers {
		if n := chat.Length(string(a)); n > maxAnswerLength {
			return fmt.Errorf("answers: %q has %d characters, must have at most %d", chat.Clip(string(a), 20), n, maxAnswerLength)
		}
		if slices.Contains(in.Answers[:i], a) {
			return fmt.Errorf("answers: %q stands there twice", chat.Clip(string(a), maxAnswerLength))
		}
	}
	return nil
}

// mayPoll is needed to post a poll and to end one.
var mayPoll = []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.CreatePolls}

func (c *Category) poll() *actions.Action {
	return actions.Define(actions.Spec[Poll]{
		Name:     "poll",
		Aliases:  []string{"CREATE_POLL", "START_POLL", "START_VOTE"},
		Summary:  "Post a poll in a channel.",
		Sentence: "Post a poll in {channel}: {question} with {answers}[, {allowMultiselect?several answers allowed}], for {durationHours:hour}",
		Needs:    mayPoll,
		MayNeed:  actions.ForEmoji,
		Examples: []Poll{{Channel: "general", Question: "When do we meet?", Answers: []Text{"Tuesday", "Thursday"}}},
		Check:    Poll.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in Poll) (chat.ChannelID, error) {
			ch, err := call.TextChannel(ctx, c.server.Channel, in.place(call), "poll")
			return ch.ID, err
		},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in Poll) ([]actions.Demand, error) {
			ch, _ := call.Checked()
			return call.Emoji(ctx, c.server, ch, append(chat.As[string](in.Answers), string(in.Question))...)
		},
		Do: c.do,
	})
}

func (c *Category) do(ctx context.Context, call actions.Call, in Poll) (actions.Result, error) {
	ch, err := call.TextChannel(ctx, c.server.Channel, in.place(call), "poll")
	if err != nil {
		return actions.Result{}, err
	}
	p := chat.Poll{Question: string(in.Question), Answers: chat.As[string](in.Answers), Multiple: in.Multiple,
		Duration: time.Duration(in.Hours) * time.Hour}
	var id chat.MessageID
	err = call.Paced(ctx, c.server, ch, func() (err error) {
		id, err = c.server.SendPoll(ctx, ch.ID, p)
		return err
	})
	if err == nil {
		call.Sent(ch.ID, id)
	}
	at := ch.Place()
	at.Message = id
	res, err := actions.Done(err, fmt.Sprintf("posted [a poll](%s) in %s", at.Link(), ch.ID.Mention()), actions.TakeBack("a poll", at)...)
	return res.SeenIn(call, ch.ID), err
}

// A PollEnd ends a poll before its time.
type PollEnd struct {
	Message chat.MessageRef `json:"messageId" alias:"message" doc:"The poll: a handle such as m2, an ID, a link, or last."`
	Channel chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Channel name or ID; the message's or the current one if it is left out."`
}

func (in PollEnd) place(call actions.Call) chat.ChannelRef {
	return cmp.Or(in.Channel, chat.ChannelRef(in.Message.Channel()), chat.ChannelRef(call.Origin.Place.Channel))
}

func (c *Category) pollEnd() *actions.Action {
	return actions.Define(actions.Spec[PollEnd]{
		Name:     "pollEnd",
		Rare:     true,
		Summary:  "End one of your own polls, and count its votes.",
		Sentence: "End {messageId:poll} in {channel}",
		Final:    true,
		Reads:    actions.Messages,
		Needs:    append([]chat.Permission{chat.ReadHistory}, mayPoll...),
		MayNeed:  []chat.Permission{chat.ManageMessages},
		Examples: []PollEnd{{Message: chat.Last, Channel: "general"}},
		NeedsIn: func(ctx context.Context, call actions.Call, in PollEnd) (chat.ChannelID, error) {
			ch, err := call.TextChannel(ctx, c.server.Channel, in.place(call), "poll")
			return ch.ID, err
		},
		AlsoNeeds: c.mayEnd,
		Do:        c.end,
	})
}

// mayEnd: Discord lets the author of a poll end it, which is the bot. That stands for whoever had the bot post it; a moderator could
// delete it instead. The votes of a poll that is over are for everybody.
func (c *Category) mayEnd(ctx context.Context, call actions.Call, in PollEnd) ([]actions.Demand, error) {
	ch, err := call.TextChannel(ctx, c.server.Channel, in.place(call), "poll")
	if err != nil {
		return nil, err
	}
	m, err := c.find(ctx, call, ch, in.Message)
	if err != nil || m.Poll.Over {
		return nil, err
	}
	who, err := c.madeFor(ctx, m.Place)
	if err != nil || who != "" && who == call.Origin.Requester {
		return nil, err
	}
	return []actions.Demand{{Channel: ch.ID, Rights: []chat.Permission{chat.ManageMessages}}}, nil
}

// end tells the votes of a poll that is over already as well: a model may write the same block again.
func (c *Category) end(ctx context.Context, call actions.Call, in PollEnd) (actions.Result, error) {
	ch, err := call.TextChannel(ctx, c.server.Channel, in.place(call), "poll")
	if err != nil {
		return actions.Result{}, err
	}
	m, err := c.find(ctx, call, ch, in.Message)
	if err != nil {
		return actions.Result{}, err
	}
	p, did := *m.Poll, "read the votes of"
	if !p.Over {
		did = "ended"
		if p, err = c.server.EndPoll(ctx, ch.ID, m.ID); err != nil {
			return actions.Result{}, err
		}
	}
	res := actions.FoundIn(fmt.Sprintf("%s the poll %q: %s", did, p.Question, votes(p)), fmt.Sprintf("%s [a poll](%s) in", did, m.Place.Link()), ch).Showing(call, m)
	if ch.ID == call.Origin.Place.Channel {
		res.Summary += ": " + votes(p) // elsewhere, not every reader may know them
		if did == "ended" && votes(p) == noVotes {
			res.Found = "" // there is nothing to tell in an answer
		}
	}
	return res, nil
}

// find finds a poll of the bot's own.
func (c *Category) find(ctx context.Context, call actions.Call, ch chat.Channel, ref chat.MessageRef) (m chat.Message, err error) {
	id := ref.ID()
	if ref == chat.Last {
		var sent bool
		if id, sent = call.LastSent(ch.ID); !sent {
			id, err = c.server.LatestOwn(ctx, ch.ID)
		}
	}
	if err == nil && ref.Channel() != "" && ref.Channel() != ch.ID {
		err = fmt.Errorf("that message is in %s, not in %s; nothing was done", ref.Channel().Mention(), ch.ID.Mention())
	}
	if err != nil {
		return m, err
	}
	switch m, err = c.server.Message(ctx, ch.ID, id); {
	case err != nil:
		return m, err
	case m.Poll == nil:
		return m, fmt.Errorf("[that message](%s) is not a poll", m.Place.Link())
	case m.Author.ID != c.server.Self().ID:
		return m, errors.New("I can only end my own polls")
	}
	return m, nil
}

const noVotes = "nobody has voted"

// votes are the results of a poll: "Tuesday 3 votes, Thursday 1 vote".
func votes(p chat.Poll) string {
	if p.Votes == nil {
		return "Discord does not say how people voted"
	}
	all, parts := 0, []string{}
	for i, answer := range p.Answers {
		all += p.Votes[i]
		parts = append(parts, chat.Literal(answer)+" "+chat.Counted(p.Votes[i], "vote", "votes"))
	}
	if all == 0 {
		return noVotes
	}
	return strings.Join(parts, ", ")
}
