package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn/stream"
)

// NoOutput is what an answer says where a model says nothing.
const NoOutput = "(no output)"

const followingUp = "**(following up...)**"

// label is what stands in a reply before there is any text.
func label(n int, why actions.Reason, came actions.Round) string {
	switch {
	case n == 0:
		return stream.Thinking
	case why == actions.Failure:
		return failureLabel(came)
	case why == actions.Repair:
		return "**(an action could not be read; trying again...)**"
	}
	return followingUp
}

// failureLabel names the first failure that led to the model being asked again.
func failureLabel(came actions.Round) string {
	for _, o := range came.Outcomes {
		if o.Err != nil && (o.Action == nil || o.Action.Effect != actions.Queries) {
			return fmt.Sprintf("**(%s; following up...)**", chat.Clip(chat.OneLine(o.Line()), 120))
		}
	}
	return followingUp
}

// deliver makes text the answer, or takes the reply away if there is nothing to say.
func (r *running) deliver(ctx context.Context, reply Reply, n int, text string, round actions.Round) error {
	ctx, cancel := outlive(ctx, deliverLimit)
	defer cancel()
	switch {
	case r.pictures.any():
		if isPass(text) {
			text = ""
		}
	case r.MayPass && idle(round) && isPass(text):
		if reply.Discard(ctx) == nil {
			return nil
		}
		text = NoOutput
	case text == "" && heard(round), n > 0 && idle(round) && isAcknowledgement(text):
		if reply.Discard(ctx) == nil {
			return nil
		}
		text = "Done."
	case text == "" && strings.TrimSpace(r.answer) != "":
		text = "Done."
	case text == "":
		text = NoOutput
	}
	return r.post(ctx, reply, text)
}

// heard says whether something came of a reply that the reader sees by itself: it was
// done, or somebody is asked about it.
func heard(round actions.Round) bool {
	for _, o := range round.Outcomes {
		if o.Err == nil {
			return true
		}
	}
	return false
}

// idle says whether a reply asked for nothing at all.
func idle(round actions.Round) bool {
	return len(round.Outcomes)+len(round.Stripped)+len(round.Malformed) == 0
}

// isPass says whether a model has nothing to say, in one of the ways in which models
// do that.
func isPass(text string) bool {
	switch strings.TrimSpace(text) {
	case "", NoOutput, "HEARTBEAT_OK":
		return true
	}
	return false
}

// isAcknowledgement says whether a text says no more than that it has heard.
func isAcknowledgement(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \t\r\n.!*_👍✅"))
	switch text {
	case "", "ok", "okay", "done", "got it", "understood", "noted", "acknowledged", "all done", "sure", "alright", "great",
		"heartbeat_ok", "no output", "(no output)", "no further action needed", "nothing to add", "nothing further":
		return true
	}
	return false
}

// post makes text the answer, with the pictures and the notices below it, or tells the
// reader that it could not.
func (r *running) post(ctx context.Context, reply Reply, text string, notices ...string) error {
	body := Body{Text: text, Notices: append(notices, r.pictures.notices()...), Pictures: r.pictures.files}
	if _, before := reply.(delivered); !before {
		body.Remark, r.Remark = r.Remark, ""
	}
	receipt, err := reply.Finish(ctx, body)
	if len(receipt.Messages) > 0 {
		r.receipt = receipt
		r.result.Receipts = append(r.result.Receipts, receipt)
		r.result.Text = strings.Trim(r.result.Text+"\n\n"+text, "\n")
	}
	if err == nil {
		return nil // also if nobody is there to read it any more, as in an archived thread
	}
	r.log.ErrorContext(ctx, "answer not delivered", "message", r.Origin.Place.Message, "err", err)
	return errors.Join(fmt.Errorf("deliver the answer: %w", err), r.admit(ctx, reply, receipt))
}

// Undelivered is for the reader of an answer that could not be delivered.
const Undelivered = "⚠️ The answer could not be delivered; the bot's log has the details."

// admit says that an answer, or the rest of it, could not be delivered. What did
// arrive is not sent again.
func (r *running) admit(ctx context.Context, reply Reply, got chat.Receipt) error {
	note := Undelivered
	if len(got.Messages) > 0 {
		note = "⚠️ The rest of the answer could not be delivered; the bot's log has the details."
		more, err := r.Venue.Open(ctx, r.key+"/undelivered", note)
		if err != nil {
			return err
		}
		reply = more
	}
	if _, err := reply.Finish(ctx, Body{Text: note}); err != nil {
		return reply.Discard(ctx)
	}
	return nil
}

const (
	deliverLimit = 2 * time.Minute  // for an answer that is complete: nobody can stop it any more
	lastWord     = 10 * time.Second // for a turn that has ended already to say so
)

// outlive returns a context that goes on when ctx has ended, for a while.
func outlive(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// giveUp ends a reply that did not become an answer. It keeps what there was by
// then, says what happened, and returns why.
func (r *running) giveUp(ctx context.Context, reply Reply, text string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	r.logFailure(ctx, err)
	ctx, cancel := outlive(ctx, lastWord)
	defer cancel()
	goesOn := errors.Is(err, ErrRestarting) || errors.As(err, new(*NotWritten))
	if r.Unawaited && (goesOn || errors.Is(err, ErrStopped) && len(r.result.Outcomes()) == 0) {
		return errors.Join(err, reply.Discard(ctx))
	}
	if goesOn {
		text = "" // the resumed turn says all of it, in the same messages
	}
	return errors.Join(err, r.post(ctx, reply, text, r.sentence(err)))
}

// isEnding says whether a turn was ended from outside.
func isEnding(err error) bool { return errors.Is(err, ErrStopped) || errors.Is(err, ErrRestarting) }

func (r *running) logFailure(ctx context.Context, err error) {
	details := err.Error()
	var fault *actions.PanicError
	var refusal *llm.Error
	switch {
	case isEnding(err):
		r.log.InfoContext(ctx, "turn ended early", "reason", err)
		return
	case errors.As(err, &fault):
		details = fault.Details()
	case errors.As(err, &refusal):
		details = refusal.Details()
	}
	r.log.ErrorContext(ctx, "turn failed", "message", r.Origin.Place.Message, "err", details)
}

// goingOn is for the reader of an answer that the next process finishes.
const goingOn = "*(Interrupted: the bot is restarting and will go on with this.)*"

// sentence tells the reader what happened. An error that was not made for people may
// hold anything, so it stays in the log.
func (r *running) sentence(err error) string {
	var refusal *llm.Error
	var failure *Failure
	var unwritten *NotWritten
	switch {
	case errors.Is(err, ErrStopped):
		return "*(Response aborted.)*"
	case errors.Is(err, ErrRestarting):
		return goingOn
	case errors.As(err, &unwritten) && unwritten.Full:
		return "⚠️ My disk is full, so I stopped here. I will go on with this when there is room."
	case errors.As(err, &unwritten):
		return "⚠️ I cannot write anything down at the moment, so I stopped here. I will go on with this when I can."
	case errors.As(err, &refusal):
		return "⚠️ " + chat.Capital(refusal.Error()) + "."
	case errors.As(err, &failure):
		return "⚠️ " + chat.Capital(failure.Text) + "."
	case errors.Is(err, errTooMuch):
		return "⚠️ The model did not come to an end, so nothing it asked for was carried out. Please ask for something smaller."
	}
	return fmt.Sprintf("⚠️ Something went wrong inside the bot; nothing more was carried out. Its log has the details, with the number %s.", r.Origin.Place.Message)
}
