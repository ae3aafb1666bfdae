package phases

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
)

const usualFiles = 5

// Decompose makes phases of the list in a plan, one after the other, and an audit of all. A phase with more files than maxFiles, 5 if it
// is not positive, is divided. The error is that of [doc.Doc.Phases].
func Decompose(d doc.Doc, maxFiles int) ([]Phase, error) {
	steps, err := d.Phases()
	if err != nil {
		return nil, err
	}
	var list []Phase
	for _, s := range steps {
		parts := slices.Collect(slices.Chunk(s.Files, cmp.Or(max(maxFiles, 0), usualFiles)))
		for i, files := range parts {
			p := Phase{
				Title: s.Title, Kind: Implement, Description: "Make the changes that the plan describes for these files: " + asCode(files) + ".",
				ContextFiles: slices.Clone(files), ChangeSpec: Capped(s.Change),
			}
			if len(parts) > 1 {
				p.Title += fmt.Sprintf(" (part %d of %d)", i+1, len(parts))
			}
			list = append(list, p)
		}
	}
	all, err := d.Files()
	list = append(list, Phase{
		Title: "Audit the changes", Kind: Audit, ContextFiles: all,
		Description: "Compare the changed files with the plan, and say what is missing, wrong or more than was asked for.",
	})
	return chained(list), err
}

// chained numbers phases and makes each depend on the one before, and an audit on all.
func chained(list []Phase) []Phase {
	var before []string
	for i := range list {
		p := &list[i]
		p.ID, p.Status = fmt.Sprintf("phase-%d", i+1), Pending
		switch {
		case p.Kind == Audit:
			p.DependsOn = slices.Clone(before)
		case i > 0:
			p.DependsOn = []string{list[i-1].ID}
		}
		before = append(before, p.ID)
	}
	return list
}

func asCode(files []string) string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = chat.InCode(f)
	}
	return strings.Join(list, ", ")
}
