package polls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

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
		Summary:  "End one of your own polls, and count its votes.",
		Sentence: "End {messageId:poll} in {channel}",
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
