package openai

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// drainTimeout is how long a server may take to end a stream after the finish reason. Only
// the number of tokens follows, which should not hold up an answer.
const drainTimeout = 5 * time.Second

// An answer is assembled from the chunks of a stream.
type answer struct {
	hurry context.CancelFunc // ends the request; does nothing once it has ended

	begun  bool
	text   bool
	reason string // why the answer ended, once it has
	usage  llm.Usage
	calls  []llm.ToolCall
}

// read yields the events, and an error at the end if the answer is not whole.
func (a *answer) read(stream *api.ChatCompletionStream) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for {
			chunk, err := stream.Recv()
			if err != nil {
				a.finish(err, yield)
				return
			}
			if event := a.take(chunk); event != nil && !yield(event, nil) {
				return
			}
		}
	}
}

// take returns the event of a chunk, which may be nil.
func (a *answer) take(chunk api.ChatCompletionStreamResponse) llm.Event {
	if u := chunk.Usage; u != nil && u.PromptTokens+u.CompletionTokens > 0 {
		// Some servers count in every chunk, from the start. The last one has the total.
		a.usage = llm.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
		if d := u.PromptTokensDetails; d != nil {
			a.usage.Cached = d.CachedTokens
		}
	}
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	a.end(string(choice.FinishReason))
	first := !a.begun
	a.begun = true
	for _, piece := range choice.Delta.ToolCalls {
		a.addCall(piece)
	}
	switch text := choice.Delta.Content + choice.Delta.Refusal; {
	case text != "":
		a.text = true
		return llm.TextDelta{Text: text}
	case first || a.reason != "":
		return nil // the opening chunk and the closing one have no text
	default:
		// Servers have several names for the field that holds the model's thoughts.
		// They all send chunks without text while it thinks.
		return llm.Thinking{}
	}
}

// addCall adds a piece of a call: the first of each has an ID and a name, the others only an index. Some servers send
// whole calls without an index.
func (a *answer) addCall(piece api.ToolCall) {
	at := len(a.calls) - 1
	if piece.Index != nil {
		at = min(*piece.Index, len(a.calls))
	} else if piece.ID != "" {
		at = len(a.calls)
	}
	if at < 0 || at == len(a.calls) {
		a.calls = append(a.calls, llm.ToolCall{})
		at = len(a.calls) - 1
	}
	call := &a.calls[at]
	call.ID = cmp.Or(call.ID, piece.ID)
	call.Name = cmp.Or(call.Name, piece.Function.Name)
	call.Input = append(call.Input, piece.Function.Arguments...)
}

func (a *answer) end(reason string) {
	if reason == "" || reason == string(api.FinishReasonNull) || a.reason != "" {
		return
	}
	a.reason = reason
	time.AfterFunc(drainTimeout, a.hurry)
}

// finish decides at the end of the stream whether the answer is whole.
func (a *answer) finish(err error, yield func(llm.Event, error) bool) {
	// The server must say so: by a finish reason, or by [DONE] after some text. A connection
	// that just ends proves nothing.
	marked := err == io.EOF
	if a.reason == "" && !(marked && (a.text || len(a.calls) > 0)) {
		yield(nil, transport.CutShort(err))
		return
	}
	for i := range a.calls {
		a.calls[i].ID = cmp.Or(a.calls[i].ID, fmt.Sprintf("call_%d", i+1)) // some servers give none
	}
	transport.Finish(a.usage, a.objection(), a.calls, yield)
}

// objection returns why an answer that has ended is not whole, or nil.
func (a *answer) objection() *llm.Error {
	switch reason := strings.ToLower(a.reason); reason {
	case "", "stop", "tool_calls", "function_call", "eos", "eos_token", "end_turn", "stop_sequence", "complete":
		return nil
	case "length", "max_tokens", "model_length":
		return &llm.Error{Kind: llm.Cut, Err: fmt.Errorf("finish reason %q", a.reason)}
	case "content_filter", "safety", "refusal":
		return &llm.Error{Kind: llm.Blocked, Err: fmt.Errorf("finish reason %q", a.reason)}
	default:
		// Servers have many reasons for an answer that they did not finish. One that is not known
		// to be whole is not.
		return &llm.Error{Kind: llm.Broken, Err: fmt.Errorf("finish reason %q", a.reason)}
	}
}
