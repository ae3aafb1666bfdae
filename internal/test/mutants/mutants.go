// Package mutants shows that the tests see the defences that the bot's promises rest on. A [Mutant] is the source with one
// defence taken out, as a careless change would do it, and names the tests that must fail then. "make mutants" tries
// all of [Table]; the test of this package only checks that each still applies.
package mutants

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A Mutant is a defence that is taken out: a text that is found exactly once in a file, and what replaces it.
type Mutant struct {
	Promise, Defence string
	File, Old, New   string // the path is slashed, from the root of the module
	Package          string // of the tests
	Tests            string // names of tests and subtests, "TestScenes/abuse-names", separated by blanks; one must fail
}

// Apply returns the changed file of a module, which still parses.
func (m Mutant) Apply(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(data), m.Old); n != 1 {
		return "", fmt.Errorf("%s has %d times, instead of once:\n%s", m.File, n, m.Old)
	}
	text := strings.Replace(string(data), m.Old, m.New, 1)
	_, err = parser.ParseFile(token.NewFileSet(), m.File, text, parser.SkipObjectResolution)
	return text, err
}

// Pattern is what "go test -run" selects the tests by.
func (m Mutant) Pattern() string {
	var list []string
	for _, name := range strings.Fields(m.Tests) {
		list = append(list, "^"+strings.ReplaceAll(name, "/", "$/^")+"$")
	}
	return strings.Join(list, "|")
}
