// Package stream keeps a message up to date while a model is writing it.
//
// A model sends a piece of text every few milliseconds; Discord takes an edit
// about every second. An [Editor] stands between the two. It is told the text whenever
// it changes, shows the latest of it as often as the rate limit allows, and updates a
// clock in between, as a sign of life.
//
// The message is [render.Preview] of the text above a status line in small print. The
// status line has the time since the start, then the tool that the model is using, and
// the time without any event, if that is long:
//
//	12 s
//	14 s · reading src/main.go
//	1 min 25 s · nothing from the model for 1 min
//
// The text, the tools and the clock are kept apart: tool activity is never part of the
// answer.
//
// The editor never shows the finished answer. Call Stop before posting that; afterwards
// no late edit can overwrite it.
package stream

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Thinking is the message's text before there is any answer.
const Thinking = "**Thinking...**"

// Options configure an Editor. Times that are not above zero mean the defaults.
type Options struct {
	Gap       time.Duration // minimum pause after an edit; 1250 ms
	KeepAlive time.Duration // maximum pause between edits; 5 s
	EditLimit time.Duration // timeout of one edit; 4 s
	Rest      time.Duration // how long new text is paused after three timeouts in a row; 10 s

	StallAfter time.Duration // time without events before the status says so; 60 s, negative means never
	StallEvery time.Duration // how often that is updated; 30 s

	// Tools reports whether the status shows tools. New text is then held back for a moment
	// where a tool may follow: it is often a passing remark about that.
	Tools bool

	// Waiting is shown as long as there is no text. It should be the text of the message
	// when the editor starts; Thinking unless set.
	Waiting string
	// Visible is the part of the text that a reader may see; all of it, unless set. It is
	// called only when an edit may be due, since it may be costly for a long text.
	Visible func(text string) string
}

func (o Options) withDefaults() Options {
	return Options{
		Gap:        positive(o.Gap, 1250*time.Millisecond),
		KeepAlive:  positive(o.KeepAlive, 5*time.Second),
		EditLimit:  positive(o.EditLimit, 4*time.Second),
		Rest:       positive(o.Rest, 10*time.Second),
		StallAfter: cmp.Or(o.StallAfter, time.Minute),
		StallEvery: positive(o.StallEvery, 30*time.Second),
		Tools:      o.Tools,
		Waiting:    cmp.Or(o.Waiting, Thinking),
		Visible:    o.Visible,
	}
}

func positive(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// An Editor keeps one message up to date. Its methods may be called from any
// goroutine.
type Editor struct {
	tools   bool
	arrived chan struct{} // has an element if an event came since the last look
	stop    func()
	stopped chan struct{} // closed by stop
	done    chan struct{} // closed when run has returned

	mu     sync.Mutex
	latest latest
}

// Start begins to keep a message up to date through show, which edits it. It must be
// called when the message has just been posted, so that the first edit is not too early.
//
// Show is called for one edit at a time. Its context ends with ctx, and with the timeout
// of the edit; show must return then. Its errors are ignored: the next edit shows the
// newer text.
//
// The editor ends with Stop, which must be called, or with ctx.
func Start(ctx context.Context, show func(ctx context.Context, text string) error, o Options) *Editor {
	now := time.Now()
	e := &Editor{
		tools:   o.Tools,
		arrived: make(chan struct{}, 1),
		stopped: make(chan struct{}),
		done:    make(chan struct{}),
		latest:  latest{at: now},
	}
	e.stop = sync.OnceFunc(func() { close(e.stopped) })
	s := &screen{Options: o.withDefaults(), show: show, started: now, began: now, ended: now}
	go e.run(ctx, s)
	return e
}

// Text sets the whole text so far. It does not wait for the edit.
func (e *Editor) Text(text string) {
	e.tell(func(l *latest) { l.write(text, e.tools) })
}

// ToolStart says that the model began to use a tool. About is the path that it is used
// on, or empty.
func (e *Editor) ToolStart(name, about string) {
	e.tell(func(l *latest) {
		if e.tools {
			l.start(name, about)
		}
	})
}

// ToolEnd says that the model is done with a tool.
func (e *Editor) ToolEnd(name string) {
	e.tell(func(l *latest) {
		if e.tools {
			l.end(name)
		}
	})
}

// Waits says that the request waits for others, so that silence is no stall.
func (e *Editor) Waits() { e.tell(func(l *latest) { l.waits = true }) }

// Event says that something arrived that is not shown. It counts as a sign of life.
func (e *Editor) Event() { e.tell(func(*latest) {}) }

func (e *Editor) tell(change func(*latest)) {
	e.mu.Lock()
	e.latest.at, e.latest.waits = time.Now(), false
	change(&e.latest)
	e.mu.Unlock()
	e.wake()
}

// Stop ends the editor. It waits for an edit in flight, up to the edit's timeout, since
// an abandoned one might still arrive after the answer. Nothing is shown once Stop has
// returned. It may be called again.
func (e *Editor) Stop() {
	e.stop()
	<-e.done
}

func (e *Editor) wake() {
	select {
	case e.arrived <- struct{}{}:
	default: // an element is there already
	}
}

// together is within how long events count as one. The end of an answer often comes with its last text.
const together = time.Millisecond

// run makes the edits when they are due, until the editor has stopped.
func (e *Editor) run(ctx context.Context, s *screen) {
	defer close(e.done)
	fresh := false // an event has just come
	for !e.over(ctx) {
		l := e.look()
		switch wait := time.Until(s.due(l)); {
		case wait > 0:
			fresh = e.sleep(ctx, wait, e.arrived)
		case fresh:
			fresh = e.sleep(ctx, together, nil)
		default:
			s.edit(ctx, l)
		}
	}
}

func (e *Editor) over(ctx context.Context) bool {
	select {
	case <-e.stopped:
		return true
	default:
		return ctx.Err() != nil
	}
}

func (e *Editor) look() latest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.latest
}

// sleep waits for d, the end, or an event, and reports whether there was one.
func (e *Editor) sleep(ctx context.Context, d time.Duration, events <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-events:
		return true
	case <-timer.C:
	case <-e.stopped:
	case <-ctx.Done():
	}
	return false
}
