// Package work has models work on plans: [Manager] starts forging and running, shows in a channel how it goes, asks for approval,
// and goes on after a restart. It is the only place where such work begins and ends.
//
// What people see is no part of the work: a message that cannot be edited, or a channel that is gone, stops nothing.
package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/due"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/memory"
	"discoclaw/internal/order"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/runner"
	"discoclaw/internal/plan/worktree"
	"discoclaw/internal/sleep"
)

// A Server is where progress is shown.
type Server interface {
	Edit(ctx context.Context, ch chat.ChannelID, m chat.MessageID, o chat.Outgoing) error
	// Public reports whether everybody may read what is said in a place.
	Public(at chat.Place) bool
}

// Options are what a manager needs.
type Options struct {
	Plans *plan.Engine
	// Trees returns the worktrees, which need the data directory.
	Trees    func() (*worktree.Trees, error)
	Projects func(ctx context.Context, t *worktree.Trees) (worktree.Projects, error)
	// Level is what models may do anywhere. In the worktree of a plan they always write, and run commands only if it allows that.
	Level llm.ToolLevel
	// Off returns why a kind of work is switched off, and Barred why a person is not served in a place; empty if they are.
	Off    func(k plan.Kind) string
	Barred func(who chat.UserID, at chat.Place) string
	// Operates reports whether a person may have plans made and carried out on a server.
	Operates func(ctx context.Context, who chat.UserID, g chat.GuildID) bool
	Memory   *memory.Engine // remembers how work ended; nil for none

	Server Server
	Outbox *outbox.Outbox

	Rounds        int           // audits of a forge
	ForgeTime     time.Duration // of one question of a forge
	Files         int           // of one phase
	Fixes         int           // attempts to mend a phase; negative for none
	PhaseTime     time.Duration
	Throttle      time.Duration // between two edits of the progress
	Heartbeat     time.Duration // how often progress is shown though nothing changed; 0 for never
	AutoImplement bool
	NoRuns        bool // plans are not carried out

	Now func() time.Time
	Log *slog.Logger
}

// A Manager has models work on plans. It is safe for concurrent use.
type Manager struct {
	Options
	loop *due.Loop

	mu   sync.Mutex
	host Host            // of the latest Run
	base context.Context // of all work; nil while nothing may begin
	live map[int64]*live
	wg   sync.WaitGroup
}

// live is work that goes on in this process.
type live struct {
	plan.Work
	cancel  context.CancelCauseFunc
	title   string // of the plan, for people
	message chat.MessageID
	doing   string // for people who ask how it stands
}

// New returns a manager.
func New(o Options) *Manager {
	if !o.Level.Allows(llm.ToolsWrite) {
		o.Level = llm.ToolsWrite
	}
	m := &Manager{Options: o, loop: due.NewLoop("what is to be shown of plans", o.Now, o.Log), live: map[int64]*live{}}
	m.Plans.Changed = m.loop.Wake
	return m
}

// An Order is what a person, or a model on behalf of one, wants to be done.
type Order struct {
	Ref         string // of an existing plan; empty for a new one
	Description string // of a new plan
	Project     string // of a new plan, by its name; not needed if there is only one
	Context     string // what led to it
	Wish        string // what is to change in an existing plan
	Phase       string // the one phase to run
	One         bool   // run only the next phase
	Quiet       bool   // the end of a run is only shown with its progress
	Waits       bool   // a forged plan waits for an operator, whatever AutoImplement says

	At        chat.Place
	Requester chat.UserID
	Prompters chat.UserIDs
	Job       string
	Outside   chat.Sources
	Dedupe    string // names the request, so that it has its effect once; empty for none
}

// asked is what is stored of an order.
type asked struct {
	Description string `json:"description,omitempty"`
	Context     string `json:"context,omitempty"`
	Wish        string `json:"wish,omitempty"`
	Audit       bool   `json:"audit,omitempty"` // nothing but one audit
	Phase       string `json:"phase,omitempty"`
	One         bool   `json:"one,omitempty"`
	Quiet       bool   `json:"quiet,omitempty"`
	Waits       bool   `json:"waits,omitempty"`
}

// A Host is what work needs of the process that does it.
type Host struct {
	Ready  <-chan struct{}                        // closed once progress can be shown
	Model  func(w plan.Work) ask.Model            // returns the models for work, which is charged to its requester
	Report func(ctx context.Context, what string) // tells operators of a fault
}

// Run lets work begin until ctx ends, and then waits for it. What an earlier process has left goes on once the host is ready. Work that
// ends with ctx is not over: the next process goes on with it.
func (m *Manager) Run(ctx context.Context, h Host) {
	m.mu.Lock()
	m.base, m.host = ctx, h
	m.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-h.Ready:
		resumed := false
		m.loop.Run(ctx, func(ctx context.Context) (next time.Time, err error) {
			if !resumed {
				if err := m.resume(ctx); err != nil {
					return next, err
				}
				resumed = true
			}
			untold, err := m.catchUp(ctx)
			cards, failed := m.keepCards(ctx)
			return due.Sooner(untold, cards), errors.Join(err, failed)
		})
	}
	m.mu.Lock()
	m.base = nil
	m.mu.Unlock()
	m.wg.Wait()
}

// resume starts the unfinished work of an earlier process again.
func (m *Manager) resume(ctx context.Context) error {
	list, err := m.Plans.Unfinished(ctx)
	for _, w := range list {
		m.start(w)
	}
	return err
}

// catchUp posts how work ended if that could not be posted then: the process was killed before, or Discord did not answer. It returns
// when to try again; zero means never.
func (m *Manager) catchUp(ctx context.Context) (next time.Time, err error) {
	untold, err := m.Plans.Untold(ctx)
	for _, w := range untold {
		m.mu.Lock()
		tells := m.live[w.ID] != nil // itself
		m.mu.Unlock()
		if tells {
			continue
		}
		p, err := m.Plans.Find(ctx, w.At.Guild, string(w.Plan))
		if err != nil {
			m.Log.ErrorContext(ctx, "cannot tell how the work on a plan ended", "plan", w.Plan, "err", err)
			continue
		}
		l := &live{Work: w, message: w.Message, title: bold(p)}
		s := &screen{m: m, l: l}
		if w.Kind == plan.Running {
			s.frame = newView(p).ended
		}
		if !m.tellEnd(ctx, l, s, p, w.Said) {
			next = m.Now().Add(due.Poll)
		}
	}
	return next, err
}

// start has work done in the background, unless that is under way. While nothing may begin, it waits for the next process.
func (m *Manager) start(w plan.Work) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.base == nil || m.live[w.ID] != nil {
		return
	}
	ctx, cancel := context.WithCancelCause(m.base)
	l := &live{Work: w, cancel: cancel, message: w.Message, title: "the plan " + string(w.Plan)}
	m.live[w.ID] = l
	m.wg.Go(func() {
		defer func() {
			cancel(nil)
			m.mu.Lock()
			delete(m.live, w.ID)
			m.mu.Unlock()
			m.loop.Wake()
			if v := recover(); v != nil { // the next process tries again, a few times
				m.Log.ErrorContext(ctx, "work on a plan panicked", "plan", w.Plan, "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
				m.host.Report(ctx, fmt.Sprintf("⚠️ There is a fault inside the bot, which ended the work on %s; its log has the details.", w.Plan))
			}
		}()
		m.do(ctx, l)
	})
}

// maxAttempts is how often work is begun without coming further: it may be what ends the process.
const maxAttempts = 3

// afterAnswer is how long new work waits, so that the answer which announces it stands above what it posts.
const afterAnswer = time.Second / 2

// do does work until it is over, or the process ends.
func (m *Manager) do(ctx context.Context, l *live) {
	if l.Attempts == 0 {
		sleep.For(ctx, afterAnswer)
	}
	if _, byPerson := stopped(ctx); ctx.Err() != nil && !byPerson {
		return // the next process goes on
	}
	begin := context.WithoutCancel(ctx) // also work that was stopped already has to end
	n, err := m.Plans.Attempt(begin, l.Work)
	if err != nil {
		m.Log.ErrorContext(ctx, "cannot begin the work on a plan", "plan", l.Plan, "err", err)
		return // the next process tries again
	}
	p, err := m.Plans.Find(begin, l.At.Guild, string(l.Plan))
	switch l.title = bold(p); {
	case err != nil:
		l.title = "a plan"
	case n > maxAttempts:
		err = fmt.Errorf("it was interrupted %d times without coming further", maxAttempts)
	default:
		err = m.may(begin, l.Work)
	}
	if err != nil {
		m.giveUp(ctx, l, err)
		return
	}
	m.Log.InfoContext(ctx, "work on a plan begins", "plan", l.Plan, "kind", l.Kind, "attempt", n, "user", l.Requester)
	if l.Kind == plan.Forging {
		m.forge(ctx, l, p)
	} else {
		m.run(ctx, l, p)
	}
}

// load returns the plan before a further step of work, which may take hours: its people may have lost the right since it began.
func (m *Manager) load(ctx context.Context, l *live) (plan.Plan, error) {
	if err := m.may(ctx, l.Work); err != nil && ctx.Err() == nil {
		return plan.Plan{}, err
	}
	return m.Plans.Find(ctx, l.At.Guild, string(l.Plan))
}

// may returns why work must not begin, or go on with its next step: it is switched off, or its people are not served there any more, or do
// not operate the bot.
func (m *Manager) may(ctx context.Context, w plan.Work) error {
	if why := m.Off(w.Kind); why != "" {
		return errors.New(why)
	}
	for _, who := range chat.Union(w.Requester, w.Prompters).List() {
		if why := m.Barred(who, w.At); why != "" {
			return fmt.Errorf("I no longer answer %s there (%s)", who.Mention(), why)
		}
		if !m.Operates(ctx, who, w.At.Guild) {
			return fmt.Errorf("%s is no longer an operator", who.Mention())
		}
	}
	return nil
}

// giveUp ends work that cannot begin or go on.
func (m *Manager) giveUp(ctx context.Context, l *live, why error) {
	to := doc.Approved
	if l.Kind == plan.Forging {
		to = ""
	}
	m.finish(ctx, l, &screen{m: m, l: l}, plan.Ending{To: to, Outcome: "given up", Said: fmt.Sprintf("⚠️ The work on %s did not go on: %s.", l.title, sentence(why))})
}

// finish ends work, and tells people.
func (m *Manager) finish(ctx context.Context, l *live, s *screen, end plan.Ending) (plan.Plan, bool) {
	limited, cancel := writing(ctx)
	defer cancel()
	p, err := m.Plans.End(limited, l.Work, end)
	if err != nil {
		m.Log.ErrorContext(ctx, "cannot end the work on a plan", "plan", l.Plan, "err", err)
	}
	m.tellEnd(ctx, l, s, p, end.Said)
	return p, err == nil
}

// tellEnd posts how work ended, and removes the worktree of a plan that is done. Both can be done twice, so after a kill the next process
// calls it again. It returns false if Discord has not taken a post yet.
func (m *Manager) tellEnd(ctx context.Context, l *live, s *screen, p plan.Plan, said string) bool {
	var what asked
	_ = json.Unmarshal(l.Asked, &what) // what cannot be read did not ask for silence
	var err error
	if s.frame != nil && !what.Quiet && m.Now().Sub(l.Began) >= noticeAfter {
		err = errors.Join(s.close(ctx, ""), m.say(ctx, l, "notice", chat.Outgoing{Text: fitting(said), ReplyTo: l.message}))
	} else {
		err = s.close(ctx, said)
	}
	if l.Kind == plan.Running && p.Status == doc.Closed {
		m.tidy(ctx, p)
	}
	if err != nil {
		return false
	}
	ctx, cancel := writing(ctx)
	defer cancel()
	if err := m.Plans.Told(ctx, l.Work); err != nil {
		m.Log.WarnContext(ctx, "cannot note that people were told how the work on a plan ended", "plan", l.Plan, "err", err)
	}
	return true
}

// say posts how work ended. An error means that this may work later.
func (m *Manager) say(ctx context.Context, l *live, part string, o chat.Outgoing) error {
	ctx, cancel := writing(ctx)
	defer cancel()
	_, err := m.posts(l).Post(ctx, part, l.At.Channel, o)
	if err != nil {
		m.Log.WarnContext(ctx, "cannot tell how the work on a plan ended", "plan", l.Plan, "err", err)
	}
	if chat.IsPermanent(err) {
		return nil
	}
	return err
}

// learned offers the outcome of work to the memory of its requester, as an exchange.
func (m *Manager) learned(ctx context.Context, w plan.Work, what string) {
	if m.Memory == nil || w.Outside != "" {
		return
	}
	err := m.Memory.Learn(ctx, memory.Exchange{
		Turn: turnOf(w), Place: w.At, Person: w.Requester, Said: fmt.Sprintf("(asked for %s)", w.Plan),
		Answer: what, At: m.Now(), Public: m.Server.Public(w.At),
	})
	if err != nil {
		m.Log.WarnContext(ctx, "what came of a plan is not remembered", "plan", w.Plan, "err", err)
	}
}

// turnOf is the turn to which the messages and the costs of work belong.
func turnOf(w plan.Work) chat.TurnID { return chat.TurnID(fmt.Sprintf("plan-work/%d", w.ID)) }

// Models returns the models that work on plans, each call of which is charged to the requester of the work. Of asks the model of a role a
// single question.
func Models(of func(context.Context, roles.Role, string, llm.Request) (string, error)) func(plan.Work) ask.Model {
	return func(w plan.Work) ask.Model {
		return func(ctx context.Context, q ask.Question) (string, error) {
			return of(ctx, q.Role, q.Text, llm.Request{
				System:    q.System,
				Payer:     llm.Payer{User: string(w.Requester), Channel: string(w.At.Channel), Job: w.Job, Turn: string(turnOf(w))},
				Workspace: llm.Workspace{Level: q.Level, Root: q.Folder, Trusted: true},
			})
		}
	}
}

// writing returns a context in which the end of work is written although that was stopped.
func writing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
}

// stopped returns the person who has stopped work, if one has.
func stopped(ctx context.Context) (*runner.Stop, bool) {
	return errors.AsType[*runner.Stop](context.Cause(ctx))
}

// sentence is an error as people in a channel read it.
func sentence(err error) string {
	if fault, ok := errors.AsType[*llm.Error](err); ok {
		return fault.ForMembers()
	}
	return strings.TrimSuffix(err.Error(), ".")
}

// AllProjects returns what plans can change.
func (m *Manager) AllProjects(ctx context.Context) (worktree.Projects, error) {
	trees, err := m.Trees()
	if err != nil {
		return nil, err
	}
	return m.Projects(ctx, trees)
}

// forForge is project for what needs none until it is run: where none is set up, it is the zero one.
func (m *Manager) forForge(ctx context.Context, name string) (worktree.Project, error) {
	_, project, err := m.project(ctx, name)
	if name == "" && errors.Is(err, worktree.ErrNoProject) {
		err = nil
	}
	return project, err
}

// Runnable returns the project in which a plan can be run, or what is missing for that.
func (m *Manager) Runnable(ctx context.Context, p plan.Plan) (worktree.Project, error) {
	_, project, err := m.project(ctx, p.Project)
	switch {
	case m.NoRuns:
		err = ErrNoRuns
	case err == nil && project.Verify == "":
		err = worktree.ErrNoCommand
	}
	return project, err
}

// project finds the project of a plan, or of a new one if it names none.
func (m *Manager) project(ctx context.Context, name string) (*worktree.Trees, worktree.Project, error) {
	list, err := m.AllProjects(ctx)
	if err != nil {
		return nil, worktree.Project{}, err
	}
	p, err := list.Find(name)
	if err != nil {
		return nil, p, err
	}
	trees, err := m.Trees()
	return trees, p, err
}

// begin takes the lease for an order, and starts the work.
func (m *Manager) begin(ctx context.Context, o Order, id doc.ID, kind plan.Kind, what asked) (plan.Plan, error) {
	data, err := json.Marshal(what)
	if err != nil {
		return plan.Plan{}, err
	}
	w, p, isNew, err := m.Plans.Begin(ctx, plan.Work{
		Plan: id, Kind: kind, At: o.At, Requester: o.Requester, Prompters: o.Prompters, Job: o.Job, Outside: o.Outside,
		Asked: data, Dedupe: o.Dedupe,
	})
	if isNew && err == nil {
		m.start(w)
		m.loop.Wake() // cards show it
	} else if busy, ok := errors.AsType[*plan.BusyError](err); ok {
		m.start(busy.With) // it goes on anyway, unless its end could not be written
	}
	return p, err
}

// StopAll stops all work, and returns how much there was.
func (m *Manager) StopAll(by chat.UserID) int {
	return m.stop(by, func(*live) bool { return true })
}

// StopMessage stops the work whose progress a message shows.
func (m *Manager) StopMessage(id chat.MessageID, by chat.UserID) bool {
	return m.stop(by, func(l *live) bool { return l.message == id }) > 0
}

// Cancel stops the work on a plan, or with an empty ID all work of a kind on a server, and returns which plans that was about.
func (m *Manager) Cancel(g chat.GuildID, kind plan.Kind, id doc.ID, by chat.UserID) []doc.ID {
	var ids []doc.ID
	m.stop(by, func(l *live) bool {
		meant := l.At.Guild == g && l.Kind == kind && (id == "" || id == l.Plan)
		if meant {
			ids = append(ids, l.Plan)
		}
		return meant
	})
	return ids
}

func (m *Manager) stop(by chat.UserID, meant func(*live) bool) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.live {
		if meant(l) {
			l.cancel(&runner.Stop{By: by.Mention()})
			n++
		}
	}
	return n
}

// A Doing is work that goes on, and how it stands.
type Doing struct {
	plan.Work
	Doing string // in a few words
}

// Active returns the work that goes on on a server, the oldest first.
func (m *Manager) Active(g chat.GuildID) []Doing {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Doing
	for _, l := range m.live {
		if l.At.Guild == g {
			list = append(list, Doing{l.Work, l.doing})
		}
	}
	order.By(list, func(a, b Doing) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
