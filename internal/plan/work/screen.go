package work

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
)

// A screen is the message that shows how work goes. Nothing of it can fail the work.
type screen struct {
	m     *Manager
	l     *live
	frame func(end string) string // what is shown with how the work ended; nil for nothing more

	mu    sync.Mutex
	text  string
	shown string
	wake  chan struct{}
	quit  chan struct{}
	over  sync.WaitGroup
}

const stopButton = "plan-stop:"

func (l *live) stopButton() []chat.Button {
	return []chat.Button{{ID: fmt.Sprint(stopButton, l.ID), Label: chat.StopLabel, Danger: true}}
}

// open posts the message of work, or finds the one that an earlier process has posted, and keeps it up to date until close.
func (m *Manager) open(ctx context.Context, l *live, text string, beat time.Duration) *screen {
	s := &screen{m: m, l: l, text: text, wake: make(chan struct{}, 1), quit: make(chan struct{})}
	if l.message == "" {
		id, err := m.posts(l).Post(ctx, "progress", l.At.Channel, chat.Outgoing{Text: s.full(), Buttons: l.stopButton()})
		if err == nil {
			err = m.Plans.Shown(ctx, l.Work, id)
		}
		if err != nil {
			m.Log.WarnContext(ctx, "cannot show the work on a plan", "plan", l.Plan, "err", err)
		}
		m.mu.Lock()
		l.message = id
		m.mu.Unlock()
		s.shown = s.full()
	} else {
		s.wake <- struct{}{}
	}
	s.over.Go(func() { s.keep(ctx, beat) })
	return s
}

// show changes what the message says. It returns at once.
func (s *screen) show(text string) {
	s.mu.Lock()
	s.text = text
	s.mu.Unlock()
	sleep.Wake(s.wake)
}

// full is the text, with how long the work has taken so far.
func (s *screen) full() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	took := s.m.Now().Sub(s.l.Began)
	if took < time.Minute {
		return s.text
	}
	return s.text + "\n-# " + chat.Counted(int(took.Minutes()), "minute", "minutes") + " so far"
}

// keep edits the message when there is something new, and now and then to show that work goes on.
func (s *screen) keep(ctx context.Context, beat time.Duration) {
	for {
		var tick <-chan time.Time
		if beat > 0 {
			tick = time.After(beat)
		}
		select {
		case <-s.quit:
			return
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-tick:
		}
		if text := s.full(); text != s.shown && s.l.message != "" {
			s.shown = text
			s.edit(ctx, chat.Outgoing{Text: text, Buttons: s.l.stopButton()})
		}
		select {
		case <-s.quit:
			return
		case <-time.After(s.m.Throttle):
		}
	}
}

func (s *screen) edit(ctx context.Context, o chat.Outgoing) error {
	err := s.m.Server.Edit(ctx, s.l.At.Channel, s.l.message, o)
	if err != nil && ctx.Err() == nil {
		s.m.Log.WarnContext(ctx, "cannot show the work on a plan", "plan", s.l.Plan, "message", s.l.message, "err", err)
	}
	return err
}

// close ends the message with a last text. If it cannot be edited, the text is posted.
func (s *screen) close(ctx context.Context, text string) {
	ctx, cancel := writing(ctx)
	defer cancel()
	if s.quit != nil {
		close(s.quit)
		s.over.Wait()
	}
	if s.frame != nil {
		text = s.frame(text)
	}
	last := chat.Outgoing{Text: fitting(text), Buttons: []chat.Button{}}
	if s.l.message != "" && s.edit(ctx, last) == nil {
		return
	}
	last.Buttons = nil
	if _, err := s.m.posts(s.l).Post(ctx, "end", s.l.At.Channel, last); err != nil {
		s.m.Log.WarnContext(ctx, "cannot tell how the work on a plan ended", "plan", s.l.Plan, "err", err)
	}
}

// maxText is what fits into a message.
const maxText = 2000

func fitting(text string) string { return chat.Shorten(text, maxText) }

// block is text as a block of code: its last lines, as many as fit.
func block(text string, most int) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "```", "'''")
	for chat.Length(text) > most {
		_, rest, more := strings.Cut(text, "\n")
		if !more {
			text = chat.Shorten(text, most)
			break
		}
		text = rest
	}
	return "```\n" + text + "\n```"
}
