package responses

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

	text    bool   // there was some
	index   int    // of the output that the latest text belongs to
	refusal string // what the model said instead of an answer
	calls   []llm.ToolCall
	thought seal // since the latest call
}

// read yields the events, and an error at the end if the answer is not whole. Only an event that says so ends it.
func (a *answer) read(raw io.Reader) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for e, err := range events(a.transport, raw) {
			if err != nil {
				yield(nil, err)
				return
			}
			switch e.Type {
			case "response.completed", "response.incomplete", "response.failed":
				a.finish(e, yield)
				return
			}
			event, err := a.take(e)
			if err != nil {
				yield(nil, &llm.Error{Kind: llm.Broken, Err: err})
				return
			}
			if event != nil && !yield(event, nil) {
				return
			}
		}
		yield(nil, transport.CutShort(nil))
	}
}

// take returns what an event means to the consumer, which may be nil.
func (a *answer) take(e event) (llm.Event, error) {
	switch e.Type {
	case "response.output_text.delta":
		return a.say(e)
	case "response.refusal.done":
		a.refusal = cmp.Or(e.Refusal, "refused")
	case "response.output_item.done":
		return a.add(e.Item)
	case "keepalive": // not documented; it comes during long thoughts
		return llm.Thinking{}, nil
	}
	for _, begin := range []string{"response.reasoning", "response.refusal.", "response.function_call_arguments."} {
		if strings.HasPrefix(e.Type, begin) {
			return llm.Thinking{}, nil // the answer goes on, with what is not text
		}
	}
	return nil, nil
}

// say returns a piece of text, with an empty line before it where another message begins.
func (a *answer) say(e event) (llm.Event, error) {
	var text string
	if err := json.Unmarshal(e.Delta, &text); err != nil || text == "" {
		return nil, err
	}
	if a.text && a.index != e.OutputIndex {
		text = "\n\n" + text
	}
	a.text, a.index = true, e.OutputIndex
	if len(a.calls) == 0 {
		a.thought.BeforeText = append(a.thought.BeforeText, a.thought.BeforeCall...)
		a.thought.BeforeCall = nil
	}
	return llm.TextDelta{Text: text}, nil
}

// add takes an item of the output that is complete.
func (a *answer) add(raw json.RawMessage) (llm.Event, error) {
	var item struct {
		call
		Encrypted string `json:"encrypted_content"`
	}
	if err := json.Unmarshal(raw, &item); err != nil {
		return nil, err
	}
	switch {
	case item.Type == "reasoning" && item.Encrypted != "": // the server would look for any other one, and find nothing
		a.thought.BeforeCall = append(a.thought.BeforeCall, raw)
	case item.Type == "function_call":
		c := llm.ToolCall{ID: item.CallID, Name: item.Name, Input: json.RawMessage(item.Arguments)}
		if len(a.thought.BeforeText)+len(a.thought.BeforeCall) > 0 {
			c.Seal, _ = json.Marshal(a.thought) // JSON always can be encoded
			a.thought = seal{}
		}
		a.calls = append(a.calls, c)
	default:
		return nil, nil
	}
	return llm.Thinking{}, nil
}

// finish decides at the end of the answer whether it is whole.
func (a *answer) finish(e event, yield func(llm.Event, error) bool) {
	end := e.Response
	if end == nil {
		end = &response{}
	}
	usage := llm.Usage{Input: end.Usage.Input, Cached: end.Usage.InputDetails.Cached, Output: end.Usage.Output}
	transport.Finish(usage, a.objection(e.Type, end), a.calls, yield)
}

// objection returns why an answer that has ended is not whole, or nil. A reason that is not known is that of one that
// broke off.
func (a *answer) objection(ended string, r *response) *llm.Error {
	reason := r.IncompleteDetails.Reason
	kind := llm.Broken
	switch {
	case ended == "response.failed":
		return r.Error.err(a.transport, 0)
	case ended == "response.completed" && a.refusal == "":
		return nil
	case ended == "response.completed":
		return a.transport.Fault(llm.Blocked, 0, "refusal", a.refusal)
	case reason == "max_output_tokens":
		kind = llm.Cut
	case reason == "content_filter":
		kind = llm.Blocked
	}
	return a.transport.Fault(kind, 0, fmt.Sprintf("incomplete because of %q", reason))
}

// maxResponse bounds the memory for an event with the whole response, which has the instructions and all output in it.
const maxResponse = 16 << 20

// events yields the events of a response, and an error unless it ends as HTTP wants it.
func events(d *transport.Transport, raw io.Reader) iter.Seq2[event, error] {
	read := func(text []byte) (event, error) { return decode(d, text) }
	return transport.Events(d, raw, maxResponse, read, func(text []byte) (*llm.Error, bool) {
		f, ok := parseFault(text)
		return f.err(d, 0), ok
	})
}

func decode(d *transport.Transport, text []byte) (event, error) {
	var e event
	if err := json.Unmarshal(text, &e); err != nil {
		return e, &llm.Error{Kind: llm.Broken, Err: err}
	}
	if e.Type == "error" || given(e.Error) {
		f, _ := parseFault(text)
		return e, f.err(d, 0)
	}
	if len(text) > transport.MaxEvent && e.Response == nil {
		return e, transport.TooLong("an event")
	}
	return e, nil
}
