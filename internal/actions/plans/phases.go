package plans

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/phases"
)

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
	head += fmt.Sprintf("**%s**: %s\n%s, %s, phases of version `%s`", p.ID, chat.Literal(p.Title), p.Status, p.Badge().Words(), p.Phases.Hash)
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
