// Package history remembers what was said in each channel, as far as the bot has
// seen it, so that a model can be told. It is kept in memory and bounded. What was
// said before the bot listened is fetched once, when somebody needs it; see
// [Log.Fill].
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
	ID     chat.MessageID
	Author string
	Mine   bool // said by the bot
	Old    bool // said before the bot listened
	Text   string
}

const (
	perChannel    = 40   // lines kept of each channel
	channels      = 1000 // channels kept, the latest ones
	maxLineLength = 4000 // characters kept of a line; no prompt quotes as much

	// fetchBackoff is how long nothing is fetched after that has failed.
	fetchBackoff = 5 * time.Minute
)

// A Log is safe for concurrent use. Its zero value is empty.
type Log struct {
	mu       sync.Mutex
	channels map[chat.ChannelID]*channel
	order    []chat.ChannelID // the channel that was silent for the longest time first
}

// A channel is what is known of one.
type channel struct {
	lines   []Line // oldest first
	whole   bool   // nothing is missing that was said lately
	once    bool   // nothing was, until something may have been missed
	refused time.Time
}

// Add remembers a line. It says whether the line was new: one that is known already
// stays as it is.
func (l *Log) Add(ch chat.ChannelID, line Line) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.touch(ch).add(line)
}

// touch returns a channel, which is the latest one from now on.
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

// add puts a line where it belongs by its age: an answer is told when it is complete,
// and others may have spoken meanwhile.
func (c *channel) add(line Line) bool {
	if c.has(line.ID) {
		return false
	}
	line.Text = chat.Clip(line.Text, maxLineLength)
	at := len(c.lines)
	for at > 0 && c.lines[at-1].ID.After(line.ID) {
		at--
	}
	c.lines = slices.Insert(c.lines, at, line)
	c.lines = c.lines[max(0, len(c.lines)-perChannel):]
	return true
}

// Change replaces the text of a line, if it is remembered.
func (l *Log) Change(ch chat.ChannelID, m chat.MessageID, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.channels[ch]; c != nil && c.has(m) {
		c.lines[c.index(m)].Text = chat.Clip(text, maxLineLength)
	}
}

// Remove forgets a line.
func (l *Log) Remove(ch chat.ChannelID, m chat.MessageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.channels[ch]; c != nil && c.has(m) {
		c.lines = slices.Delete(c.lines, c.index(m), c.index(m)+1)
	}
}

// Mine says whether a message is known as the bot's own.
func (l *Log) Mine(ch chat.ChannelID, m chat.MessageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[ch]
	return c != nil && c.has(m) && c.lines[c.index(m)].Mine
}

// Before returns at most n lines that the answer to some messages should know, oldest
// first: what was said before the last of them, and what the bot has said since, which is
// half of it at most. The messages themselves are none of it.
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

// Fill sees to it that a channel's earlier lines are known, and calls fetch if they are
// not. Latest is the latest message of the time that the bot may have missed; empty
// means that it is unknown. An error is that of fetch, which is not called again for
// some minutes, unless it was only called off.
func (l *Log) Fill(ch chat.ChannelID, latest chat.MessageID, fetch func() ([]Line, error)) error {
	if l.isWhole(ch, latest) {
		return nil
	}
	lines, err := fetch()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.touch(ch)
	if err != nil {
		if !errors.Is(err, context.Canceled) { // nobody wanted it any more
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
		c.whole = true // so nothing was missed
	}
	return c.whole || !c.refused.IsZero() && time.Since(c.refused) < fetchBackoff
}

// Missed tells that something may have been said that the bot did not hear.
func (l *Log) Missed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.channels {
		c.once, c.whole = c.once || c.whole, false
	}
}

func (c *channel) has(m chat.MessageID) bool { return c.index(m) >= 0 }

func (c *channel) index(m chat.MessageID) int {
	return slices.IndexFunc(c.lines, func(line Line) bool { return line.ID == m })
}
