// Package history remembers what was said in each channel, as far as the bot has
// seen it, so that a model can be told. It is kept in memory and bounded.
package history

import (
	"slices"
	"sync"

	"discoclaw/internal/chat"
)

// A Line is one message.
type Line struct {
	ID     chat.MessageID
	Author string
	Mine   bool // said by the bot
	Text   string
}

const (
	perChannel = 40   // lines kept of each channel
	channels   = 1000 // channels kept, the latest ones
	longest    = 4000 // characters kept of a line; no prompt quotes as much
)

// A Log is safe for concurrent use. Its zero value is empty.
type Log struct {
	mu    sync.Mutex
	lines map[chat.ChannelID][]Line
	order []chat.ChannelID // the channel that was silent for the longest time first
}

// Add remembers a line. It says whether the line was new: one that is known already
// stays as it is.
func (l *Log) Add(ch chat.ChannelID, line Line) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines == nil {
		l.lines = map[chat.ChannelID][]Line{}
	}
	list := l.lines[ch]
	if index(list, line.ID) >= 0 {
		return false
	}
	line.Text = chat.Clip(line.Text, longest)
	list = append(list, line)
	l.lines[ch] = list[max(0, len(list)-perChannel):]
	l.touch(ch)
	return true
}

func (l *Log) touch(ch chat.ChannelID) {
	if i := slices.Index(l.order, ch); i >= 0 {
		l.order = slices.Delete(l.order, i, i+1)
	}
	l.order = append(l.order, ch)
	if len(l.order) > channels {
		delete(l.lines, l.order[0])
		l.order = l.order[1:]
	}
}

// Change replaces the text of a line, if it is remembered.
func (l *Log) Change(ch chat.ChannelID, m chat.MessageID, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := index(l.lines[ch], m); i >= 0 {
		l.lines[ch][i].Text = text
	}
}

// Remove forgets a line.
func (l *Log) Remove(ch chat.ChannelID, m chat.MessageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := index(l.lines[ch], m); i >= 0 {
		l.lines[ch] = slices.Delete(l.lines[ch], i, i+1)
	}
}

// Before returns at most n lines that the answer to m should know, oldest first:
// what was said before m, and what the bot has said since, while m waited.
func (l *Log) Before(ch chat.ChannelID, m chat.MessageID, n int) []Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	var known []Line
	later := false
	for _, line := range l.lines[ch] {
		switch {
		case line.ID == m:
			later = true
		case !later || line.Mine:
			known = append(known, line)
		}
	}
	return known[max(0, len(known)-n):]
}

func index(list []Line, m chat.MessageID) int {
	return slices.IndexFunc(list, func(line Line) bool { return line.ID == m })
}
