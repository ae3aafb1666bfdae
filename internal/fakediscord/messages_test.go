package fakediscord_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const quiet = `"allowed_mentions":{"parse":[]}`

func TestAMessageIsSentReadEditedAndDeleted(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob")
	asked := r.say("bob", "#a", "what?")

	body := fmt.Sprintf(`{"content":" nothing ","message_reference":{"message_id":%q},"nonce":"n1","enforce_nonce":true,
		"embeds":[{"title":"card","fields":[{"name":"a","value":"b"}]}],
		"components":[{"type":1,"components":[{"type":2,"style":1,"label":"Yes","custom_id":"yes"}]}],%s}`, asked.ID, quiet)
	sent := r.send("POST", r.in("#a", "/messages"), body).want(200, 0)
	if sent["nonce"] != "n1" || sent["content"] != "nothing" {
		t.Errorf("sent = %v, want the nonce and the text without space around it", sent)
	}
	m := r.message(sent)
	if m.ReplyTo != asked.ID || m.Type != fakediscord.ReplyMessage || len(m.Embeds) != 1 || m.Buttons()[0].CustomID != "yes" {
		t.Errorf("message = %+v", m)
	}

	read := r.send("GET", r.at(m, ""), "").want(200, 0)
	answered, _ := read["referenced_message"].(map[string]any)
	if answered["content"] != "what?" {
		t.Errorf("the answered message is %v", answered)
	}
	if _, told := read["nonce"]; told {
		t.Error("reading a message tells its nonce; Discord tells it only to whoever sends")
	}

	edited := r.send("PATCH", r.at(m, ""), `{"content":"something","components":[],`+quiet+`}`).want(200, 0)
	if edited["content"] != "something" || edited["edited_timestamp"] == nil || len(edited["embeds"].([]any)) != 1 {
		t.Errorf("edited = %v, want new text, no buttons, the same card", edited)
	}
	r.send("DELETE", r.at(m, ""), "").want(204, 0)
	r.send("GET", r.at(m, ""), "").want(404, 10008)
}

func TestAMessageIsRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	const layout = "guild d: #a #hidden #mute news:announcement ideas:forum talk:voice Cat:category\nmember bob\n" +
		"bot B: View Channel, Send Messages, Read Message History\n" +
		"deny #hidden bot: View Channel\ndeny #mute bot: Send Messages, Send Messages in Threads\n" +
		"thread \"locked\" in #a: locked\nthread \"t\" in #mute"
	for _, tt := range []struct {
		name, channel, body string
		status, code        int
	}{
		{"too long", "#a", `{"content":"` + strings.Repeat("x", 2001) + `"}`, 400, 50035},
		{"too long in UTF-16 units", "#a", `{"content":"` + strings.Repeat("🔥", 1001) + `"}`, 400, 50035},
		{"nothing in it", "#a", `{}`, 400, 50006},
		{"only space in it", "#a", `{"content":" \n "}`, 400, 50006},
		{"not JSON", "#a", `{"content":`, 400, 50109},
		{"a number as text", "#a", `{"content":5}`, 400, 50035},
		{"no view", "#hidden", `{"content":"x"}`, 403, 50001},
		{"no send", "#mute", `{"content":"x"}`, 403, 50013},
		{"no send in threads", "t", `{"content":"x"}`, 403, 50013},
		{"a locked thread", "locked", `{"content":"x"}`, 403, 160005},
		{"a forum", "ideas", `{"content":"x"}`, 400, 50008},
		{"a category", "Cat", `{"content":"x"}`, 400, 50008},
		{"an answer to nothing", "#a", `{"content":"x","message_reference":{"message_id":"123456789012345678"}}`, 400, 50035},
		{"mentions both ways", "#a", `{"content":"x","allowed_mentions":{"parse":["users"],"users":["1"]}}`, 400, 50035},
		{"an unknown kind of mention", "#a", `{"content":"x","allowed_mentions":{"parse":["all"]}}`, 400, 50035},
		{"a nonce too long", "#a", `{"content":"x","nonce":"` + strings.Repeat("n", 26) + `"}`, 400, 50035},
		{"an embed too long", "#a", `{"embeds":[{"title":"` + strings.Repeat("x", 257) + `"}]}`, 400, 50035},
		{"embeds too long together", "#a", `{"embeds":[{"description":"` + strings.Repeat("x", 4000) + `"},{"description":"` + strings.Repeat("x", 2001) + `"}]}`, 400, 50035},
		{"two buttons with one ID", "#a", `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"a","custom_id":"a"},{"type":2,"style":1,"label":"b","custom_id":"a"}]}]}`, 400, 50035},
		{"a button without ID", "#a", `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"a"}]}]}`, 400, 50035},
		{"an empty row", "#a", `{"content":"x","components":[{"type":1,"components":[]}]}`, 400, 50035},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, layout)
			r.sendAnyway("POST", r.in(tt.channel, "/messages"), tt.body).want(tt.status, tt.code)
			for _, m := range r.Messages(tt.channel) {
				if bot, _ := r.Member("bot"); m.Author == bot.ID {
					t.Errorf("%s: the message was posted all the same", tt.name)
				}
			}
		})
	}
	t.Run("an unknown channel", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, layout)
		r.send("POST", "/channels/123456789012345678/messages", `{"content":"x",`+quiet+`}`).want(404, 10003)
		r.sendAnyway("POST", "/channels/general/messages", `{"content":"x"}`).want(400, 50035)
	})
	t.Run("a wrong token", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, layout)
		for _, header := range []string{"", "Bot wrong", r.Token()} {
			req := httptest.NewRequestWithContext(t.Context(), "GET", "http://fake.discord/api/v10/users/@me", nil)
			req.Header.Set("Authorization", header)
			r.do(req).want(401, 0)
		}
	})
}

func TestAnswersNeedTheHistory(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\ndeny #a bot: Read Message History")
	m := r.say("ada", "#a", "hi")
	body := fmt.Sprintf(`{"content":"x","message_reference":{"message_id":%q},%s}`, m.ID, quiet)
	r.send("POST", r.in("#a", "/messages"), body).want(400, 160002)
	r.send("GET", r.at(m, ""), "").want(403, 50001)
	if got := r.send("GET", r.in("#a", "/messages"), "").list("id"); len(got) != 0 {
		t.Errorf("messages without the right to read them: %v", got)
	}
}

func TestAReplyToADeletedMessageCanBecomeAPlainMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	body := `{"content":"x","message_reference":{"message_id":"123456789012345678","fail_if_not_exists":false},` + quiet + `}`
	if m := r.message(r.send("POST", r.in("#a", "/messages"), body).want(200, 0)); m.Type != fakediscord.DefaultMessage {
		t.Errorf("message = %+v, want a plain one", m)
	}
}

func TestOnlyTheAuthorEdits(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nthread \"t\" in #a")
	theirs := r.say("ada", "#a", "mine")
	r.send("PATCH", r.at(theirs, ""), `{"content":"x",`+quiet+`}`).want(403, 50005)
	r.send("PATCH", r.at(theirs, ""), `{"flags":4}`).want(200, 0) // suppressing embeds needs Manage Messages

	mine := r.post("#a", "x")
	r.sendAnyway("PATCH", r.at(mine, ""), `{"content":""}`).want(400, 50006)
	r.sendAnyway("PATCH", r.at(mine, ""), `{"content":"`+strings.Repeat("x", 2001)+`"}`).want(400, 50035)

	old := r.post("t", "x")
	r.must(r.Archive("t"))
	r.send("PATCH", r.at(old, ""), `{"content":"y",`+quiet+`}`).want(400, 50083)
	r.send("DELETE", r.at(old, ""), "").want(204, 0) // the only change that an archived thread allows
}

func TestAMessageWakesAnArchivedThread(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nthread \"t\" in #a: archived")
	r.post("t", "good morning")
	if c, _ := r.Channel("t"); c.Archived {
		t.Error("the thread is still archived")
	}
}

func TestDeletingOthersMessagesNeedsManageMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: View Channel, Send Messages, Read Message History")
	theirs, mine := r.say("ada", "#a", "x"), r.post("#a", "y")
	r.send("DELETE", r.at(theirs, ""), "").want(403, 50013)
	r.send("DELETE", r.at(mine, ""), "").want(204, 0)
	r.send("DELETE", r.at(mine, ""), "").want(404, 10008)
}

func TestMessagesAreReadInPages(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a ideas:forum")
	var ids []string
	for i := range 7 {
		ids = append(ids, string(r.say("ada", "#a", fmt.Sprint(i)).ID))
	}
	for _, tt := range []struct{ query, want string }{
		{"", "6 5 4 3 2 1 0"},
		{"?limit=3", "6 5 4"},
		{"?limit=2&before=" + ids[3], "2 1"},
		{"?limit=2&after=" + ids[3], "5 4"},
		{"?after=" + ids[6], ""},
		{"?limit=3&around=" + ids[3], "4 3 2"},
	} {
		got := r.send("GET", r.in("#a", "/messages"+tt.query), "").list("content")
		if strings.Join(got, " ") != tt.want {
			t.Errorf("messages%s = %v, want %s", tt.query, got, tt.want)
		}
	}
	r.sendAnyway("GET", r.in("#a", "/messages?limit=101"), "").want(400, 50035)
	r.sendAnyway("GET", r.in("#a", "/messages?before=now"), "").want(400, 50035)
	r.send("GET", r.in("ideas", "/messages"), "").want(400, 50024)
}

func TestFilesAreUploadedAndServed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	kind, body := form(t, `{"content":"see","attachments":[{"id":"0","description":"a cat"}],`+quiet+`}`, "my cat.png", "meow")
	r.checkRequest("POST", r.in("#a", "/messages"), "", kind, body)
	sent := r.sendRaw("POST", r.in("#a", "/messages"), kind, bytes.NewReader(body)).want(200, 0)
	file, _ := sent["attachments"].([]any)[0].(map[string]any)
	if file["filename"] != "my_cat.png" || file["description"] != "a cat" || file["content_type"] != "image/png" {
		t.Errorf("attachment = %v", file)
	}
	address, _ := file["url"].(string)
	rec := httptest.NewRecorder()
	r.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", address, nil))
	if rec.Code != http.StatusOK || rec.Body.String() != "meow" {
		t.Errorf("GET %s = %d %q, want the file", address, rec.Code, rec.Body)
	}

	// Editing keeps the files that are named, and no others.
	m := r.message(sent)
	r.send("PATCH", r.at(m, ""), `{"content":"still",`+quiet+`}`).want(200, 0)
	kept := fmt.Sprintf(`{"attachments":[{"id":%q}]}`, file["id"])
	if got := r.send("PATCH", r.at(m, ""), kept).want(200, 0); len(got["attachments"].([]any)) != 1 {
		t.Errorf("the kept file is gone: %v", got)
	}
	if got := r.send("PATCH", r.at(m, ""), `{"attachments":[]}`).want(200, 0); len(got["attachments"].([]any)) != 0 {
		t.Errorf("the file is still there: %v", got)
	}

	kind, body = form(t, `{}`, "big.bin", strings.Repeat("x", 10<<20+1))
	r.sendRaw("POST", r.in("#a", "/messages"), kind, bytes.NewReader(body)).want(413, 40005)
	r.must(r.Deny("#a", "bot", chat.AttachFiles))
	kind, body = form(t, `{}`, "cat.png", "meow")
	r.sendRaw("POST", r.in("#a", "/messages"), kind, bytes.NewReader(body)).want(403, 50013)
}

// form is a request with a file.
func form(t *testing.T, payload, name, data string) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	f := multipart.NewWriter(&b)
	if err := f.WriteField("payload_json", payload); err != nil {
		t.Fatal(err)
	}
	part, err := f.CreateFormFile("files[0]", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.FormDataContentType(), b.Bytes()
}

func TestAnEnforcedNonceIsPostedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a #b")
		send := func(channel, nonce string) string {
			body := `{"content":"x","nonce":` + nonce + `,"enforce_nonce":true,` + quiet + `}`
			id, _ := r.send("POST", r.in(channel, "/messages"), body).want(200, 0)["id"].(string)
			return id
		}
		first := send("#a", `"n"`)
		if again := send("#a", `"n"`); again != first {
			t.Errorf("the same nonce made two messages: %s and %s", first, again)
		}
		if other := send("#b", `"n"`); other == first {
			t.Error("the nonce of one channel holds in another")
		}
		if number := send("#a", "7"); send("#a", `"7"`) != number {
			t.Error("a number and the same number in a text are two nonces")
		}
		if got := len(r.Messages("#a")); got != 2 {
			t.Errorf("%d messages, want 2", got)
		}
		time.Sleep(10 * time.Minute)
		if later := send("#a", `"n"`); later == first {
			t.Error("a nonce is remembered for longer than a few minutes")
		}
	})
}

func TestANonceThatIsNotEnforcedDedupesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	for range 2 {
		r.send("POST", r.in("#a", "/messages"), `{"content":"x","nonce":"n",`+quiet+`}`).want(200, 0)
	}
	if got := len(r.Messages("#a")); got != 2 {
		t.Errorf("%d messages, want 2", got)
	}
}

func TestPingsAreTheNotifiedUsers(t *testing.T) {
	t.Parallel()
	const layout = "guild d: #a\nrole mods: Kick Members\nmember bob\nmember eve: mods\nmember max\ndeny #a max: View Channel"
	for _, tt := range []struct {
		name, content, allowed string
		answer                 bool
		want                   string
	}{
		{"nothing is allowed", "<@bob> <@&mods> @everyone", `{"parse":[]}`, true, ""},
		{"users are", "<@bob> <@&mods> @everyone", `{"parse":["users"]}`, false, "bob"},
		{"roles are", "<@bob> <@&mods> @everyone", `{"parse":["roles"]}`, false, "eve"},
		{"everyone is", "<@bob> @everyone", `{"parse":["everyone"]}`, false, "bob eve ada"},
		{"one person is", "<@bob> <@eve>", `{"parse":[],"users":["<eve>"]}`, false, "eve"},
		{"the one who is answered", "x", `{"parse":[],"replied_user":true}`, true, "ada"},
		{"the one who is answered, unasked", "x", `null`, true, "ada"},
		{"all, when nothing is said", "<@bob> <@&mods>", `null`, false, "bob eve"},
		{"not who cannot see it", "<@max>", `{"parse":["users"]}`, false, ""},
		{"not the author", "<@B>", `{"parse":["users"]}`, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, layout+"\nbot B: View Channel, Send Messages, Read Message History, Mention Everyone")
			content := tt.content
			for _, name := range []string{"bob", "eve", "max", "B"} {
				content = strings.ReplaceAll(content, "<@"+name+">", "<@"+string(r.user(name))+">")
			}
			eve, _ := r.Member("eve")
			content = strings.ReplaceAll(content, "<@&mods>", "<@&"+string(eve.Roles[0])+">")
			allowed := strings.ReplaceAll(tt.allowed, "<eve>", string(r.user("eve")))
			body := fmt.Sprintf(`{"content":%q,"allowed_mentions":%s`, content, allowed)
			if tt.answer {
				body += fmt.Sprintf(`,"message_reference":{"message_id":%q}`, r.say("ada", "#a", "hi").ID)
			}
			m := r.message(r.sendAnyway("POST", r.in("#a", "/messages"), body+"}").want(200, 0))
			got := []string{}
			for _, id := range m.Pings {
				member, _ := r.Member(string(id))
				got = append(got, member.Name)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%q with %s pings %v, want %q", tt.content, tt.allowed, got, tt.want)
			}
		})
	}
}

func TestIDsRiseWithTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := newRig(t, "guild d: #a"), newRig(t, "guild d: #a")
		if diff := cmp.Diff(first.Channels(), second.Channels()); diff != "" {
			t.Errorf("two worlds of one moment differ:\n%s", diff)
		}
		var last string
		for range 3 {
			for range 3 {
				id := string(first.say("ada", "#a", "x").ID)
				if !chat.IsID(id) || len(id) < len(last) || len(id) == len(last) && id <= last {
					t.Errorf("ID %s after %s", id, last)
				}
				last = id
			}
			time.Sleep(time.Hour)
		}
	})
}
