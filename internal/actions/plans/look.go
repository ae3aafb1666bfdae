package plans

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/work"
)

// A List asks for plans.
type List struct {
	Status string `json:"status,omitempty" word:"text" doc:"Only those with a status: DRAFT, REVIEW, APPROVED, IMPLEMENTING, CANCELLED or CLOSED." max:"20"`
}

func (in List) check() error {
	_, err := in.status()
	return err
}

// status is that of the filter, or empty for all.
func (in List) status() (doc.Status, error) {
	text := strings.TrimSpace(in.Status)
	if text == "" || strings.EqualFold(text, "all") {
		return "", nil
	}
	s, known := doc.ParseStatus(text)
	if !known {
		return "", fmt.Errorf("%q is no status of a plan; there are DRAFT, REVIEW, APPROVED, IMPLEMENTING, CANCELLED and CLOSED", chat.Clip(chat.OneLine(text), 20))
	}
	return s, nil
}

func (c *Category) list() *actions.Action {
	return Define(actions.Spec[List]{
		Name:     "planList",
		Aliases:  []string{"LIST_PLANS"},
		Summary:  "List the plans of this server.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []List{{}, {Status: "review"}},
		Check:    List.check,
		Do:       c.doList,
	})
}

// maxListed is how many plans a list has; the newest count.
const maxListed = 50

func (c *Category) doList(ctx context.Context, call actions.Call, in List) (actions.Result, error) {
	g, err := call.Guild()
	if err != nil {
		return actions.Result{}, err
	}
	status, err := in.status()
	if err != nil {
		return actions.Result{}, err
	}
	list, err := c.work.Plans.List(ctx, g, status)
	if err != nil {
		return actions.Result{}, err
	}
	res := actions.Result{Summary: actions.Listed("listed", len(list), "plan", "plans")}
	var lines []string
	switch {
	case len(list) == 0 && status != "":
		lines = append(lines, "no plan is "+status.Words())
	case len(list) == 0:
		lines = append(lines, "there are no plans yet")
	default:
		lines = append(lines, chat.Counted(len(list), "plan", "plans")+":")
	}
	if hidden := len(list) - maxListed; hidden > 0 {
		lines = append(lines, fmt.Sprintf("… %d older ones, which a status narrows down", hidden))
		list = list[hidden:]
	}
	for _, p := range list {
		lines = append(lines, line(ctx, p))
		res.Outside.Add(told(ctx, p))
	}
	res.Found = strings.Join(lines, "\n")
	return res, nil
}

// Withheld reports whether the text of a plan must not be shown, because it is outside text and the answer is not marked.
func Withheld(ctx context.Context, p plan.Plan) bool {
	return p.Outside != "" && actions.IsUnmarked(ctx)
}

// told are the outside texts in what is shown of a plan.
func told(ctx context.Context, p plan.Plan) chat.Sources {
	if Withheld(ctx, p) {
		return ""
	}
	return p.Outside
}

// line is a plan in a list.
func line(ctx context.Context, p plan.Plan) string {
	title := quoted(p.Title)
	if Withheld(ctx, p) {
		title = "(from outside text)"
	}
	text := fmt.Sprintf("%s %s: %s", p.ID, title, p.Status.Words())
	if p.Divided() && p.Status != doc.Draft {
		text += ", " + p.Badge().Words()
	}
	if p.Project != "" {
		text += ", project " + chat.Literal(p.Project)
	}
	return text
}

func (c *Category) show() *actions.Action {
	return Define(actions.Spec[Which]{
		Name:     "planShow",
		Summary:  "Show what a plan is about, and how far it has come.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []Which{{PlanID: "plan-007"}},
		Names:    c.names,
		Do: func(ctx context.Context, call actions.Call, in Which) (actions.Result, error) {
			p, err := c.Find(ctx, call, in.PlanID)
			if err != nil {
				return actions.Result{}, err
			}
			res := actions.Result{Found: c.whole(ctx, p), Summary: "looked at " + string(p.ID)}
			if !actions.IsUnmarked(ctx) {
				res.Outside = work.Sources(p)
			}
			return res, nil
		},
	})
}

const (
	maxObjective = 1500
	maxPhases    = 1500
	maxVerdict   = 300
)

// whole is what there is to know of a plan before it is approved or run.
func (c *Category) whole(ctx context.Context, p plan.Plan) string {
	lines := []string{strings.Replace(line(ctx, p), string(p.ID), chat.Bold(string(p.ID)), 1),
		fmt.Sprintf("asked for by %s on %s; task %s; version %s", p.Author.Mention(), p.Created.Format(time.DateOnly), p.Task, p.Hash())}
	if p.Approved != "" && p.Decider != "" {
		lines = append(lines, "approved by "+p.Decider.Mention())
	}
	if _, err := c.work.Runnable(ctx, p); err != nil && p.Status != doc.Closed {
		lines = append(lines, "cannot be run now: "+err.Error())
	}
	if c.work.Plans.IsDropped(ctx, p) {
		lines = append(lines, "its task was closed")
	}
	if p.Outside != "" {
		lines = append(lines, "asked for after reading "+p.Outside.Phrase())
	}
	if Withheld(ctx, p) {
		return strings.Join(append(lines, "Its text is not shown here because of that. `/discoclaw plan` shows it to you alone."), "\n")
	}
	lines = append(lines, "file: "+chat.InCode(p.File)) // whose name has words of the title
	if objective, ok := p.Section(doc.Objective); ok {
		lines = append(lines, "objective: "+chat.Clip(objective, maxObjective))
	}
	if p.Project != "" {
		lines = append(lines, "changes: "+changes(p))
	}
	if v := p.LatestVerdict(); v != "" {
		lines = append(lines, "latest verdict: "+chat.Clip(v, maxVerdict))
	}
	if slices.ContainsFunc(p.Phases.Phases, func(ph phases.Phase) bool { return ph.GitCommit != "" }) {
		lines = append(lines, "branch of its commits: "+chat.InCode(p.Branch())+", neither merged nor pushed by me")
	}
	if p.Divided() {
		lines = append(lines, "phases:", phases.Rollup(p.Phases.Phases, maxPhases))
	}
	return strings.Join(lines, "\n")
}

// maxFiles is how many files of a plan are named.
const maxFiles = 40

// changes are the files that a plan would change.
func changes(p plan.Plan) string {
	list, err := p.Files()
	if err != nil {
		return "not known, so it cannot be run: " + err.Error()
	}
	return chat.FirstOf(list, maxFiles, chat.InCode)
}

// phaseFlags are the arguments of !plan phases.
type phaseFlags struct {
	ref            string
	anew, keepDone bool
}

func phaseFlagsOf(args string) (phaseFlags, error) {
	var f phaseFlags
	var refs []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(args, "—", "--")) { // phones make one of two
		switch {
		case word == "--regenerate":
			f.anew = true
		case word == "--keep-done":
			f.keepDone = true
		case strings.HasPrefix(word, "--"):
			return f, &commands.UsageError{Problem: "I know `--regenerate` and `--keep-done`.", Example: "!plan phases --regenerate --keep-done 7"}
		default:
			refs = append(refs, word)
		}
	}
	if f.keepDone && !f.anew {
		return f, &commands.UsageError{Problem: "`--keep-done` goes with `--regenerate`.", Example: "!plan phases --regenerate --keep-done 7"}
	}
	if len(refs) != 1 {
		return f, &commands.UsageError{Problem: which}
	}
	f.ref = refs[0]
	return f, nil
}

// phases shows the phases of a plan, which it makes if there are none or if new ones are wanted.
func (c *Category) phases(ctx context.Context, m chat.Message, args string) (string, error) {
	f, err := phaseFlagsOf(args)
	if err != nil {
		return "", err
	}
	before, err := c.work.Plans.Find(ctx, m.Place.Guild, f.ref)
	if err != nil {
		return answer("", err)
	}
	after := before
	if f.anew || !before.Divided() {
		if after, err = c.work.Divide(ctx, before, f.anew, f.keepDone); err != nil {
			return answer("", err)
		}
	}
	if m.ID != "" { // the menu answers one person alone
		ctx = actions.Unmarked(ctx)
	}
	if Withheld(ctx, after) {
		return fmt.Sprintf("%s was asked for after reading %s, so its phases are not shown here. `/discoclaw plan` shows them to you alone.", after.ID, after.Outside.Phrase()), nil
	}
	return checklist(after, remade(before, after, f)), nil
}

// remade says what became of the phases that a plan had.
func remade(before, after plan.Plan, f phaseFlags) string {
	if !f.anew || !before.Divided() {
		return ""
	}
	was, kept := finished(before), finished(after)
	text := fmt.Sprintf("Divided anew into %s.", chat.Counted(len(after.Phases.Phases), "phase", "phases"))
	if was > 0 {
		text += fmt.Sprintf(" %d of %s stayed done.", kept, chat.Counted(was, "finished one", "finished ones"))
	}
	return text + "\n"
}

func finished(p plan.Plan) (n int) {
	for _, ph := range p.Phases.Phases {
		if ph.Status == phases.Done {
			n++
		}
	}
	return n
}

const (
	maxChecklist = 2000
	maxProblem   = 400
)

// checklist shows the phases of a plan, as many as fit into a message.
func checklist(p plan.Plan, head string) string {
	head += fmt.Sprintf("**%s**: %s\n%s, %s, phases of version `%s`", p.ID, chat.Literal(p.Title), p.Status.Words(), p.Badge().Words(), p.Phases.Hash)
	for _, problem := range []error{p.Phases.Stale(p.Hash()), phases.CheckGraph(p.Phases.Phases)} {
		if problem != nil {
			head += "\n⚠️ " + chat.Clip(chat.Capital(chat.OneLine(problem.Error()))+".", maxProblem)
		}
	}
	text := head
	for i, ph := range p.Phases.Phases {
		line := "\n" + checkRow(ph)
		more := ""
		if left := len(p.Phases.Phases) - i; left > 1 {
			more = "\n… and " + chat.Counted(left, "more phase", "more phases")
		}
		if chat.Length(text+line+more) > maxChecklist {
			return text + "\n… and " + chat.Counted(len(p.Phases.Phases)-i, "more phase", "more phases")
		}
		text += line
	}
	return text
}

// checkRow is a phase in a checklist.
func checkRow(ph phases.Phase) string {
	const maxError = 200
	row := ph.Row()
	if len(ph.DependsOn) > 0 {
		row += " · after " + strings.Join(ph.DependsOn, ", ")
	}
	if ph.Error != "" {
		row += "\n> " + chat.Literal(chat.Clip(chat.OneLine(ph.Error), maxError))
	}
	return row
}
