package work

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/runner"
	"discoclaw/internal/sleep"
)

// A screen is the message that shows how work goes. Nothing of it can fail the work.
type screen struct {
	m     *Manager
	l     *live
	frame func(end string) string // what is shown with how the work ended; nil for nothing more

	mu    sync.Mutex
	text  string
	shown string
	wake  chan struct{}
	quit  chan struct{}
	over  sync.WaitGroup
}

const stopButton = "plan-stop:"

func (l *live) stopButton() []chat.Button {
	return []chat.Button{{ID: fmt.Sprint(stopButton, l.ID), Label: chat.StopLabel, Danger: true}}
}

// open posts the message of work, or finds the one that an earlier process has posted, and keeps it up to date until close.
func (m *Manager) open(ctx context.Context, l *live, text string, beat time.Duration) *screen {
	s := &screen{m: m, l: l, text: text, wake: make(chan struct{}, 1), quit: make(chan struct{})}
	if l.message == "" {
		id, err := m.posts(l).Post(ctx, "progress", l.At.Channel, chat.Outgoing{Text: s.full(), Buttons: l.stopButton()})
		if err == nil {
			err = m.Plans.Shown(ctx, l.Work, id)
		}
		if err != nil {
			m.Log.WarnContext(ctx, "cannot show the work on a plan", "plan", l.Plan, "err", err)
		}
		m.mu.Lock()
		l.message = id
		m.mu.Unlock()
		s.shown = s.full()
	} else {
		s.wake <- struct{}{}
	}
	s.over.Go(func() { s.keep(ctx, beat) })
	return s
}

// show changes what the message says. It returns at once.
func (s *screen) show(text string) {
	s.mu.Lock()
	s.text = text
	s.mu.Unlock()
	sleep.Wake(s.wake)
}

// full is the text, with how long the work has taken so far.
func (s *screen) full() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	took := s.m.Now().Sub(s.l.Began)
	if took < time.Minute {
		return s.text
	}
	return s.text + "\n-# " + chat.Counted(int(took.Minutes()), "minute", "minutes") + " so far"
}

// keep edits the message when there is something new, and now and then to show that work goes on.
func (s *screen) keep(ctx context.Context, beat time.Duration) {
	for {
		var tick <-chan time.Time
		if beat > 0 {
			tick = time.After(beat)
		}
		select {
		case <-s.quit:
			return
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-tick:
		}
		if text := s.full(); text != s.shown && s.l.message != "" {
			s.shown = text
			s.edit(ctx, chat.Outgoing{Text: text, Buttons: s.l.stopButton()})
		}
		select {
		case <-s.quit:
			return
		case <-time.After(s.m.Throttle):
		}
	}
}

func (s *screen) edit(ctx context.Context, o chat.Outgoing) error {
	err := s.m.Server.Edit(ctx, s.l.At.Channel, s.l.message, o)
	if err != nil && ctx.Err() == nil {
		s.m.Log.WarnContext(ctx, "cannot show the work on a plan", "plan", s.l.Plan, "message", s.l.message, "err", err)
	}
	return err
}

// close ends the message with a last text, which is empty if that is posted elsewhere. If it was deleted, the text is posted. An
// error means that this may work later.
func (s *screen) close(ctx context.Context, text string) error {
	ctx, cancel := writing(ctx)
	defer cancel()
	if s.quit != nil {
		close(s.quit)
		s.over.Wait()
	}
	isTold := text == ""
	if s.frame != nil {
		text = s.frame(text)
	}
	last := chat.Outgoing{Text: fitting(text), Buttons: []chat.Button{}}
	if s.l.message != "" {
		if err := s.edit(ctx, last); !chat.IsPermanent(err) {
			return err
		}
	}
	if isTold {
		return nil
	}
	last.Buttons = nil
	return s.m.say(ctx, s.l, "end", last)
}

// maxText is what fits into a message.
const maxText = 2000

func fitting(text string) string { return chat.Shorten(text, maxText) }

// block is text as a block of code: its last lines, as many as fit.
func block(text string, most int) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "```", "'''")
	for chat.Length(text) > most {
		_, rest, more := strings.Cut(text, "\n")
		if !more {
			text = chat.Shorten(text, most)
			break
		}
		text = rest
	}
	return "```\n" + text + "\n```"
}

// A view is what people see of a run: a line for each phase. All of it belongs to the goroutine of the run.
type view struct {
	head  string
	list  []phases.Phase
	lines map[string]string // what became of a phase in this run, by its ID
	now   string            // the phase that runs
	doing string            // in a few words
}

func newView(p plan.Plan) *view {
	v := &view{head: bold(p), list: p.Phases.Phases, lines: map[string]string{}, doing: "starting"}
	for _, ph := range v.list {
		if ph.Status == phases.Done && ph.GitCommit != "" { // by an earlier run
			v.lines[ph.ID] = commit(ph)
		}
	}
	return v
}

// commit is the commit of a phase as people read it.
func commit(p phases.Phase) string { return chat.InCode(p.GitCommit[:min(len(p.GitCommit), 7)]) }

var marks = map[phases.Status]string{phases.Done: "✅", phases.Failed: "❌", phases.Skipped: "➖", phases.InProgress: "⏳", phases.Pending: "▫️"}

// hear takes over what the runner tells.
func (v *view) hear(e runner.Event) {
	switch e := e.(type) {
	case runner.PhaseBegan:
		v.now, v.doing = e.Phase.ID, fmt.Sprintf("phase %d of %d", e.N, e.Of)
		v.set(e.Phase)
		delete(v.lines, "")
		v.lines[v.now] = "at work"
		if e.Phase.Kind != phases.Implement {
			v.lines[v.now] = "reading"
		}
	case runner.Verifying:
		if v.lines[v.now] = "checking with " + chat.InCode(e.Command); v.now == "" {
			v.lines[v.now] = "First I check the project as it is, with " + chat.InCode(e.Command) + " …"
		}
	case runner.Verified:
		v.lines[v.now] = e.Line
	case runner.Fixing:
		v.lines[v.now] = fmt.Sprintf("mending, attempt %d of %d", e.Attempt, e.Of)
	case runner.Auditing:
		v.lines[v.now] = "auditing"
	case runner.PhaseEnded:
		v.set(e.Phase)
		v.lines[e.Phase.ID] = ended(e) + v.beyond(e.Phase)
		v.now = ""
	}
}

// ended is the line of a phase that is over: what it changed, how that was checked, and where it is.
func ended(e runner.PhaseEnded) string {
	var parts []string
	done := e.Phase.Status == phases.Done
	if done && e.Phase.Kind == phases.Audit {
		parts = append(parts, "passed")
	}
	switch files := e.Phase.ModifiedFiles; {
	case len(files) > 0:
		parts = append(parts, "changed "+chat.FirstOf(files, 3, chat.InCode))
	case done && e.Phase.Kind == phases.Implement: // elsewhere, that is nothing to speak of
		parts = append(parts, "nothing had to change")
	}
	if e.Verified != "" {
		parts = append(parts, e.Verified)
	}
	if e.Phase.GitCommit != "" {
		parts = append(parts, commit(e.Phase))
	}
	return strings.Join(parts, "; ")
}

// beyond names files that a phase has changed and no phase of the plan is about: people have not read of them before.
func (v *view) beyond(p phases.Phase) string {
	var files []string
	for _, f := range p.ModifiedFiles {
		if !slices.ContainsFunc(v.list, func(other phases.Phase) bool { return slices.Contains(other.ContextFiles, f) }) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return ""
	}
	return "; beyond the plan: " + chat.FirstOf(files, 5, chat.InCode)
}

func (v *view) set(p phases.Phase) {
	if i := phases.Index(v.list, p.ID); i >= 0 {
		v.list = append(append(append([]phases.Phase{}, v.list[:i]...), p), v.list[i+1:]...)
	}
}

// String is the message: the head, and a line for each phase. If there are too many, the first and the last ones are left out.
func (v *view) String() string {
	text := v.head + "\n" + v.phaseLines(maxText-chat.Length(v.head)-200)
	if first := v.lines[""]; first != "" && v.now == "" {
		text += "\n" + chat.Clip(first, 150)
	}
	return text
}

// ended is the message at the end.
func (v *view) ended(end string) string {
	return strings.TrimSuffix(v.head+"\n"+v.phaseLines(maxText-chat.Length(v.head)-chat.Length(end)-40)+"\n"+end, "\n")
}

func (v *view) phaseLines(room int) string {
	lines, at := []string{}, 0
	for i, p := range v.list {
		if p.ID == v.now || p.Status.Terminal() {
			at = i
		}
		line := fmt.Sprintf("%s %s. %s", marks[p.Status], strings.TrimPrefix(p.ID, "phase-"), chat.Literal(chat.Clip(p.Title, 100)))
		if more := v.lines[p.ID]; more != "" {
			line += ": " + more
		}
		lines = append(lines, line)
	}
	from, to := 0, len(lines)
	for from < to && chat.Length(strings.Join(lines[from:to], "\n")) > room {
		if at-from > to-1-at {
			from++
		} else {
			to--
		}
	}
	shown := lines[from:to]
	if hidden := len(lines) - len(shown); hidden > 0 {
		shown = append([]string{fmt.Sprintf("-# and %s more", chat.Counted(hidden, "phase", "phases"))}, shown...)
	}
	return strings.Join(shown, "\n")
}
