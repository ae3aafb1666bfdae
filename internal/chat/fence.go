package chat

import "strings"

// Fenced puts text into a code fence that it cannot close: one that is longer than the longest run of backticks.
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
	return fence + "\n" + text + "\n" + fence
}
