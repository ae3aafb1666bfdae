// Package history is a bounded in-memory log of the messages that the bot has seen in
// each channel, for prompts. Earlier messages are fetched once, when a prompt needs
// them; see [Log.Fill].
package history

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// A Line is one message.
type Line struct {
	ID       chat.MessageID
	Author   string
	Who      chat.UserID // the author, if it is a member
	Mine     bool        // written by the bot
	Old      bool        // written before the bot was connected
	Text     string
	Typed    string       // the author's own words in Text
	Outsider bool         // its author gives the bot no orders
	Outside  chat.Sources // the outside texts in Text
	Did      []string     // of an answer of the bot: the requests in it that changed something
	Passages []string     // the longer texts in the fields of those requests
	By       chat.UserID  // who asked for that

	Starter  chat.Place // the message that the line quotes, if it is another one: what a thread was started on
	Unposted bool       // of an answer of the bot that is no message, since it only acted; its ID says when
	Spoken   bool       // said in a call, so it is no message; its ID says when
	Card     string     // of the bot's question about what is in Text: how it ended
}

// IsMessage reports whether the line is a message, which can be reacted to and deleted.
func (l Line) IsMessage() bool { return !l.Unposted && !l.Spoken }

const (
	perChannel    = 60   // lines kept of each channel
	channels      = 1000 // channels kept, the most recently active ones
	maxLineLength = 4000 // characters kept of a line; no prompt quotes as much

	// fetchBackoff is the pause after a failed fetch.
	fetchBackoff = 5 * time.Minute
)

// A Log is safe for concurrent use. Its zero value is empty.
type Log struct {
	mu       sync.Mutex
	channels map[chat.ChannelID]*channel
	order    []chat.ChannelID // the least recently active channel first
}

// A channel is the log of one channel.
type channel struct {
	lines   []Line // oldest first
	whole   bool   // no recent message is missing
	once    bool   // whole was true before the last call of Missed
	refused time.Time
}

// Add adds a line and reports whether it was new. A known line stays as it is.
func (l *Log) Add(ch chat.ChannelID, line Line) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.touch(ch).add(line)
}

// touch returns a channel and makes it the most recently active one.
func (l *Log) touch(ch chat.ChannelID) *channel {
	if i := slices.Index(l.order, ch); i >= 0 {
		l.order = slices.Delete(l.order, i, i+1)
	}
	l.order = append(l.order, ch)
	if len(l.order) > channels {
		delete(l.channels, l.order[0])
		l.order = l.order[1:]
	}
	if l.channels == nil {
		l.channels = map[chat.ChannelID]*channel{}
	}
	if l.channels[ch] == nil {
		l.channels[ch] = &channel{}
	}
	return l.channels[ch]
}

// add inserts a line by its age: an answer is added when it is complete, and others may
// have written meanwhile.
func (c *channel) add(line Line) bool {
	if line.IsMessage() && c.has(line.ID) {
		return false
	}
	line.Text, line.Typed = chat.Clip(line.Text, maxLineLength), chat.Clip(line.Typed, maxLineLength)
	at := len(c.lines)
	for at > 0 && c.lines[at-1].ID.After(line.ID) {
		at--
	}
	c.lines = slices.Insert(c.lines, at, line)
	c.lines = c.lines[max(0, len(c.lines)-perChannel):]
	return true
}

// Change replaces the text of a line by that of another, if the log has it.
func (l *Log) Change(ch chat.ChannelID, m chat.MessageID, by Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.channels[ch]; c != nil && c.has(m) {
		line := &c.lines[c.index(m)]
		line.Text, line.Typed, line.Outside = chat.Clip(by.Text, maxLineLength), chat.Clip(by.Typed, maxLineLength), by.Outside
	}
}

// Remove removes a line.
func (l *Log) Remove(ch chat.ChannelID, m chat.MessageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.channels[ch]; c != nil && c.has(m) {
		c.lines = slices.Delete(c.lines, c.index(m), c.index(m)+1)
	}
}

// Has reports whether a message is known, and was not deleted.
func (l *Log) Has(ch chat.ChannelID, m chat.MessageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[ch]
	return c != nil && c.has(m)
}

// Mine reports whether a message is known to be the bot's own.
func (l *Log) Mine(ch chat.ChannelID, m chat.MessageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[ch]
	return c != nil && c.has(m) && c.lines[c.index(m)].Mine
}

// Before returns at most n lines of context for an answer to the messages in about,
// oldest first: the lines before the last of these and, up to half of n, later lines of
// the bot. The messages themselves are left out.
func (l *Log) Before(ch chat.ChannelID, n int, about ...chat.MessageID) []Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[ch]
	if c == nil || len(about) == 0 {
		return nil
	}
	last := about[len(about)-1]
	var before, since []Line
	for _, line := range c.lines {
		switch {
		case slices.Contains(about, line.ID):
		case last.After(line.ID):
			before = append(before, line)
		case line.Mine:
			since = append(since, line)
		}
	}
	since = since[max(0, len(since)-n/2):]
	return append(before[max(0, len(before)+len(since)-n):], since...)
}

// Latest returns the latest n messages of a channel, oldest first.
func (l *Log) Latest(ch chat.ChannelID, n int) []Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[ch]
	if c == nil {
		return nil
	}
	lines := slices.DeleteFunc(slices.Clone(c.lines), func(line Line) bool { return !line.IsMessage() })
	return lines[max(0, len(lines)-n):]
}

// Fill calls fetch unless the channel's earlier lines are known. Latest is the latest
// message of the gap, which the bot may have missed; empty means that it is unknown. An
// error is that of fetch; after one, fetch is not called for fetchBackoff, unless it was
// cancelled.
func (l *Log) Fill(ch chat.ChannelID, latest chat.MessageID, fetch func() ([]Line, error)) error {
	if l.isWhole(ch, latest) {
		return nil
	}
	lines, err := fetch()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.touch(ch)
	if err != nil {
		if !errors.Is(err, context.Canceled) { // a cancelled turn says nothing about Discord
			c.refused = time.Now()
		}
		return err
	}
	for _, line := range lines {
		line.Old = true
		c.add(line)
	}
	c.whole = true
	return nil
}

func (l *Log) isWhole(ch chat.ChannelID, latest chat.MessageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[ch]
	switch {
	case c == nil:
		return false
	case c.once && c.has(latest):
		c.whole = true // no message was missed
	}
	return c.whole || !c.refused.IsZero() && time.Since(c.refused) < fetchBackoff
}

// Missed tells the log that messages may be missing in every channel.
func (l *Log) Missed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.channels {
		c.once, c.whole = c.once || c.whole, false
	}
}

func (c *channel) has(m chat.MessageID) bool { return c.index(m) >= 0 }

func (c *channel) index(m chat.MessageID) int {
	return slices.IndexFunc(c.lines, func(line Line) bool { return line.ID == m && line.IsMessage() })
}
