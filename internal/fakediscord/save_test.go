package fakediscord_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/memnet"
)

const settlement = `
guild settlement: #general #ops news:announcement ideas:forum talk:voice Work:category
role mods: Manage Messages, Kick Members
member ada: owner
member bob: mods
member eve
bot Clawd
tag bug in ideas: 🐛, moderated
post "Dark mode" in ideas [bug]: please
thread "help me" in #general
thread "old" in #general: private, archived, locked
deny #ops eve: View Channel
allow #ops mods: View Channel
`

func saved(t testing.TB, w *fakediscord.World) string {
	t.Helper()
	var file bytes.Buffer
	if err := w.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

func loaded(t testing.TB, file string) *fakediscord.World {
	t.Helper()
	w, err := fakediscord.Load(strings.NewReader(file))
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	t.Cleanup(w.Close)
	return w
}

// live lets a world have a past: everything that can be in one happens.
func (r *rig) live() {
	r.t.Helper()
	m := r.say("bob", "#general", "hello <@"+string(r.user("eve"))+"> & <all>", fakediscord.Attaching("a b.png", "image/png", []byte{0, 1, 255}))
	r.say("eve", "#general", "hi", fakediscord.Answering(m.ID))
	r.must(r.React("eve", m.ID, "👍"))
	r.must(r.PinAs("ada", m.ID))
	gone := r.say("ada", "help me", "gone soon")
	r.must(r.DeleteAs("ada", gone.ID))
	_, err := r.StartThreadOn("bob", m.ID, "below it")
	r.must(err)
	_, err = r.StartPost("eve", "ideas", "a post", "with text")
	r.must(err)
	r.say("eve", "@bot", "psst")
	r.must(r.SetNick("eve", "Evie"))
	r.must(r.MakeRules("news"))
	card := r.card()
	r.onPress(func(p pressed) {
		r.send("POST", p.callback(), `{"type":4,"data":{"content":"only you","flags":64,`+quiet+`}}`).want(204, 0)
	})
	if _, err := r.Press("bob", card.ID, "yes"); err != nil {
		r.t.Fatal(err)
	}
	r.send("PATCH", r.at(card, ""), `{"content":"sure!","embeds":[{"title":"T","fields":[{"name":"n","value":"v","inline":true}]}],`+quiet+`}`).want(200, 0)
	r.liveServer()
	r.must(r.RemoveMember("bob"))
}

func TestAWorldSurvivesBeingSaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, strings.Replace(settlement, "#general", "#general #a", 1))
		r.live()
		synctest.Wait()
		file := saved(t, r.World)
		if again := saved(t, r.World); again != file {
			t.Error("the same world is written in two ways")
		}
		after := &rig{World: loaded(t, file), t: t, doc: r.doc}
		if diff := cmp.Diff(file, saved(t, after.World)); diff != "" {
			t.Errorf("saved again (-first +second):\n%s", diff)
		}
		if diff := cmp.Diff(r.Transcript(), after.Transcript()); diff != "" || r.Transcript() == "" {
			t.Errorf("transcript (-before +after):\n%s", diff)
		}
		// And so the bot sees it, down to the last field.
		paths := []string{
			"/guilds/" + string(r.GuildID()), "/guilds/" + string(r.GuildID()) + "/channels", "/users/@me",
			"/guilds/" + string(r.GuildID()) + "/threads/active", "/guilds/" + string(r.GuildID()) + "/members/" + string(r.user("eve")),
			r.guildPath("/scheduled-events"), r.guildPath("/audit-logs"), r.guildPath("/emojis"), r.in("general", "/invites"),
		}
		for _, c := range r.Channels() {
			paths = append(paths, "/channels/"+string(c.ID), "/channels/"+string(c.ID)+"/messages", "/channels/"+string(c.ID)+"/messages/pins")
		}
		for _, path := range paths {
			was, is := r.sendAnyway("GET", path, ""), after.sendAnyway("GET", path, "")
			if was.status != is.status || !bytes.Equal(was.body, is.body) {
				t.Errorf("GET %s\n was %d %s\n is  %d %s", path, was.status, was.body, is.status, is.body)
			}
		}
	})
}

// TestALoadedWorldGoesOn: new things get new IDs, and a message that the bot sends
// again is still known.
func TestALoadedWorldGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, settlement)
		sent := `{"content":"once","nonce":"n1","enforce_nonce":true,` + quiet + `}`
		first := r.message(r.send("POST", r.in("general", "/messages"), sent).want(200, 0))
		last := r.say("ada", "#general", "deleted")
		r.must(r.DeleteAs("ada", last.ID))
		after := &rig{World: loaded(t, saved(t, r.World)), t: t, doc: r.doc}
		if again := after.message(after.send("POST", after.in("general", "/messages"), sent).want(200, 0)); again.ID != first.ID {
			t.Error("a message was sent twice")
		}
		if m := after.say("ada", "#general", "new"); len(m.ID) != len(last.ID) || m.ID <= last.ID {
			t.Errorf("the ID %s was given after %s", m.ID, last.ID)
		}
		if _, err := after.StartThread("eve", "#general", "new"); err != nil {
			t.Error(err)
		}
		if _, err := after.Say("eve", "#ops", "x"); err == nil {
			t.Error("eve sees #ops after loading")
		}
	})
}

func TestABotAnswersInALoadedWorld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before := newRig(t, settlement)
		before.say("ada", "#general", "before")
		w := loaded(t, saved(t, before.World))
		listener := memnet.New()
		server := &http.Server{Handler: w.Handler()}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(listener) // until it is closed
		}()
		t.Cleanup(func() {
			w.Close()
			_ = server.Close()
			<-served
		})
		ws, _, err := websocket.Dial(t.Context(), "ws://fake.discord/gateway?v=10&encoding=json", &websocket.DialOptions{HTTPClient: listener.HTTPClient()})
		if err != nil {
			t.Fatal(err)
		}
		s := &session{t: t, events: make(chan dispatch, 100), failed: make(chan error, 1)}
		go s.read(context.WithoutCancel(t.Context()), ws)
		identify := map[string]any{"op": 2, "d": map[string]any{"token": before.Token(), "intents": usual, "properties": map[string]string{}}}
		if err := wsjson.Write(t.Context(), ws, identify); err != nil {
			t.Fatal(err)
		}
		if got := names(s.heard()); got != "READY GUILD_CREATE" {
			t.Fatalf("the bot hears %s", got)
		}
		r := &rig{World: w, t: t, doc: before.doc}
		r.say("ada", "#general", "are you there?")
		if got := names(s.heard()); got != "MESSAGE_CREATE" {
			t.Fatalf("the bot hears %s", got)
		}
		r.post("general", "yes")
		if got, want := w.Transcript("general"), "#general ada: before\n#general ada: are you there?\n#general bot: yes\n"; got != want {
			t.Errorf("transcript:\n%s\nwant:\n%s", got, want)
		}
	})
}

// TestAnyWorldIsSavedAsItIs makes worlds by chance.
func TestAnyWorldIsSavedAsItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, err := fakediscord.New(settlement)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		act(t, w)
		var file, again bytes.Buffer
		if err := w.Save(&file); err != nil {
			t.Fatal(err)
		}
		second, err := fakediscord.Load(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, &file)
		}
		defer second.Close()
		if err := second.Save(&again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(file.String(), again.String()); diff != "" {
			t.Fatalf("saved again (-first +second):\n%s", diff)
		}
		if w.Transcript() != strings.ToValidUTF8(w.Transcript(), "\uFFFD") {
			return // what is no text is only nearly the same
		}
		if diff := cmp.Diff(w.Transcript(), second.Transcript()); diff != "" {
			t.Fatalf("transcript (-before +after):\n%s", diff)
		}
	})
}

// act does things in a world that people and administrators do. What is refused is
// part of the game.
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
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, settlement)
		m := r.say("bob", "#general", "hello", fakediscord.Attaching("x", "", []byte("x")))
		r.must(r.React("eve", m.ID, "👍"))
		file := saved(t, r.World)
		eve, general := string(r.user("eve")), string(m.Channel)
		dark, _ := r.Channel("Dark mode")
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
			{"no guild", `"id": "` + string(r.GuildID()) + `",` + "\n    \"name\": \"settlement\"", `"name": "settlement"`, `"" is not the ID of a guild`},
			{"no name", `"settlement"`, `""`, "the guild has no name"},
			{"no owner", `"owner": "` + string(r.user("ada")) + `",` + "\n    \"bot\"", `"bot"`, "owner of the guild"},
			{"no bot", `"bot": "` + string(r.user("bot")) + `"`, `"bot": "` + eve + `"`, "the bot of the guild"},
			{"no roles", `"roles": [` + "\n    {", `"roles": [],"members": [],"channels":[], "x": [{`, "unknown field"},
			{"a strange right", `"Kick Members"`, `"Kick Shins"`, `no permission "Kick Shins"`},
			{"a strange bit", `"Kick Members"`, `"bit 64"`, "parsing"},
			{"an ID that is none", `"id": "` + eve + `"`, `"id": "eve"`, `"eve" is not the ID of a member`},
			{"an ID that is too great", `"id": "` + eve + `"`, `"id": "9223372036854775807"`, "is not the ID of a member"},
			{"two of one ID", `"id": "` + eve + `"`, `"id": "` + string(r.user("bob")) + `"`, "there are two of member"},
			{"two of one name", `"name": "eve"`, `"name": "Bob"`, `the name "Bob" is empty or taken`},
			{"a member called bot", `"name": "eve"`, `"name": "bot"`, `the name "bot" is empty or taken`},
			{"a strange kind", `"type": "voice"`, `"type": "smell"`, `"smell" is no kind of channel`},
			{"a strange message", `"author":`, `"type": "smell", "author":`, `"smell" is no type of message`},
			{"a thread of nothing", `"parent": "` + general + `"`, `"parent": "77"`, "is not a channel with threads"},
			{"a thread in itself", `"parent": "` + string(dark.Parent) + `"`, `"parent": "` + string(dark.ID) + `"`, "is not a channel with threads"},
			{"a parent that is no category", `"name": "ops",`, `"name": "ops", "parent": "` + general + `",`, "is not a category"},
			{"a message by nobody", `"author": "` + string(r.user("bob")) + `"`, `"author": "77"`, `there is no member "77"`},
			{"a reaction by nobody", `"users": [` + "\n                \"" + eve, `"users": ["77`, `there is no member "77"`},
			{"an overwrite for nobody", `"member": "` + eve + `",`, ``, "for a role or for a member"},
			{"a time that is none", `"sent": "`, `"sent": "yester`, "cannot parse"},
			{"data that is none", `"data": "`, `"data": "!`, "base64"},
			{"no last ID", `"lastId": "`, `"lastId": "-`, "lastId"},
		} {
			if !strings.Contains(file, tt.old) {
				t.Fatalf("%s: the file has no %s:\n%s", tt.name, tt.old, file)
			}
			_, err := fakediscord.Load(strings.NewReader(strings.Replace(file, tt.old, tt.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "load the world: ") {
				t.Errorf("%s: got %v, want a sentence with %q", tt.name, err, tt.want)
			}
		}
		for i := 0; i < len(strings.TrimSpace(file)); i += 5 {
			for _, end := range []string{"", "\x00\x00\x00"} {
				_, err := fakediscord.Load(strings.NewReader(file[:i] + end))
				if torn := (*fakediscord.TornError)(nil); !errors.As(err, &torn) {
					t.Fatalf("torn at byte %d of %d, with %q behind it: %v", i, len(file), end, err)
				}
			}
		}
		for _, other := range []string{"{}", "[", `{"format": "discoclaw`, "{\n  \"name\": ", "# Read me", strings.ToUpper(file[:50]), file[1:], file + "{", strings.Replace(file, ",", ";", 1)} {
			_, err := fakediscord.Load(strings.NewReader(other))
			if torn := (*fakediscord.TornError)(nil); err == nil || errors.As(err, &torn) {
				t.Errorf("%.40q, which somebody wrote: %v", other, err)
			}
		}
		if _, err := fakediscord.Load(broken{}); err == nil || !strings.Contains(err.Error(), "load the world: no disk") {
			t.Errorf("got %v", err)
		}
		if err := r.Save(broken{}); err == nil || !strings.Contains(err.Error(), "save the world: no disk") {
			t.Errorf("got %v", err)
		}
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, fmt.Errorf("no disk") }
func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("no disk") }

// FuzzLoad reads anything. What it accepts must work like any other world.
func FuzzLoad(f *testing.F) {
	const head = `{"format":"discoclaw world","version":1,"lastId":"9","guild":{"id":"1","name":"d","owner":"2","bot":"3"},` +
		`"roles":[{"id":"1","permissions":["Administrator"]}],"members":[{"id":"2","name":"a"},{"id":"3","name":"b","bot":true}],"channels":[`
	f.Add([]byte(head + `{"id":"4","type":"text","messages":[{"id":"5","author":"2"}]}]}`))
	f.Add([]byte(head + `{"id":"4","type":"text","overwrites":[{"role":"1","deny":["View Channel"]}]},{"id":"5","type":"thread","parent":"4","owner":"2","members":["3"]}]}`))
	f.Add([]byte(head + `{"id":"4","type":"direct message","recipient":"2","messages":[{"id":"5","author":"3","type":"reply","replyTo":"6","replyPlace":"4","onlyFor":"2","mentions":["2"],"interaction":{"id":"7","user":"2","message":"6"}}]}]}`))
	f.Add([]byte(head + `{"id":"4","type":"forum","tags":[{"id":"8","name":"t"}]},{"id":"5","type":"thread","parent":"4","owner":"3","appliedTags":["8"],"messages":[{"id":"5","author":"3","reactions":[{"emoji":"x","users":["2"]}],"attachments":[{"id":"6","name":"n","data":"eA=="}],"embeds":[{"title":"t"}],"components":[{"type":1,"components":[{"type":2}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		w, err := fakediscord.Load(bytes.NewReader(file))
		if err != nil {
			return
		}
		defer w.Close()
		r := &rig{World: w, t: t}
		var again bytes.Buffer
		if err := w.Save(&again); err == nil { // a year after 9999 is in no file
			if _, err := fakediscord.Load(&again); err != nil {
				t.Errorf("what was loaded and saved is refused: %v", err)
			}
		}
		w.Transcript()
		r.sendAnyway("GET", "/guilds/"+string(w.GuildID())+"/channels", "")
		for _, c := range w.Channels() {
			r.sendAnyway("GET", "/channels/"+string(c.ID)+"/messages", "")
			r.sendAnyway("GET", "/channels/"+string(c.ID), "")
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
