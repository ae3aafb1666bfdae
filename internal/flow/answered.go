package flow

import (
	"context"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/inbox"
	"discoclaw/internal/turn"
)

// clocks is by how much two of them may differ that are taken for the same.
const clocks = 15 * time.Second

// mostReplies is how many messages are searched for an answer. Discord sends as many at a
// time.
const mostReplies = 100

// unanswered leaves out messages that an earlier process has answered. The inbox knows of
// these, unless they could not be written down, as on a full disk; then they are told again
// as if they were new. But the channel still has the answers.
func (f *Flows) unanswered(ctx context.Context, name string, said []chat.Message) []chat.Message {
	begun := f.again.has(name)
	var upTo chat.MessageID
	own := f.ownSince(ctx, said[0])
	for _, m := range own {
		if !isAnswer(m) || begun && !strings.Contains(m.Text, actions.NotWritten) && f.isRemembered(ctx, name) {
			continue // the ledger knows how far it has come
		}
		if m.ReplyTo.After(upTo) && f.isToTalkOf(said[0].Author.ID, m) && !f.isSettled(ctx, m.ReplyTo) {
			upTo = m.ReplyTo
		}
	}
	left := slices.DeleteFunc(slices.Clone(said), func(m chat.Message) bool {
		// One that joined others before was answered with the last of them; but not one that
		// had a turn of its own.
		hadOwn := slices.ContainsFunc(own, func(reply chat.Message) bool { return reply.ReplyTo == m.ID && isUndelivered(reply) })
		answered := upTo != "" && !m.ID.After(upTo) && !hadOwn
		if answered {
			f.forgo(ctx, m)
		}
		return answered
	})
	if !begun || len(left) < len(said) {
		f.endReplies(ctx, own, upTo, left)
	}
	return left
}

// isRemembered says whether the first answer of a turn is written down. If not, and the reader
// has one, nobody can go on with it.
func (f *Flows) isRemembered(ctx context.Context, name string) bool {
	if f.Runner.Remember == nil {
		return true
	}
	ledger, err := f.Runner.Remember(ctx, name)
	if err != nil {
		return true // the turn finds out the same
	}
	_, known := ledger.Answer(0)
	return known
}

// endReplies ends what an earlier process began to write about messages, and could not write
// down: some were answered up to one of them, and some are left, to have a turn anew. What is
// being written for another turn shows its answer all the same.
func (f *Flows) endReplies(ctx context.Context, own []chat.Message, upTo chat.MessageID, left []chat.Message) {
	for _, m := range own {
		text := ""
		switch isLeft := slices.ContainsFunc(left, func(one chat.Message) bool { return one.ID == m.ReplyTo }); {
		case isLeft && (m.Unfinished || isUndelivered(m)):
			text = turn.GoingOn
		case m.Unfinished && upTo != "" && (m.ReplyTo == "" || m.ReplyTo == upTo):
			text = reply.Interrupted // the rest of an answer
		}
		if text == "" {
			continue
		}
		if err := f.Server.Edit(ctx, m.Place.Channel, m.ID, chat.Outgoing{Text: text, Buttons: []chat.Button{}}); err != nil {
			f.Log.WarnContext(ctx, "a reply stays unfinished", "channel", m.Place.Channel, "message", m.ID, "err", err)
		}
	}
}

// wasAnswered says whether an earlier process has answered a command; see unanswered.
func (f *Flows) wasAnswered(ctx context.Context, m chat.Message) bool {
	for _, reply := range f.ownSince(ctx, m) {
		if reply.ReplyTo == m.ID && isAnswer(reply) {
			f.forgo(ctx, m)
			return true
		}
	}
	return false
}

// sessionTime is longer than any session with Discord waits for the bot to come back, so what
// is told again happened later than that before the start.
const sessionTime = time.Hour

// wasReactedTo says whether an earlier process has answered a reaction; see unanswered. An
// answer need not be to this one, unless nothing else is known about the message, of which the
// inbox does not know for ever.
func (f *Flows) wasReactedTo(ctx context.Context, r *reaction, event, name string) (answered bool) {
	isOld := !r.asked.IsZero() || time.Since(f.stats.began) < inbox.ReplayTime
	if !isOld || f.undone.has(r.act()) || f.again.has(name) && f.isRemembered(ctx, name) {
		return false
	}
	earliest := f.began().Add(-sessionTime)
	if !r.asked.IsZero() {
		earliest = r.asked.Add(-clocks)
	}
	own := f.ownSince(ctx, chat.Message{ID: r.Place.Message, Place: r.Place, Sent: r.Sent})
	if !slices.ContainsFunc(own, func(m chat.Message) bool {
		return m.ReplyTo == r.Place.Message && m.Sent.After(earliest) && isAnswer(m)
	}) {
		return false
	}
	f.note(ctx, func(ctx context.Context) (err error) {
		answered, err = f.Inbox.IsAlone(ctx, event, r.Place)
		return err
	})
	if answered {
		f.Log.InfoContext(ctx, "answered before", "channel", r.Place.Channel, "message", r.Place.Message)
		f.settle(ctx, inbox.Answered, event)
	}
	return answered
}

// wholeAnswer is below which length a reply is certainly the whole answer. One that becomes
// several messages fills about half of each but the last, or more, and each has room for 2000
// characters.
const wholeAnswer = 900

// wasAnsweredWhole says whether a command that had begun has its whole answer. Where the end of
// that could not be written down, a short answer is taken for whole. The error says why nobody
// can tell. Discord cuts space off around a text.
func (f *Flows) wasAnsweredWhole(ctx context.Context, c commandBody) (bool, error) {
	page, err := f.since(ctx, c.Message)
	page = slices.DeleteFunc(page, func(m chat.Message) bool { return !f.isSelf(m.Author.ID) })
	first := slices.IndexFunc(page, func(m chat.Message) bool { return m.ReplyTo == c.ID })
	if first < 0 {
		return false, err
	}
	if c.Ending == "" {
		return chat.Length(page[first].Text) < wholeAnswer, err
	}
	return slices.ContainsFunc(page[first:], func(m chat.Message) bool {
		return strings.TrimSpace(m.Text) == strings.TrimSpace(c.Ending) && (m.ReplyTo == c.ID || m.ReplyTo == "")
	}), err
}

// replyOnce is reply for a sentence that was perhaps said already, if it is said again: by an
// earlier process, which ended before it could write that down, or by this one, and Discord did
// not say so.
func (f *Flows) replyOnce(ctx context.Context, m chat.Message, text string, again bool) error {
	if again {
		said, err := f.hasReply(ctx, m, text)
		if said || isPassing(err) {
			return err
		}
	}
	out := chat.Outgoing{Text: text, ReplyTo: m.ID, Nonce: "told." + string(m.ID)}
	if _, err := f.Server.Send(ctx, m.Place.Channel, out); err != nil {
		return f.undelivered(ctx, m.Place, err)
	}
	return nil
}

// hasReply says whether the bot has replied to a message in certain words. The error says why
// nobody can tell.
func (f *Flows) hasReply(ctx context.Context, m chat.Message, text string) (bool, error) {
	page, err := f.since(ctx, m)
	return slices.ContainsFunc(page, func(reply chat.Message) bool {
		return f.isSelf(reply.Author.ID) && reply.ReplyTo == m.ID && reply.Text == text
	}), err
}

// since is what was said in a channel since a message, oldest first, as far as it is searched
// for answers.
func (f *Flows) since(ctx context.Context, m chat.Message) ([]chat.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return f.Server.Later(ctx, m.Place, mostReplies)
}

// began is when this process began, in Discord's time.
func (f *Flows) began() time.Time { return f.Server.Now().Add(-time.Since(f.stats.began)) }

// ownSince are the bot's messages since another one, if that is from before this process.
// How the last one ended does not matter: one that could write nothing down left the word of
// another before it. Where nobody can tell, there are none: an answer is better than no answer.
func (f *Flows) ownSince(ctx context.Context, m chat.Message) []chat.Message {
	began := f.began()
	if f.Inbox == nil || !m.Sent.Before(began) {
		return nil
	}
	page, err := f.since(ctx, m)
	if err != nil {
		f.Log.WarnContext(ctx, "nobody can say whether this was answered before", "channel", m.Place.Channel, "message", m.ID, "err", err)
	}
	return slices.DeleteFunc(page, func(m chat.Message) bool {
		if m.Sent.After(began.Add(clocks)) {
			return true // by this process, which knows what it has answered
		}
		return !f.isSelf(m.Author.ID)
	})
}

// isAnswer says whether a message is a reply that nobody has to go on with.
func isAnswer(m chat.Message) bool {
	return m.ReplyTo != "" && !m.Buttons && !turn.GoesOn(m.Text) && m.Text != reply.Interrupted && !isUndelivered(m)
}

// isUndelivered says whether a message stands where an answer could not be delivered. That is
// tried again; but if it could not be written down, the next process does not know.
func isUndelivered(reply chat.Message) bool { return reply.Text == turn.Undelivered }

// isToTalkOf says whether a reply is to what somebody said, and to no command, which does
// not wait for what was said before.
func (f *Flows) isToTalkOf(who chat.UserID, reply chat.Message) bool {
	if reply.Answers == nil || reply.Answers.Author.ID != who {
		return false
	}
	_, _, command := f.Commands.Find(f.uncalled(*reply.Answers).Text)
	return !command
}

// isSettled says whether the inbox knows that a message is over. Then it knows as much of
// all that was answered with it; what else came before may never have been read.
func (f *Flows) isSettled(ctx context.Context, m chat.MessageID) (settled bool) {
	f.note(ctx, func(ctx context.Context) (err error) {
		settled, err = f.Inbox.IsSettled(ctx, string(m))
		return err
	})
	return settled
}

// forgo notes that a message needs no answer any more.
func (f *Flows) forgo(ctx context.Context, m chat.Message) {
	f.Log.InfoContext(ctx, "answered before", "channel", m.Place.Channel, "message", m.ID)
	f.settle(ctx, inbox.Answered, string(m.ID))
}
