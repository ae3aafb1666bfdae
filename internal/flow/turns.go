package flow

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/history"
	"discoclaw/internal/inbox"
	"discoclaw/internal/turn"
)

// An occasion is what begins a turn: what somebody did, or a time that they asked for.
type occasion struct {
	work   string     // its ID
	turn   string     // the name of its turn
	events []string   // in the inbox
	place  chat.Place // its Message is what the answer replies to
	by     chat.User
	asked  time.Time // when it was, if the answer comes late; otherwise zero
	// begin makes the turn, and finds the message that it is about. After an error there
	// is none.
	begin func(context.Context) (chat.Message, turn.Turn, error)
	// over is told when it is written down that the turn is over, or that there is none; it
	// may be nil.
	over func(context.Context, Turn)
}

// have has a turn. A fault in it must not end the others.
func (f *Flows) have(ctx context.Context, o occasion) {
	defer func() {
		if v := recover(); v != nil {
			f.Log.ErrorContext(ctx, "turn panicked", "message", o.place.Message, "channel", o.place.Channel, "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			f.Report(ctx, fmt.Sprintf("⚠️ There is a fault inside the bot, which ended a turn in <#%s>; its log has the details.", o.place.Channel))
			if f.settle(ctx, inbox.Failed, o.events...) {
				f.Forget(ctx, o.turn)
			}
		}
	}()
	defer f.answers.over(o.work)
	if isGoingDown(ctx) {
		return // it waits for the next start
	}
	written := f.startedSoon(ctx, o)
	defer func() { <-written }()
	ctx, requests := f.Server.Counting(ctx)
	m, t, err := o.begin(ctx)
	if err != nil {
		f.unheard(ctx, o.place, err)
		<-written
		if f.conclude(ctx, errors.Join(turn.ErrNoReply, err), o.events...) {
			f.Forget(ctx, o.turn) // an earlier try may have come further
		}
		o.isOver(ctx, Turn{Err: err})
		return
	}
	t.Prompt = noted{t.Prompt, written}
	if remark := lateRemark(o.asked, f.Server.Now()); remark != "" {
		t.Remark = remark
	}
	over := f.carry(ctx, t, Turn{Message: m, By: o.by}, requests)
	if errors.Is(over.Err, turn.ErrNoReply) {
		f.unheard(ctx, o.place, over.Err)
	}
	<-written
	over.GoesOn = f.goesOn(ctx, over.Err)
	f.conclude(ctx, over.Err, o.events...)
	o.isOver(ctx, over)
	f.stats.over(over)
	f.Over(ctx, over)
}

func (o occasion) isOver(ctx context.Context, t Turn) {
	if o.over != nil {
		o.over(ctx, t)
	}
}

// carry carries a turn through. What is known about it is completed by what came of it.
func (f *Flows) carry(ctx context.Context, t turn.Turn, over Turn, requests func() int) Turn {
	at := t.Origin.Place
	over.ID, over.Origin, over.Gate, over.Began = t.Origin.Turn, t.Origin, t.Gate, time.Now()
	over.Result, over.Err = f.Runner.Run(ctx, t)
	over.Took, over.Requests = time.Since(over.Began), requests()
	f.remember(at.Channel, over.Result)
	f.Log.InfoContext(ctx, "turn over", "flow", t.Origin.Flow, "guild", at.Guild, "channel", at.Channel, "message", at.Message, "user", over.By.ID,
		"took", over.Took.Round(time.Millisecond), "asked", len(over.Result.Rounds), "actions", len(over.Result.Outcomes()), "requests", over.Requests, "ok", over.Err == nil)
	return over
}

// remember keeps what the bot said, for later prompts.
func (f *Flows) remember(ch chat.ChannelID, r turn.Result) {
	if r.Text != "" && r.Text != turn.NoOutput {
		f.history.Add(ch, history.Line{ID: r.Receipts[len(r.Receipts)-1].Messages[0], Author: f.name(), Mine: true, Text: r.Text})
	}
}

// unheard notes that a turn ended before there was a reply.
func (f *Flows) unheard(ctx context.Context, at chat.Place, err error) {
	f.Log.WarnContext(ctx, "no reply was opened", "message", at.Message, "channel", at.Channel, "err", err)
}

// channelName is for the model's orientation; without it, the model knows less.
func (f *Flows) channelName(ctx context.Context, at chat.Place) string {
	if at.Guild == "" {
		return ""
	}
	ch, err := f.Server.ChannelByID(ctx, at.Channel)
	if err != nil {
		return string(at.Channel)
	}
	return ch.Name
}
