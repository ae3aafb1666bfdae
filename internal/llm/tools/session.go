package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"discoclaw/internal/llm"
)

const (
	maxRounds  = 25  // answers of the model in one invocation
	moreRounds = 100 // in a project, where a piece of work is many files and many edits
	tellRepeat = 3   // the same call in a row is not run again from this time on
	maxRepeats = 5   // and ends the loop at this one
)

// A session is one invocation. All of it belongs to the consumer's goroutine; tools only read it.
type session struct {
	*looped
	box     *box
	offered []tool
	req     llm.Request
	yield   func(llm.Event, error) bool

	// tainted means that the model may have read outside text before it wrote the calls of this round. Then only addresses in said count.
	tainted bool
	// read has a server for each result of its tools, and an empty one for each page. After that nothing is changed any
	// more, as no card could show it to people beforehand; only the tools of the same server go on, which is told no more
	// by that than it knows.
	read  []string
	said  []string
	own   []string     // words of the model, which results may repeat
	pages atomic.Int32 // fetched since it is tainted

	rounds int    // that the model has
	output int    // bytes that results may still have
	shown  string // the end of the text so far

	latest  string // call, with its input
	repeats int
}

func newSession(l *looped, b *box, offered []tool, req llm.Request, yield func(llm.Event, error) bool) *session {
	s := &session{looped: l, box: b, offered: offered, req: req, yield: yield, tainted: req.Workspace.Tainted,
		rounds: maxRounds, output: maxOutput}
	if b.project {
		s.rounds, s.output = moreRounds, moreOutput
	}
	s.req.Tools = slices.Clone(req.Tools)
	for _, t := range offered {
		s.req.Tools = append(s.req.Tools, t.Tool)
	}
	for _, m := range req.Messages {
		s.hear(m)
	}
	return s
}

// hear takes note of the words of people and results, and of the model's own.
func (s *session) hear(m llm.Message) {
	if m.Role == llm.User {
		s.said = append(s.said, m.Text)
	} else {
		s.own = append(s.own, plainText(m.Text))
	}
	for _, r := range m.Results {
		s.said = append(s.said, r.Text)
	}
	for _, c := range m.Calls {
		s.own = append(s.own, plainText(string(c.Input)))
	}
}

// run asks until an answer has no calls of our tools.
func (s *session) run(ctx context.Context) {
	for range s.rounds {
		answer, ok := s.ask(ctx)
		if !ok {
			return
		}
		ours := slices.ContainsFunc(answer.Calls, func(c llm.ToolCall) bool { return !s.isForeign(c.Name) })
		if !s.passOn(answer.Calls, ours) || !ours {
			return
		}
		results, ok := s.call(ctx, answer.Calls)
		if !ok {
			return
		}
		s.req.Messages = append(slices.Clip(s.req.Messages), answer, llm.Message{Role: llm.User, Results: results})
		s.req.Plain = nil // it lacks these calls
	}
	s.fail(fmt.Sprintf("it used tools %d times in a row without coming to an answer; ask for less at a time", s.rounds))
}

// fail ends the stream, because the model does not come to an end by itself.
func (s *session) fail(why string) {
	s.yield(nil, &llm.Error{Kind: llm.Broken, Remedy: why, Members: "my language model went round in circles with its tools; ask for less at a time"})
}

// ask streams an answer and returns it. It returns false if that was the last one.
func (s *session) ask(ctx context.Context) (llm.Message, bool) {
	answer := llm.Message{Role: llm.Assistant}
	for event, err := range s.runtime.Invoke(ctx, s.req) {
		if err != nil {
			s.yield(nil, err)
			return answer, false
		}
		switch e := event.(type) {
		case llm.ToolCall:
			answer.Calls = append(answer.Calls, e)
			continue
		case llm.TextDelta:
			event = llm.TextDelta{Text: s.separated(e.Text, answer.Text == "")}
			answer.Text += e.Text
		}
		if !s.yield(event, nil) {
			return answer, false
		}
	}
	if err := context.Cause(ctx); err != nil {
		s.yield(nil, err)
		return answer, false
	}
	return answer, true
}

// passOn passes the calls of the consumer's tools on. Beside calls of ours they are answered here, and cannot be
// repeated without those: a vendor's seal is often for all calls of an answer. It returns false if the consumer has
// left.
func (s *session) passOn(calls []llm.ToolCall, besideOurs bool) bool {
	for _, c := range calls {
		if !s.isForeign(c.Name) {
			continue
		}
		if besideOurs {
			c.ID, c.Seal = "", nil
		}
		if !s.yield(c, nil) {
			return false
		}
	}
	return true
}

// isForeign reports whether a call is for the consumer: one of the request's own tools, or, if it has any, of one that does not exist.
func (s *session) isForeign(name string) bool {
	return len(s.req.Tools) > len(s.offered) && !slices.ContainsFunc(s.offered, func(t tool) bool { return t.Name == name })
}

// separated puts a blank line between the texts of two answers, the later of which begins.
func (s *session) separated(text string, begins bool) string {
	if begins && text != "" && s.shown != "" {
		end := len(s.shown) - len(strings.TrimRight(s.shown, "\n"))
		text = strings.Repeat("\n", 2-min(end, 2)) + text
	}
	whole := s.shown + text
	s.shown = whole[max(0, len(whole)-2):]
	return text
}

// repeated counts how often a call came in a row, this time included.
func (s *session) repeated(c llm.ToolCall) int {
	call := c.Name + " " + compact(c.Input)
	if call != s.latest {
		s.latest, s.repeats = call, 0
	}
	s.repeats++
	return s.repeats
}

func compact(input json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, input) != nil {
		return string(input)
	}
	return b.String()
}

const (
	maxOutput  = 1 << 20  // bytes of all results of an invocation
	moreOutput = 2 << 20  // in a project: about half a million tokens, which large models still take, as each round sends all of them again
	maxResult  = 64 << 10 // bytes of one
)

// keepEnds cuts the middle out of a text that is too long, and says so in its place. The note is not counted.
func keepEnds(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := most/2, len(text)-(most-most/2)
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + gap(tail-head) + text[tail:]
}

func gap(bytes int) string { return fmt.Sprintf("\n… (%d bytes left out) …\n", bytes) }

// An ends keeps the beginning and the end of what is written to it, each up to half of most bytes, so that a flood
// takes no memory.
type ends struct {
	most       int
	head, tail []byte
	lost       int
}

func (e *ends) Write(data []byte) (int, error) {
	n := len(data)
	half := e.most / 2
	fits := min(half-len(e.head), len(data))
	e.head = append(e.head, data[:fits]...)
	e.tail = append(e.tail, data[fits:]...)
	if over := len(e.tail) - half; over > 0 {
		e.lost += over
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return n, nil
}

func (e *ends) String() string {
	if e.lost == 0 {
		return string(e.head) + string(e.tail)
	}
	return string(e.head) + gap(e.lost) + strings.ToValidUTF8(string(e.tail), "")
}
