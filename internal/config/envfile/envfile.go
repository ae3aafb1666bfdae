// Package envfile changes single settings in a file of NAME=value lines and leaves
// everything else in it as it is: comments, order, line ends. It is for files that
// hold secrets: a change is there whole or not at all, nobody but the file's owner can
// read it, and no error shows a value.
//
// Package config has the grammar and reads such files; start here with [Open].
package envfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/disk/atomicfile"
)

// A File is a file with settings. It need not be there yet. Its methods are safe for
// concurrent use.
type File struct {
	path string

	mu sync.Mutex // one change at a time
}

// Open returns the file with that name. It looks at nothing yet.
func Open(path string) *File { return &File{path: path} }

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Name is what the name of a setting looks like.
var Name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Set gives a setting a value. It changes the line that sets it, or adds one at the
// end. If several lines set it, one is left.
func (f *File) Set(name, value string) error {
	quoted, err := quote(value)
	if err == nil && !Name.MatchString(name) {
		err = errors.New("a name has letters, digits and underscores only, and begins with no digit")
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := f.read()
	if err != nil {
		return err
	}
	return f.write(set(text, name, quoted))
}

// Unset takes a setting out, and says whether it was there.
func (f *File) Unset(name string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := f.read()
	if err != nil {
		return false, err
	}
	kept := slices.DeleteFunc(lines(text), func(l string) bool { return nameOf(l) == name })
	if len(kept) == len(lines(text)) {
		return false, nil
	}
	return true, f.write(strings.Join(kept, ""))
}

// Names are the settings that the file has a line for, in their order.
func (f *File) Names() ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range lines(text) {
		if name := nameOf(l); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// read returns the file's text. A file that is not there has none.
func (f *File) read() (string, error) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the settings: %w", err)
	}
	return string(text), nil
}

// write puts a text in the place of the file, for its owner alone.
func (f *File) write(text string) error {
	if err := atomicfile.WritePath(f.path, 0o600, atomicfile.Text(text)); err != nil {
		return fmt.Errorf("write the settings in %s: %w", f.path, err)
	}
	return nil
}

// lines are those of a text, with their ends.
func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

const byteOrderMark = "\uFEFF"

// assignment is a line that sets something: what stands before the value, with the
// name in it, and all the rest.
var assignment = regexp.MustCompile(`^((?:` + byteOrderMark + `)?[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*)(.*)$`)

func nameOf(line string) string {
	if m := assignment.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
		return m[2]
	}
	return ""
}

// set changes the text of a file. Of several lines that set the name, the last one
// counts for those who read the file, so that is the one that stays.
func set(text, name, quoted string) string {
	all := lines(text)
	last := -1
	for i, l := range all {
		if nameOf(l) == name {
			last = i
		}
	}
	if last < 0 {
		return appended(text, name+"="+quoted)
	}
	var out bytes.Buffer
	for i, l := range all {
		switch {
		case i == last:
			out.WriteString(replaced(l, quoted))
		case nameOf(l) != name:
			out.WriteString(l)
		}
	}
	return out.String()
}

// appended adds a line, with the kind of line end that the text has.
func appended(text, line string) string {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	if text != "" && text != byteOrderMark && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return text + line + end
}

// replaced puts another value into a line. A comment behind it stays.
func replaced(line, quoted string) string {
	body := strings.TrimRight(line, "\r\n")
	m := assignment.FindStringSubmatch(body)
	return m[1] + quoted + comment(m[3]) + line[len(body):]
}
