package llm

import (
	"regexp"
	"sync"
)

const redacted = "[redacted]"

// A secret is the shape of a key, and what it is replaced with.
type secret struct {
	shape *regexp.Regexp
	with  string
}

// secrets are the shapes of keys in the texts of servers and libraries. A false positive does no
// harm; a false negative does.
var secrets = sync.OnceValue(func() []secret {
	return []secret{
		{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]+`), "${1} " + redacted},
		{regexp.MustCompile(`(?i)((?:key|token|secret|password|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;]+`), "${1}" + redacted},
		// Vendors' keys begin with a prefix. Servers that quote one put stars or dots in its middle
		// and leave its end readable.
		{regexp.MustCompile(`\b(?:sk|pk|rk|gsk|csk|xai|hf|pplx|nvapi|r8|tok|key)[-_][\w.*…-]{6,}`), redacted},
		{regexp.MustCompile(`\b(?:AIza|eyJ)[\w.-]{10,}`), redacted},
		{regexp.MustCompile(`//[^/@\s]+@`), "//" + redacted + "@"},
	}
})

// Redact replaces text that looks like a key or a password.
func Redact(text string) string {
	for _, s := range secrets() {
		text = s.shape.ReplaceAllString(text, s.with)
	}
	return text
}
