package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"discoclaw/internal/llm"
)

// A queue has the answers that wait for requests, and the requests so far.
type queue[Answer, Request any] struct {
	mu       sync.Mutex
	waiting  []Answer
	always   []Answer // one at most
	requests []Request
	active   int
}

// Next adds an answer for one more request.
func (q *queue[A, R]) Next(a A) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, a)
}

// Always sets the answer for requests without one of Next.
func (q *queue[A, R]) Always(a A) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.always = []A{a}
}

// Requests returns the well-formed requests so far, in order.
func (q *queue[A, R]) Requests() []R {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.requests)
}

// Active returns how many requests are in flight.
func (q *queue[A, R]) Active() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.active
}

// begin returns the answer to a request, which none makes if there is no other.
func (q *queue[A, R]) begin(r R, none func(text string) A) A {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active++
	q.requests = append(q.requests, r)
	switch {
	case len(q.waiting) > 0:
		a := q.waiting[0]
		q.waiting = q.waiting[1:]
		return a
	case len(q.always) > 0:
		return q.always[0]
	}
	return none(fmt.Sprintf("nothing is scripted for request %d", len(q.requests)))
}

func (q *queue[A, R]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
}

// scripts are what the fakes of vendors share.
type scripts struct{ queue[Script, Asked] }

// Asked returns the well-formed requests so far, in order.
func (s *scripts) Asked() []Asked { return s.Requests() }

// run answers a request, with a refusal if its key is not the one that is wanted.
func (s *scripts) run(x Response, key string) {
	script := s.begin(x.Asked(), func(text string) Script {
		return func(x Response) { x.Write(http.StatusTeapot, "text/plain", text) }
	})
	defer s.end()
	if key != "" && x.Asked().Key != key {
		script = failingWith(llm.Error{Kind: llm.Unauthorized})
	}
	script(x)
}

// decode reads the body of a request as strictly as the APIs do: a field that they do not know is a mistake.
func decode(r *http.Request, into any) error {
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		return fmt.Errorf("the content type is %q, not application/json", kind)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("the request could not be read: %w", err)
	}
	if err := strictly(text, into); err != nil {
		return fmt.Errorf("the request does not fit the API: %w", err)
	}
	return nil
}

// isObject reports whether a text is a JSON object.
func isObject(text json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(text, &fields) == nil && fields != nil
}
