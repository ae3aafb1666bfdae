package forge

import (
	"fmt"
	"strings"
	"unicode"

	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/verdict"
)

// begin says where new work begins. Only a plan of which nothing but the template is there is drafted: what people wrote
// is never thrown away, but revised.
func (r *run) begin(d doc.Doc) State {
	s := State{Step: Audit, Last: r.rounds}
	if isTemplate(d, r.Template) {
		s.Step = Draft
		return s
	}
	found, blocked := lastReview(d)
	issues := graveIssues(d)
	switch {
	case strings.TrimSpace(r.Wish) != "":
		s.Step, s.Notes = Revise, joined(found, issueNotes(issues))
	case len(issues) > 0:
		s.Step, s.Notes, s.Severity = Revise, issueNotes(issues), worst(issues)
	case blocked:
		s.Step, s.Notes, s.Severity = Revise, found, verdict.Blocking
	}
	return s
}

// isTemplate reports whether the sections of a plan are those of a template, or there are none.
func isTemplate(d doc.Doc, template string) bool {
	if d.Body() == "" {
		return true
	}
	text, err := doc.Render(template, doc.Fields{Title: d.Title, ID: d.ID, Task: d.Task, Date: d.Created, Project: d.Project})
	if err != nil {
		return false
	}
	fresh, err := doc.Parse(text)
	return err == nil && fresh.Hash() == d.Hash()
}

// lastReview returns the latest review, and whether it says that something blocks.
func lastReview(d doc.Doc) (found string, blocked bool) {
	list := d.Reviews()
	if len(list) == 0 {
		return "", false
	}
	return list[len(list)-1].Notes, strings.EqualFold(d.LatestVerdict(), verdict.NeedsRevision)
}

// graveIssues are those of the form of a plan that an auditor need not look at first.
func graveIssues(d doc.Doc) []doc.Issue {
	var list []doc.Issue
	for _, i := range d.Check() {
		if i.Severity > verdict.Minor {
			list = append(list, i)
		}
	}
	return list
}

func worst(issues []doc.Issue) verdict.Severity {
	s := verdict.Unstated
	for _, i := range issues {
		s = max(s, i.Severity)
	}
	return s
}

// issueNotes are issues as a review has them.
func issueNotes(issues []doc.Issue) string {
	var b strings.Builder
	for _, i := range issues {
		_, _ = fmt.Fprintf(&b, "- %s (%s)\n", i.Text, i.Severity) // a Builder takes everything
	}
	return strings.TrimSpace(b.String())
}

// issueLine are issues as sentences.
func issueLine(issues []doc.Issue) string {
	var list []string
	for _, i := range issues {
		list = append(list, i.Text)
	}
	return strings.Join(list, " ")
}

// pointing are words that say nothing without what was said before them.
var pointing = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`this that it these those them above below same thing one task issue ticket plan
		the a an please do fix make implement solve forge as for about do here said discussed`) {
		set[w] = true
	}
	return set
}()

// Vague reports whether a description only points at something else: "this", "fix it", "the task". Where a task is known, its
// title says more.
func Vague(description string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(description),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !pointing[w] {
			return false
		}
	}
	return true
}

func isVague(w Work) bool {
	return Vague(w.Description) && strings.TrimSpace(w.Context) == "" && Vague(w.Wish)
}
