package command

import (
	"fmt"
	"strings"

	"discoclaw/internal/llm"
)

// prompt returns a conversation as one text. Its parts begin with a line that begins with a mark, which is made longer
// until it stands in no part: whatever people write, it cannot pose as a part of its own. The same conversation always
// makes the same text, so that vendors find its beginning in their caches.
func prompt(req llm.Request, remark string) string {
	mark := markFor(req)
	var out strings.Builder
	fmt.Fprintf(&out, "This is a conversation. Its parts begin with lines that begin with %s, and with nothing else: first your instructions, then the messages in their order.", mark)
	fmt.Fprintf(&out, " Write the assistant's next message, and nothing but its text.%s\n", remark)
	part := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&out, "\n%s %s\n%s\n", mark, name, text)
		}
	}
	part("instructions", req.System)
	images := 0
	for _, m := range req.Messages {
		part(string(m.Role), said(m, &images))
	}
	return out.String()
}

func markFor(req llm.Request) string {
	mark := "====="
	texts := []string{req.System}
	for _, m := range req.Messages {
		texts = append(texts, said(m, new(int)))
	}
	for _, text := range texts {
		for strings.Contains(text, mark) {
			mark += "="
		}
	}
	return mark
}

// said returns a message with what goes with it. Images are numbered through the conversation, as they are attached.
func said(m llm.Message, images *int) string {
	parts := []string{m.Text}
	for range m.Images {
		*images++
		parts = append(parts, fmt.Sprintf("(Image %d is attached here.)", *images))
	}
	for _, c := range m.Calls {
		parts = append(parts, fmt.Sprintf("(You called the tool %s with %s.)", c.Name, c.Input))
	}
	for _, r := range m.Results {
		outcome := "returned"
		if r.Failed {
			outcome = "failed"
		}
		parts = append(parts, fmt.Sprintf("(The tool %s %s:)\n%s", r.Name, outcome, r.Text))
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// attached returns the images of a conversation in their order.
func attached(req llm.Request) []llm.Image {
	var all []llm.Image
	for _, m := range req.Messages {
		all = append(all, m.Images...)
	}
	return all
}
