package doc

import (
	"fmt"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/verdict"
)

// An Issue is something that is wrong with the form of a plan.
type Issue struct {
	Severity verdict.Severity
	Text     string
}

// Check returns what can be said against a plan without understanding it. With anything above minor it needs no auditor.
func (d Doc) Check() []Issue {
	var list []Issue
	count := map[string]int{}
	for _, s := range d.Sections() {
		count[strings.ToLower(s.Heading)]++
	}
	for _, name := range []string{Objective, Scope, Changes, Risks, Testing} {
		body, _ := d.Section(name)
		switch n := count[strings.ToLower(name)]; {
		case n == 0:
			list = append(list, Issue{verdict.Blocking, fmt.Sprintf("The section %s is missing.", name)})
		case n > 1:
			list = append(list, Issue{verdict.Medium, fmt.Sprintf("There are %d sections %s; make one of them.", n, name)})
		case isPlaceholder(body):
			list = append(list, Issue{verdict.Medium, fmt.Sprintf("The section %s says nothing yet.", name)})
		}
	}
	if count[strings.ToLower(Changes)] > 0 {
		list = append(list, d.checkPhases()...)
	}
	if d.Status == Closed {
		list = append(list, Issue{verdict.Minor, "The plan is closed."})
	}
	return list
}

func (d Doc) checkPhases() []Issue {
	var list []Issue
	files, err := d.Files()
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			list = append(list, Issue{verdict.Blocking, sentence(line)})
		}
	}
	for _, f := range files {
		if strings.HasPrefix(f, "path/to") {
			list = append(list, Issue{verdict.Medium, fmt.Sprintf("`%s` is a placeholder; name the real file.", f)})
		}
	}
	return list
}

func sentence(text string) string { return chat.Capital(text) + "." }

const minBody = 10

// isPlaceholder reports whether a section only says what should be there.
func isPlaceholder(body string) bool {
	return len(body) < minBody || strings.HasPrefix(body, "(") || isItalic(body, "_") || isItalic(body, "*")
}

func isItalic(body, mark string) bool {
	inner := strings.TrimSuffix(strings.TrimPrefix(body, mark), mark)
	return len(inner) == len(body)-2 && !strings.Contains(inner, mark)
}
