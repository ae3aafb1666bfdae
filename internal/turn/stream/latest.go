package stream

import (
	"slices"
	"time"
)

// latest is what the editor was told.
type latest struct {
	text  string    // the answer so far; nothing else ever gets in here
	tools []use     // that are being used, oldest first
	at    time.Time // when it was told anything
	calm  time.Time // until when text that is not shown yet waits
}

// A use is a tool being used.
type use struct{ name, about string }

// How long text waits, as it may be a remark about a tool that follows at once.
const (
	beforeTools = 800 * time.Millisecond // the first text of all
	afterTools  = 500 * time.Millisecond // text that follows a tool
)

// write takes in the text. While a tool is used, and once text has been shown, it does
// not wait.
func (l *latest) write(text string, tools bool) {
	switch {
	case tools && l.text == "" && len(l.tools) == 0 && l.calm.IsZero():
		l.calm = l.at.Add(beforeTools)
	case len(l.tools) > 0:
		l.calm = l.at
	}
	l.text = text
}

// start takes in that a tool is used. Text that still waits was a remark about it, and
// goes on waiting until there is more, or the tool is done.
func (l *latest) start(name, about string) {
	if l.calm.After(l.at) {
		l.calm = l.at.Add(forever)
	}
	l.tools = append(slices.Clip(l.tools), use{name, about})
}

// forever is longer than any answer may take.
const forever = 1000 * time.Hour

// end takes in that a tool is done. A tool that never began is no matter.
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
