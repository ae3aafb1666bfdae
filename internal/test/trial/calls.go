package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"discoclaw/internal/llm"
)

// A call of a tool is a block of these lines with JSON between them, at the end of an answer.
const (
	openCall  = "```tool"
	closeCall = "```"
)

// A toolCall is the JSON of a call.
type toolCall struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// An answer is what the model says, and what it calls after that.
type answer struct {
	text  string // as it was written
	said  string
	calls []toolCall
}

// parseAnswer reads an answer to a request with tools. Its errors are sentences for who wrote it.
func parseAnswer(text string) (answer, error) {
	a := answer{text: text}
	said, rest, found := cutLine(text, openCall)
	a.said = strings.TrimRight(said, "\n")
	for found {
		block, after, closed := cutLine(rest, closeCall)
		if !closed {
			return a, fmt.Errorf("the last block has no end; write a line %s behind its JSON", closeCall)
		}
		c, err := parseCall(block)
		if err != nil {
			return a, fmt.Errorf("block %d: %w", len(a.calls)+1, err)
		}
		a.calls = append(a.calls, c)
		var between string
		if between, rest, found = cutLine(after, openCall); strings.TrimSpace(between) != "" {
			return a, fmt.Errorf("there is text behind block %d; put all text before the first block, or leave it for the next answer, when the results are known", len(a.calls))
		}
	}
	return a, nil
}

// cutLine cuts a text at the first line that consists of a mark.
func cutLine(text, mark string) (before, after string, found bool) {
	at := 0
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \t\r\n") == mark {
			return text[:at], text[at+len(line):], true
		}
		at += len(line)
	}
	return text, "", false
}

func parseCall(block string) (toolCall, error) {
	var c toolCall
	in := json.NewDecoder(strings.NewReader(block))
	in.DisallowUnknownFields()
	err := in.Decode(&c)
	if err == nil {
		if _, more := in.Token(); more != io.EOF {
			err = errors.New("there is something behind the object; write a block for each call")
		}
	}
	switch {
	case err != nil:
		return c, fmt.Errorf("it is not the JSON of one call: %w", err)
	case c.Name == "":
		return c, errors.New(`it does not say which tool; write {"name": …, "input": …}`)
	case !bytes.HasPrefix(bytes.TrimSpace(c.Input), []byte("{")):
		return c, errors.New("its input is not a JSON object; write {} for none")
	}
	return c, nil
}

// block is a call as it is written in an answer.
func (c toolCall) block() string {
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(c); err != nil { // a call that was not parsed here
		fmt.Fprintf(&b, "%s %s\n", c.Name, c.Input)
	}
	return openCall + "\n" + b.String() + closeCall + "\n"
}

// howToCall explains in a request file how its tools are called.
func howToCall(list []llm.Tool) string {
	var b strings.Builder
	b.WriteString("You may call the tools below. To do so, end your answer with a block like this one for each call, as JSON, with nothing behind the last:\n\n")
	b.WriteString(toolCall{Name: list[0].Name, Input: json.RawMessage(`{}`)}.block())
	b.WriteString("\nThe input has to fit the schema of the tool; line breaks in its texts are written as \\n. Their results come with the next request, if there is one. An answer without such a block is the last one.\n")
	for _, t := range list {
		fmt.Fprintf(&b, "\n%s: %s\n%s\n", t.Name, t.Description, t.Schema)
	}
	return b.String()
}
