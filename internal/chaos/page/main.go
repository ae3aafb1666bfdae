// Command page writes docs/reliability.md to standard output, from the figures that the
// tests have left in a folder. "make chaos" calls it.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"discoclaw/internal/chaos"
)

// text is the page without its figures. A line such as {{kills}} stands for a table.
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
	page := text
	for _, found := range place.FindAllStringSubmatch(text, -1) {
		table, err := chaos.Read(dir, found[1])
		if err != nil {
			return "", err
		}
		page = strings.Replace(page, found[0], table.String(), 1)
	}
	return page, nil
}
