package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Error lists the problems for an operator, a sentence each.
type Error struct {
	Problems []string
	Warnings []string // about the same settings; one about a misspelled name may explain a problem
	unread   []string // the variables whose values cannot be read
}

func (e *Error) Error() string { return strings.Join(e.Problems, "\n") }

// variableNames finds the names of variables in a text.
var variableNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z][A-Z0-9]*(_[A-Z0-9]+)+`) })

// Add appends problems that another part found. Those that name a variable whose value could not be read are left out: that
// part saw the default in its place.
func (e *Error) Add(problems ...string) {
	for _, p := range problems {
		names := variableNames().FindAllString(p, -1)
		if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(e.unread, name) }) {
			e.Problems = append(e.Problems, p)
		}
	}
}

// Join appends the problems of an error, which may be nil.
func (e *Error) Join(err error) {
	var more *Error
	switch {
	case errors.As(err, &more):
		e.Add(more.Problems...)
		e.unread = append(e.unread, more.unread...)
	case err != nil:
		e.Add(strings.Split(err.Error(), "\n")...)
	}
}

// A Mistake is an error of the caller, such as a wrong argument, rather than a fault of the
// program.
type Mistake struct{ what string }

func (m *Mistake) Error() string { return m.what }

// Mistakef returns a formatted Mistake.
func Mistakef(format string, args ...any) error {
	return &Mistake{what: fmt.Sprintf(format, args...)}
}
