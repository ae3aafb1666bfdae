package doc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
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
