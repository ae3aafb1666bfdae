package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/status"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

// cronSource is the source of the runs of scheduled jobs. A run is claimed when it begins: until then it is stored by the
// cron engine, and from then on by the inbox. It waits for no conversation, only for other runs of its job.
type cronSource struct {
	*deps
	in          *pipeline.Entry[cron.Fire]
	jobs        *cron.Engine
	modelOf     func(own string) (llm.Choice, error)
	peopleFlags actions.CategoryFlags
}

func openCrons(d *deps, o Options) *cronSource {
	s := &cronSource{deps: d, jobs: o.Jobs, modelOf: o.CronModel, peopleFlags: o.PeopleFlags}
	s.in = pipeline.Open(d.pipe, pipeline.Source[cron.Fire]{
		Kind:    inbox.Cron,
		Way:     func(pipeline.Event[cron.Fire]) *access.Way { return access.ByCron },
		Key:     s.key,
		Queue:   func(fire cron.Fire) chat.ChannelID { return cronQueue(fire.Job) },
		Claim:   s.claim,
		Expired: s.expired,
		Notices: s.dropped,
		Dropped: func(ctx context.Context, e pipeline.Event[cron.Fire], why pipeline.Reason) {
			s.record(ctx, cron.Outcome{Fire: e.Body, Status: cron.Failed, Error: string(why)})
		},
		Turn:   s.turn,
		Ending: s.ending,
		Over:   s.over,
	})
	return s
}

// cronQueue is the conversation of a job's runs.
func cronQueue(job string) chat.ChannelID { return chat.ChannelID("cron/" + job) }

func (s *cronSource) key(f cron.Fire) pipeline.Key {
	by := s.users.remember(chat.User{ID: f.Author})
	return pipeline.Key{ID: inbox.EventID(f.ID()), Place: chat.Place{Guild: f.Guild, Channel: f.Channel}, By: by}
}

// Due handles a run that is due. It does not block.
func (s *cronSource) Due(ctx context.Context, f cron.Fire) {
	s.log.InfoContext(ctx, "scheduled job is due", "job", f.Job, "why", f.Why, "slot", f.Slot, "channel", f.Channel, "user", f.Author)
	s.in.Tell(ctx, f, pipeline.Live)
}

// Stop cancels the running run of a job, and reports whether there was one.
func (s *cronSource) Stop(job string, by chat.UserID) bool {
	return s.pipe.StopIn(cronQueue(job), by)
}

// claim moves a run from the cron engine into the inbox, in one transaction.
func (s *cronSource) claim(ctx context.Context, e pipeline.Event[cron.Fire], row inbox.Event) bool {
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	ours, err := s.jobs.Claim(ctx, e.Body, s.inbox.Entry(row))
	switch {
	case err != nil: // the engine calls Due again
		s.log.ErrorContext(ctx, "cannot claim a run of a scheduled job", "job", e.Body.Job, "err", err)
	case !ours:
		s.log.InfoContext(ctx, "a run of a scheduled job is not due any more", "job", e.Body.Job)
	}
	return ours
}

// cronPatience is for how long a run is resumed and retried.
const cronPatience = 6 * time.Hour

// expired drops a run that was claimed long ago, or that has used up its attempts.
func (s *cronSource) expired(_ context.Context, e pipeline.Event[cron.Fire], answered bool) (pipeline.Reason, error) {
	return givenUp(e, time.Since(e.Accepted) > cronPatience, answered), nil
}

// dropped returns the notices about a dropped run.
func (s *cronSource) dropped(e pipeline.Event[cron.Fire], why pipeline.Reason) pipeline.DropNotices {
	f := e.Body
	return pipeline.DropNotices{
		Text:   fmt.Sprintf("⚠️ The scheduled job %s, due %s, was not finished: %s. Please check how far it got.", chat.Bold(f.Name), chat.Clock(f.Slot), why),
		Report: fmt.Sprintf("The scheduled job %s (%s), due %s in <#%s>, was not finished: %s.", chat.Bold(f.Name), f.Job, chat.Clock(f.Slot), f.Channel, why),
	}
}

// A cronRun is a run with what is gathered for its turn, and what its answers contain besides text.
type cronRun struct {
	cron.Fire
	now     time.Time // when it began
	job     cron.Job
	turn    chat.TurnID
	origin  actions.Origin
	by      chat.User
	model   llm.Choice
	setting prompt.Setting
	read    *chat.Reading

	state  json.RawMessage // what the last answer keeps; nil for nothing
	bad    bool            // the last answer has a state that cannot be kept
	shaped bool            // the answer in hand is whole
	routes []cron.Route    // of the answer in hand
}

func (s *cronSource) turn(ctx context.Context, r pipeline.Run[cron.Fire]) (chat.Message, turn.Turn, error) {
	run := &cronRun{Fire: r.Last().Body, now: s.now(), turn: r.Turn, read: new(chat.Reading)}
	if err := s.prepare(ctx, run, r.Last()); err != nil {
		return chat.Message{}, turn.Turn{}, err
	}
	r.Keep(run)
	state := run.StateOf(run.job)
	fill, given, err := s.called(ctx, run)
	if err != nil {
		return chat.Message{}, turn.Turn{}, err
	}
	plain := cron.Fill(run.job.Prompt, run.job.ChannelName, run.Channel, state)
	harmless := json.RawMessage(dialect.Defuse(string(state)))
	words := cron.Fill(run.job.Prompt, dialect.Defuse(run.job.ChannelName), run.Channel, harmless, fill...)
	if run.job.Outside != "" { // others may have led to its words
		words = dialect.Defuse(words)
	}
	if run.job.Routes { // its answer is JSON of another kind
		run.setting.Dialects = run.setting.Dialects.Without(dialect.EnvelopeName)
	}
	p := prompt.Cron{
		Setting: run.setting, Name: run.job.Name, When: run.when(), ChannelN: run.job.ChannelName, By: run.by, Why: run.reason(),
		Late: run.late(), Missed: run.Missed, Routes: run.job.Routes, Silent: run.job.Silent,
		State: state, Keeps: strings.Contains(run.job.Prompt, "{{state}}"), Words: words, Hint: plain, Given: given,
	}
	return chat.Message{Place: run.origin.Place, Author: run.by, Text: plain}, turn.Turn{
		Origin: run.origin,
		Gate:   run.setting.Gate, Dialects: run.setting.Dialects,
		Prompt: p,
		Venue:  cronVenue{s.server.Venue(reply.Options{Place: run.origin.Place, Turn: r.Turn, For: run.origin.Requester}), s, run},
		Remark: run.remark(), Shape: run.shape,
		Model: run.model, Role: string(roles.CronExec), Job: run.Job, Tools: run.tools(
			r.Tools(s.tools)), FollowUps: s.followUps, Handles: run.setting.Handles, Outside: run.read,
		Wish: func() *actions.Wish { return &actions.Wish{Words: run.job.Wished()} }, AllowEmpty: true, Background: true,
	}, nil
}

// prepare loads the job and checks that it may run. A job whose people have lost what it needs is paused: it would fail each time.
func (s *cronSource) prepare(ctx context.Context, run *cronRun, e pipeline.Event[cron.Fire]) (err error) {
	if run.job, err = s.jobs.ByID(ctx, run.Job); err != nil {
		return err
	}
	j := run.job
	if e.Arrival == pipeline.Resumed && j.RestsSince(e.Accepted) {
		return turn.ErrStopped // pausing stops a run, also one that was interrupted
	}
	run.Channel, run.Name = j.Channel, j.Name
	run.read.Add(j.Outside)
	run.by = s.users.remember(chat.User{ID: j.Author})
	if err := s.check(ctx, run); err != nil {
		s.halt(ctx, run, err)
		return err
	}
	return context.Cause(ctx)
}

// May returns why a run of a job could not begin now. It leaves out the name of a channel that is gone, which not everybody may have seen.
func (s *cronSource) May(ctx context.Context, j cron.Job) error {
	j.ChannelName = ""
	return s.may(ctx, &cronRun{job: j})
}

// may checks that the people of a job still have what it needs, and completes the origin and the model of its run.
func (s *cronSource) may(ctx context.Context, run *cronRun) (err error) {
	j := run.job
	run.origin = actions.Origin{
		Flow: access.ByCron.Flow, Place: chat.Place{Guild: j.Guild, Channel: j.Channel},
		Requester: j.Author, Prompters: j.Prompters, Turn: run.turn, Granted: j.Allowed, Job: j.ID,
	}
	if sw := s.peopleFlags["crons"]; !sw.On {
		return fmt.Errorf("%s; %s", sw.Why, sw.Remedy)
	}
	if run.origin.Place, err = s.target(ctx, j.Guild, j.Channel, j.ChannelName); err != nil {
		return err
	}
	if err := s.stillServed(access.ByCron, run.origin); err != nil {
		return err
	}
	if err := s.mayWrite(ctx, run.origin); err != nil {
		return err
	}
	if err := s.follows(ctx, run); err != nil {
		return err
	}
	run.model, err = s.modelOf(j.Model)
	return err
}

func (s *cronSource) check(ctx context.Context, run *cronRun) (err error) {
	if err := s.may(ctx, run); err != nil {
		return err
	}
	gate := s.gate(run.origin, run.narrow)
	run.setting, err = s.gather.Gather(ctx, gather.Request{
		Origin: run.origin, By: run.origin.Requester, Gate: gate, Outside: run.read, Handles: &chat.Handles{},
	})
	if err != nil {
		s.log.WarnContext(ctx, "scheduled job goes without its context", "job", run.Job, "err", err)
	}
	return nil
}

// follows adds what the job before it in a chain has handed on, which bounds the run by the rights of its people as well. What they lack
// does not pause the job, which can run without them.
func (s *cronSource) follows(ctx context.Context, run *cronRun) error {
	if run.From == nil {
		return nil
	}
	run.read.Add(run.From.Outside)
	for _, who := range run.From.People.List() {
		run.origin.Prompters = chat.Union(who, run.origin.Prompters)
	}
	err := s.stillServed(access.ByCron, run.origin)
	if err == nil {
		err = s.mayWrite(ctx, run.origin)
	}
	if why := (lostError{}); errors.As(err, &why) {
		return fmt.Errorf("the job before it, %s, belongs to others: %w", run.From.Job, why.error)
	}
	return err
}

// narrow takes out what the job's list of actions does not name.
func (run *cronRun) narrow(_ string, a *actions.Action) (actions.Denial, string) {
	if run.job.Allowed == nil || slices.Contains(run.job.Allowed, a.Name) {
		return actions.Keep, ""
	}
	return actions.Strip, "this scheduled job may not do that (" + strings.ToLower(a.Summary[:1]) + strings.TrimSuffix(a.Summary[1:], ".") + ")"
}

// halt reports why a run cannot begin, unless that was the reason the last time, and pauses its job if that will not change by itself.
func (s *cronSource) halt(ctx context.Context, run *cronRun, why error) {
	if ctx.Err() != nil || pipeline.IsPassing(why) {
		return
	}
	what := fmt.Sprintf("The scheduled job %s (%s) in <#%s> was not run: %v.", chat.Bold(run.job.Name), run.Job, run.Channel, why)
	if errors.As(why, new(lostError)) {
		_, _, err := s.jobs.Update(ctx, run.job.Guild, run.Job, func(j *cron.Job) error {
			j.Paused = true
			return nil
		})
		if err == nil {
			what += " It is paused now; resume it when that has changed, or delete it."
		}
	}
	s.log.WarnContext(ctx, "cannot run a scheduled job", "job", run.Job, "err", why)
	if !run.job.FailedWith(why.Error()) {
		s.report(ctx, status.Runs, what)
	}
}

// when describes the schedule of a job.
func (run *cronRun) when() string {
	plan, zone := run.job.Plan()
	if plan.String() == "" {
		return ""
	}
	return plan.Words(time.Now().In(zone)) + " (" + zone.String() + ")"
}

// reason says what a run is due to, if not to its schedule.
func (run *cronRun) reason() string {
	switch run.Why {
	case cron.Manual:
		return "It runs now because " + run.By.Mention() + " asked for it."
	case cron.Chained:
		return "It runs now because the scheduled job " + run.From.Job + " was run before it."
	case cron.Webhook:
		_, zone := run.job.Plan()
		return "It runs now because its webhook was called at " + run.Slot.In(zone).Format("15:04 -07:00") + "."
	}
	return ""
}

// called returns what the webhook of a run was called with: as texts for the placeholders of the job's prompt, and what stands below it
// if that has no place for it. The run has read outside text from then on.
func (s *cronSource) called(ctx context.Context, run *cronRun) (fill []string, given string, err error) {
	switch {
	case run.job.Trigger != cron.ByWebhook && run.Why != cron.Webhook:
		return nil, "", nil
	case run.Why != cron.Webhook:
		return []string{"{{source}}", dialect.Defuse(run.job.Name), "{{body}}", "(nothing: its webhook was not called)"}, "", nil
	}
	run.read.Add(run.job.Source())
	body, err := s.jobs.Body(ctx, run.Fire)
	text := prompt.Called(body)
	if !strings.Contains(run.job.Prompt, "{{body}}") {
		given = text
	}
	return []string{"{{source}}", dialect.Defuse(run.job.Name), "{{body}}", text}, given, err
}

// tools returns the tools of a runtime for the run: none if another program began it, whose words could choose how they are used.
func (run *cronRun) tools(limit llm.ToolLevel) llm.ToolLevel {
	if run.Why == cron.Webhook {
		return llm.ToolsOff
	}
	return limit
}

// late returns how late a run is, or 0 if that is not worth telling.
func (run *cronRun) late() time.Duration {
	if run.Why != cron.Slot {
		return 0
	}
	return lateness(run.now.Sub(run.Slot))
}

// remark tells people that a run is late.
func (run *cronRun) remark() string {
	switch {
	case run.late() == 0:
		return ""
	case run.Missed > 1 && run.More:
		return fmt.Sprintf("-# Late: this was due %s, and it stands for many earlier runs that I missed.", chat.FromNow(run.Slot))
	case run.Missed > 1:
		return fmt.Sprintf("-# Late: this was due %s, and it stands for %s that I missed.", chat.FromNow(run.Slot), chat.Counted(run.Missed-1, "earlier run", "earlier runs"))
	}
	remark := "-# Late: this was due " + chat.FromNow(run.Slot) + "."
	if run.Left > 0 {
		count := chat.Counted(run.Left, "earlier run", "earlier runs")
		if run.Left == cron.MaxLeft {
			count += " or more"
		}
		remark += fmt.Sprintf(" I missed so many that I left out %s, from %s on.", count, chat.Clock(run.Since))
	}
	return remark
}

// shape takes the state out of an answer, and the messages that go elsewhere.
func (run *cronRun) shape(answer string) string {
	text, state, bad := cron.TakeState(answer)
	if state != nil {
		run.state = state
	}
	run.bad = bad
	run.shaped, run.routes = true, nil
	if strings.TrimSpace(text) == dialect.Silent {
		text = "" // the lines on what was done stay
	}
	if run.job.Routes {
		if routes, ok := cron.Routes(text); ok {
			run.routes, text = routes, ""
		}
	}
	return text
}

// ending records a run that has succeeded, and has the jobs run that follow it.
func (s *cronSource) ending(ctx context.Context, r pipeline.Run[cron.Fire], report turn.Report) error {
	run := r.Kept().(*cronRun)
	o := cron.Outcome{Fire: r.Last().Body, Status: cron.Success, State: run.state,
		People: chat.Union(run.origin.Requester, run.origin.Prompters), Outside: run.read.All()}
	o.Channel = run.Channel
	for _, round := range report.Rounds {
		o.Input, o.Output = o.Input+round.Usage.Input, o.Output+round.Usage.Output
	}
	if run.bad {
		s.log.WarnContext(ctx, "cannot keep the state of a scheduled job: it is not a JSON object, or too large", "job", o.Job)
	}
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	return s.jobs.Ended(ctx, o) // after an error the run is resumed, and ends here again
}

// over adds a run to the history, and records one that did not succeed.
func (s *cronSource) over(ctx context.Context, r pipeline.Run[cron.Fire], report turn.Report) {
	s.gather.Said(r.Last().Place, report.Origin.Requester, report.Result)
	f := r.Last().Body
	defer s.jobs.Wake() // another run of the job may wait for this one
	switch {
	case report.Requeued || report.Err == nil || errors.Is(report.Err, cron.ErrNotFound):
	case errors.Is(report.Err, turn.ErrStopped):
		s.record(ctx, cron.Outcome{Fire: f, Status: cron.Canceled, Error: turn.StoppedText(report.Err)})
	default:
		s.record(ctx, cron.Outcome{Fire: f, Status: cron.Failed, Error: reasonOf(report.Err)})
	}
}

// reasonOf returns the cause without the wrapping ErrNoReply.
func reasonOf(err error) string {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			if !errors.Is(err, turn.ErrNoReply) {
				return reasonOf(err)
			}
		}
	}
	return err.Error()
}

// record writes down how a run ended.
func (s *cronSource) record(ctx context.Context, o cron.Outcome) {
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	if err := s.jobs.Ended(ctx, o); err != nil {
		s.log.ErrorContext(ctx, "cannot record a run of a scheduled job", "job", o.Job, "err", err)
	}
}
