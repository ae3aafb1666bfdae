package dialect

import "strings"

// Prose returns text without its Markdown code and quotes.
func Prose(text string) string {
	var b strings.Builder
	at := 0
	for _, s := range inertSpans(text) {
		b.WriteString(text[at:s.Start])
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// InCode returns a function that reports whether the byte of text at an offset is Markdown code.
func InCode(text string) func(offset int) bool { return codeSpans(text).contain }
