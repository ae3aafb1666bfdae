package actions

import "strings"

// Plain is what somebody else wrote, a name for example, as a part of a sentence in
// Markdown: one line, and none of it formatting, a link or a mention. On a card it
// can then neither hide what stands beside it nor look like somebody else.
func Plain(s string) string {
	return formatting.Replace(strings.Join(strings.Fields(s), " "))
}

// formatting takes its meaning from all that Discord reads as Markdown inside a line.
var formatting = strings.NewReplacer(
	`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`,
)
