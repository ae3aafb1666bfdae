package turn

import (
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/llm"
)

// maxCalls bounds the function calls of one answer, as maxAnswer does their length.
const maxCalls = 128

// addCall adds a function call to those of the answer.
func (r *running) addCall(c llm.ToolCall) error {
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
