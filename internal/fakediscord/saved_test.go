package fakediscord_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
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
	if err := save.Write(&file, w); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

func loaded(t testing.TB, file string) *fakediscord.World {
	t.Helper()
	w, err := save.Read(strings.NewReader(file))
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	t.Cleanup(w.Close)
	return w
}

// live gives a world one of everything that it can have.
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
		// REST responses are the same, down to the last field.
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

// TestALoadedWorldGoesOn: new objects get new IDs, and nonces are still deduped.
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
