package anthropic

import (
	"encoding/json"
	"net/http"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// A client is how the library reaches the server. It lets only streams of events through.
type client struct{ door *door.Door }

func (c client) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.door.Do(req)
	if err != nil {
		return nil, err
	}
	in, first, err := c.door.Begin(resp.Body)
	if err == nil && first == '{' {
		var text []byte
		if text, err = door.ReadAll(in); err == nil {
			err = notStreamed(c.door, text)
		}
	}
	if err != nil {
		_ = resp.Body.Close() // there is no answer in it
		return nil, door.CutShort(err)
	}
	// Without its request, the library would not decode an error in the stream.
	resp.Body, resp.Request = &door.Stream{In: in, Closer: resp.Body}, req
	return resp, nil
}

// notStreamed is the error of a response that is one object. Every request asks for a stream, so it is an error that
// came with a good status, or from another API.
func notStreamed(d *door.Door, text []byte) *llm.Error {
	if f := parseFault(text); f != (fault{}) {
		return f.err(d, 0)
	}
	return d.NoAnswer("the response is not a stream")
}

// A fault is the server's description of an error: {"type":"error","error":{"type","message"}}.
type fault struct{ kind, message string }

func parseFault(text []byte) fault {
	var body struct {
		Error struct{ Type, Message string }
	}
	_ = json.Unmarshal(text, &body) // what is not an error has no fields of one
	return fault{kind: body.Error.Type, message: body.Error.Message}
}

// refusal makes an error of the body of a response that is no answer.
func refusal(d *door.Door, status int, body []byte) *llm.Error {
	return parseFault(body).err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *door.Door, status int) *llm.Error {
	return d.Fault(f.classify(status), status, f.kind, f.message)
}

// types are values of "type".
var types = map[string]llm.Kind{
	"authentication_error": llm.Unauthorized,
	"permission_error":     llm.Forbidden,
	"billing_error":        llm.NoCredit,
	"rate_limit_error":     llm.RateLimited,
	"request_too_large":    llm.TooLong,
	"timeout_error":        llm.Unavailable,
	"api_error":            llm.Unavailable,
	"overloaded_error":     llm.Unavailable,
}

// classify goes by the type; by the message where one type stands for several errors; then by the status.
func (f fault) classify(status int) llm.Kind {
	if kind, ok := types[f.kind]; ok {
		return kind
	}
	switch f.kind {
	case "not_found_error":
		if door.Mentions(f.message, "model") {
			return llm.NoSuchModel
		}
		return llm.Refused
	case "invalid_request_error":
		return invalid(f.message)
	}
	if status == 0 {
		return llm.Broken
	}
	return door.ByStatus(status)
}

// invalid classifies requests that the API calls invalid, among which are some that only come at the wrong time.
func invalid(message string) llm.Kind {
	switch {
	case door.Mentions(message, "credit balance"):
		return llm.NoCredit
	case door.Mentions(message, "prompt is too long", "exceed context limit", "exceeds the maximum allowed number of tokens"):
		return llm.TooLong
	case door.Mentions(message, "content filtering policy"):
		return llm.Blocked
	}
	return llm.Refused
}
