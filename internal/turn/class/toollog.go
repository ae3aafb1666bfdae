package class

import (
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/actions/dialect"
)

// toolLog matches a line in which a model tells what its tools do. There is no rule for any emoji and any word: that would take
// honest lines such as "📌 Note: …".
var toolLog = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:🛠|📖|🔎|✏|📝|✍|🔍|📁|🌐|🧰|🔧|⚙|📂|🗂|💻|🖥|📋|🔄|📦|🗑|➡)\x{FE0F}?[ \t]*` +
		`(?:exec|read|web_search|edit|write|search|glob|fetch|process|tool|config|list|file|run|shell|task|sync|package|delete|move|copy)[ \t]*:`)
})

var blankLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*\n(?:[ \t]*\n)+`) })

// WithoutToolLogs returns an answer without the lines in which a model tells what its tools do. Code is left as it is.
func WithoutToolLogs(text string) string {
	if !strings.Contains(text, ":") {
		return text
	}
	inCode := dialect.InCode(text)
	var b strings.Builder
	removed := false
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if !inCode(at) && toolLog().MatchString(text[at:end]) {
			removed = true
		} else {
			b.WriteString(text[at:end])
		}
		at = end
	}
	if !removed {
		return text
	}
	return strings.TrimSpace(closed(b.String()))
}

// closed leaves one blank line where a removed line leaves several, but not in code.
func closed(text string) string {
	inCode := dialect.InCode(text)
	var b strings.Builder
	at := 0
	for _, m := range blankLines().FindAllStringIndex(text, -1) {
		b.WriteString(text[at:m[0]])
		at = m[1]
		if inCode(m[0]) {
			b.WriteString(text[m[0]:m[1]])
		} else {
			b.WriteString("\n\n")
		}
	}
	return b.String() + text[at:]
}
