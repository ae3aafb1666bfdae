package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// An Outcome is the result of a request.
type Outcome struct {
	Request Request
	Action  *Action // nil when the name is unknown
	Verdict Verdict
	Input   any // the action's own struct; nil if the request was not decoded
	Result  Result
	Pending *Pending // not nil for an action without approval; with an Err, approval could not be asked for
	Err     error    // nil if it succeeded or waits for approval
	Took    time.Duration

	Ignored  []string // fields of the request that the action does not have
	Lack     *Lack    // with an Err: the right that was missing, if that was all
	Approved bool     // it was approved
	Asked    bool     // it ran after outside text was read, since the asker's own words ask for it
	Repeated bool     // an earlier round of the turn has done it or asked for its approval, so it was not run again

	wanted  string // what the clean reader was told of it
	unnamed bool   // the words of the asker do not name all that it touches
	asked   bool   // it is held, and approval was asked for by an earlier process
}

// Done reports whether the action was carried out.
func (o Outcome) Done() bool { return o.Err == nil && o.Pending == nil }

// Line is the report of the outcome, for people. The names of fields would tell members nothing.
func (o Outcome) Line() string {
	if o.Misfit() {
		return "Failed: I got the details wrong, so that was not done; if I do not put it right below, please ask again"
	}
	return o.Detailed()
}

// Detailed is Line for those who run the bot.
func (o Outcome) Detailed() string {
	switch {
	case o.Misfit(): // in code, since it may quote whatever a model wrote
		return "Failed: I got the details wrong (" + chat.InCode(o.Err.Error()) + ")"
	case o.Err != nil && o.Action == nil:
		return "Failed: " + inCode(o.Request.Type) + ": " + chat.Visible(o.Err.Error())
	}
	return chat.Visible(o.report(""))
}

// Told is the report of the outcome for the model: with the type of a request that failed or
// waits, and with what a query found.
func (o Outcome) Told() string {
	switch {
	case o.Found():
		return done + chat.Visible(o.Result.Found)
	case o.Action == nil:
		return o.Detailed()
	case o.Err != nil && o.Result.Hint != "":
		return o.report(o.Action.Name+": ") + "\n" + chat.Visible(o.Result.Hint)
	case o.Err == nil && !o.waits() && o.Result.ID != "":
		return o.report("") + " (" + o.Result.ID + ")"
	}
	return o.report(o.Action.Name + ": ")
}

// report names the request, if a name is given, unless that was carried out.
func (o Outcome) report(name string) string {
	switch {
	case o.Err != nil:
		return "Failed: " + name + o.Err.Error()
	case o.waits():
		return "Asked: " + name + "not done yet; a person has been asked to approve it"
	case o.Repeated:
		return "Done before, and not repeated: " + o.Result.Summary
	}
	return done + o.Result.Summary
}

// Found reports whether it is a query that succeeded. An action that changes things if told to, and
// else shows them, is one then.
func (o Outcome) Found() bool { return o.Done() && o.Result.Found != "" }

// helped reports whether it only told the model how to do something.
func (o Outcome) helped() bool { return o.Done() && o.Action.Helps }

// waits reports whether approval was asked for.
func (o Outcome) waits() bool { return o.Pending != nil && o.Err == nil }

// silent reports whether the user gets no line. A held action has its card instead.
func (o Outcome) silent() bool {
	return o.Request.Quiet || o.Repeated || o.waits() || o.Done() && (o.Action.Quiet || o.Result.Seen)
}

// maxShown is how many characters of one result the user gets. A result may be a very long
// list; the model gets more of it.
const maxShown = 1800

// maxLast is how many characters of a result the user gets if it is shown itself. An answer that long becomes a file.
const maxLast = 50_000

// Lines are the Done and Failed lines that people see below the reply. Those of queries are one, which is small:
// the next answer of the model says what they found. That a model looked up how to do something is nothing for people.
func Lines(outs []Outcome) []string {
	outs = slices.DeleteFunc(slices.Clone(outs), Outcome.helped)
	return foldQueries(lines(outs, maxShown, func(o Outcome) string { return subtext + o.Line() }))
}

// queriesShown is how many queries the line about those of an answer names.
const queriesShown = 3

// foldQueries makes one line of those of queries, in the place of the first. It names the first few, and each that did the same only once.
func foldQueries(lines []string) []string {
	var kept, queries []string
	at := 0
	for _, line := range lines {
		query, ok := strings.CutPrefix(line, subtext+done)
		switch {
		case !ok:
			kept = append(kept, line)
		case len(queries) == 0:
			at, queries = len(kept), []string{chat.OneLine(query)}
		case !slices.Contains(queries, chat.OneLine(query)):
			queries = append(queries, chat.OneLine(query))
		}
	}
	if len(queries) == 0 {
		return lines
	}
	if more := len(queries) - queriesShown; more > 1 {
		queries = append(queries[:queriesShown], fmt.Sprintf("%d more look-ups", more))
	}
	return slices.Insert(kept, at, subtext+done+strings.Join(queries, "; "))
}

// LastLines are Lines for an answer after which the model is not asked again. So queries show what
// they found themselves, if everybody may know it who reads the answer.
func LastLines(outs []Outcome, known func(Result) bool) []string {
	return lines(outs, maxLast, func(o Outcome) string {
		switch {
		case o.helped():
			return subtext + "Not done: I have only looked up how to do it; please ask again"
		case known(o.Result):
			return o.Told()
		}
		return subtext + o.Line() + "; not shown here, because " + unshown(o.Result)
	})
}

const (
	subtext = "-# " // makes a line small and grey in Discord
	done    = "Done: "
)

// Failures are the lines of what failed, also of quiet requests.
func Failures(outs []Outcome) (lines []string) {
	for _, o := range outs {
		if o.Err != nil {
			lines = append(lines, chat.Cut(o.Line(), maxShown))
		}
	}
	return Fold(lines)
}

func lines(outs []Outcome, most int, found func(Outcome) string) []string {
	var lines []string
	for _, o := range outs {
		switch {
		case o.silent():
		case o.Found() && !o.Request.Settled: // no answer of the model says what a settled one found
			lines = append(lines, chat.Cut(found(o), most))
		default:
			lines = append(lines, chat.Cut(o.Line(), maxShown))
		}
	}
	return Fold(lines)
}

// Fold makes one line of equal failures, which says how many they are.
func Fold(lines []string) []string {
	count := map[string]int{}
	for _, line := range lines {
		count[line]++
	}
	var kept []string
	for _, line := range lines {
		n := count[line]
		if !strings.HasPrefix(line, "Failed: ") || n == 1 {
			kept = append(kept, line)
			continue
		}
		if count[line] = 0; n > 0 {
			kept = append(kept, fmt.Sprintf("%s; %d things were not done", line, n))
		}
	}
	return kept
}

// unshown says why not everybody may know what was found.
func unshown(r Result) string {
	switch len(r.From) {
	case 0:
		return "not every member may look that up"
	case 1:
		return "not everybody here may read that channel"
	}
	return "not everybody here may read all of these channels"
}

// AllLines has one line for every outcome, for the model.
func AllLines(outs []Outcome) []string {
	lines := make([]string, len(outs))
	for i, o := range outs {
		lines[i] = o.Told()
		if len(o.Ignored) > 0 && o.Action != nil {
			lines[i] += fmt.Sprintf(" (ignored: %s; %s)", strings.Join(o.Ignored, ", "), fieldNames(o.Action))
		}
	}
	return lines
}

func fieldNames(a *Action) string {
	var names []string
	for _, f := range a.Fields() {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return "it has no fields"
	}
	return "the fields are " + strings.Join(names, ", ")
}

// Replies are the texts of actions for the reader of the reply.
func Replies(outs []Outcome) []string {
	var texts []string
	for _, o := range outs {
		if o.Done() && o.Result.Reply != "" {
			texts = append(texts, o.Result.Reply)
		}
	}
	return texts
}

// A Round has the results of one reply.
type Round struct {
	Outcomes  []Outcome
	Stripped  []string
	Malformed []Malformed
	Fenced    bool // the reply was nothing but allowed blocks in code, which do not run
	Shown     bool // it had such blocks beside other words, and asked for nothing else
	Final     bool // the model wants no follow-up, whatever came of it
	Unposted  bool // people do not read its words, since the next reply replaces it
}

// LooksUp reports whether a reply did nothing but look things up.
func (r Round) LooksUp() bool {
	if r.Fenced || r.Shown || len(r.Outcomes) == 0 || len(r.Stripped)+len(r.Malformed) > 0 {
		return false
	}
	return !slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return !o.looksUp() })
}

// looksUp reports whether the request was to look something up, for the model alone, and has come to its end.
func (o Outcome) looksUp() bool {
	query := o.Found() || o.Action != nil && o.Action.Effect == Queries
	return query && o.Pending == nil && !o.Request.Settled && o.Result.Reply == ""
}

// Mends reports whether a request of an earlier reply, which was not tried because its fields did not fit, was made again, and fitted.
func (r Round) Mends(earlier Outcome) bool {
	again := func(o Outcome) bool { return o.Err == nil && o.Action == earlier.Action }
	return earlier.Misfit() && slices.ContainsFunc(r.Outcomes, again)
}

// A Reason says why there is a follow-up.
type Reason uint8

const (
	NoFollowUp Reason = iota
	Results           // a query succeeded
	Failure           // something failed
	Repair            // something was not carried out, or not as a whole, because of how it was written
)

// FollowUp reports whether the model should be asked again, and why. A request whose fields did
// not fit was never tried; like a block that cannot be read, was stripped or stands in code, it
// gets one chance of a repair.
func FollowUp(r Round) Reason {
	if r.Final {
		return NoFollowUp
	}
	found, failed := false, false
	repair := r.Fenced || len(r.Malformed)+len(r.Stripped) > 0
	for _, o := range r.Outcomes {
		repair = repair || !o.Repeated && len(o.Ignored) > 0
		switch {
		case o.waits() || o.Repeated:
		case o.Err == nil && o.Request.Settled:
		case o.Err == nil:
			found = found || o.Found() || o.Action != nil && o.Action.Effect == Queries
		case o.Request.Quiet || errors.Is(o.Err, ErrNotRun):
		case o.Misfit():
			repair = true
		default:
			failed = true
		}
	}
	switch {
	case failed:
		return Failure
	case found:
		return Results
	case repair:
		return Repair
	}
	return NoFollowUp
}

// IsRepair reports whether a follow-up is to mend something, or at least may be.
func IsRepair(why Reason, came Round) bool {
	return why == Failure || why == Repair || len(came.Malformed) > 0 || slices.ContainsFunc(came.Outcomes, Outcome.Misfit)
}

// Misfit reports whether the request was not tried, because its fields do not fit.
func (o Outcome) Misfit() bool { return errors.As(o.Err, new(*InputError)) }

// Repeats returns the outcomes of requests that are not run, because an earlier round of the turn
// has done the same or asked for its approval; it leaves the others nil. Queries run again: they
// may find something else.
func (d *Dispatcher) Repeats(ctx context.Context, o Origin, g Gate, earlier []Outcome, reqs []Request) []*Outcome {
	call := Call{Origin: o, channels: d.Channels, users: d.Users, roles: d.Roles}
	done := map[string]Outcome{}
	for _, o := range earlier {
		if o.Err == nil && o.Action != nil && o.Action.Effect != Queries && !o.Found() {
			done[call.meaning(ctx, o.Action, o.Request)] = Outcome{
				Action: o.Action, Verdict: o.Verdict, Input: o.Input, Pending: o.Pending, Repeated: true,
				Result: Result{Summary: o.Result.Summary, ID: o.Result.ID},
			}
		}
	}
	list := make([]*Outcome, len(reqs))
	for i, r := range reqs {
		action, _ := g.lookup(r.Type)
		if o, ok := done[call.meaning(ctx, action, r)]; ok {
			o.Request, list[i] = r, &o
		}
	}
	return list
}

// meaning is the same for requests that mean the same, however they are written: with a default, or the channel of the turn, left out
// or given; with a name or an ID; with blanks around a text. A request that does not fit its action is compared as it is written.
func (c Call) meaning(ctx context.Context, a *Action, r Request) (text string) {
	text = r.content()
	if a == nil {
		return text
	}
	defer recoverInto(new(error)) // the request meets the same fault when it runs, which is reported then
	b, err := a.Bind(r.Args)
	if err != nil {
		return text
	}
	b = b.withNamed(ctx, c)
	in := b.copied()
	if channels := refs[chat.ChannelRef](in); len(channels) > 0 && channels[0].String() == "" {
		where, _ := b.NeedsIn(ctx, c) // without one, the field stays empty
		channels[0].SetString(string(where))
	}
	if r, err = a.request(in.Interface()); err != nil {
		return text
	}
	r.Args = a.schema().Rewrite(r.Args, func(_ schema.Field, text string) string { return strings.TrimSpace(text) })
	return r.content()
}

// Due returns why there is a follow-up after round n, of at most extra follow-ups. A reply is sent back
// for repair once: a second attempt would not succeed either.
func Due(n, extra int, r Round, repaired bool) Reason {
	why := FollowUp(r)
	if n >= extra || why == Repair && repaired {
		return NoFollowUp
	}
	return why
}

// Rounds calls step, and again with its result while a follow-up is due, at most extra
// more times.
func Rounds(ctx context.Context, extra int, step func(ctx context.Context, n int, why Reason, prev Round) (Round, error)) error {
	var prev Round
	why, repaired := NoFollowUp, false
	for n := 0; ; n++ {
		cur, err := step(ctx, n, why, prev)
		if err != nil {
			return err
		}
		why, prev = Due(n, extra, cur, repaired), cur
		if why == NoFollowUp {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx) // a follow-up is due, which a resumed turn goes on with
		}
		repaired = repaired || why == Repair
	}
}
