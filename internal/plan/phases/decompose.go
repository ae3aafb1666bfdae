package phases

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
)

// Options of a decomposition.
type Options struct {
	PlanFile string // where a phase finds the plan itself
	MaxFiles int    // of one phase; without a positive number, 5
}

const usualFiles = 5

// Decompose divides a plan: a phase for each group of files that belong together, one after the other, and an audit of all.
// The error names paths that lead out of the project.
func Decompose(d doc.Doc, o Options) ([]Phase, error) {
	changes, err := d.Changes()
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return byHand(o.PlanFile), nil
	}
	specs, order := map[string]string{}, []string{}
	for _, c := range changes {
		specs[c.Path] = c.Spec
		order = append(order, c.Path)
	}
	var list []Phase
	var all []string
	for _, g := range grouped(order, cmp.Or(max(o.MaxFiles, 0), usualFiles)) {
		p := Phase{
			Title: g.title, Kind: Implement, Description: "Make the changes that the plan describes for these files: " + asCode(g.files) + ".",
			ContextFiles: slices.Clone(g.files), ChangeSpec: Capped(specOf(g.files, specs)),
		}
		all = append(all, p.ContextFiles...)
		list = append(list, p)
	}
	list = append(list, Phase{
		Title: "Audit the changes", Kind: Audit, ContextFiles: all,
		Description: "Compare the changed files with the plan, and say what is missing, wrong or more than was asked for.",
	})
	return chained(list), nil
}

// byHand are the phases of a plan that names no files.
func byHand(planFile string) []Phase {
	var context []string
	if planFile != "" {
		context = []string{planFile}
	}
	return chained([]Phase{
		{Title: "Find out what has to change", Kind: Read, Description: "Read the plan and the code that it is about, and list the files that have to change, and how.", ContextFiles: context},
		{Title: "Make the changes", Kind: Implement, Description: "Make the changes that the plan describes. It names no files, so go by what the previous phase found.", ContextFiles: context},
		{Title: "Audit the changes", Kind: Audit, Description: "Check whether what the plan promises is there and ready.", ContextFiles: context},
	})
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

func specOf(files []string, specs map[string]string) string {
	var list []string
	for _, f := range files {
		spec := specs[f]
		if spec == "" {
			spec = fmt.Sprintf("- `%s`: the plan does not describe this change; derive it from the objective.", f)
		}
		if !slices.Contains(list, spec) {
			list = append(list, spec)
		}
	}
	return strings.Join(list, "\n\n")
}

func asCode(files []string) string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = "`" + f + "`"
	}
	return strings.Join(list, ", ")
}

// A group is files of one phase.
type group struct {
	title string
	files []string
}

// grouped puts tests with what they test, and other files with those of their folder, in the order of the first of each.
func grouped(files []string, most int) []group {
	modules := pairs(files)
	var keys []string
	members := map[string][]string{}
	for _, f := range files {
		key := "folder " + path.Dir(f)
		if m := modules[f]; m != "" {
			key = "module " + m
		}
		if members[key] == nil {
			keys = append(keys, key)
		}
		members[key] = append(members[key], f)
	}
	var list []group
	for _, key := range keys {
		chunks := slices.Collect(slices.Chunk(members[key], most))
		for i, chunk := range chunks {
			list = append(list, group{titleOf(chunk, i, len(chunks)), chunk})
		}
	}
	return list
}

func titleOf(files []string, part, of int) string {
	title := "Change " + files[0]
	if n := len(files) - 1; n > 0 {
		title += " and " + chat.Counted(n, "other file", "other files")
	}
	if of > 1 {
		title += fmt.Sprintf(" (part %d of %d)", part+1, of)
	}
	return title
}

// pairs returns, for every test and every file that is tested by one, the file that is tested.
func pairs(files []string) map[string]string {
	found := map[string]string{}
	byName := map[string][]string{}
	for _, f := range files {
		byName[path.Base(f)] = append(byName[path.Base(f)], f)
	}
	for _, test := range files {
		for _, name := range testedBy(test) {
			if m := moduleAt(path.Dir(test), name, test, byName[name]); m != "" {
				found[test], found[m] = m, m
				break
			}
		}
	}
	return found
}

// moduleAt chooses among files of the same name: the one beside the test, else the only one. Tests of Go are always beside.
func moduleAt(dir, name, test string, files []string) string {
	var modules []string
	for _, f := range files {
		if f != test && (f == path.Join(dir, name) || len(testedBy(f)) == 0) {
			modules = append(modules, f)
		}
	}
	switch beside := path.Join(dir, name); {
	case slices.Contains(modules, beside):
		return beside
	case len(modules) == 1 && path.Ext(test) != ".go":
		return modules[0]
	}
	return ""
}

var scripts = []string{".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"}

// testedBy returns the names of what a file would test, if it is named like a test.
func testedBy(file string) []string {
	ext := path.Ext(file)
	stem := strings.TrimSuffix(path.Base(file), ext)
	switch {
	case slices.Contains(scripts, ext):
		return named(without(stem, ".test", ".spec"), append([]string{ext}, scripts...)...)
	case ext == ".go":
		return named(without(stem, "_test"), ext)
	case ext == ".py" && strings.HasPrefix(stem, "test_"):
		return named(strings.TrimPrefix(stem, "test_"), ext)
	case ext == ".py":
		return named(without(stem, "_test"), ext)
	case ext == ".rs" && path.Base(path.Dir(file)) == "tests":
		return append(named(without(stem, "_test", "_tests"), ext), stem+ext)
	case ext == ".rs":
		return named(without(stem, "_test", "_tests"), ext)
	}
	return nil
}

// without removes one of the endings; a name that has none of them becomes empty.
func without(stem string, endings ...string) string {
	for _, e := range endings {
		if short, ok := strings.CutSuffix(stem, e); ok {
			return short
		}
	}
	return ""
}

// named returns the file names of a module, the likeliest first: a.test.ts may test a.tsx, but rather a.ts.
func named(module string, extensions ...string) []string {
	var list []string
	for _, e := range extensions {
		if module != "" {
			list = append(list, module+e)
		}
	}
	return list
}
