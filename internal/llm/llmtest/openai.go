package llmtest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/llm"
)

// OpenAI is the Vendor for adapters that speak OpenAI's chat completions API.
type OpenAI struct{ *Local }

func (v OpenAI) Next(s Script)   { v.Queue(speaking(s)) }
func (v OpenAI) Always(s Script) { v.Local.Always(speaking(s)) }

func (v OpenAI) Asked() []Asked {
	var all []Asked
	for _, r := range v.Requests() {
		all = append(all, asked(r))
	}
	return all
}

func speaking(s Script) Answer { return func(x *Exchange) { s(chunks{x}) } }

func asked(r Request) Asked {
	a := Asked{Key: r.Key, Request: llm.Request{Model: r.Model, MaxOutput: max(r.MaxTokens, r.MaxCompletion)}}
	for _, t := range r.Tools {
		a.Tools = append(a.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "system":
			a.System += m.Content
		case "tool":
			a.addResult(m)
		default:
			a.Messages = append(a.Messages, llm.Message{Role: llm.Role(m.Role), Text: m.Content, Images: m.Images, Documents: m.Documents, Calls: m.Calls})
		}
	}
	return a
}

// addResult puts the results of one answer's calls, which are messages of their own here, together. That one has
// failed stands in its text.
func (a *Asked) addResult(m Message) {
	last := &a.Messages[len(a.Messages)-1]
	if len(last.Results) == 0 {
		a.Messages = append(a.Messages, llm.Message{Role: llm.User})
		last = &a.Messages[len(a.Messages)-1]
	}
	text, failed := strings.CutPrefix(m.Content, "Error: ")
	result := llm.ToolResult{ID: m.CallID, Text: text, Failed: failed}
	for _, call := range a.Messages[len(a.Messages)-2].Calls {
		if call.ID == m.CallID {
			result.Name = call.Name
		}
	}
	last.Results = append(last.Results, result)
}

// chunks are a Response in OpenAI's format.
type chunks struct{ *Exchange }

func (c chunks) Asked() Asked { return asked(c.Request) }

func (c chunks) Done(tokens llm.Usage) {
	reason := "stop"
	if c.calls > 0 {
		reason = "tool_calls"
	}
	c.Finish(reason)
	c.Usage(tokens)
	c.Exchange.Done()
}

func (c chunks) Garble() { c.Event(`{"choices":[{"delta":{"content":"an`) }

func (c chunks) Fail(e llm.Error) { c.failure(e)(c.Exchange) }

func (c chunks) failure(e llm.Error) Answer {
	switch e.Kind {
	case llm.Cut:
		return endingWith("length", nil)
	case llm.Blocked:
		return endingWith("content_filter", nil)
	case llm.Unauthorized:
		return Unauthorized()
	case llm.NoCredit:
		return failing(http.StatusTooManyRequests, Fault{
			Type: "insufficient_quota", Code: "insufficient_quota", Message: "You exceeded your current quota, please check your plan and billing details.",
		})
	case llm.RateLimited:
		c.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter/time.Second)))
		return failing(http.StatusTooManyRequests, Fault{Type: "requests", Code: "rate_limit_exceeded", Message: "Rate limit reached for requests"})
	case llm.TooLong:
		return failing(http.StatusBadRequest, Fault{
			Type: "invalid_request_error", Code: "context_length_exceeded", Param: new("messages"),
			Message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
		})
	case llm.NoSuchModel:
		return NoSuchModel()
	case llm.Refused:
		return failing(http.StatusBadRequest, Fault{Message: "no", Type: "invalid_request_error"})
	}
	if !c.began {
		return ServerError(e.Status)
	}
	return func(x *Exchange) { // the status has already said that all is well
		x.Event(encode(map[string]any{"error": Fault{Message: "overloaded", Type: "server_error"}}))
		x.Done()
	}
}
