package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn/class"
	"discoclaw/internal/turn/render"
	"discoclaw/internal/turn/stream"
)

// NoOutput is the text of an answer that is empty.
const NoOutput = "My language model returned an empty answer. Please ask again."

// label is the placeholder's text until the answer has any.
func label(n int, why actions.Reason) string {
	switch {
	case n == 0:
		return stream.Thinking
	case why == actions.Failure:
		return "*That didn't work. One moment…*"
	case why == actions.Repair:
		return "*Trying again…*"
	}
	return "*Looking it up…*"
}

// deliver makes text the answer, or discards the reply if there is nothing to say.
func (r *running) deliver(ctx context.Context, reply Reply, n int, text string, round actions.Round) error {
	ctx, cancel := outlive(ctx, deliverLimit)
	defer cancel()
	if r.owesText(n, text, round) {
		r.result.Due, r.result.Class = true, class.Status
		if r.owed {
			r.result.Class = class.Completion
		}
		if isPass(text) {
			text = ""
		}
		text = render.Report(r.withheld(), nil, append([]string{text}, r.unmended...))
		return r.post(ctx, reply, Body{Text: text, Buttons: r.below()})
	}
	drop := false
	switch {
	case r.silent:
		drop, text = true, "*(No reply.)*"
	case r.pictures.any():
		if isPass(text) {
			text = ""
		}
	case r.AllowEmpty && idle(round) && isPass(text):
		drop, text = true, NoOutput
	case r.failedAgain:
		r.judge(ctx, n, text, round)
		drop, text = true, strings.Join(actions.Failures(round.Outcomes), "\n")
	case text == "" && r.goesOn(n, round):
		drop, text = true, label(n+1, actions.FollowUp(round))
	case text == "" && hasResult(round), n > 0 && r.Before == "" && idle(round) && isAcknowledgement(text):
		drop, text = true, "Done."
	case text == "" && failed(round): // the lines of these are left out only beside words
		text = strings.Join(actions.Failures(round.Outcomes), "\n")
	case text == "" && (!idle(round) || r.emptied):
		text = "Done."
	case text == "":
		text = NoOutput
	}
	switch {
	case drop && len(r.unmended) > 0 && !r.goesOn(n, round): // an earlier answer may claim that all was done
		text, r.words = render.Report("", nil, r.unmended), ""
	case drop && reply.Discard(ctx) == nil:
		return nil
	case !drop:
		text = render.Report(text, nil, r.unmendedBeside(n, round))
	}
	r.judge(ctx, n, text, round)
	if r.keepBack(ctx, reply) {
		return nil
	}
	body := Body{Text: text}
	if !r.goesOn(n, round) {
		body.Buttons = r.below()
	}
	if err := r.post(ctx, reply, body); err != nil {
		return err
	}
	r.goOnAfter(ctx, n, text, round)
	return nil
}

// owesText reports whether a turn ends without a word although something was kept back before.
func (r *running) owesText(n int, text string, round actions.Round) bool {
	wordless := isPass(text)
	if r.owed {
		wordless = (r.words == "" || isPass(text)) && !r.findsNothing()
	}
	return r.withheld() != "" && wordless && !r.pictures.any() && !r.goesOn(n, round)
}

// findsNothing reports whether a model that knows the results of look-ups finds them not worth posting, where nobody waits for an
// answer. An acknowledgement leaves what it has said before as it is, and failures are always told.
func (r *running) findsNothing() bool {
	said := r.visible(r.answer)
	return r.AllowEmpty && strings.TrimSpace(r.answer) != "" && (isPass(said) || !isAcknowledgement(said)) &&
		!slices.ContainsFunc(r.unsaid, isFailure)
}

// keepBack keeps an answer back that only says that it goes on, if another turn does.
func (r *running) keepBack(ctx context.Context, reply Reply) bool {
	if r.result.Class != class.Status {
		return false
	}
	label, ok := r.goOn(ctx, Kept{Text: r.words, Placeholder: r.key})
	if ok {
		r.result.KeptBack = r.words
		reply.Leave(ctx, label)
	}
	return ok
}

// goOn has another turn go on with this one, if one may.
func (r *running) goOn(ctx context.Context, kept Kept) (label string, ok bool) {
	if r.Continue == nil {
		return "", false
	}
	kept.Outside, kept.Changes, kept.Acted = r.Outside.All(), r.changes(), r.acted
	label, err := r.Continue(ctx, kept)
	if err != nil && !errors.Is(err, ErrNotNow) {
		r.Log.ErrorContext(ctx, "cannot go on by itself", "message", r.Origin.Place.Message, "err", err)
	}
	r.result.GoesOn = err == nil
	return label, err == nil
}

// judge notes the class of the last answer. It goes by the model's own words, if there are any. An answer that also tells what
// came of actions is never one that only says that it goes on.
func (r *running) judge(ctx context.Context, n int, text string, round actions.Round) {
	r.result.Due = true
	switch {
	case r.goesOn(n, round):
		return
	case text == NoOutput, r.words == "" && failed(round):
		r.result.Class = class.Error
		return
	case r.Judge == nil || r.words == "" || r.pictures.any():
		r.result.Class = class.Completion
		return
	}
	r.result.Class = r.Judge(ctx, r.words)
	if r.result.Class == class.Status && (text != r.bare || r.searched || round.Final) {
		r.result.Class = class.Completion
	}
}

// failed reports whether an action failed.
func failed(round actions.Round) bool {
	return slices.ContainsFunc(round.Outcomes, isFailure)
}

func isFailure(o actions.Outcome) bool { return o.Err != nil }

// hasResult reports whether an action succeeded or waits for approval, which the reader
// sees without a reply.
func hasResult(round actions.Round) bool {
	return slices.ContainsFunc(round.Outcomes, func(o actions.Outcome) bool { return o.Err == nil })
}

// idle reports whether the answer requested no action.
func idle(round actions.Round) bool {
	return len(round.Outcomes)+len(round.Stripped)+len(round.Malformed) == 0
}

// isPass reports whether text is one of the ways in which models say nothing.
func isPass(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || slices.Contains(dialect.Silence, text)
}

// isAcknowledgement reports whether text only acknowledges results.
func isAcknowledgement(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \t\r\n.!*_👍✅"))
	switch text {
	case "", "ok", "okay", "done", "got it", "understood", "noted", "acknowledged", "all done", "sure", "alright", "great",
		"heartbeat_ok", "no output", "(no output)", "no further action needed", "nothing to add", "nothing further":
		return true
	}
	return false
}

// below returns the buttons below the last answer.
func (r *running) below() []chat.Button {
	if r.Buttons == nil {
		return nil
	}
	return r.Buttons(!r.acted)
}

// post finishes the reply with a body, to which it adds pictures and notices. If that fails, it tries to say so.
func (r *running) post(ctx context.Context, reply Reply, body Body) error {
	body.Notices, body.Pictures = slices.Concat(body.Notices, r.pictures.notices()), r.pictures.files
	if r.switched {
		body.Notices = append(body.Notices, fmt.Sprintf("(My usual model isn't available right now; %s answered instead.)", chat.InCode(r.result.Model.String())))
		r.switched = false
	}
	if _, before := reply.(delivered); !before {
		body.Remark, r.Remark = r.Remark, ""
	}
	receipt, err := reply.Finish(ctx, body)
	if len(receipt.Messages) > 0 {
		r.receipt = receipt
		r.result.Receipts = append(r.result.Receipts, receipt)
		if !r.owed || r.words != "" {
			r.Before, r.owed, r.searched = "", false, false
		}
		r.result.Text = strings.Trim(r.result.Text+"\n\n"+body.Text, "\n")
	}
	if err == nil {
		return nil // also in an archived thread, where the reply is dropped
	}
	r.result.Undelivered = true
	r.Log.ErrorContext(ctx, "cannot deliver the answer", "message", r.Origin.Place.Message, "err", err)
	return errors.Join(fmt.Errorf("deliver the answer: %w", err), r.reportUndelivered(ctx, reply, receipt))
}

// Undelivered replaces an answer that could not be delivered.
const Undelivered = "⚠️ I could not post the answer here."

// reportUndelivered says that the answer, or the rest of it, could not be delivered.
// Messages that did arrive are not sent again.
func (r *running) reportUndelivered(ctx context.Context, reply Reply, got chat.Receipt) error {
	note := Undelivered
	if len(got.Messages) > 0 {
		note = "⚠️ I could not post the rest of the answer here."
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
	deliverLimit = 2 * time.Minute  // for a complete answer, which cannot be stopped any more
	lastWord     = 10 * time.Second // for the closing sentence of a turn whose context has ended
)

// outlive returns a context that is not cancelled with ctx, but after limit.
func outlive(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// stoppedBetween ends a turn that was stopped while an answer was posted after which the model is asked again, if that answer may
// claim what was not done. [actions.Rounds] would end it without a message.
func (r *running) stoppedBetween(ctx context.Context, n int, round actions.Round) error {
	cause := context.Cause(ctx)
	if !errors.Is(cause, ErrStopped) || len(r.unmended) == 0 || !r.goesOn(n, round) {
		return nil
	}
	ctx, cancel := outlive(ctx, lastWord)
	defer cancel()
	reply, err := r.Venue.Open(ctx, strconv.Itoa(n+1), label(n+1, actions.Repair))
	if err != nil {
		return errors.Join(cause, err)
	}
	return r.giveUp(ctx, reply, "", cause)
}

// giveUp ends the reply of a failed or cancelled round. It keeps the text so far, adds
// the reason, and returns err or the cause of the cancellation.
func (r *running) giveUp(ctx context.Context, reply Reply, text string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if steered := r.commit(); steered != nil {
		err = steered
	}
	r.logFailure(ctx, err)
	ctx, cancel := outlive(ctx, lastWord)
	defer cancel()
	goesOn := errors.Is(err, ErrGoingDown) || errors.As(err, new(*NotWritten))
	refusal, refused := errors.AsType[*llm.Error](err)
	told := refused && refusal.Repeated || errors.Is(err, ErrStopped) && len(r.result.Outcomes()) == 0
	if errors.Is(err, ErrSteered) || r.Background && (goesOn || told && len(r.unmended) == 0) {
		return errors.Join(err, reply.Discard(ctx))
	}
	text = strings.Trim(r.withheld()+"\n\n"+text, "\n")
	if goesOn {
		text = "" // the resumed turn writes all of it into the same messages
	}
	body := Body{Text: text, Notices: []string{r.sentence(ctx, err)}}
	if !goesOn {
		body.Notices = append(r.unmended, body.Notices...)
		body.Buttons = r.below()
	}
	return errors.Join(err, r.post(ctx, reply, body))
}

// isEnding reports whether the turn was cancelled from outside.
func isEnding(err error) bool { return errors.Is(err, ErrStopped) || errors.Is(err, ErrGoingDown) }

func (r *running) logFailure(ctx context.Context, err error) {
	details := err.Error()
	var fault *actions.PanicError
	var refusal *llm.Error
	switch {
	case isEnding(err):
		r.Log.InfoContext(ctx, "turn ended early", "reason", err)
		return
	case errors.As(err, &fault):
		details = fault.Details()
	case errors.As(err, &refusal):
		details = refusal.Details()
	}
	r.Log.ErrorContext(ctx, "turn failed", "message", r.Origin.Place.Message, "err", details)
}

// goingOn ends a reply that the next process resumes.
const goingOn = "*(Interrupted: the bot is going offline and will finish this when it is back.)*"

// sentence tells the reader the reason. Internal errors may contain anything, so they
// stay in the log.
func (r *running) sentence(ctx context.Context, err error) string {
	var refusal *llm.Error
	var failure *Failure
	var unwritten *NotWritten
	switch {
	case errors.Is(err, ErrStopped):
		return "*(" + chat.Capital(StoppedText(err)) + ".)*"
	case errors.Is(err, ErrGoingDown):
		return goingOn
	case errors.As(err, &unwritten) && unwritten.Full:
		return "⚠️ My disk is full, so I stopped here. I will go on with this when there is room."
	case errors.As(err, &unwritten):
		return "⚠️ I cannot write anything down at the moment, so I stopped here. I will go on with this when I can."
	case errors.As(err, &refusal):
		return "⚠️ " + r.refusalText(ctx, refusal) + "." + r.nothingDone()
	case errors.As(err, &failure):
		return "⚠️ " + chat.Capital(r.forReader(ctx, failure).Error()) + "."
	case errors.Is(err, errTooMuch):
		return "⚠️ My language model did not come to an end, so I stopped it. Ask for something smaller." + r.nothingDone()
	}
	return fmt.Sprintf("⚠️ Something went wrong inside me, so I stopped here. The log has the details for the people who run me, with turn=%s.", r.Origin.Turn)
}

// forReader adds the remedy of an error to its text, if the requester can apply it.
func (r *running) forReader(ctx context.Context, err error) error {
	if r.operates(ctx) {
		return chat.ForOperators(err)
	}
	return err
}

// refusalText says why there is no answer, in words for the requester.
func (r *running) refusalText(ctx context.Context, e *llm.Error) string {
	text := e.ForMembers()
	if r.operates(ctx) {
		text = e.Error()
	}
	if e.Host != "" && strings.HasPrefix(text, e.Host) {
		return text // a host has no capital letter
	}
	return chat.Capital(text)
}

// nothingDone says that what can be read of a broken answer was not carried out: only whole answers
// are. Without any of it there is nothing to say.
func (r *running) nothingDone() string {
	switch {
	case strings.TrimSpace(r.answer) == "":
		return ""
	case len(r.result.Outcomes()) > 0:
		return " Nothing more was done."
	}
	return " Nothing was done."
}
