// Package stream keeps a message up to date while a model is writing it.
//
// A model sends a piece of text every few milliseconds; Discord takes an edit
// about every second. An [Editor] stands between the two. It is told the text as
// often as it changes, shows the latest of it as often as it may, and shows in
// between that time passes, so that nobody wonders whether the bot still lives.
//
// What is shown is [render.Preview] of the text above a status line in small
// print. The status line has the time since the start and, behind it, what tool the
// model is using, and for how long nothing came, if that is long:
//
//	12 s
//	14 s · reading src/main.go
//	1 min 25 s · nothing from the model for 1 min
//
// The text, the tools and the clock are kept apart: what a model does on the way is
// never part of its answer.
//
// The editor never shows the finished answer. Whoever posts that calls Stop first,
// after which no late edit can undo it.
package stream

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Thinking is what a message says before there is any text.
const Thinking = "**Thinking...**"

// Options are the times of an Editor. One that is not above zero means its default.
type Options struct {
	Gap       time.Duration // least time from the end of an edit to the next; 1250 ms
	KeepAlive time.Duration // longest time without an edit; 5 s
	EditLimit time.Duration // how long one edit may take; 4 s
	Rest      time.Duration // how long new text waits when three edits in a row took too long; 10 s

	StallAfter time.Duration // how long nothing may arrive before the status says so; 60 s, negative means for ever
	StallEvery time.Duration // how often it then says for how long; 30 s

	// Tools says whether the status tells what tools are used. Text then waits for a
	// moment where a tool may follow: it is often a passing remark about that.
	Tools bool

	// Waiting is shown as long as there is no text. It should be what the message
	// says when the editor starts; Thinking unless set.
	Waiting string
	// Visible is what a reader may see of the text; all of it, unless set. It is
	// asked only when an edit may be due, since it may be costly for a long text.
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
	arrived chan struct{} // has an element if something came since the last look
	stop    func()
	stopped chan struct{} // closed by stop
	done    chan struct{} // closed when nothing more will be shown

	mu     sync.Mutex
	latest latest
}

// Start begins to keep a message up to date through show, which makes the text
// that of the message. It must be called when the message has just been posted, so
// that the first edit keeps its distance too.
//
// Show is called for one edit at a time. Its context ends with ctx, and when the
// edit has taken too long; show must return then. Its errors are ignored: the next
// edit shows all that the failed one should have.
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

// Text says what the whole text is so far. It does not wait for it to be shown.
func (e *Editor) Text(text string) {
	e.tell(func(l *latest) { l.write(text, e.tools) })
}

// ToolStart says that the model began to use a tool, on what about says, which is a
// path or nothing.
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

// Event says that something arrived which the reader does not see. It is a sign of
// life all the same.
func (e *Editor) Event() { e.tell(func(*latest) {}) }

func (e *Editor) tell(change func(*latest)) {
	e.mu.Lock()
	e.latest.at = time.Now()
	change(&e.latest)
	e.mu.Unlock()
	e.wake()
}

// Stop ends the editor. An edit under way is waited for, at most as long as an
// edit may take, since one that was given up might still arrive, after the answer.
// Nothing is shown once Stop has returned. It may be called again.
func (e *Editor) Stop() {
	e.stop()
	<-e.done
}

func (e *Editor) wake() {
	select {
	case e.arrived <- struct{}{}:
	default: // it will look anyway
	}
}

// run shows what is due, when it is due, until the editor is over.
func (e *Editor) run(ctx context.Context, s *screen) {
	defer close(e.done)
	for !e.over(ctx) {
		l := e.look()
		if wait := time.Until(s.due(l)); wait > 0 {
			e.sleep(ctx, wait)
			continue
		}
		s.edit(ctx, l)
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

// sleep waits, but not for longer than until something happens.
func (e *Editor) sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.arrived:
	case <-e.stopped:
	case <-ctx.Done():
	}
}
