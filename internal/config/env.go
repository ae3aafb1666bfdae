package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Env is a set of variables. Values are trimmed; a blank one counts as not set
// and is not in it.
type Env map[string]string

// NewEnv reads NAME=value pairs as os.Environ returns them.
func NewEnv(pairs []string) Env {
	e := Env{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		e.set(name, value)
	}
	return e
}

func (e Env) set(name, value string) {
	if value = strings.TrimSpace(value); value != "" {
		e[name] = value
	} else {
		delete(e, name)
	}
}

// DefaultFile is read when no file is named, if it exists.
const DefaultFile = ".env"

// Read returns the process's variables on top of those in a file; a blank one does not
// override the file's. An empty name means DefaultFile, which may be missing; a named file
// must exist. If lines of the file cannot be read, the error lists them, and the rest is returned.
func Read(environ []string, file string) (Env, error) {
	name := file
	if name == "" {
		name = DefaultFile
	}
	text, err := os.ReadFile(name)
	if err != nil {
		if file == "" && errors.Is(err, fs.ErrNotExist) {
			return NewEnv(environ), nil
		}
		return nil, &Error{Problems: []string{fmt.Sprintf("cannot read the settings: %v", err)}}
	}
	e, bad := parseFile(string(text))
	maps.Copy(e, NewEnv(environ))
	if len(bad.Problems) == 0 {
		return e, nil
	}
	for i, p := range bad.Problems {
		bad.Problems[i] = name + ":" + p
	}
	return e, bad
}

// Has reports whether a variable is set.
func (e Env) Has(name string) bool { return e[name] != "" }

// Bool reads a switch. The error names the variable.
func (e Env) Bool(name string, fallback bool) (bool, error) {
	if e[name] == "" {
		return fallback, nil
	}
	on, err := boolOf(e[name])
	if err != nil {
		return fallback, fmt.Errorf("%s: %w", name, err)
	}
	return on, nil
}

func boolOf(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "1", "true", "yes", "on":
		return true, nil
	case "0", "false", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("%s is not one of 1, true, yes, on, 0, false, no, off", quote(text))
}

// quote quotes an invalid value. A very long one may be a secret in the wrong line, so it is
// not shown.
func quote(value string) string {
	const most = 24
	if n := utf8.RuneCountInString(value); n > most {
		return fmt.Sprintf("a text of %d characters", n)
	}
	return strconv.Quote(value)
}

var (
	assignment = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)$`)
	escapes    = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`, `\$`, `$`)
)

// parseFile reads the one grammar of settings files: NAME=value lines, "export"
// in front if you like, "#" comments. A value may be in single quotes, taken
// literally, or in double quotes, with backslash escapes; it stays on its line.
// Problems begin with the line's number and never show a value, which may be a
// secret.
func parseFile(text string) (Env, *Error) {
	e, bad := Env{}, new(Error)
	fail := func(line int, name, why string) {
		bad.Problems = append(bad.Problems, fmt.Sprintf("%d: %s", line, why))
		if name != "" {
			bad.unread = append(bad.unread, name)
		}
	}
	for i, line := range strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		if strings.ContainsRune(line, 0) {
			fail(i+1, "", "there are zero bytes in it; the file is torn, or is not saved as UTF-8")
			continue
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := assignment.FindStringSubmatch(line)
		if m == nil {
			fail(i+1, variableNames().FindString(line), "not a line of the form NAME=value")
			continue
		}
		value, err := unquote(m[2])
		if err != nil {
			fail(i+1, m[1], fmt.Sprintf("%s: %v", m[1], err))
			continue
		}
		e.set(m[1], value)
	}
	return e, bad
}

func unquote(value string) (string, error) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return beforeComment(value), nil
	}
	quote := value[0]
	end := ClosingQuote(value)
	if end < 0 {
		return "", fmt.Errorf("the closing %c is missing", quote)
	}
	if rest := strings.TrimSpace(value[end+1:]); rest != "" && rest[0] != '#' {
		return "", errors.New("something follows the closing quote")
	}
	value = value[1:end]
	if quote == '"' {
		value = escapes.Replace(value)
	}
	return value, nil
}

// ClosingQuote is the offset of the quote that ends the one a value begins with, or -1.
func ClosingQuote(value string) int {
	quote := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && quote == '"':
			i++
		case value[i] == quote:
			return i
		}
	}
	return -1
}

// beforeComment cuts off a comment: a "#" at the start or after a blank.
func beforeComment(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}

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
