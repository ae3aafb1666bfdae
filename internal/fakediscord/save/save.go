// Package save stores a world in a file. The file is readable JSON: empty values are left
// out, and an object without a guild belongs to the first one. An unchanged world is
// always written in the same way. A [Log] appends what has changed since then, one line of JSON
// each time.
package save

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// The head of a world file, by which it is recognised. The version rises when the format
// becomes incompatible.
const (
	format  = "discoclaw world"
	version = 1
)

// A file is a State with its head.
type file struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	fakediscord.State
}

// Write writes the state of a world, for Read.
func Write(to io.Writer, w *fakediscord.World) error {
	s := w.State()
	return write(to, &s)
}

// shorten leaves out the first guild, as the guild of an object.
func shorten(s *fakediscord.State) {
	for _, guild := range belongings(s) {
		if *guild == s.Guild.ID {
			*guild = ""
		}
	}
}

func write(to io.Writer, s *fakediscord.State) error {
	shorten(s)
	f := file{Format: format, Version: version, State: *s}
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false) // for human readers
	e.SetIndent("", "  ")
	err := e.Encode(f)
	if err == nil {
		_, err = asText.WriteString(to, data.String())
	}
	if err != nil {
		return fmt.Errorf("save the world: %w", err)
	}
	return nil
}

// asText writes the replacement character, which the encoder puts in the place of invalid
// UTF-8, as itself, because that is how it is written after a Read. An escaped backslash
// is left alone.
var asText = strings.NewReplacer(`\\`, `\\`, `\ufffd`, "\uFFFD")

// Read makes the world of a file. Objects keep their IDs, and new ones get others. A file
// that is torn, has another format or was written by a later version is refused with a
// sentence; the first is a [TornError].
func Read(from io.Reader) (*fakediscord.World, error) {
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("load the world: %w", err)
	}
	s, err := decode(data)
	if err == nil {
		err = check(&s)
	}
	if err != nil {
		return nil, fmt.Errorf("load the world: %w", err)
	}
	return fakediscord.Restore(s), nil
}

// A TornError means that a file has only the beginning of what Write wrote, or nothing. It
// is no file of another kind. A line that is torn is no error, but left out.
type TornError struct{ how string }

func (e *TornError) Error() string { return e.how }

// beginning is how every file of Write begins.
const beginning = "{\n  \"format\": \"" + format + "\""

func isOurs(data []byte) bool {
	n := min(len(data), len(beginning))
	return string(data[:n]) == beginning[:n]
}

var errNotOurs = errors.New(`this is not a world that was saved here: it does not say "format": "` + format + `"`)

// decode reads the JSON, the head first: of a later version not even the structure of the
// rest is known.
func decode(data []byte) (fakediscord.State, error) {
	var f file
	data = bytes.TrimRight(data, "\x00") // some systems fill a lost end with zeros
	if len(bytes.TrimSpace(data)) == 0 {
		return f.State, &TornError{how: "the file is empty"}
	}
	whole := end(data)
	var head struct {
		Format  json.RawMessage `json:"format"`
		Version json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(data[:whole], &head); err != nil {
		return f.State, unreadable(data, err)
	}
	if string(head.Format) != strconv.Quote(format) {
		return f.State, errNotOurs
	}
	written, err := strconv.Atoi(string(head.Version))
	switch {
	case err != nil || written < 1:
		return f.State, fmt.Errorf("its version %q is not a number from 1 on", chat.Clip(string(head.Version), 40))
	case written > version:
		return f.State, fmt.Errorf("it was saved by a later program (version %d; this one reads up to %d): update DiscoClaw", written, version)
	}
	if err := strictly(data[:whole], &f); err != nil {
		return f.State, unreadable(data, err)
	}
	return follow(f.State, data, whole)
}

// end is where the whole world of a file ends, and lines begin.
func end(data []byte) int {
	d := json.NewDecoder(bytes.NewReader(data))
	var whole json.RawMessage
	if d.Decode(&whole) != nil {
		return len(data)
	}
	return int(d.InputOffset())
}

// unreadable names the place where a file cannot be read.
func unreadable(data []byte, err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case endsEarly(data) && isOurs(data):
		return &TornError{how: "the file is torn: it ends in the middle"}
	case endsEarly(data):
		return errNotOurs
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d is not JSON: %w", line(data, syntax.Offset), err)
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("this is not a world that was saved here: it is a JSON %s", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("line %d: %s cannot be a %s", line(data, wrong.Offset), goNames.Replace(wrong.Field), wrong.Value)
	default:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
}

// goNames removes Go's names of types from errors.
var goNames = strings.NewReplacer("State.", "", "Channel.", "")

// endsEarly reports whether the data is a valid prefix.
func endsEarly(data []byte) bool {
	var all json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&all), io.ErrUnexpectedEOF)
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(0, offset), int64(len(data)))], []byte("\n"))
}
