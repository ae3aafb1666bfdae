package fakediscord

import (
	"fmt"
	"slices"

	"discoclaw/internal/chat"
)

// Vote has a member choose an answer of an open poll, by its number from 1 on. If the poll allows only one answer, an
// earlier choice of the member is taken back.
func (w *World) Vote(user string, id chat.MessageID, answer int) error {
	return w.onPoll(user, id, answer, func(who *Member, c *Channel, m *Message) {
		vote := Vote{who.ID, answer}
		if slices.Contains(m.Poll.Votes, vote) {
			return
		}
		for _, earlier := range slices.Clone(m.Poll.Votes) {
			if earlier.By == who.ID && !m.Poll.Multiple {
				w.unvote(who, c, m, earlier)
			}
		}
		m.Poll.Votes = append(m.Poll.Votes, vote)
		w.emitVote("MESSAGE_POLL_VOTE_ADD", who, c, m, answer)
	})
}

// Unvote takes back a member's choice of an answer of an open poll.
func (w *World) Unvote(user string, id chat.MessageID, answer int) error {
	return w.onPoll(user, id, answer, func(who *Member, c *Channel, m *Message) { w.unvote(who, c, m, Vote{who.ID, answer}) })
}

// onPoll runs f on an answer of an open poll that a member sees.
func (w *World) onPoll(user string, id chat.MessageID, answer int, f func(*Member, *Channel, *Message)) error {
	return w.change(func() error {
		who, err := w.soleMember(user)
		if err != nil {
			return err
		}
		for _, c := range w.channels {
			m := w.message(c, string(id))
			switch {
			case m == nil || m.Poll == nil || !w.sees(who, c):
				continue
			case m.Poll.Closed(w.now()):
				return errPollOver
			case answer < 1 || answer > len(m.Poll.Answers):
				return fmt.Errorf("%s cannot choose %d in that poll", user, answer)
			}
			f(who, c, m)
			return nil
		}
		return fmt.Errorf("%s sees no such poll", user)
	})
}

func (w *World) unvote(who *Member, c *Channel, m *Message, vote Vote) {
	i := slices.Index(m.Poll.Votes, vote)
	if i < 0 {
		return
	}
	m.Poll.Votes = slices.Delete(m.Poll.Votes, i, i+1)
	w.emitVote("MESSAGE_POLL_VOTE_REMOVE", who, c, m, vote.Answer)
}

// emitVote emits an event of a vote.
// https://discord.com/developers/docs/events/gateway-events#polls
func (w *World) emitVote(name string, who *Member, c *Channel, m *Message, answer int) {
	w.touch(m)
	o := object{"user_id": who.ID, "channel_id": c.ID, "message_id": m.ID, "answer_id": answer}
	intent := intentDirectPolls
	if c.Type != DMChannel {
		o["guild_id"], intent = c.Guild, intentPolls
	}
	w.emit(name, intent, c, o)
}
