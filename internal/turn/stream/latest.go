package stream

import (
	"slices"
	"time"
)

// latest is the newest state of the stream.
type latest struct {
	text  string    // the answer so far, and only that
	tools []use     // in use, oldest first
	waits bool      // until another answer is done
	at    time.Time // time of the last event
	calm  time.Time // until then, text that was never shown is held back
}

// A use is a tool being used.
type use struct{ name, about string }

// How long new text is held back, as it may be a remark about a tool that follows at once.
const (
	beforeTools = 800 * time.Millisecond // the first text of all
	afterTools  = 500 * time.Millisecond // text that follows a tool
)

// write takes in the text. It is not held back while a tool is in use, nor once text has
// been shown.
func (l *latest) write(text string, tools bool) {
	switch {
	case tools && l.text == "" && len(l.tools) == 0 && l.calm.IsZero():
		l.calm = l.at.Add(beforeTools)
	case len(l.tools) > 0:
		l.calm = l.at
	}
	l.text = text
}

// start takes in that a tool is used. Text that is held back was a remark about it, and
// stays so until there is more, or the tool is done.
func (l *latest) start(name, about string) {
	if l.calm.After(l.at) {
		l.calm = l.at.Add(forever)
	}
	l.tools = append(slices.Clip(l.tools), use{name, about})
}

// forever is longer than any answer may take.
const forever = 1000 * time.Hour

// end takes in that a tool is done. An unknown tool is ignored.
func (l *latest) end(name string) {
	i := slices.IndexFunc(l.tools, func(u use) bool { return u.name == name })
	if i < 0 {
		return
	}
	l.tools = slices.Concat(l.tools[:i], l.tools[i+1:])
	if len(l.tools) == 0 {
		l.calm = l.at.Add(afterTools)
	}
}
