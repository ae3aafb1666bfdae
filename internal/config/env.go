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
// must exist.
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
	e, problems := parseFile(string(text))
	if len(problems) > 0 {
		for i, p := range problems {
			problems[i] = name + ":" + p
		}
		return nil, &Error{Problems: problems}
	}
	maps.Copy(e, NewEnv(environ))
	return e, nil
}

// Has reports whether a variable is set.
func (e Env) Has(name string) bool { return e[name] != "" }

// Bool reads a switch. The error names the variable.
func (e Env) Bool(name string, fallback bool) (bool, error) {
	switch value := e[name]; strings.ToLower(value) {
	case "":
		return fallback, nil
	case "1", "true":
		return true, nil
	case "0", "false":
		return false, nil
	default:
		return fallback, fmt.Errorf("%s: %s is not one of 1, true, 0, false", name, quote(value))
	}
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
