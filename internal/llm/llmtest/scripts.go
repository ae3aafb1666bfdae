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

// scripts are what the fakes of vendors share: the scripts that wait, and what was asked.
type scripts struct {
	mu      sync.Mutex
	waiting []Script
	always  Script
	asked   []Asked
	active  int
}

// Next adds a script for one more request.
func (s *scripts) Next(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, script)
}

// Always sets the script for requests without one of Next.
func (s *scripts) Always(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = script
}

// Asked returns the well-formed requests so far, in order.
func (s *scripts) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Active returns how many requests are in flight.
func (s *scripts) Active() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// run answers a request, with a refusal if its key is not the one that is wanted.
func (s *scripts) run(x Response, key string) {
	script := s.begin(x.Asked())
	defer s.end()
	if key != "" && x.Asked().Key != key {
		script = failingWith(llm.Error{Kind: llm.Unauthorized})
	}
	script(x)
}

func (s *scripts) begin(a Asked) Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active++
	s.asked = append(s.asked, a)
	script := s.always
	if len(s.waiting) > 0 {
		script, s.waiting = s.waiting[0], s.waiting[1:]
	}
	if script == nil {
		n := len(s.asked)
		script = func(x Response) {
			x.Write(http.StatusTeapot, "text/plain", fmt.Sprintf("nothing is scripted for request %d", n))
		}
	}
	return script
}

func (s *scripts) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
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
