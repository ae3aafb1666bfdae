package standin

import (
	"encoding/json"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// act writes a request the way a model would: a type, then names and values of fields. Empty texts are left out.
func act(kind string, fields ...any) string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s{"type":%q`, actions.BlockOpen, kind)
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] == "" {
			continue
		}
		fmt.Fprintf(&b, ",%q:%s", fields[i], encoded(fields[i+1]))
	}
	b.WriteString("}" + actions.BlockClose)
	return b.String()
}

func encoded(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // texts, numbers and lists of texts always encode
	}
	return strings.TrimSpace(b.String())
}

// most is how many lines an answer has, and how many items a list in it.
const (
	mostLines = 8
	mostItems = 6
)

// listed is a list below a sentence, cut where an answer would become too long.
func listed(intro string, items []string) string {
	if len(items) > mostItems {
		left := len(items) - mostItems
		items = append(items[:mostItems:mostItems], fmt.Sprintf("… and %d more", left))
	}
	lines := []string{intro}
	for _, item := range items {
		lines = append(lines, "- "+item)
	}
	return strings.Join(lines, "\n")
}

// shortened cuts an answer that has too many lines. Code blocks stay, since they become files if they are long.
func shortened(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= mostLines || strings.Contains(text, "```") {
		return text
	}
	return strings.Join(append(lines[:mostLines-1:mostLines-1], "…"), "\n")
}

// sentence makes a text begin with a capital letter and end with a full stop.
func sentence(text string) string {
	text = chat.Capital(strings.TrimSpace(text))
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?…:)\"") {
		return text
	}
	return text + "."
}

// unquoted is a text without the quotes around it.
func unquoted(text string) string { return strings.Trim(strings.TrimSpace(text), `"'“”`) }

// person is a name or mention without its @ sign.
func person(text string) string { return strings.TrimPrefix(strings.TrimSuffix(text, "'s"), "@") }

// slug is a text as the name of a channel.
func slug(text string) string {
	return strings.Trim(strings.Join(strings.Fields(strings.ToLower(strings.TrimLeft(unquoted(text), "#"))), "-"), "-.,")
}

// orHere is a channel, or the current one if none is named.
func orHere(channel string) string {
	switch strings.ToLower(channel) {
	case "", "here", "this":
		return here
	}
	return channel
}

func quoted(text string) string { return "“" + chat.Clip(oneLine(text), 140) + "”" }
