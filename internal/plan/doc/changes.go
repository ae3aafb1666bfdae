package doc

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/secretfile"
	"discoclaw/internal/plan/verdict"
)

// A Phase is one step of the work, as the plan has it.
type Phase struct {
	Title  string   `json:"title"`
	Files  []string `json:"files"`  // that are created, changed or deleted
	Change string   `json:"change"` // what becomes of them
}

const phaseForm = `[{"title": "Read settings once", "files": ["src/start.go", "src/start_test.go"], "change": "what changes in these files"}]`

// Phases returns the steps of the plan, which are the JSON list in its section Changes and nothing else. The error says what is wrong
// with the list, and names every path that could lead out of the project.
func (d Doc) Phases() ([]Phase, error) {
	body, _ := d.Section(Changes)
	start, end := max(strings.IndexByte(body, '['), 0), strings.LastIndexByte(body, ']')+1
	var list []Phase
	if err := json.Unmarshal([]byte(body[min(start, end):end]), &list); err != nil || len(list) == 0 {
		return nil, errors.New("the section Changes has no list of phases that can be read; write one as JSON, such as " + chat.InCode(phaseForm))
	}
	const longest = 80
	var errs []error
	for i := range list {
		p := &list[i]
		p.Title, p.Change = chat.Clip(chat.OneLine(p.Title), longest), strings.TrimSpace(p.Change)
		if p.Title == "" || len(p.Files) == 0 || p.Change == "" {
			errs = append(errs, fmt.Errorf("phase %d in the section Changes needs a title, files and a change, as in %s", i+1, chat.InCode(phaseForm)))
		}
		for j, raw := range p.Files {
			clean, err := CleanPath(raw)
			p.Files[j] = clean
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return list, nil
}

// Files returns the files of all phases, each once. Its error is that of Phases.
func (d Doc) Files() ([]string, error) {
	list, err := d.Phases()
	var files []string
	for _, p := range list {
		for _, f := range p.Files {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files, err
}

// CleanPath returns the normal form of a path in the project. A path that could lead out of the project is an error that
// names it. What is a symbolic link is for who opens the file to find out.
func CleanPath(raw string) (string, error) {
	p := strings.TrimSpace(strings.Trim(strings.TrimSpace(raw), "`"))
	why := ""
	switch segments := strings.Split(p, "/"); {
	case p == "" || path.Clean(p) == ".":
		return "", errors.New("an empty path; name the file that changes")
	case strings.Contains(p, `\`):
		why = "has a backslash; write it with /"
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"), isDrive(p):
		why = "is absolute; write it as seen from the root of the project"
	case slices.Contains(segments, ".."):
		why = "leads out of its folder with ..; write it as seen from the root of the project"
	case slices.ContainsFunc(segments, func(s string) bool { return strings.EqualFold(s, ".git") }):
		why = "belongs to git itself; a plan cannot change it"
	case secretfile.Has(strings.ToLower(p)):
		why = "is where programs keep keys; a plan cannot change it"
	case strings.ContainsFunc(p, unicode.IsControl), chat.Visible(p) != p:
		why = "has characters that cannot be seen; write it anew"
	}
	if why != "" {
		return "", fmt.Errorf("the path %s %s", chat.InCode(chat.Clip(p, 100)), why)
	}
	return path.Clean(p), nil
}

func isDrive(p string) bool {
	return len(p) > 1 && p[1] == ':' && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
}

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
	if count[strings.ToLower(Changes)] > 0 && d.Project != "" { // without one, people carry the plan out
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
