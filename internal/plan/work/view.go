package work

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/runner"
)

// A view is what people see of a run: a line for each phase. All of it belongs to the goroutine of the run.
type view struct {
	head  string
	list  []phases.Phase
	lines map[string]string // what became of a phase in this run, by its ID
	now   string            // the phase that runs
	doing string            // in a few words
}

func newView(p plan.Plan) *view {
	v := &view{head: fmt.Sprintf("**%s**: %s", p.ID, chat.Literal(p.Title)), list: p.Phases.Phases, lines: map[string]string{}, doing: "starting"}
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

// ended is the line of a phase that is over: how much it changed, how that was checked, and where it is.
func ended(e runner.PhaseEnded) string {
	var parts []string
	done := e.Phase.Status == phases.Done
	if done && e.Phase.Kind == phases.Audit {
		parts = append(parts, "passed")
	}
	if len(e.Phase.ModifiedFiles) > 0 || done && e.Phase.Kind == phases.Implement { // elsewhere, no changes are nothing to speak of
		parts = append(parts, e.Stat)
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
	const most = 5
	var names []string
	for _, f := range p.ModifiedFiles {
		if !slices.ContainsFunc(v.list, func(other phases.Phase) bool { return slices.Contains(other.ContextFiles, f) }) {
			names = append(names, chat.InCode(f))
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := "; beyond the plan: " + strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
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
	return v.head + "\n" + v.phaseLines(maxText-chat.Length(v.head)-chat.Length(end)-10) + "\n" + end
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
