// Command page writes docs/dev/reliability.md to standard output, from the figures of the tests
// in a folder. "make chaos" calls it.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/evidence"
)

// text is the page without its figures. A line such as {{kills}} stands for a table, and {{source}}
// for what was tested.
//
//go:embed reliability.md
var text string

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("name the folder with the figures")
	}
	page, err := render(args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Print(page)
	return err
}

var place = regexp.MustCompile(`(?m)^{{(\w+)}}\n`)

// render puts the tables of a folder into the page.
func render(dir string) (string, error) {
	tested, err := os.ReadFile(filepath.Join(dir, evidence.SourceFile))
	if err != nil {
		return "", fmt.Errorf("nobody has noted what was tested: %w", err)
	}
	page := strings.Replace(text, "{{source}}\n", string(tested), 1)
	for _, found := range place.FindAllStringSubmatch(page, -1) {
		table, err := chaos.Read(dir, found[1])
		if err != nil {
			return "", err
		}
		page = strings.Replace(page, found[0], table.String(), 1)
	}
	return page, nil
}
