// Package save keeps a world in a file, so that it can go on later. The file is JSON that
// people can read: what has no value is left out, and what does not say which guild is its
// own belongs to the first. A world that has not changed is always written in the same way.
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

// What a world file says first, so that nothing else is taken for one. The version
// rises when a file can no longer be read as before.
const (
	format  = "discoclaw world"
	version = 1
)

// A file is a State with what stands before it.
type file struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	fakediscord.State
}

// Write writes the state of a world, so that Read can make it again.
func Write(to io.Writer, w *fakediscord.World) error {
	f := file{Format: format, Version: version, State: w.State()}
	for _, guild := range belongings(&f.State) {
		if *guild == f.Guild.ID {
			*guild = ""
		}
	}
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false) // for those who read it
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

// asText writes the character that the encoder puts in the place of a byte that is no text
// as itself, because that is how it is written once it was read. A backslash that people
// wrote is left alone.
var asText = strings.NewReplacer(`\\`, `\\`, `\ufffd`, "\uFFFD")

// Read makes the world that Write wrote down. Everything has the ID that it had, and
// what is new gets others. A file that is torn, is something else or was written by
// a later version is refused with a sentence; the first is a [TornError].
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

// A TornError means that a file holds the beginning of what Write wrote, or nothing at
// all. Nobody made it so on purpose, and it is not somebody's other file.
type TornError struct{ how string }

func (e *TornError) Error() string { return e.how }

// beginning is how every file begins that Write wrote.
const beginning = "{\n  \"format\": \"" + format + "\""

func isOurs(data []byte) bool {
	n := min(len(data), len(beginning))
	return string(data[:n]) == beginning[:n]
}

var errNotOurs = errors.New(`this is not a world that was saved here: it does not say "format": "` + format + `"`)

// decode reads the JSON. Who wrote it comes first: of a later version not even
// the form of the rest is known.
func decode(data []byte) (fakediscord.State, error) {
	var f file
	data = bytes.TrimRight(data, "\x00") // what some systems make of an end that was lost
	if len(bytes.TrimSpace(data)) == 0 {
		return f.State, &TornError{how: "the file is empty"}
	}
	var head struct {
		Format  json.RawMessage `json:"format"`
		Version json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
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
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f.State, unreadable(data, err)
	}
	return f.State, nil
}

// unreadable says where a file cannot be read.
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

// goNames takes out what Go calls the parts of a file that has no name for them.
var goNames = strings.NewReplacer("State.", "", "Channel.", "")

// endsEarly says whether nothing is wrong with what is there but that more should follow.
func endsEarly(data []byte) bool {
	var all json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&all), io.ErrUnexpectedEOF)
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(0, offset), int64(len(data)))], []byte("\n"))
}
