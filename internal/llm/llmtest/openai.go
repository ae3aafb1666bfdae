package llmtest

import (
	"net/http"

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
	a := Asked{Key: r.Key, Request: llm.Request{Model: r.Model}}
	for _, m := range r.Messages {
		if m.Role == "system" {
			a.System += m.Content
		} else {
			a.Messages = append(a.Messages, llm.Message{Role: llm.Role(m.Role), Text: m.Content, Images: m.Images})
		}
	}
	return a
}

// chunks are a Response in OpenAI's format.
type chunks struct{ *Exchange }

func (c chunks) Asked() Asked { return asked(c.Request) }

func (c chunks) Done(tokens llm.Usage) {
	c.Finish("stop")
	c.Usage(tokens.Input, tokens.Output)
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
		return NoCredit()
	case llm.RateLimited:
		return RateLimited(e.RetryAfter)
	case llm.TooLong:
		return TooLong()
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
