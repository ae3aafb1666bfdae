package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// An answer is assembled from the events of a stream.
type answer struct {
	transport *transport.Transport

	reason   api.StopReason
	usage    llm.Usage
	calls    []llm.ToolCall
	thoughts []thought
}

// A thought is a block that the API wants back before the calls that came after it.
type thought struct {
	Type      string  `json:"type"`
	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`
}

// read yields the events, and an error at the end if the answer is not whole. The server must say that it is, by its
// last event. A connection that just ends proves nothing.
func (a *answer) read(stream *ssestream.Stream[api.MessageStreamEventUnion]) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for stream.Next() {
			event := stream.Current()
			if event.Type == "message_stop" {
				a.finish(yield)
				return
			}
			if e := a.take(event); e != nil && !yield(e, nil) {
				return
			}
		}
		yield(nil, a.failure(stream.Err()))
	}
}

// failure is the error of a stream that ended early. The texts of the library's own errors have the address in them,
// or what the server sent.
func (a *answer) failure(err error) *llm.Error {
	if told, ok := errors.AsType[*api.Error](err); ok {
		return parseFault([]byte(told.RawJSON())).err(a.transport, 0)
	}
	e := transport.CutShort(err)
	if e.Err == err {
		return a.transport.Fault(e.Kind, 0, err.Error())
	}
	return e
}

// take returns what an event means to the consumer, which may be nothing.
func (a *answer) take(event api.MessageStreamEventUnion) llm.Event {
	switch event.Type {
	case "message_start":
		u := event.Message.Usage
		a.count(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens)
	case "content_block_start":
		return a.begin(event.ContentBlock)
	case "content_block_delta":
		return a.add(event.Delta)
	case "message_delta":
		a.reason = event.Delta.StopReason
		u := event.Usage
		a.count(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens)
	}
	return nil
}

// count takes a count of tokens, all from the start. Those of the input may be left out of a later one.
func (a *answer) count(input, read, written, output int64) {
	if all := input + read + written; all > 0 {
		a.usage.Input, a.usage.Cached, a.usage.Written = int(all), int(read), int(written)
	}
	a.usage.Output = max(a.usage.Output, int(output))
}

func (a *answer) begin(block api.ContentBlockStartEventContentBlockUnion) llm.Event {
	switch block.Type {
	case "text":
		if block.Text != "" {
			return llm.TextDelta{Text: block.Text}
		}
	case "thinking":
		a.thoughts = append(a.thoughts, thought{Type: block.Type, Thinking: &block.Thinking, Signature: block.Signature})
		return llm.Thinking{}
	case "redacted_thinking":
		a.thoughts = append(a.thoughts, thought{Type: block.Type, Data: block.Data})
		return llm.Thinking{}
	case "tool_use":
		a.calls = append(a.calls, llm.ToolCall{ID: block.ID, Name: block.Name})
		return llm.Thinking{} // a long input is no hang
	}
	return nil
}

// add takes the next piece of a block. The pieces of one come before those of the next.
func (a *answer) add(delta api.MessageStreamEventUnionDelta) llm.Event {
	switch delta.Type {
	case "text_delta":
		if delta.Text != "" {
			return llm.TextDelta{Text: delta.Text}
		}
	case "thinking_delta", "signature_delta":
		if n := len(a.thoughts); n > 0 && a.thoughts[n-1].Thinking != nil {
			*a.thoughts[n-1].Thinking += delta.Thinking
			a.thoughts[n-1].Signature += delta.Signature
		}
		return llm.Thinking{}
	case "input_json_delta":
		if n := len(a.calls); n > 0 {
			a.calls[n-1].Input = append(a.calls[n-1].Input, delta.PartialJSON...)
		}
		return llm.Thinking{}
	}
	return nil
}

// finish ends an answer that the server has ended.
func (a *answer) finish(yield func(llm.Event, error) bool) {
	for i := range a.calls {
		a.calls[i].ID = cmp.Or(a.calls[i].ID, fmt.Sprintf("toolu_%d", i+1))
		if i == 0 && len(a.thoughts) > 0 {
			a.calls[i].Seal, _ = json.Marshal(a.thoughts) // texts always can be encoded
		}
	}
	transport.Finish(a.usage, a.objection(), a.calls, yield)
}

// objection returns why an answer that has ended is not whole, or nil. A reason that is not known to be that of a
// whole answer is not.
func (a *answer) objection() *llm.Error {
	kind := llm.Broken
	switch a.reason {
	case api.StopReasonEndTurn, api.StopReasonStopSequence, api.StopReasonToolUse:
		return nil
	case api.StopReasonMaxTokens, api.StopReasonModelContextWindowExceeded:
		kind = llm.Cut
	case api.StopReasonRefusal:
		kind = llm.Blocked
	}
	return a.transport.Fault(kind, 0, fmt.Sprintf("stop reason %q", a.reason))
}
