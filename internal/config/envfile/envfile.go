// Package envfile changes single settings in a file of NAME=value lines and leaves
// everything else in it as it is: comments, order, line ends. It is for files with
// secrets: a change is atomic, only the owner can read the file, and no error shows a
// value.
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
	"unicode"

	"discoclaw/internal/config"
	"discoclaw/internal/disk/atomicfile"
)

// A File is a file with settings. It need not exist yet. Its methods are safe for
// concurrent use.
type File struct {
	path string

	mu sync.Mutex // one change at a time
}

// Open returns the file with that name, without reading it.
func Open(path string) *File { return &File{path: path} }

// Path is the path of the file.
func (f *File) Path() string { return f.path }

// Name matches the name of a setting.
var Name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Set sets a setting. It changes its line, or adds one at the end. If several lines set it,
// one is left.
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

// Unset removes a setting, and reports whether it was there.
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

// read returns the file's text. That of a missing file is empty.
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

// write replaces the file atomically, readable by its owner only.
func (f *File) write(text string) error {
	if err := atomicfile.WritePath(f.path, 0o600, atomicfile.Text(text)); err != nil {
		return fmt.Errorf("write the settings in %s: %w", f.path, err)
	}
	return nil
}

// lines are those of a text, with their ends.
func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

const byteOrderMark = "\uFEFF"

// assignment matches a line that sets something: the part before the value, with the name
// in it, and the rest.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((?:` + byteOrderMark + `)?[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*)(.*)$`)
})

func nameOf(line string) string {
	if m := assignment().FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
		return m[2]
	}
	return ""
}

// set changes the text of a file. Of several lines that set the name, readers use the last
// one, so that is the one that stays.
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

// appended adds a line, with the line end of the text.
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

// replaced replaces the value in a line. A comment behind it stays.
func replaced(line, quoted string) string {
	body := strings.TrimRight(line, "\r\n")
	m := assignment().FindStringSubmatch(body)
	return m[1] + quoted + comment(m[3]) + line[len(body):]
}

// quote writes a value so that it is read back unchanged.
func quote(value string) (string, error) {
	if strings.ContainsFunc(value, unicode.IsControl) {
		return "", errors.New("a value stays on one line, and has no control characters")
	}
	if strings.TrimSpace(value) == "" {
		return "", errors.New("a value cannot be blank")
	}
	if !strings.ContainsFunc(value, needsQuotes) {
		return value, nil
	}
	if !strings.Contains(value, "'") {
		return "'" + value + "'", nil // without any escapes
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(value) + `"`, nil
}

// needsQuotes is generous: shells and other programs read such files too, by their own
// rules.
func needsQuotes(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("#'\"\\$`;&|<>()*?~!", r)
}

// comment is the comment after a value on its line, blanks included.
func comment(rest string) string {
	from := 0
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		end := config.ClosingQuote(rest)
		if end < 0 {
			return "" // malformed; the new line is not
		}
		from = end + 1
	}
	for i := from; i < len(rest); i++ {
		blank := i > 0 && (rest[i-1] == ' ' || rest[i-1] == '\t')
		if rest[i] == '#' && (i == 0 || blank || i == from && from > 0) {
			return " " + rest[i:]
		}
	}
	return ""
}
