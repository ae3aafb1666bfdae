// Package script is a language model that says what it was told to say, for tests
// and for the playground.
//
// [Replies] holds a queue of answers and remembers what it was asked. An [Answer]
// is a list of steps: text, pauses, an error at the end. [Typing] writes one that
// looks like a model at work. Where an answer depends on the question, [Func] makes
// a runtime of a function.
package script

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/sleep"
)

// Func makes a runtime of a function.
func Func(f func(context.Context, llm.Request) iter.Seq2[llm.Event, error]) llm.Runtime {
	return runtimeFunc(f)
}

type runtimeFunc func(context.Context, llm.Request) iter.Seq2[llm.Event, error]

func (f runtimeFunc) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return f(ctx, req)
}

// An Answer is what a model does when it is asked once.
type Answer []Step

// A Step is one thing that happens in an Answer: an event, a pause or an error.
type Step struct {
	event llm.Event
	pause time.Duration
	err   error
}

// Text says a piece of the answer.
func Text(text string) Step { return Step{event: llm.TextDelta{Text: text}} }

// Think shows that the model is at work.
func Think() Step { return Step{event: llm.Thinking{}} }

// Image shows a picture that the model made.
func Image(media string, data []byte) Step {
	return Step{event: llm.Image{Type: media, Data: data}}
}

// StartTool shows that the model began to use a tool, on what about says; EndTool that
// it is done with it.
func StartTool(name, about string) Step { return Step{event: llm.ToolStart{Name: name, About: about}} }
func EndTool(name string) Step          { return Step{event: llm.ToolEnd{Name: name}} }

// Usage reports tokens.
func Usage(input, output int) Step { return Step{event: llm.Usage{Input: input, Output: output}} }

// Pause lets time pass, unless the request is cancelled before.
func Pause(d time.Duration) Step { return Step{pause: d} }

// Fail ends the answer with an error.
func Fail(err error) Step { return Step{err: err} }

// Say is an answer that comes as a whole.
func Say(text string) Answer { return Answer{Text(text)} }

// Typing is an answer that comes word by word, with a delay before each.
func Typing(text string, delay time.Duration) Answer {
	var a Answer
	for word := range strings.SplitAfterSeq(text, " ") {
		a = append(a, Pause(delay), Text(word))
	}
	return a
}

// Stream gives the answer as a runtime would.
func (a Answer) Stream(ctx context.Context) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for _, s := range a {
			if !sleep.For(ctx, s.pause) {
				yield(nil, context.Cause(ctx))
				return
			}
			if s.err != nil {
				yield(nil, s.err)
				return
			}
			if s.event != nil && !yield(s.event, nil) {
				return
			}
		}
	}
}

// Replies answers requests in the order in which they come, each with the next
// answer of its queue. Asked once more than it has answers, it fails and says so.
// The zero value has none. It is safe for concurrent use.
type Replies struct {
	mu       sync.Mutex
	waiting  []Answer
	requests []llm.Request
}

// New returns a runtime that gives the answers in order.
func New(answers ...Answer) *Replies { return &Replies{waiting: slices.Clone(answers)} }

// Add puts further answers at the end of the queue.
func (r *Replies) Add(answers ...Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, answers...)
}

// Requests are all requests so far, in order.
func (r *Replies) Requests() []llm.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Left is how many answers nobody has asked for yet.
func (r *Replies) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting)
}

// Invoke gives the next answer. The request counts from when the stream is read.
func (r *Replies) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		r.take(req).Stream(ctx)(yield)
	}
}

func (r *Replies) take(req llm.Request) Answer {
	req.Messages = slices.Clone(req.Messages) // the caller may go on writing to its own
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req)
	if len(r.waiting) == 0 {
		n := len(r.requests)
		return Answer{Fail(&llm.Error{
			Kind: llm.Refused, Runtime: "script",
			Remedy: fmt.Sprintf("add an answer to request %d to the script", n),
			Err:    errors.New("asked more often than there are answers"),
		})}
	}
	a := r.waiting[0]
	r.waiting = r.waiting[1:]
	return a
}
