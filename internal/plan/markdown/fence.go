package markdown

import "strings"

// Fenced puts a text into a code block that it cannot close: its fence is longer than the longest run of backticks in the text.
func Fenced(text string) string {
	run, longest := 0, 2
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
