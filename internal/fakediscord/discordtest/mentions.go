package discordtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
)

// RequireNoMentions fails the test if a request of the bot so far notified a member, or
// could have. Every request with text must set allowed_mentions to none, whatever the text
// and the channel.
func (w *World) RequireNoMentions(t testing.TB) {
	t.Helper()
	for _, x := range w.Requests() {
		if err := checkMentions(x); err != nil {
			t.Errorf("%s: %v", x.Route, err)
		}
	}
	for _, ch := range w.Channels() {
		for _, m := range w.Messages(string(ch.ID)) {
			if who, ok := w.Member(string(m.Author)); ok && who.ID != w.UserID("bot") {
				continue
			}
			if m.Type == fakediscord.PollResult { // Discord posts it, and mentions the bot itself there
				continue
			}
			if m.MentionEveryone || len(m.Mentions)+len(m.MentionRoles)+len(m.Pings) > 0 {
				t.Errorf("the bot mentions a member in #%s: %s", ch.Name, m.Content)
			}
		}
	}
}

// closed is the allowed_mentions that allows none.
const closed = `{"parse":[]}`

// checkMentions looks for the parts of a request that become a message.
func checkMentions(x fakediscord.Exchange) error {
	body, err := jsonOf(x)
	if err != nil || body == nil {
		return err
	}
	parts := []map[string]json.RawMessage{nested(body, "message"), nested(body, "data")}
	if isMessage(x.Route) {
		parts = append(parts, body)
	}
	for _, part := range parts {
		_, suggests := part["choices"]
		_, asks := part["title"]
		if suggests || asks {
			continue // suggestions, or a form; it is no message
		}
		if part != nil && string(part["allowed_mentions"]) != closed {
			return fmt.Errorf("allowed_mentions is %q, not %s", part["allowed_mentions"], closed)
		}
	}
	return nil
}

// isMessage reports whether the body of a route is a message as a whole.
func isMessage(route string) bool {
	return strings.HasSuffix(route, "/messages") || strings.HasSuffix(route, "/messages/{message}") || strings.Contains(route, " /webhooks/")
}

// jsonOf is the JSON object of a request, with or without files. It is nil if there is
// none.
func jsonOf(x fakediscord.Exchange) (body map[string]json.RawMessage, err error) {
	data := x.Request
	if kind, params, _ := mime.ParseMediaType(x.ContentType); strings.HasPrefix(kind, "multipart/") {
		if data, err = firstPart(data, params["boundary"]); err != nil {
			return nil, err
		}
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, nil
	}
	return body, json.Unmarshal(data, &body)
}

func firstPart(data []byte, boundary string) ([]byte, error) {
	part, err := multipart.NewReader(bytes.NewReader(data), boundary).NextPart()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(part)
}

// nested is an object inside an object, nil if it is not there.
func nested(body map[string]json.RawMessage, name string) (inner map[string]json.RawMessage) {
	_ = json.Unmarshal(body[name], &inner) // nil unless it is an object
	return inner
}
