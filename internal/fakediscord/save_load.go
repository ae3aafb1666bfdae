package fakediscord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Load makes the world that Save wrote down. Everything has the ID that it had, and
// what is new gets others. A file that is torn, is something else or was written by
// a later version is refused with a sentence; the first is a [TornError].
func Load(from io.Reader) (*World, error) {
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("load the world: %w", err)
	}
	s, err := readSaved(data)
	if err != nil {
		return nil, fmt.Errorf("load the world: %w", err)
	}
	w := newWorld()
	if err := w.restore(s); err != nil {
		return nil, fmt.Errorf("load the world: %w", err)
	}
	return w, nil
}

// A TornError means that a file holds the beginning of what Save wrote, or nothing at
// all. Nobody made it so on purpose, and it is not somebody's other file.
type TornError struct{ how string }

func (e *TornError) Error() string { return e.how }

// beginning is how every file begins that Save wrote.
const beginning = "{\n  \"format\": \"" + savedFormat + "\""

func isOurs(data []byte) bool {
	n := min(len(data), len(beginning))
	return string(data[:n]) == beginning[:n]
}

var errNotOurs = errors.New(`this is not a world that was saved here: it does not say "format": ` + strconv.Quote(savedFormat))

// readSaved reads the JSON. Who wrote it comes first: of a later version not even
// the form of the rest is known.
func readSaved(data []byte) (savedWorld, error) {
	var s savedWorld
	data = bytes.TrimRight(data, "\x00") // what some systems make of an end that was lost
	if len(bytes.TrimSpace(data)) == 0 {
		return s, &TornError{how: "the file is empty"}
	}
	var head struct {
		Format  json.RawMessage `json:"format"`
		Version json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return s, unreadable(data, err)
	}
	if string(head.Format) != strconv.Quote(savedFormat) {
		return s, errNotOurs
	}
	version, err := strconv.Atoi(string(head.Version))
	switch {
	case err != nil || version < 1:
		return s, fmt.Errorf("its version %q is not a number from 1 on", chat.Clip(string(head.Version), 40))
	case version > savedVersion:
		return s, fmt.Errorf("it was saved by a later program (version %d; this one reads up to %d): update DiscoClaw", version, savedVersion)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, unreadable(data, err)
	}
	return s, nil
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
		return fmt.Errorf("line %d: %s cannot be a %s", line(data, wrong.Offset), wrong.Field, wrong.Value)
	default:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
}

// endsEarly says whether nothing is wrong with what is there but that more should follow.
func endsEarly(data []byte) bool {
	var all json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&all), io.ErrUnexpectedEOF)
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(0, offset), int64(len(data)))], []byte("\n"))
}

// restore fills an empty world.
func (w *World) restore(s savedWorld) error {
	r := &restorer{w: w, ids: map[string]bool{}}
	for _, step := range []func(savedWorld) error{r.guild, r.roles, r.members, r.people, r.channels, r.places, r.messages, r.server, r.lastID} {
		if err := step(s); err != nil {
			return err
		}
	}
	return nil
}

// parseRights reads what rightNames wrote.
func parseRights(names []string) (Permissions, error) {
	var all Permissions
	for _, name := range names {
		p, err := ParsePermission(chat.Permission(name))
		if number, unnamed := strings.CutPrefix(name, "bit "); unnamed {
			var bit uint64
			bit, err = strconv.ParseUint(number, 10, 6)
			p = 1 << bit
		}
		if err != nil {
			return 0, err
		}
		all |= p
	}
	return all, nil
}
