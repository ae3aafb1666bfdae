package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/commands"
	"discoclaw/internal/inbox"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn"
)

// noteTime is how long writing something down may take. It never does; but nobody should
// wait for an answer because of a disk.
const noteTime = 2 * time.Second

// messageEvent is a message as the inbox keeps it.
func messageEvent(m chat.Message, turn string) inbox.Event {
	m.Reactions = nil // which say nothing about it
	if m.Answers != nil {
		answered := *m.Answers
		answered.Reactions = nil
		m.Answers = &answered
	}
	return inbox.Event{ID: string(m.ID), Kind: inbox.Message, Place: m.Place, Turn: turn, Body: body(m)}
}

// commandEvent is a command as the inbox keeps it.
func commandEvent(m chat.Message) inbox.Event { return commandBody{Message: m}.event() }

// A commandBody is what the inbox keeps of a command.
type commandBody struct {
	chat.Message
	Ending string // the last message of its answer, from just before the first one is sent
}

// event leaves a secret out: it is for the one place where it is kept.
func (c commandBody) event() inbox.Event {
	c.Answers, c.Reactions = nil, nil
	if commands.Secret(c.Text) {
		c.Text = ""
	}
	return inbox.Event{ID: string(c.ID), Kind: inbox.Command, Place: c.Place, Body: body(c)}
}

// slashEvent is a command from the menu as the inbox keeps it.
func slashEvent(i chat.Invocation) inbox.Event { return slashBody{Invocation: i}.event() }

// A slashBody is what the inbox keeps of a command from the menu. Should it be interrupted,
// all that is needed is how to say so.
type slashBody struct {
	chat.Invocation
	Done bool // it was run, and is being answered
}

func (s slashBody) event() inbox.Event {
	s.Values = nil
	return inbox.Event{ID: s.Answer.ID, Kind: inbox.Slash, Place: s.Place, Body: body(s)}
}

// A reactionBody is what the inbox keeps of a reaction. Its emoji is a mere text here,
// since it need not be one that people could write.
type reactionBody struct {
	Place    chat.Place
	Sent     time.Time
	Author   chat.UserID
	User     chat.User
	Emoji    string
	Removed  bool
	Question *choices.Question // that it answers; nil for none
}

func (b reactionBody) reacted() chat.Reacted {
	return chat.Reacted{Place: b.Place, Sent: b.Sent, Author: b.Author, User: b.User, Emoji: chat.Emoji(b.Emoji), Removed: b.Removed}
}

func (f *Flows) reactionEvent(r *reaction) inbox.Event {
	act := strings.Join([]string{"reaction", string(r.Place.Message), string(r.User.ID), string(r.Emoji), strconv.FormatBool(r.Removed)}, "/")
	return inbox.Event{
		ID: fmt.Sprintf("%s/%d", act, time.Now().UnixMicro()), Act: act, Anew: f.undone.has(r.act()),
		Kind: inbox.Reaction, Place: r.Place, Turn: f.NewTurn(), Body: body(reactionBody{r.Place, r.Sent, r.Author, r.User, string(r.Emoji), r.Removed, r.question}),
	}
}

// body is a value as JSON. There is nothing in these that has no JSON.
func body(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}

// accept writes down what somebody did, and says whether it is new. If it cannot be
// written down, it is taken up all the same: a reaction might be lost with the process, but
// otherwise it would be lost for certain.
func (f *Flows) accept(ctx context.Context, e inbox.Event) bool {
	if f.Inbox == nil {
		return true
	}
	fresh, err := true, error(nil)
	f.note(ctx, func(ctx context.Context) error {
		fresh, err = f.Inbox.Accept(ctx, e)
		return err
	})
	if told := f.unwritten.Swap(err != nil); err != nil && !told {
		f.Report(ctx, "⚠️ What people write cannot be written down, so it is answered, but would be lost if the bot ended now; its log has the details.")
	}
	return fresh
}

// pass notes a message that is left alone, where it matters.
func (f *Flows) pass(m chat.Message) {
	if f.Inbox != nil && f.Access.Hears(m.Author, m.Place) {
		f.Inbox.Passed(m.Place)
	}
}

// Wrote is told of the bot's own messages.
func (f *Flows) Wrote(at chat.Place) {
	if f.Inbox != nil {
		f.Inbox.Wrote(at)
	}
}

// Made is told of channels that are new to the bot. It listens to them from here on, so
// what is said there while it is away will be missed, though nothing was said before.
func (f *Flows) Made(at chat.Place) {
	if f.Inbox != nil && f.Access.Listens(at) {
		f.Inbox.Met(at)
	}
}

// change notes that what waits is another now.
func (f *Flows) change(ctx context.Context, e inbox.Event) {
	f.note(ctx, func(ctx context.Context) error { return f.Inbox.Change(ctx, e) })
}

// withdraw notes that nobody waits for it any more.
func (f *Flows) withdraw(ctx context.Context, p chat.Place) {
	f.note(ctx, func(ctx context.Context) error { return f.Inbox.Withdraw(ctx, p) })
}

// started notes that work begins, and says whether that is written down.
func (f *Flows) started(ctx context.Context, turn string, events ...string) (written bool) {
	return f.note(ctx, func(ctx context.Context) error { return f.Inbox.Begin(ctx, turn, events...) })
}

// startedSoon notes that a turn begins, while the reader is told that an answer is on its
// way. The channel is closed when that is written; until then, no model is asked. A turn
// that is had again might be what ends the process, so nothing of it comes first.
func (f *Flows) startedSoon(ctx context.Context, o occasion) (written <-chan struct{}) {
	done := make(chan struct{})
	write := func() {
		defer close(done)
		f.started(ctx, o.turn, o.events...)
	}
	if f.again.has(o.turn) {
		write()
	} else {
		go write()
	}
	return done
}

// noted is the prompt of a turn whose beginning is being written down.
type noted struct {
	turn.Prompt
	written <-chan struct{}
}

// First waits for that.
func (n noted) First(ctx context.Context) (llm.Request, error) {
	<-n.written
	return n.Prompt.First(ctx)
}

// settle notes that work is over, and says whether that is written down.
func (f *Flows) settle(ctx context.Context, s inbox.State, events ...string) (written bool) {
	return f.note(ctx, func(ctx context.Context) error { return f.Inbox.Settle(ctx, s, events...) })
}

// abandon settles events with which nobody goes on, and forgets how far their turn came. If that
// they are over cannot be written down, the next start takes them up, and has to know.
func (f *Flows) abandon(ctx context.Context, events ...inbox.Event) {
	written := f.settle(ctx, inbox.Failed, ids(events)...)
	if written && len(events) > 0 && events[0].Begun && events[0].Turn != "" {
		f.Forget(ctx, events[0].Turn)
	}
}

// done notes that a command was run and will be answered now. One that the bot cut off when it
// went down was not.
func (f *Flows) done(ctx context.Context, e inbox.Event) {
	if ctx.Err() == nil {
		f.note(ctx, func(ctx context.Context) error { return f.Inbox.Amend(ctx, e) })
	}
}

// conclude notes how a turn or a command ended. What the bot did not get to waits: for the
// next start, if it goes down, and otherwise until Discord answers again. It says whether it is
// written down that nobody goes on with it.
func (f *Flows) conclude(ctx context.Context, err error, events ...string) (settled bool) {
	switch {
	case isOver(err):
		return f.settle(ctx, inbox.Answered, events...)
	case isCutOff(ctx, err):
		f.note(ctx, func(ctx context.Context) error { return f.Inbox.PutBack(ctx, events...) })
	case isPassing(err):
		f.putOff(ctx, events...)
	default:
		return f.settle(ctx, inbox.Failed, events...)
	}
	return false
}

// goesOn says whether somebody goes on with what ended in this way; see conclude.
func (f *Flows) goesOn(ctx context.Context, err error) bool {
	return f.Inbox != nil && !isOver(err) && (isCutOff(ctx, err) || isPassing(err))
}

// note writes something into the inbox, or looks something up there, whatever becomes of
// what it is about. It says whether that worked.
func (f *Flows) note(ctx context.Context, write func(context.Context) error) bool {
	if f.Inbox == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	err := write(ctx)
	if err != nil {
		f.Log.ErrorContext(ctx, "inbox not written", "err", err)
	}
	return err == nil
}
