package save_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
	"discoclaw/internal/test/skip"
)

// earlier is a file of version 1, with one of everything.
func earlier(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/world-1.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEarlierFilesAreRead also checks that they are still written in the same way.
func TestEarlierFilesAreRead(t *testing.T) {
	t.Parallel()
	file := earlier(t)
	w, err := save.Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var again bytes.Buffer
	if err := save.Write(&again, w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, again.String()); diff != "" {
		t.Errorf("saved again (-first +second):\n%s", diff)
	}
}

// TestAnyWorldIsSavedAsItIs makes random worlds.
func TestAnyWorldIsSavedAsItIs(t *testing.T) {
	t.Parallel()
	base := earlier(t)
	rapid.Check(t, func(t *rapid.T) {
		w, err := save.Read(strings.NewReader(base))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		act(t, w)
		var file, again bytes.Buffer
		if err := save.Write(&file, w); err != nil {
			t.Fatal(err)
		}
		second, err := save.Read(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, &file)
		}
		defer second.Close()
		if err := save.Write(&again, second); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(file.String(), again.String()); diff != "" {
			t.Fatalf("saved again (-first +second):\n%s", diff)
		}
		if w.Transcript() != strings.ToValidUTF8(w.Transcript(), "\uFFFD") {
			return // invalid UTF-8 is not kept exactly
		}
		if diff := cmp.Diff(w.Transcript(), second.Transcript()); diff != "" {
			t.Fatalf("transcript (-before +after):\n%s", diff)
		}
	})
}

// act has members and administrators act at random. Refusals are ignored.
func act(t *rapid.T, w *fakediscord.World) {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	bytesOf := func(label string) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, label)) }
	var ids []chat.MessageID
	for range rapid.IntRange(0, 25).Draw(t, "acts") {
		who := pick("who", "ada", "bob", "eve")
		where := pick("where", "general", "ops", "news", "help me", "Dark mode", "@bot")
		message := chat.MessageID("1")
		if len(ids) > 0 {
			message = rapid.SampledFrom(ids).Draw(t, "message")
		}
		switch pick("act", "say", "file", "reply", "edit", "delete", "react", "pin", "thread", "below", "post", "nick", "role", "deny", "rename", "archive", "remove", "channel", "drop") {
		case "say":
			if m, err := w.Say(who, where, rapid.String().Draw(t, "text")+bytesOf("bytes")); err == nil {
				ids = append(ids, m.ID)
			}
		case "file":
			if m, err := w.Say(who, where, "", fakediscord.Attaching(bytesOf("name"), bytesOf("type"), []byte(bytesOf("data")))); err == nil {
				ids = append(ids, m.ID)
			}
		case "reply":
			_, _ = w.Say(who, where, "reply", fakediscord.Answering(message))
		case "edit":
			_ = w.EditAs(who, message, rapid.String().Draw(t, "text"))
		case "delete":
			_ = w.DeleteAs(who, message)
		case "react":
			_ = w.React(who, message, chat.Emoji(pick("emoji", "👍", "❤️", "party:123456789012345678", "\xff")))
		case "pin":
			_ = w.PinAs(who, message)
		case "thread":
			_, _ = w.StartThread(who, where, bytesOf("name"))
		case "below":
			_, _ = w.StartThreadOn(who, message, "below")
		case "post":
			_, _ = w.StartPost(who, "ideas", "a post", "text")
		case "nick":
			_ = w.SetNick(who, rapid.String().Draw(t, "nick"))
		case "role":
			_ = w.GrantRole(who, "mods")
		case "deny":
			_ = w.Deny(where, pick("whom", "bob", "mods", "@everyone"), chat.SendMessages, chat.ViewChannel)
		case "rename":
			_ = w.RenameChannel(where, pick("name", "general", "new", "\xff"))
		case "archive":
			_ = w.Lock(where)
		case "remove":
			_ = w.RemoveMember(who)
		case "channel":
			_, _ = w.AddChannel(pick("kind", "#new", "x:voice", "y:forum", "z:category"))
		case "drop":
			_ = w.DeleteChannel(where)
		}
	}
}

func TestFilesThatAreNoWorldAreRefused(t *testing.T) {
	skip.UnderRace(t, "a file is read by one goroutine")
	t.Parallel()
	file := earlier(t)
	w, err := save.Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	id := func(member string) string {
		m, _ := w.Member(member)
		return string(m.ID)
	}
	general, _ := w.Channel("general")
	dark, _ := w.Channel("Dark mode")
	for _, tt := range []struct{ name, old, new, want string }{
		{"nothing", file, " \n", "the file is empty"},
		{"no JSON", file, "guild d: #a", "line 1 is not JSON"},
		{"another JSON", file, "[1]", "it is a JSON array"},
		{"another program's", `"discoclaw world"`, `"doom world"`, `"format": "discoclaw world"`},
		{"no format", `"format": "discoclaw world",`, "", `"format": "discoclaw world"`},
		{"a later version", `"version": 1`, `"version": 2`, "later program (version 2; this one reads up to 1): update"},
		{"no version", `"version": 1,`, ``, "not a number from 1 on"},
		{"a version in words", `"version": 1`, `"version": "one"`, "not a number from 1 on"},
		{"two worlds", file, file + file, "line "},
		{"a field too many", `"owner":`, `"colour": 7, "owner":`, `unknown field "colour"`},
		{"a number for a name", `"name": "settlement"`, `"name": 7`, "guild.name cannot be a number"},
		{"a number for a channel", `"name": "ops"`, `"name": 7`, "channels.name cannot be a number"},
		{"no guild", `"id": "` + string(w.GuildID()) + `",` + "\n    \"name\": \"settlement\"", `"name": "settlement"`, `"" is not the ID of a guild`},
		{"no name", `"settlement"`, `""`, "the guild has no name"},
		{"no owner", `"owner": "` + id("ada") + `",` + "\n    \"bot\"", `"bot"`, "owner of the guild"},
		{"no bot", `"bot": "` + id("bot") + `"`, `"bot": "` + id("eve") + `"`, "the bot of the guild"},
		{"no roles", `"roles": [` + "\n    {", `"roles": [],"members": [],"channels":[], "x": [{`, "unknown field"},
		{"a strange right", `"Kick Members"`, `"Kick Shins"`, `no permission "Kick Shins"`},
		{"a strange bit", `"Kick Members"`, `"bit 64"`, "parsing"},
		{"an ID that is none", `"id": "` + id("eve") + `"`, `"id": "eve"`, `"eve" is not the ID of a member`},
		{"an ID that is too great", `"id": "` + id("eve") + `"`, `"id": "9223372036854775807"`, "is not the ID of a member"},
		{"two of one ID", `"id": "` + id("eve") + `"`, `"id": "` + id("bob") + `"`, "there are two of member"},
		{"two of one name", `"name": "eve"`, `"name": "Bob"`, `the name "Bob" is empty or taken`},
		{"a member called bot", `"name": "eve"`, `"name": "bot"`, `the name "bot" is empty or taken`},
		{"a strange kind", `"type": "voice"`, `"type": "smell"`, `"smell" is no kind of channel`},
		{"a strange message", `"author":`, `"type": "smell", "author":`, `"smell" is no type of message`},
		{"a thread of nothing", `"parent": "` + string(general.ID) + `"`, `"parent": "77"`, "is not a channel with threads"},
		{"a thread in itself", `"parent": "` + string(dark.Parent) + `"`, `"parent": "` + string(dark.ID) + `"`, "is not a channel with threads"},
		{"a parent that is no category", `"name": "ops",`, `"name": "ops", "parent": "` + string(general.ID) + `",`, "is not a category"},
		{"a message by nobody", `"author": "` + id("bob") + `"`, `"author": "77"`, `there is no member "77"`},
		{"a reaction by nobody", `"users": [` + "\n                \"" + id("eve"), `"users": ["77`, `there is no member "77"`},
		{"an overwrite for nobody", `"member": "` + id("eve") + `",`, ``, "for a role or for a member"},
		{"a time that is none", `"sent": "`, `"sent": "yester`, "cannot parse"},
		{"data that is none", `"data": "`, `"data": "!`, "base64"},
		{"no last ID", `"lastId": "`, `"lastId": "-`, "lastId"},
	} {
		if !strings.Contains(file, tt.old) {
			t.Fatalf("%s: the file has no %s:\n%s", tt.name, tt.old, file)
		}
		_, err := save.Read(strings.NewReader(strings.Replace(file, tt.old, tt.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "load the world: ") {
			t.Errorf("%s: got %v, want a sentence with %q", tt.name, err, tt.want)
		}
	}
	for i := 0; i < len(strings.TrimSpace(file)); i += 5 {
		for _, end := range []string{"", "\x00\x00\x00"} {
			_, err := save.Read(strings.NewReader(file[:i] + end))
			if torn := (*save.TornError)(nil); !errors.As(err, &torn) {
				t.Fatalf("torn at byte %d of %d, with %q behind it: %v", i, len(file), end, err)
			}
		}
	}
	for _, other := range []string{"{}", "[", `{"format": "discoclaw`, "{\n  \"name\": ", "# Read me", strings.ToUpper(file[:50]), file[1:], file + "[", strings.Replace(file, ",", ";", 1)} {
		_, err := save.Read(strings.NewReader(other))
		if torn := (*save.TornError)(nil); err == nil || errors.As(err, &torn) {
			t.Errorf("%.40q, which somebody wrote: %v", other, err)
		}
	}
	if _, err := save.Read(broken{}); err == nil || !strings.Contains(err.Error(), "load the world: no disk") {
		t.Errorf("got %v", err)
	}
	if err := save.Write(broken{}, w); err == nil || !strings.Contains(err.Error(), "save the world: no disk") {
		t.Errorf("got %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, fmt.Errorf("no disk") }
func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("no disk") }

// FuzzLoad reads arbitrary data. An accepted world must work like any other.
func FuzzLoad(f *testing.F) {
	const head = `{"format":"discoclaw world","version":1,"lastId":"9","guild":{"id":"1","name":"d","owner":"2","bot":"3"},` +
		`"roles":[{"id":"1","permissions":["Administrator"]}],"members":[{"id":"2","name":"a"},{"id":"3","name":"b","bot":true}],"channels":[`
	f.Add([]byte(head + `{"id":"4","type":"text","messages":[{"id":"5","author":"2"}]}]}`))
	f.Add([]byte(head + `{"id":"4","type":"text","overwrites":[{"role":"1","deny":["View Channel"]}]},{"id":"5","type":"thread","parent":"4","owner":"2","members":["3"]}]}`))
	f.Add([]byte(head + `{"id":"4","type":"direct message","recipient":"2","messages":[{"id":"5","author":"3","type":"reply","replyTo":"6","replyPlace":"4","onlyFor":"2","mentions":["2"],"interaction":{"id":"7","user":"2","message":"6"}}]}]}`))
	f.Add([]byte(head + `{"id":"4","type":"forum","tags":[{"id":"8","name":"t"}]},{"id":"5","type":"thread","parent":"4","owner":"3","appliedTags":["8"],"messages":[{"id":"5","author":"3","reactions":[{"emoji":"x","users":["2"]}],"attachments":[{"id":"6","name":"n","data":"eA=="}],"embeds":[{"title":"t"}],"components":[{"type":1,"components":[{"type":2}]}]}]}]}`))
	const whole = `{"id":"4","type":"text","messages":[{"id":"5","author":"2"}]}]}` + "\n"
	f.Add([]byte(head + whole + `{"rest":{"lastId":"10"},"gone":["5"],"messages":[{"in":"4","id":"10","author":"3"}]}` + "\n"))
	f.Add([]byte(head + whole + `{"rest":{"guild":null,"channels":[]}}` + "\n" + `{"rest":{"roles":[{"id"`))
	f.Fuzz(func(t *testing.T, file []byte) {
		w, err := save.Read(bytes.NewReader(file))
		if err != nil {
			return
		}
		defer w.Close()
		get := func(path string) {
			req := httptest.NewRequestWithContext(t.Context(), "GET", "http://fake.discord/api/v10"+path, nil)
			req.Header.Set("Authorization", "Bot "+w.Token())
			w.Handler().ServeHTTP(httptest.NewRecorder(), req)
		}
		var again bytes.Buffer
		if err := save.Write(&again, w); err == nil { // years after 9999 cannot be written
			if _, err := save.Read(&again); err != nil {
				t.Errorf("what was loaded and saved is refused: %v", err)
			}
		}
		w.Transcript()
		get("/guilds/" + string(w.GuildID()) + "/channels")
		for _, c := range w.Channels() {
			get("/channels/" + string(c.ID) + "/messages")
			get("/channels/" + string(c.ID))
			_, _ = w.Say("bot", string(c.ID), "hello")
		}
		for _, m := range w.Members() {
			view, err := w.ViewOf(string(m.ID))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range view.Channels() {
				view.Messages(c.ID, "", 100)
			}
		}
	})
}
