package gemini

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// An answer is assembled from the events of a stream.
type answer struct {
	transport *transport.Transport

	reason  string // of the latest event with an answer in it
	message string // that came with the reason
	blocked string // why, if the prompt is
	usage   llm.Usage
	calls   []llm.ToolCall
}

// read yields the events, and an error at the end if the answer is not whole. It is if the last event with a part of
// it has a reason for the end, and the response has ended as HTTP wants it: some models send a reason with every event.
func (a *answer) read(raw io.Reader) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for c, err := range chunks(a.transport, raw) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, e := range a.take(c) {
				if !yield(e, nil) {
					return
				}
			}
		}
		transport.Finish(a.usage, a.objection(), a.calls, yield)
	}
}

// take returns what an event means to the consumer.
func (a *answer) take(c chunk) []llm.Event {
	if u := c.Usage; u != nil {
		// They are counted in every event, from the start. The last one has the total.
		a.usage = llm.Usage{Input: u.Prompt + u.ToolUsePrompt, Cached: u.Cached, Output: u.Candidates + u.Thoughts}
	}
	if f := c.PromptFeedback; f != nil {
		a.blocked = cmp.Or(a.blocked, f.BlockReason)
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	candidate := c.Candidates[0]
	if candidate.FinishReason != "" || len(candidate.Content.Parts) > 0 {
		a.reason, a.message = candidate.FinishReason, candidate.FinishMessage
	}
	var events []llm.Event
	for _, p := range candidate.Content.Parts {
		if e := a.add(p); e != nil {
			events = append(events, e)
		}
	}
	return events
}

// add returns the event of a part, which may be nil.
func (a *answer) add(p part) llm.Event {
	switch {
	case p.Thought:
		return llm.Thinking{}
	case p.Call != nil:
		id := cmp.Or(p.Call.ID, fmt.Sprintf("%s%d", ours, len(a.calls)+1))
		a.calls = append(a.calls, llm.ToolCall{ID: id, Name: p.Call.Name, Input: p.Call.Args, Seal: p.Signature})
		return llm.Thinking{} // the answer goes on, with what is not text
	case p.isImage():
		return llm.Image(*p.Data)
	case p.Text != "":
		return llm.TextDelta{Text: p.Text}
	}
	return nil
}

// objection returns why an answer that has ended is not whole, or nil. A reason that is not known to be that of a
// whole answer is not.
func (a *answer) objection() *llm.Error {
	if a.blocked != "" {
		return a.transport.Fault(llm.Blocked, 0, fmt.Sprintf("block reason %q", a.blocked))
	}
	kind := llm.Broken
	switch a.reason {
	case "STOP":
		return nil
	case "":
		return transport.CutShort(nil)
	case "MAX_TOKENS":
		kind = llm.Cut
	case "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		kind = llm.Blocked
	}
	return a.transport.Fault(kind, 0, fmt.Sprintf("finish reason %q", a.reason), a.message)
}

// maxImage bounds the memory for an event with an image, which comes in one piece.
const maxImage = 32 << 20

// chunks yields the events of a response, and an error unless it ends as it should.
func chunks(d *transport.Transport, raw io.Reader) iter.Seq2[chunk, error] {
	read := func(text []byte) (chunk, error) { return decode(d, text) }
	return transport.Events(d, raw, maxImage, read, func(text []byte) (*llm.Error, bool) {
		f, ok := parseFault(text)
		return f.err(d, 0), ok
	})
}

func decode(d *transport.Transport, event []byte) (chunk, error) {
	var c chunk
	if err := json.Unmarshal(event, &c); err != nil {
		return c, &llm.Error{Kind: llm.Broken, Err: err}
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		f, _ := parseFault(event)
		return c, f.err(d, 0)
	}
	if len(event) > transport.MaxEvent && !c.hasImage() {
		return c, transport.TooLong("an event")
	}
	return c, nil
}

func (c chunk) hasImage() bool {
	for _, candidate := range c.Candidates {
		for _, p := range candidate.Content.Parts {
			if p.isImage() {
				return true
			}
		}
	}
	return false
}

func (p part) isImage() bool {
	return p.Data != nil && strings.HasPrefix(p.Data.Type, "image/")
}
