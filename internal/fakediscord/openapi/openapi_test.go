package openapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/openapi"
)

const (
	channel = "/channels/123456789012345678"
	message = channel + "/messages/223456789012345678"
	quiet   = `"allowed_mentions":{"parse":[]}`
	jsonT   = "application/json"
)

// document is Discord's own. Without it the test is skipped.
func document(t *testing.T) *openapi.Document {
	t.Helper()
	doc, why := discordtest.Document(t)
	if doc == nil {
		t.Skip(why)
	}
	return doc
}

func TestRequests(t *testing.T) {
	t.Parallel()
	doc := document(t)
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		name, method, path, body string
		want                     string // part of the complaint; empty if there is none
	}{
		{"a plain message", "POST", channel + "/messages", `{"content":"x","embeds":null,"tts":false,"components":null,` + quiet + `}`, ""},
		{"an answer with a nonce", "POST", channel + "/messages", `{"content":"x","nonce":"n","enforce_nonce":true,"message_reference":{"message_id":"1"},` + quiet + `}`, ""},
		{"buttons", "POST", channel + "/messages", `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"a","custom_id":"b"}]}],` + quiet + `}`, ""},
		{"an embed alone", "POST", channel + "/messages", `{"embeds":[{"title":"x"}]}`, ""},
		{"a misspelt property", "POST", channel + "/messages", `{"contnet":"x"}`, "does not know contnet"},
		{"a number as content", "POST", channel + "/messages", `{"content":1}`, "/content: got number"},
		{"content of 2000", "POST", channel + "/messages", `{"content":"` + long(2000) + `",` + quiet + `}`, ""},
		{"content of 2001", "POST", channel + "/messages", `{"content":"` + long(2001) + `",` + quiet + `}`, "content has 2001 characters"},
		{"content of 2002 in UTF-16", "POST", channel + "/messages", `{"content":"` + strings.Repeat("🔥", 1001) + `",` + quiet + `}`, "content has 2002 characters"},
		{"an empty message", "POST", channel + "/messages", `{"content":" ",` + quiet + `}`, "is empty"},
		{"mentions left open", "POST", channel + "/messages", `{"content":"x"}`, "allowed_mentions is missing"},
		{"a misspelt part of mentions", "POST", channel + "/messages", `{"content":"x","allowed_mentions":{"parse":[],"usres":[]}}`, `allowed_mentions has a member "usres"`},
		{"a misspelt part of a reference", "POST", channel + "/messages", `{"content":"x","message_reference":{"message_id":"1","fail_if_not_exist":false},` + quiet + `}`, `message_reference has a member "fail_if_not_exist"`},
		{"a misspelt part of a button", "POST", channel + "/messages", `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":4,"lable":"Stop","custom_id":"b"}]}],` + quiet + `}`, `components has a member "lable"`},
		{"mentions null", "POST", channel + "/messages", `{"content":"x","allowed_mentions":null}`, "allowed_mentions is missing"},
		{"an embed too long", "POST", channel + "/messages", `{"embeds":[{"description":"` + long(5000) + `"}]}`, "/embeds/0/description"},
		{"no body", "POST", channel + "/messages", "", "the body is missing"},
		{"no JSON", "POST", channel + "/messages", `{"content"`, "not JSON"},
		{"text in place of an ID", "POST", "/channels/general/messages", `{"content":"x",` + quiet + `}`, `channel_id = "general"`},
		{"an edit", "PATCH", message, `{"content":"x",` + quiet + `}`, ""},
		{"an edit of the buttons alone", "PATCH", message, `{"components":[]}`, ""},
		{"an edit with stray fields", "PATCH", message, `{"content":"x","ID":"1",` + quiet + `}`, "does not know ID"},
		{"an edit with mentions left open", "PATCH", message, `{"content":"x"}`, "allowed_mentions is missing"},
		{"reading messages", "GET", channel + "/messages?limit=100&before=1", "", ""},
		{"too many of them", "GET", channel + "/messages?limit=101", "", "limit"},
		{"a limit that is no number", "GET", channel + "/messages?limit=all", "", "limit"},
		{"an unknown query", "GET", channel + "/messages?limt=1", "", "no limt here"},
		{"a body where none belongs", "GET", channel + "/messages", `{}`, "takes none"},
		{"a reaction", "PUT", message + "/reactions/%F0%9F%94%A5/@me", "", ""},
		{"a server's emoji", "DELETE", message + "/reactions/party:123456789012345678/323456789012345678", "", ""},
		{"who reacted", "GET", message + "/reactions/%F0%9F%94%A5?limit=10&after=1", "", ""},
		{"pins", "GET", channel + "/messages/pins?limit=50&before=2026-01-02T03:04:05Z", "", ""},
		{"pins before a strange time", "GET", channel + "/messages/pins?before=soon", "", "before"},
		{"pinning", "PUT", channel + "/messages/pins/1", "", ""},
		{"many deletions", "POST", channel + "/messages/bulk-delete", `{"messages":["1","2"]}`, ""},
		{"one deletion", "POST", channel + "/messages/bulk-delete", `{"messages":["1"]}`, "/messages"},
		{"a thread from a message", "POST", message + "/threads", `{"name":"x","auto_archive_duration":60}`, ""},
		{"a thread without a name", "POST", message + "/threads", `{}`, "name"},
		{"a thread", "POST", channel + "/threads", `{"name":"x","type":11}`, ""},
		{"a thread with a strange duration", "POST", channel + "/threads", `{"name":"x","auto_archive_duration":61}`, "auto_archive_duration"},
		{"a post", "POST", channel + "/threads", `{"name":"x","message":{"content":"y",` + quiet + `}}`, ""},
		{"a post with mentions left open", "POST", channel + "/threads", `{"name":"x","message":{"content":"y"}}`, "allowed_mentions is missing"},
		{"a post with nothing in it", "POST", channel + "/threads", `{"name":"x","message":{}}`, "is empty"},
		{"typing", "POST", channel + "/typing", "", ""},
		{"an answer to a button", "POST", "/interactions/1/token/callback?with_response=true", `{"type":4,"data":{"content":"x","flags":64,` + quiet + `}}`, ""},
		{"a deferred one", "POST", "/interactions/1/token/callback", `{"type":6}`, ""},
		{"one with nothing in it", "POST", "/interactions/1/token/callback", `{"type":4,"data":{}}`, "is empty"},
		{"one of a strange type", "POST", "/interactions/1/token/callback", `{"type":99}`, "/type"},
		{"a follow-up", "POST", "/webhooks/1/token", `{"content":"x",` + quiet + `}`, ""},
		{"an edited answer", "PATCH", "/webhooks/1/token/messages/@original", `{"content":"x",` + quiet + `}`, ""},
		{"a letter", "POST", "/users/@me/channels", `{"recipient_id":"1"}`, ""},
		{"permissions in texts", "PUT", channel + "/permissions/1", `{"type":1,"allow":"1024","deny":"0"}`, ""},
		{"permissions in words", "PUT", channel + "/permissions/1", `{"type":1,"allow":"all"}`, "/allow"},
		{"a path with two slashes", "GET", "//voice/regions", "", "no such path"},
		{"a method that is not there", "PUT", channel + "/messages", "", "no PUT here, only GET, POST"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, query, _ := strings.Cut(tt.path, "?")
			check(t, doc.CheckRequest(tt.method, path, query, jsonT, []byte(tt.body)), tt.want)
		})
	}
}

// check compares a complaint with the part of it that is expected.
func check(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("complaint: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("complaint: %v; want one with %q", err, want)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	doc := document(t)
	for _, tt := range []struct{ name, path, payload, want string }{
		{"a file alone", channel + "/messages", `{}`, ""},
		{"a file with text", channel + "/messages", `{"content":"x",` + quiet + `}`, ""},
		{"a misspelt property", channel + "/messages", `{"contnet":"x"}`, "does not know contnet"},
		{"no payload", channel + "/messages", "", "no payload_json"},
		{"where no files belong", channel + "/messages/1/threads", `{"name":"x"}`, "takes no multipart/form-data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			form := multipart.NewWriter(&b)
			if tt.payload != "" {
				if err := form.WriteField("payload_json", tt.payload); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := form.CreateFormFile("files[0]", "a.txt"); err != nil {
				t.Fatal(err)
			}
			if err := form.Close(); err != nil {
				t.Fatal(err)
			}
			check(t, doc.CheckRequest("POST", tt.path, "", form.FormDataContentType(), b.Bytes()), tt.want)
		})
	}
	check(t, doc.CheckRequest("POST", channel+"/messages", "", "text/plain", []byte("x")), "takes no text/plain")
	check(t, doc.CheckRequest("POST", channel+"/messages", "", "", []byte("x")), "content type")
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	doc := document(t)
	const lazy = `{"id":"1","channel_id":"1","content":"x","timestamp":"2026-01-02T03:04:05Z","type":0}`
	for _, tt := range []struct {
		name, method, path string
		status             int
		body, want         string
	}{
		{"a lazy message", "POST", channel + "/messages", 200, lazy, "missing properties"},
		{"an object in place of a list", "GET", channel + "/messages", 200, `{}`, "want"},
		{"an empty list", "GET", channel + "/messages", 200, `[]`, ""},
		{"nothing", "DELETE", message, 204, "", ""},
		{"something in place of nothing", "DELETE", message, 204, "{}", "without a body"},
		{"a strange status", "DELETE", message, 200, "{}", "never answers 200"},
		{"a refusal", "DELETE", message, 404, `{"code":10008,"message":"Unknown Message"}`, ""},
		{"a refusal without code", "DELETE", message, 404, `{"message":"Unknown Message"}`, "code"},
		{"a refusal with words for fields", "DELETE", message, 400, `{"code":50035,"message":"Invalid Form Body","errors":{"a":{"0":{"_errors":[{"code":"BASE_TYPE_REQUIRED","message":"x"}]}}}}`, ""},
		{"a rate limit", "GET", channel, 429, `{"code":0,"message":"x","retry_after":1.5,"global":false}`, ""},
		{"a rate limit without the time", "GET", channel, 429, `{"code":0,"message":"x"}`, "retry_after"},
		{"a fault of the server", "GET", channel, 502, `<html>`, ""},
		{"no JSON", "GET", channel, 200, `<html>`, "not JSON"},
		{"a time that is none", "GET", channel + "/messages/pins", 200, `{"has_more":false,"items":[{"pinned_at":"yesterday","message":` + lazy + `}]}`, "pinned_at"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, doc.CheckResponse(tt.method, tt.path, tt.status, []byte(tt.body)), tt.want)
		})
	}
}

func TestADocumentThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"not-json": "{", "no-paths": `{"openapi":"3.1.0"}`} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openapi.Load(path); err == nil {
			t.Errorf("%s was loaded", name)
		}
	}
	if _, err := openapi.Load(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestADocumentIsSharedByManyTests(t *testing.T) {
	t.Parallel()
	doc := document(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for _, path := range []string{"/channels/1", "/guilds/1", "/guilds/1/roles"} {
				if err := doc.CheckRequest("GET", path, "", "", nil); err != nil {
					t.Error(fmt.Errorf("goroutine %d: %w", i, err))
				}
				if err := doc.CheckResponse("GET", path, 404, []byte(`{"code":1,"message":"x"}`)); err != nil {
					t.Error(fmt.Errorf("goroutine %d: %w", i, err))
				}
			}
		})
	}
	all.Wait()
}
