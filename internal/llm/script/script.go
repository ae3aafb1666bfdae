// Package script is a language model with scripted answers, for tests and for the
// playground.
//
// [Replies] holds a queue of answers and records its requests. An [Answer]
// is a list of steps: text, pauses, an error at the end. [Typing] writes one that
// looks like a model at work. Where an answer depends on the question, [Func] makes
// a runtime of a function.
package script

import (
	"context"
	"encoding/json"
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

// An Answer is the response to one request.
type Answer []Step

// A Step is an event, a pause or an error of an Answer.
type Step struct {
	event llm.Event
	pause time.Duration
	err   error
}

// Text is a piece of the answer.
func Text(text string) Step { return Step{event: llm.TextDelta{Text: text}} }

// Think is a Thinking event.
func Think() Step { return Step{event: llm.Thinking{}} }

// Image is a picture that the model made.
func Image(media string, data []byte) Step {
	return Step{event: llm.Image{Type: media, Data: data}}
}

// StartTool is the event of a tool, whose subject is about.
func StartTool(name, about string) Step { return Step{event: llm.ToolStart{Name: name, About: about}} }

// Call asks for a tool. The input is JSON, or what a model takes for it.
func Call(id, name, input string) Step {
	return Step{event: llm.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}}
}

// Usage reports tokens.
func Usage(input, output int) Step { return Step{event: llm.Usage{Input: input, Output: output}} }

// Event is any event of a runtime.
func Event(e llm.Event) Step { return Step{event: e} }

// Pause sleeps until the request is cancelled, or for d.
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

// Stream streams the answer as a runtime would.
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

// Replies answers each request with the next answer of its queue. A request that finds it empty
// gets an error. The zero value has none. It is safe for concurrent use.
type Replies struct {
	mu       sync.Mutex
	waiting  []Answer
	requests []llm.Request
}

// New returns a runtime with a queue of answers.
func New(answers ...Answer) *Replies { return &Replies{waiting: slices.Clone(answers)} }

// Add puts further answers at the end of the queue.
func (r *Replies) Add(answers ...Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, answers...)
}

// Requests returns all requests so far, in order.
func (r *Replies) Requests() []llm.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Left returns how many answers are still in the queue.
func (r *Replies) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting)
}

// Invoke streams the next answer, which is taken from the queue when the stream is read.
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
