package stream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

// A screen is the state of the message: what was shown, and when. It decides what is
// shown next and when that is due.
type screen struct {
	Options
	show    func(ctx context.Context, text string) error
	started time.Time

	// Times of the last edit. Posting the message counts as the first one.
	began, ended time.Time
	text, frame  string        // the visible part of the text, and the whole message
	shown        latest        // the state that was shown
	activity     string        // as the status line had it
	quiet        time.Duration // the time without events, as the status line had it

	timeouts  int       // consecutive edits that timed out
	restUntil time.Time // when new text may be shown again
}

// due is when the next edit should begin, if no event arrives. After timeouts only edits
// with new text are paused: those that update the clock go on, and find out when Discord
// is back.
func (s *screen) due(l latest) time.Time {
	due := s.began.Add(s.KeepAlive)
	stalled := s.quiet > 0 && l.at.Equal(s.shown.at)
	switch {
	case l.activity() != s.activity || s.quiet > 0 && !stalled:
		due = earlier(due, s.restUntil)
	case l.text != s.shown.text:
		due = earlier(due, later(s.restUntil, l.calm))
	case stalled:
		due = earlier(due, l.at.Add(s.quiet+s.StallEvery))
	case s.StallAfter > 0:
		due = earlier(due, l.at.Add(s.StallAfter))
	}
	return later(due, s.ended.Add(s.Gap))
}

// edit shows the latest state. New text without a visible part is not worth an edit; it
// waits for the next one that is due anyway.
func (s *screen) edit(ctx context.Context, l latest) {
	now := time.Now()
	if now.Before(l.calm) {
		l.text = s.shown.text
	}
	text, quiet, activity := s.visible(l.text), s.silence(now.Sub(l.at)), l.activity()
	if l.waits {
		quiet = 0
	}
	if text == s.text && quiet == s.quiet && activity == s.activity && now.Before(s.began.Add(s.KeepAlive)) {
		s.shown, s.ended = l, now
		return
	}
	s.began, s.shown, s.text, s.quiet, s.activity = now, l, text, quiet, activity
	if frame := render.Preview(cmp.Or(text, s.Waiting), s.status()); frame != s.frame {
		s.frame = frame
		s.try(ctx)
	}
	s.ended = time.Now()
}

// visible is the visible part of the text; empty if that is blank.
func (s *screen) visible(text string) string {
	if s.Visible != nil {
		text = s.Visible(text)
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// silence is the time without events, rounded as the status line shows it.
func (s *screen) silence(d time.Duration) time.Duration {
	if s.StallAfter < 0 || d < s.StallAfter {
		return 0
	}
	return d - (d-s.StallAfter)%s.StallEvery
}

func (s *screen) status() string {
	line := words(s.began.Sub(s.started))
	if s.activity != "" {
		line += " · " + s.activity
	}
	if s.quiet > 0 {
		line += " · nothing from the model for " + words(s.quiet)
	}
	return line
}

// try shows the frame, with a timeout.
func (s *screen) try(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.EditLimit)
	defer cancel()
	// A failed edit is superseded by the next one, or by the answer.
	_ = s.show(ctx, s.frame)
	if ctx.Err() == nil {
		s.timeouts = 0
		return
	}
	const most = 3
	if s.timeouts++; s.timeouts >= most {
		s.restUntil = time.Now().Add(s.Rest)
	}
}

// words are a duration as the status line shows it.
func words(d time.Duration) string {
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case m > 0 && s > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	case m > 0:
		return fmt.Sprintf("%d min", m)
	}
	return fmt.Sprintf("%d s", s)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

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

// activity is the status text for the tools in use, or nothing.
func (l *latest) activity() string {
	if l.waits {
		return "waiting until another answer is done"
	}
	if len(l.tools) == 0 {
		return ""
	}
	line := l.tools[len(l.tools)-1].words()
	if others := len(l.tools) - 1; others > 0 {
		line += fmt.Sprintf(", and %d more", others)
	}
	return line
}

// words describe the use of a tool. An unknown tool may do anything, so neither its name
// nor its argument is shown.
func (u use) words() string {
	verb, known := verbs[plainName(u.name)]
	switch about := lastTwo(u.about); {
	case !known:
		return "using a tool"
	case about == "" || verb.alone != "" && verb.with == "":
		return verb.alone
	default:
		return verb.with + " " + about
	}
}

// A verb describes what a tool does: without its argument, and with it. If with is
// empty, the argument is not shown: a command may contain anything.
type verb struct{ alone, with string }

// verbs are those of common tools, by the names of different vendors.
var verbs = named(map[string]verb{
	"read readfile view cat":                         {"reading a file", "reading"},
	"write writefile create createfile":              {"writing a file", "writing"},
	"edit editfile multiedit strreplace applypatch":  {"editing a file", "editing"},
	"notebookread":                                   {"reading a notebook", "reading"},
	"notebookedit":                                   {"editing a notebook", "editing"},
	"glob ls list listfiles listdirectory":           {"looking for files", "looking through"},
	"grep search searchfiles searchfilecontent":      {"searching", "searching"},
	"websearch googlewebsearch":                      {"searching the web", ""},
	"webfetch fetch":                                 {"reading a web page", ""},
	"bash shell exec runcommand runshellcommand":     {"running a command", ""},
	"task agent":                                     {"asking a helper", ""},
	"todowrite todoread updateplan":                  {"planning", ""},
	"python codeinterpreter runcode imagegeneration": {"working", ""},
})

func named(lists map[string]verb) map[string]verb {
	all := map[string]verb{}
	for names, v := range lists {
		for _, name := range strings.Fields(names) {
			all[name] = v
		}
	}
	return all
}

// plainName is a tool's name without differences of spelling between vendors.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
}

// lastTwo are the last two parts of a path, short enough for a line. The parts before
// them are private to the operator.
func lastTwo(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	for i, p := range parts {
		parts[i] = chat.Clip(chat.Literal(p), 40)
	}
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
