package gemini

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// An answer is assembled from the events of a stream.
type answer struct {
	door *door.Door

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
		for c, err := range chunks(a.door, raw) {
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
		a.finish(yield)
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

// finish decides at the end of the response whether the answer is whole.
func (a *answer) finish(yield func(llm.Event, error) bool) {
	if a.usage != (llm.Usage{}) && !yield(a.usage, nil) {
		return
	}
	if e := a.objection(); e != nil {
		yield(nil, e)
		return
	}
	for _, call := range a.calls {
		if !yield(call, nil) {
			return
		}
	}
}

// objection returns why an answer that has ended is not whole, or nil. A reason that is not known to be that of a
// whole answer is not.
func (a *answer) objection() *llm.Error {
	if a.blocked != "" {
		return a.door.Fault(llm.Blocked, 0, fmt.Sprintf("block reason %q", a.blocked))
	}
	kind := llm.Broken
	switch a.reason {
	case "STOP":
		return nil
	case "":
		return door.CutShort(nil)
	case "MAX_TOKENS":
		kind = llm.Cut
	case "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		kind = llm.Blocked
	}
	return a.door.Fault(kind, 0, fmt.Sprintf("finish reason %q", a.reason), a.message)
}
