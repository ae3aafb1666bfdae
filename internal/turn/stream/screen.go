package stream

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/turn/render"
)

// A screen is what the reader has seen, and when. It decides what is shown next
// and when that is due.
type screen struct {
	Options
	show    func(ctx context.Context, text string) error
	started time.Time

	// The last edit. The posting of the message counts as the first one.
	began, ended time.Time
	text, frame  string        // what a reader saw of the text, and all that was shown
	shown        latest        // what it was made of
	activity     string        // what the model was doing, as far as it said so
	quiet        time.Duration // for how long nothing had come, as far as it said so

	timeouts  int       // how many edits in a row took too long
	restUntil time.Time // when new text may be shown again
}

// due is when the next edit should begin, if nothing more arrives. Only edits that
// bring something new rest after timeouts: those that tell the time go on, so that
// it shows when Discord is back.
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

// edit shows the latest. New text of which a reader sees nothing is not worth an
// edit; it waits for the next that is due anyway.
func (s *screen) edit(ctx context.Context, l latest) {
	now := time.Now()
	if now.Before(l.calm) {
		l.text = s.shown.text
	}
	text, quiet, activity := s.visible(l.text), s.silence(now.Sub(l.at)), l.activity()
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

// visible is what a reader sees of the text; nothing, if that is blank.
func (s *screen) visible(text string) string {
	if s.Visible != nil {
		text = s.Visible(text)
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// silence is how much of the time without any arrival the status line tells.
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

// try shows the frame, if it can be done in time.
func (s *screen) try(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.EditLimit)
	defer cancel()
	// An edit that failed is made good by the next one, or by the answer.
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

// words are a time as the status line has it.
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
