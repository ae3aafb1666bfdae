package arch

import (
	_ "embed"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/test/golden"
)

// mapText is the map without its packages. A line such as {{internal/flow internal/access}} stands for the packages in these folders.
//
//go:embed map.md
var mapText string

var (
	folders  = regexp.MustCompile(`(?m)^{{(.+)}}\n`)
	funcLine = regexp.MustCompile(`(?m)^func (?:\((?:\w+ )?\*?(\w+)(?:\[\w+\])?\) )?(\w+)\(`)
	typeLine = regexp.MustCompile(`(?m)^type (\w+)`)
	stepLine = regexp.MustCompile(`(?m)^\d+\. .+$`)
	inCode   = regexp.MustCompile("`([^`\n]+)`")
	// qualified is a method, or a name of another package.
	qualified = regexp.MustCompile(`^\w+\.\w+$`)
)

// TestTheMapIsCurrent: docs/dev/map.md has the first sentence about each package.
func TestTheMapIsCurrent(t *testing.T) {
	t.Parallel()
	left := map[string]string{}
	for pkg := range readImports(t, "../../..") {
		left[pkg] = synopsis(t, pkg)
	}
	page := folders.ReplaceAllStringFunc(mapText, func(line string) string {
		table := "| Package | |\n|---|---|\n"
		for folder := range strings.FieldsSeq(strings.Trim(line, "{}\n")) {
			for _, pkg := range slices.Sorted(maps.Keys(left)) {
				if pkg == folder || strings.HasPrefix(pkg, folder+"/") {
					table += fmt.Sprintf("| [`%s`](../../%s) | %s |\n", pkg, pkg, left[pkg])
					delete(left, pkg)
				}
			}
		}
		return table
	})
	for pkg := range left {
		t.Errorf("%s is not on the map: add it to internal/test/arch/map.md", pkg)
	}
	golden.Equal(t, "../../../docs/dev/map.md", page)
}

// synopsis returns what a package is for: the first sentence of its comment, which is in one of its files.
func synopsis(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../..", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Doc != nil {
			text := new(doc.Package).Synopsis(parsed.Doc.Text())
			for _, begin := range []string{"Package ", "Command "} {
				if rest, ok := strings.CutPrefix(text, begin); ok {
					_, text, _ = strings.Cut(rest, " ")
				}
			}
			return strings.NewReplacer("[*", "", "[", "", "]", "", "<", "&lt;").Replace(text)
		}
	}
	t.Errorf("%s has no comment", pkg)
	return ""
}

// TestTheWalksAreTrue: a walk has at most 12 steps. Each begins with a function of the package that the walk has come to, it does not go
// back to a package that it has left, and what else it names exists.
func TestTheWalksAreTrue(t *testing.T) {
	t.Parallel()
	known := declared(t)
	_, walks, _ := strings.Cut(mapText, "## Walks\n")
	walks, _, _ = strings.Cut(walks, "## Packages\n")
	for _, walk := range strings.Split(walks, "### ")[1:] {
		title, _, _ := strings.Cut(walk, "\n")
		steps := stepLine.FindAllString(walk, -1)
		if len(steps) == 0 || len(steps) > 12 {
			t.Errorf("%s takes %d steps", title, len(steps))
		}
		var been []string // packages, the last of which it is in
		for _, step := range steps {
			names := inCode.FindAllStringSubmatch(step, -1)
			for _, name := range names {
				switch pkg := path.Dir(name[1]); {
				case path.Ext(name[1]) == ".go" && strings.HasPrefix(pkg, "internal/") && !slices.Contains(been, pkg):
					been = append(been, pkg)
				case path.Ext(name[1]) == ".go" && strings.HasPrefix(pkg, "internal/") && been[len(been)-1] != pkg:
					t.Errorf("%s goes back to %s: %s", title, pkg, step)
				case qualified.MatchString(name[1]) && path.Ext(name[1]) != ".go" && !known[name[1]]:
					t.Errorf("%s: there is no %s", title, name[1])
				}
			}
			if len(names) == 0 || len(been) == 0 || !known[been[len(been)-1]+" "+names[0][1]] {
				t.Errorf("%s: this step does not begin with a function of %v: %s", title, been, step)
			}
		}
	}
}

// declared returns what the packages declare: functions and methods, also with the path of their package before them, and types with
// the name of theirs.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for pkg := range readImports(t, "../../..") {
		files, err := filepath.Glob(filepath.Join("../../..", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range funcLine.FindAllStringSubmatch(string(text), -1) {
				name := strings.TrimPrefix(f[1]+"."+f[2], ".")
				known[name], known[pkg+" "+name] = true, true
			}
			for _, f := range typeLine.FindAllStringSubmatch(string(text), -1) {
				known[path.Base(pkg)+"."+f[1]] = true
			}
		}
	}
	return known
}
