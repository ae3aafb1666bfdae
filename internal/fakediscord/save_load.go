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
// a later version is refused with a sentence.
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

// readSaved reads the JSON. Who wrote it comes first: of a later version not even
// the form of the rest is known.
func readSaved(data []byte) (savedWorld, error) {
	var s savedWorld
	if len(bytes.TrimSpace(data)) == 0 {
		return s, errors.New("the file is empty")
	}
	var head struct {
		Format  json.RawMessage `json:"format"`
		Version json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return s, unreadable(data, err)
	}
	if want := strconv.Quote(savedFormat); string(head.Format) != want {
		return s, fmt.Errorf(`this is not a world that was saved here: it does not say "format": %s`, want)
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
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)):
		return errors.New("the file is torn: it ends in the middle; use a copy that is whole")
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
