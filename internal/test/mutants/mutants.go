// Package mutants shows that the tests see each defence of the bot against attacks. A [Mutant] is the source with one
// defence taken out, as a careless change would do it, and names the tests that must fail then. "make mutants" tries
// all of [Table] and writes docs/mutants.md; the test of this package only checks that each still applies.
package mutants

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A Mutant is a defence that is taken out.
type Mutant struct {
	Against string // what the defence is about
	Defence string // what it does
	Edits   []Edit // take it out, and what stands behind it
	Package string // of the tests
	Tests   string // names of tests and subtests, "TestScenes/abuse-names", separated by blanks; one must fail
}

// An Edit replaces a text that is found exactly once in a file. Paths are slashed, from the root of the module.
type Edit struct{ File, Old, New string }

// Apply returns the changed files of a module by their paths. Each still parses.
func (m Mutant) Apply(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range m.Edits {
		text, ok := files[e.File]
		if !ok {
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.File)))
			if err != nil {
				return nil, err
			}
			text = string(data)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			return nil, fmt.Errorf("%s has %d times, instead of once:\n%s", e.File, n, e.Old)
		}
		files[e.File] = strings.Replace(text, e.Old, e.New, 1)
	}
	for name, text := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Pattern is what "go test -run" selects the tests by.
func (m Mutant) Pattern() string {
	var list []string
	for _, name := range strings.Fields(m.Tests) {
		list = append(list, "^"+strings.ReplaceAll(name, "/", "$/^")+"$")
	}
	return strings.Join(list, "|")
}
