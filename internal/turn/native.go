package turn

import (
	"fmt"
	"slices"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/llm"
)

// maxCalls bounds the function calls of one answer, as maxAnswer does their length.
const maxCalls = 128

// addCall adds a function call to those of the answer. The next request has all of them in one message, so their IDs have to differ; some servers
// count them from one again whenever a tool of the runtime has run.
func (r *running) addCall(c llm.ToolCall) error {
	id := c.ID
	for n := 2; slices.ContainsFunc(r.calls, func(other llm.ToolCall) bool { return other.ID == c.ID }); n++ {
		c.ID = fmt.Sprintf("%s_%d", id, n)
	}
	r.calls = append(r.calls, c)
	if len(r.calls) > maxCalls || len(r.callsText()) > maxAnswer {
		return errTooMuch
	}
	return nil
}

// answered is the latest answer as a message of the conversation.
func (r *running) answered() llm.Message {
	return llm.Message{Role: llm.Assistant, Text: r.answer, Calls: r.calls}
}

// parse takes the latest answer apart: its text, and the function calls beside it.
func (r *running) parse() dialect.Parsed {
	parsed := r.parser.Parse(r.answer)
	var calls []dialect.Call
	for _, c := range r.calls {
		calls = append(calls, dialect.Call{ID: c.ID, Name: c.Name, Input: c.Input})
	}
	parsed.AddCalls(calls)
	return parsed
}

// callsText is all that the function calls of the latest answer say.
func (r *running) callsText() (text string) {
	for _, c := range r.calls {
		text += "\n" + c.Name + " " + string(c.Input)
	}
	return text
}
