package save

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// A Log writes a world as what has changed in it: the whole world first, and then a line for each change. It must be
// the only one that calls the world's Changes.
type Log struct {
	world *fakediscord.World
	rest  map[string]json.RawMessage // the world without its messages, as it was written last
}

// NewLog returns the log of a world.
func NewLog(w *fakediscord.World) *Log { return &Log{world: w} }

// Whole writes the whole world, as [Write] does.
func (l *Log) Whole(to io.Writer) error {
	s, _ := l.world.Changes(true)
	err := write(to, &s)
	if err == nil {
		apart(&s)
		l.rest, err = fields(s)
	}
	return err
}

// Change returns a line about what has changed since Whole or Change was called last, and nothing if nothing has. It is
// for the end of the file. After an error, or if the line cannot be written, the next call must be of Whole.
func (l *Log) Change() ([]byte, error) {
	s, gone := l.world.Changes(false)
	shorten(&s)
	c := change{Gone: gone, Messages: apart(&s)}
	rest, err := fields(s)
	if err != nil {
		return nil, fmt.Errorf("save the world: %w", err)
	}
	for name := range l.rest {
		if rest[name] == nil {
			rest[name] = json.RawMessage("null") // the last of them is gone
		}
	}
	c.Rest = maps.Clone(rest)
	maps.DeleteFunc(c.Rest, func(name string, is json.RawMessage) bool { return bytes.Equal(is, l.rest[name]) })
	l.rest = rest
	if len(c.Gone)+len(c.Messages)+len(c.Rest) == 0 {
		return nil, nil
	}
	text, err := compact(c)
	if err != nil {
		return nil, fmt.Errorf("save the world: %w", err)
	}
	return append(text, '\n'), nil
}

// A change is a line behind the whole world in a file. Messages are saved one by one; of the rest, which is small, all
// of a list is saved when something in it has changed.
type change struct {
	Rest     map[string]json.RawMessage `json:"rest"`
	Gone     []chat.MessageID           `json:"gone,omitempty"` // deleted messages
	Messages []post                     `json:"messages,omitempty"`
}

// lineBegins is how every line of Change begins.
const lineBegins = `{"rest":{`

// A post is a message with its channel.
type post struct {
	In chat.ChannelID `json:"in"`
	fakediscord.Message
}

// apart takes the messages out of a state.
func apart(s *fakediscord.State) (posts []post) {
	for i := range s.Channels {
		c := &s.Channels[i]
		for _, m := range c.Messages {
			posts = append(posts, post{c.ID, m})
		}
		c.Messages = nil
	}
	return posts
}

// fields are the fields of a state without messages.
func fields(s fakediscord.State) (all map[string]json.RawMessage, err error) {
	text, err := compact(s)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

// compact is the JSON of a value, in a line.
func compact(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// follow applies the lines of a file, which begin at an offset, to the state that they follow.
func follow(s fakediscord.State, file []byte, from int) (fakediscord.State, error) {
	lines := withoutTorn(file[from:])
	if len(bytes.TrimSpace(lines)) == 0 {
		return s, nil
	}
	now, order := map[chat.MessageID]post{}, []chat.MessageID{}
	put := func(messages []post) {
		for _, m := range messages {
			if _, known := now[m.ID]; !known {
				order = append(order, m.ID)
			}
			now[m.ID] = m
		}
	}
	put(apart(&s))
	rest, err := fields(s)
	if err != nil {
		return s, err
	}
	for text := range bytes.Lines(lines) {
		var c change
		if wrong := strictly(text, &c); wrong != nil && len(bytes.TrimSpace(text)) > 0 {
			return s, fmt.Errorf("line %d is no change of a world: %w", line(file, int64(from)), wrong)
		}
		from += len(text)
		maps.Copy(rest, c.Rest)
		for _, id := range c.Gone {
			delete(now, id)
		}
		put(c.Messages)
	}
	text, err := json.Marshal(rest)
	if err == nil {
		s = fakediscord.State{}
		err = strictly(text, &s)
	}
	if err != nil {
		return s, fmt.Errorf("its lines make no world: %w", err)
	}
	places := map[chat.ChannelID]*fakediscord.Place{}
	for i := range s.Channels {
		places[s.Channels[i].ID] = &s.Channels[i]
	}
	for _, id := range order { // a deleted channel takes its messages with it
		if m, there := now[id]; there && places[m.In] != nil {
			places[m.In].Messages = append(places[m.In].Messages, m.Message)
			delete(now, id)
		}
	}
	return s, nil
}

// withoutTorn leaves out a last line that was torn when it was written: nobody has seen what it tells, because changes
// are shown when they have been written.
func withoutTorn(lines []byte) []byte {
	at := 1 + bytes.LastIndexByte(bytes.TrimRight(lines, "\n"), '\n')
	last := lines[at:]
	begins, _, torn := bytes.Cut(last, []byte{0}) // some systems fill a lost part with zeros
	torn = torn || !bytes.HasSuffix(last, []byte("\n"))
	n := min(len(begins), len(lineBegins))
	if torn && string(begins[:n]) == lineBegins[:n] && !json.Valid(last) {
		return lines[:at]
	}
	return lines
}

// strictly reads a single value without unknown fields.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("it has a second value")
	}
	return nil
}
