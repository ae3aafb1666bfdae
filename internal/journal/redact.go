package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/chat"
)

// hidden replaces a secret.
const hidden = "***"

// shortestSecret is the minimum length of a secret. The key of a local server may be a
// dummy such as "x", which must not be redacted everywhere.
const shortestSecret = 8

// Hiding returns a function that redacts secrets in a text. Too short ones are not
// redacted.
func Hiding(secrets ...string) func(string) string {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			pairs = append(pairs, s, hidden)
		}
	}
	return strings.NewReplacer(pairs...).Replace
}

// How much of an action is stored, for human readers.
const (
	maxValueLength = 200
	maxArgsLength  = 1000
	maxLineLength  = 500
	maxNameLength  = 100
)

// text redacts and cuts a line, in this order, since half of a secret would not be
// recognised.
func (j *Journal) text(s string, most int) string {
	return chat.Clip(webhook().ReplaceAllString(j.o.Hide(s), hidden), most)
}

// webhook is a webhook's URL, which contains its token.
var webhook = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`https?://\S*/webhooks/\d+/[\w-]+`) })

// hides reports whether a text has a secret.
func (j *Journal) hides(s string) bool {
	return webhook().ReplaceAllString(j.o.Hide(s), hidden) != s
}

// hidesIn is hides for the strings in a request, decoded from JSON.
func (j *Journal) hidesIn(raw []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := dec.Token()
		if err != nil {
			return !errors.Is(err, io.EOF)
		}
		if s, ok := token.(string); ok && j.hides(s) {
			return true
		}
	}
}

// args redacts and cuts the arguments of an action. The fields are sorted, so that equal
// arguments have equal texts.
func (j *Journal) args(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // an ID written as a number keeps its last digits
	var members map[string]any
	if err := dec.Decode(&members); err != nil {
		return "{}" // a request that was never decoded
	}
	delete(members, "type")
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(j.redacted("", members)); err != nil {
		return "{}"
	}
	return chat.Clip(strings.TrimSpace(b.String()), maxArgsLength)
}

// redacted returns a decoded value without its secrets. The key is the name of its field.
func (j *Journal) redacted(key string, value any) any {
	if isSecret(key) {
		return hidden
	}
	switch v := value.(type) {
	case string:
		if j.o.Hide(v) != v {
			return hidden
		}
		return j.text(v, maxValueLength)
	case json.Number:
		if j.o.Hide(v.String()) != v.String() {
			return hidden
		}
	case []any:
		for i := range v {
			v[i] = j.redacted("", v[i])
		}
	case map[string]any:
		safe := make(map[string]any, len(v))
		for k, inner := range v {
			safe[j.text(k, maxNameLength)] = j.redacted(k, inner)
		}
		return safe
	}
	return value
}

// isSecret reports whether a field's name is that of a secret.
func isSecret(key string) bool {
	letters := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(key))
	for _, word := range []string{"token", "password", "passwd", "secret", "authorization", "apikey", "webhookurl"} {
		if strings.Contains(letters, word) {
			return true
		}
	}
	return false
}
