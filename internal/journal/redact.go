package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"

	"discoclaw/internal/chat"
)

// hidden stands where a secret was.
const hidden = "***"

// shortestSecret is how many characters a secret has at least. A server that wants a
// key but does not look at it gets one such as "x", which must not be taken out of
// every word.
const shortestSecret = 8

// Hiding returns a function that takes secrets out of a text. What is too short for
// one stays.
func Hiding(secrets ...string) func(string) string {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			pairs = append(pairs, s, hidden)
		}
	}
	return strings.NewReplacer(pairs...).Replace
}

// How much of an action is kept. It is for people, who look at the message itself
// for more.
const (
	maxValueLength = 200
	maxArgsLength  = 1000
	maxLineLength  = 500
	maxNameLength  = 100
)

// text makes a line of text fit to be kept: secrets go before it is cut, since half
// of one would not be recognised.
func (j *Journal) text(s string, most int) string {
	return chat.Clip(webhook.ReplaceAllString(j.o.Hide(s), hidden), most)
}

// webhook is an address with which anybody may write.
var webhook = regexp.MustCompile(`https?://\S*/webhooks/\d+/[\w-]+`)

// hides says whether something in a text must not be kept.
func (j *Journal) hides(s string) bool {
	return webhook.ReplaceAllString(j.o.Hide(s), hidden) != s
}

// hidesIn is hides for the strings in a request, as they are meant and not as JSON
// writes them.
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

// args makes what an action was given fit to be kept. The members are in the order
// of their names, so that the same arguments always look the same.
func (j *Journal) args(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // an ID that somebody wrote as a number keeps its last digits
	var members map[string]any
	if err := dec.Decode(&members); err != nil {
		return "{}" // only a request that never came to be decoded
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

// redacted returns a decoded value without its secrets. The key is the name that it
// goes by.
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

// isSecret says whether what goes by a name is likely to be one.
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
