package turn

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn/render"
	"discoclaw/internal/turn/stream"
)

// A Runner runs turns. It is safe for concurrent use.
type Runner struct {
	Runtime    llm.Runtime // which is asked
	Dispatcher *actions.Dispatcher
	Preview    stream.Options
	Log        *slog.Logger

	// Remember opens the ledger of a turn.
	Remember OpenLedger
	// Operates reports whether a user is an operator where they ask, who reads what to change. Nil means that there
	// are none.
	Operates func(ctx context.Context, who chat.UserID, g chat.GuildID) bool

	// Clean returns what people read of an answer's text, in all turns. Nil leaves it.
	Clean func(string) string
}

// OpenLedger opens the ledger of a turn. If it is nil, turns cannot be resumed.
type OpenLedger func(ctx context.Context, turn chat.TurnID) (Ledger, error)

// Run runs a turn, or resumes it where an earlier process was interrupted. When it
// returns, the reader has the answer or was told what went wrong, unless the error says
// that nothing could be delivered.
func (r *Runner) Run(ctx context.Context, t Turn) (Result, error) {
	ledger, err := r.remember(ctx, t.Origin.Turn)
	if err != nil {
		return Result{}, errors.Join(ErrNoReply, err)
	}
	run := &running{Runner: r, Turn: t, ledger: ledger, parser: t.Dialects.Parser(t.Gate)}
	if run.Handles == nil {
		run.Handles = &chat.Handles{}
	}
	if run.Outside == nil {
		run.Outside = new(chat.Reading)
	}
	run.restoreHandles()
	err = actions.Rounds(ctx, t.FollowUps, run.round)
	if run.unfinished != nil { // it was cancelled between a look-up and its answer
		err = run.giveUp(ctx, run.unfinished, "", err)
	}
	run.result.Outside = run.Outside.In(run.result.Text)
	for _, o := range run.result.Outcomes() { // the history has what was asked for beside the text
		for _, passage := range o.Request.Passages() {
			run.result.Outside.Add(run.Outside.In(passage))
		}
	}
	run.result.Capsule.Outside = run.Outside.In(run.result.Capsule.Text)
	return run.result, err
}

// running is the state of a turn in Run.
type running struct {
	*Runner
	Turn
	ledger  Ledger
	parser  *dialect.Parser
	req     llm.Request
	key     string          // of the reply
	label   string          // the placeholder's text
	answer  string          // the model's latest, unparsed
	calls   []llm.ToolCall  // that came with it
	control dialect.Control // what it says about its own delivery
	words   string          // what people read of it, without lines and notices about actions
	result  Result

	receipt  chat.Receipt      // of the latest answer
	pictures pictures          // that came with the latest answer
	emptied  bool              // the latest answer had words, of which nothing is for people
	repaired bool              // a round was to mend an earlier one
	owed     bool              // something was withheld, which the next answer in words stands for
	searched bool              // among it are results of a search that the model asked for instead of an answer
	unsaid   []actions.Outcome // of answers that were withheld
	unmended []string          // notices about what a follow-up may still mend; posted if it does not
	noticed  bool              // the latest answer has notices of its own
	said     string            // the latest answer's text, without lines and notices
	failures []string          // the lines below earlier answers
	silent   bool              // the latest answer is not posted, because it asks for that
	switched bool              // another model answered the latest round than the one that was asked
	acted    bool              // the turn may have changed something

	failedAgain bool // the latest answer says nothing but what an earlier one says: the same failures

	unfinished Reply  // of the latest answer, if the next one replaces it there
	bare       string // the latest answer's words and what was looked up before, without what came of its own actions
}

// round asks the model once, executes its actions and delivers its answer.
func (r *running) round(ctx context.Context, n int, why actions.Reason, came actions.Round) (actions.Round, error) {
	r.label, r.receipt, r.failedAgain = label(n, why), chat.Receipt{}, false
	if n == 0 && r.Label != "" {
		r.label = r.Label
	}
	r.repaired = r.repaired || why == actions.Repair
	reply, err := r.open(ctx, n)
	if err != nil {
		return actions.Round{}, errors.Join(ErrNoReply, err)
	}
	text, round, err := r.produce(ctx, n, why, came, reply)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.unfinished = nil
		return round, r.giveUp(ctx, reply, text, err)
	}
	if r.unfinished != nil {
		return round, nil
	}
	if err := r.deliver(ctx, reply, n, text, round); err != nil {
		return round, err
	}
	if err := r.noteDelivery(ctx, reply, n, round); err != nil {
		return round, err
	}
	return round, r.stoppedBetween(ctx, n, round)
}

// produce returns the text of an answer after executing its actions. With an error, the
// text is what there is so far. A panic becomes an error, so that no placeholder is left
// behind.
func (r *running) produce(ctx context.Context, n int, why actions.Reason, came actions.Round, reply Reply) (text string,
	round actions.Round, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &actions.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	if err := r.prepare(ctx, n, why, came); err != nil {
		return "", round, err
	}
	if r.answer, err = r.modelAnswer(ctx, n, reply); err != nil {
		return r.visible(r.answer), round, err
	}
	parsed := r.parse()
	r.control, r.result.Control = parsed.Control, r.heeded(ctx, parsed.Control)
	r.result.Capsule.Text = cmp.Or(parsed.Capsule, r.result.Capsule.Text)
	round = r.act(ctx, n, why, came, reply, parsed)
	if mends(why, round) {
		r.unmended = nil
	}
	r.unsaid = slices.DeleteFunc(r.unsaid, round.Mends)
	looksUp := round.LooksUp() // before a voice note that cannot be spoken becomes words for people
	body := readOut(r.clean(parsed.Text), parsed.Requests, &round)
	r.result.Rounds[len(r.result.Rounds)-1].Round = round
	if r.Shape != nil {
		words := body
		body = r.Shape(body)
		looksUp = looksUp && (body != "" || words == "") // otherwise they went elsewhere
	}
	if r.owed && !r.searched && idle(round) && !r.pictures.any() && (isPass(body) || isAcknowledgement(body)) {
		body = "" // what was withheld says more
	}
	r.words, r.emptied = body, body == "" && parsed.Capsule == "" && strings.TrimSpace(r.answer) != ""
	if err := r.ledger.Err(); err != nil {
		return body, round, err // the resumed turn reports the outcomes
	}
	r.silent = r.silences(round)
	switch {
	case r.silent:
		return "", round, nil
	case r.withholds(n, round):
		return r.withhold(ctx, n, round), round, nil
	case looksUp && r.givesWay(n, round):
		return "", r.giveWay(ctx, n, round, reply), nil
	}
	body = r.quoted(body)
	for _, text := range actions.Replies(round.Outcomes) {
		if !strings.Contains(body, strings.TrimSpace(text)) {
			body = render.Report(body, nil, []string{text})
		}
	}
	return r.report(body, r.lines(ctx, n, round), r.notices(ctx, n, round)), round, nil
}

// report is the text of an answer. If nothing came of it but failures that stand below an earlier answer, they are not told again,
// unless new words would be read without them as a claim of success.
func (r *running) report(body string, lines, notices []string) string {
	fresh := func(line string) bool {
		return !strings.HasPrefix(line, "Failed: ") || !slices.Contains(r.failures, line)
	}
	again := len(lines) > 0 && len(notices) == 0 && !slices.ContainsFunc(lines, fresh)
	r.failedAgain = again && (body == "" || body == r.said)
	r.said, r.noticed = body, len(notices) > 0
	r.failures = append(r.failures, lines...)
	if r.failedAgain {
		return ""
	}
	return render.Report(body, lines, notices)
}

// unmendedBeside are the notices that are posted below an answer in words, which may repeat a false claim.
func (r *running) unmendedBeside(n int, round actions.Round) []string {
	if r.noticed || r.goesOn(n, round) {
		return nil
	}
	return r.unmended
}

// visible is what people may read of an answer that grows.
func (r *running) visible(text string) string { return r.clean(r.parser.Visible(text)) }

func (r *running) clean(text string) string {
	if r.Clean == nil {
		return text
	}
	return r.Clean(text)
}

// goesOn reports whether the model is asked again after round n.
func (r *running) goesOn(n int, round actions.Round) bool {
	return actions.Due(n, r.FollowUps, round, r.repaired) != actions.NoFollowUp
}

// notices are the lines about what was not done, without those that are left to the follow-up. Whether they are for an operator
// may take a request to find out, so that is asked only if there are any.
func (r *running) notices(ctx context.Context, n int, round actions.Round) []string {
	operator := false
	lines := r.Gate.Notices(round, true, operator)
	if len(lines) > 0 && r.operates(ctx) {
		operator = true
		lines = r.Gate.Notices(round, true, operator)
	}
	if r.goesOn(n, round) {
		now := r.Gate.Notices(round, false, operator)
		r.owe(lines[len(now):])
		lines = now
	}
	if r.result.Control.Stop {
		lines = append(lines, r.MuteNotice)
	}
	return lines
}

// owe adds notices to those that are posted unless a later round stands for them.
func (r *running) owe(notices []string) {
	for _, line := range notices {
		if !slices.Contains(r.unmended, line) {
			r.unmended = append(r.unmended, line)
		}
	}
}

// mends reports whether a follow-up has carried out something new, as what had gone wrong before. A look-up counts
// only where the model was asked for nothing but a repair: beside other results, it mends nothing.
func mends(why actions.Reason, round actions.Round) bool {
	return slices.ContainsFunc(round.Outcomes, func(o actions.Outcome) bool {
		query := o.Found() || o.Action != nil && o.Action.Effect == actions.Queries
		return o.Err == nil && !o.Repeated && (!query || why == actions.Repair)
	})
}

// operates reports whether the requester is an operator.
func (r *running) operates(ctx context.Context) bool {
	return r.Operates != nil && r.Operates(ctx, r.Origin.Requester, r.Origin.Place.Guild)
}

// lines are the Done and Failed lines of an answer. One in words has those of answers that were withheld, too.
func (r *running) lines(ctx context.Context, n int, round actions.Round) []string {
	outs := fresh(r.unsaid, round.Outcomes)
	var before []actions.Outcome
	if r.words != "" || r.pictures.any() {
		before, r.unsaid = r.unsaid, nil
		r.bare = render.Report(r.words, actions.Lines(slices.DeleteFunc(slices.Clone(before), isFailure)), nil)
	}
	if n < r.FollowUps && !round.Final {
		return actions.Lines(slices.Concat(before, outs))
	}
	return append(actions.Lines(before), r.found(ctx, outs)...)
}

// found are the lines of an answer after which the model is not asked again.
func (r *running) found(ctx context.Context, outs []actions.Outcome) []string {
	return actions.LastLines(outs, func(found actions.Result) bool { return r.known(ctx, found) })
}

// known reports whether everybody who reads the answer may know what was found.
func (r *running) known(ctx context.Context, found actions.Result) bool {
	return r.Dispatcher.Known(ctx, r.Origin, found)
}

// prepare builds the next request, unless the turn was cancelled.
func (r *running) prepare(ctx context.Context, n int, why actions.Reason, came actions.Round) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if n > 0 {
		// The model has described images and documents in its first answer.
		r.req, _ = r.Prompt.Next(r.req, r.answered(), why, came, n >= r.FollowUps).WithoutFiles("")
		return nil
	}
	var err error
	if r.req, err = r.Prompt.First(ctx); err != nil {
		return err
	}
	r.req.Runtime, r.req.Model, r.result.Model = r.Model.Runtime, r.Model.Model, r.Model
	r.req.Payer = llm.Payer{User: string(r.Origin.Requester), Channel: string(r.Origin.Place.Channel), Job: r.Job,
		Turn: string(r.Origin.Turn), Role: r.Role}
	return nil
}

// maxAnswer bounds one answer in bytes: a model that repeats itself does not stop by
// itself.
const maxAnswer = 512 << 10

// streamAnswer asks the model, previews its answer as it grows, and returns it. With an
// error it returns the text so far.
func (r *running) streamAnswer(ctx context.Context, reply Reply) (string, error) {
	preview := r.Preview
	preview.Waiting, preview.Visible = r.label, r.visible
	editor := stream.Start(ctx, reply.Preview, preview)
	defer editor.Stop()
	r.result.Rounds = append(r.result.Rounds, Round{Prompt: r.req.Sections})
	heard := &r.result.Rounds[len(r.result.Rounds)-1]
	r.req.Workspace = r.workspace(ctx)
	if r.req.Workspace.Level.Allows(llm.ToolsWrite) {
		r.acted = true
		// A program may change something before it says so.
		if err := r.commit(); err != nil {
			return "", err
		}
	}
	var text strings.Builder
	r.pictures, r.calls = pictures{}, nil
	defer func() { heard.Answer = text.Len() + len(r.callsText()) }()
	for event, err := range r.Runtime.Invoke(ctx, r.req) {
		if err != nil {
			return text.String(), err
		}
		switch e := event.(type) {
		case llm.TextDelta:
			text.WriteString(e.Text)
			if text.Len() > maxAnswer {
				return text.String(), errTooMuch
			}
			editor.Text(text.String())
			if r.Grows != nil {
				r.Grows(r.visible(text.String()))
			}
		case llm.ToolCall:
			if err := r.addCall(e); err != nil {
				return text.String(), err
			}
			editor.Event()
		case llm.ToolsDropped:
			heard.Prompt = r.req.WithoutTools().Sections
		case llm.Usage:
			heard.Usage.Add(e)
			editor.Event()
		case llm.Charged:
			heard.By = sum(heard.By, e)
		case llm.Image:
			r.pictures.add(e)
			editor.Event()
		case llm.ToolStart:
			if e.Changes {
				r.acted = true
				if err := r.commit(); err != nil {
					return text.String(), err
				}
			}
			editor.ToolStart(e.Name, e.About)
		case llm.ToolEnd:
			r.Outside.Add(chat.Sources(e.Outside))
			editor.ToolEnd(e.Name)
		case llm.Queued:
			editor.Waits()
		case llm.Switched:
			r.result.Model, r.switched = e.To, true
			r.req.Runtime, r.req.Model = e.To.Runtime, e.To.Model // also for what follows
			editor.Event()
		case llm.Thinking:
			editor.Event()
		}
	}
	return text.String(), context.Cause(ctx)
}

// commit returns an error if the turn may not have any effect, since it was steered. After nil it cannot be steered any more.
func (r *running) commit() error {
	if r.Commit == nil {
		return nil
	}
	return r.Commit()
}

// workspace returns what tools of the runtime may do in a round. Only operators change anything with them, and not in a
// turn that has read outside text: no card can show beforehand what such a tool does.
func (r *running) workspace(ctx context.Context) llm.Workspace {
	people := r.Origin.People()
	if len(people) == 0 || !r.Tools.Allows(llm.ToolsRead) {
		return llm.Workspace{}
	}
	w := llm.Workspace{Level: r.Tools, Trusted: r.Operates != nil, Tainted: r.Outside.All() != ""}
	for _, who := range people {
		w.Trusted = w.Trusted && r.Operates(ctx, who, r.Origin.Place.Guild)
	}
	if !w.Trusted || w.Tainted || r.Wish == nil { // a reaction, say, is no wish of theirs in words
		w.Level = llm.ToolsRead
	}
	return w
}

// sum adds the cost of a further call of the same answer.
func sum(a, b llm.Charged) llm.Charged {
	if a == (llm.Charged{}) {
		return b
	}
	return llm.Charged{By: b.By, USD: a.USD + b.USD, Known: a.Known && b.Known}
}

var errTooMuch = errors.New("the model does not come to an end")

// act executes the requests of an answer.
func (r *running) act(ctx context.Context, n int, why actions.Reason, came actions.Round, reply Reply,
	parsed dialect.Parsed) actions.Round {
	try, stripped := r.Gate.Split(parsed.Requests)
	try = dialect.Bind(r.Gate, r.Origin.Place, r.Gate.Linked(try, r.Handles))
	round := actions.Round{
		Stripped: append(stripped, parsed.Stripped...), Malformed: parsed.Malformed, Fenced: parsed.Fenced, Shown: parsed.Shown,
		Final: parsed.Control.Stop || parsed.Control.NoReply,
	}
	if len(try) == 0 {
		return round
	}
	// An action may archive the thread of the reply, which then cannot be edited. So the
	// text is shown before any action runs. In a resumed turn, the answer that replaces it may be there already.
	if _, answered := r.ledger.Answer(n + 1); !answered {
		_ = reply.Preview(ctx, r.meanwhile(parsed.Text, try))
	}
	round.Outcomes = r.execute(ctx, n, try, actions.IsRepair(why, came))
	return round
}

// execute runs requests. In a repair, what an earlier round has done is not done again: models
// repeat whole replies.
func (r *running) execute(ctx context.Context, n int, try []actions.Request, repair bool) []actions.Outcome {
	outs := make([]*actions.Outcome, len(try))
	if repair {
		outs = r.Dispatcher.Repeats(ctx, r.Origin, r.Gate, r.result.Outcomes(), try)
	}
	var fresh []actions.Request
	for i, req := range try {
		if outs[i] == nil {
			fresh = append(fresh, req)
		}
	}
	r.Origin.Outside = r.Outside.All()
	r.Origin.Wish = r.wish()
	ran := r.Dispatcher.Resume(ctx, r.Origin, r.Gate, fresh, r.ledger.Actions(n), r.changes())
	all := make([]actions.Outcome, 0, len(try))
	for _, o := range outs {
		if o == nil {
			o, ran = &ran[0], ran[1:]
			LogOutcome(ctx, r.Log, r.Origin, *o)
		}
		r.Outside.AddText(r.withoutOwn(o.Result.Found)+o.Result.Hint, o.Result.Outside)
		r.Origin.Private = r.Origin.Private || (o.Found() || o.Result.Hint != "") && !r.known(ctx, o.Result)
		r.acted = r.acted || o.Action != nil && o.Action.Effect != actions.Queries && !o.Found() && o.Lack == nil
		all = append(all, *o)
	}
	return all
}

// wish is what the asker's own words are, once something from outside was read.
func (r *running) wish() *actions.Wish {
	if r.Wish == nil || r.Outside.All() == "" {
		return nil
	}
	w := r.Wish().Without(r.Outside)
	if w != nil {
		w.Done, w.Unnamed = actions.DoneFor(r.result.Outcomes())
	}
	return w
}

// withoutOwn leaves the asker's own messages out of what a query has found, once: others may have written the same.
func (r *running) withoutOwn(found string) string {
	if r.Wish == nil || found == "" {
		return found
	}
	w := r.Wish()
	for _, own := range append([]string{w.Words}, w.Before()...) {
		for line := range strings.Lines(own) {
			found = strings.Replace(found, strings.TrimSpace(line), "", 1)
		}
	}
	return found
}

// changes is how many changes the turn has made, with those of the turns that it goes on with.
func (r *running) changes() int { return r.Changes + actions.Changes(r.result.Outcomes()) }

// LogOutcome logs the outcome of an action.
func LogOutcome(ctx context.Context, log *slog.Logger, from actions.Origin, o actions.Outcome) {
	var fault *actions.PanicError
	facts := factsOf(from, o)
	switch {
	case errors.As(o.Err, &fault):
		log.ErrorContext(ctx, "action panicked", "action", o.Request.Type, "err", fault.Details())
	case o.Err != nil:
		log.InfoContext(ctx, "action failed", facts...)
		// The reason may quote what a model or a person wrote.
		log.DebugContext(ctx, "action failed", append(facts, "err", chat.ForOperators(o.Err))...)
	case o.Pending != nil:
		log.InfoContext(ctx, "action waits for approval", facts...)
	default:
		log.InfoContext(ctx, "action done", facts...)
	}
}

// factsOf are the log attributes of an action.
func factsOf(from actions.Origin, o actions.Outcome) []any {
	name := "unknown"
	if o.Action != nil {
		name = o.Action.Name
	}
	return []any{"action", name, "dialect", o.Request.Dialect, "message", from.Place.Message, "user", from.Requester, "took", o.Took.Round(time.Millisecond)}
}
