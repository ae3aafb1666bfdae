package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"strings"
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
