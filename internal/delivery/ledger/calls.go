package ledger

import (
	"encoding/json"

	"discoclaw/internal/llm"
)

// A call is a function call as it is stored. Its input may be malformed, and is kept to the byte: a resumed turn
// recognises by it what was done.
type call struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input []byte `json:"input"`
	Seal  []byte `json:"seal,omitempty"`
}

func encodeCalls(list []llm.ToolCall) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	stored := make([]call, len(list))
	for i, c := range list {
		stored[i] = call{c.ID, c.Name, c.Input, c.Seal}
	}
	text, err := json.Marshal(stored)
	return string(text), err
}

func decodeCalls(text string) (list []llm.ToolCall, err error) {
	if text == "" {
		return nil, nil
	}
	var stored []call
	err = json.Unmarshal([]byte(text), &stored)
	for _, c := range stored {
		list = append(list, llm.ToolCall{ID: c.ID, Name: c.Name, Input: c.Input, Seal: c.Seal})
	}
	return list, err
}
