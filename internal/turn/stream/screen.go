package stream

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

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
