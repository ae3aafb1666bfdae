package botprofile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/access"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/botprofile"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// A world is a server where ada is an operator, and bob is not.
type world struct {
	*server.Server
	t testing.TB
}

func onServer(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	server.In(t, "guild disco: #general\nmember bob", func(t *testing.T, w *server.Server) {
		w.Offer(botprofile.New(w.Bot))
		ada, bob := w.UserID("ada"), w.UserID("bob")
		w.Guard = access.Guard(access.Policy{
			Users:     []chat.UserID{ada, bob},
			Operators: access.List[chat.UserID]{Set: true, IDs: []chat.UserID{ada}},
		}, w.Bot)
		test(t, &world{Server: w, t: t})
	})
}

// require compares the line of a request of ada's, and its inverse.
func (w *world) require(payload, want, undo string) {
	w.t.Helper()
	out, back := w.Do("ada", payload)[0], ""
	for _, inverse := range out.Result.Undo {
		back += inverse.Text + ": " + string(inverse.Request.Args)
	}
	if got := out.Told(); got != want || back != undo {
		w.t.Errorf("%s\n got %s\nwant %s\nundo %s\nwant %s", payload, got, want, back, undo)
	}
}

func TestStatusAndActivityAreSet(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.require(`{"type":"botSetStatus","status":"idle"}`, "Done: set my status to *idle*",
			`set my status back to *online*: {"type":"botSetStatus","status":"online"}`)
		w.require(`{"type":"botSetStatus","status":"IDLE"}`, "Done: set my status to *idle*", "")
		w.require(`{"type":"botSetActivity","name":"chess"}`, "Done: set my activity to *Playing* **chess**", "")
		w.require(`{"type":"botSetActivity","name":"at\n work","activityType":"custom"}`, "Done: set my activity to **at work**",
			`set my activity back to *Playing* **chess**: {"type":"botSetActivity","name":"chess","activityType":"Playing"}`)
		want := fakediscord.Presence{Status: "idle", Activities: []fakediscord.Activity{{Name: "Custom Status", Type: 4, State: "at work"}}}
		if diff := cmp.Diff(want, w.BotPresence()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTheNicknameIsSetAndRestored(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		nick := func() string {
			bot, _ := w.Member("bot")
			return bot.Nick
		}
		w.require(`{"type":"botSetNickname","nickname":"DiscoClaw"}`, `Done: my nickname is **DiscoClaw** already`, "")
		w.require(`{"type":"botSetNickname","nickname":" Claw "}`, `Done: set my nickname to **Claw**`,
			`set my nickname back to **DiscoClaw**: {"type":"botSetNickname","nickname":"DiscoClaw"}`)
		if nick() != "Claw" {
			t.Errorf("the nickname is %q", nick())
		}
		w.require(`{"type":"botSetNickname","nickname":"Claw"}`, `Done: my nickname is **Claw** already`, "")
		w.require(`{"type":"botSetNickname","nickname":"Paw"}`, `Done: set my nickname to **Paw**`,
			`set my nickname back to **Claw**: {"type":"botSetNickname","nickname":"Claw"}`)
		w.require(`{"type":"botSetNickname","nickname":"DiscoClaw"}`, `Done: set my nickname to **DiscoClaw**`,
			`set my nickname back to **Paw**: {"type":"botSetNickname","nickname":"Paw"}`)
		if nick() != "" {
			t.Errorf("the nickname is %q, though it has the bot's own name back", nick())
		}
		changes := 0
		for _, x := range w.Requests() {
			if strings.HasPrefix(x.Route, "PATCH") {
				changes++
				if x.Reason != "asked by ada ("+string(w.UserID("ada"))+") in "+w.Asked.Place.Link() {
					t.Errorf("the audit log says %q", x.Reason)
				}
			}
		}
		if changes != 3 {
			t.Errorf("%d requests changed the nickname, want 3", changes)
		}
	})
}

func TestBotProfileRefuses(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		long := strings.Repeat("x", 129)
		for _, tt := range [][2]string{
			{`{"type":"botSetStatus"}`, "botSetStatus: status: missing"},
			{`{"type":"botSetStatus","status":"constructor"}`, `botSetStatus: status: "constructor" is not one of online, idle, dnd, invisible`},
			{`{"type":"botSetActivity","name":" "}`, "botSetActivity: name: empty"},
			{`{"type":"botSetActivity","name":"x","activityType":"toString"}`, `botSetActivity: activityType: "toString" is not one of Playing, Listening, Watching, Competing, Custom`},
			{`{"type":"botSetActivity","name":"` + long + `"}`, "botSetActivity: name: has 129 characters, must have at most 128"},
			{`{"type":"botSetNickname","nickname":"` + long[:33] + `"}`, "botSetNickname: nickname: has 33 characters, must have at most 32"},
			{`{"type":"botSetNickname","nickname":""}`, "botSetNickname: nickname: empty"},
		} {
			w.require(tt[0], "Failed: "+tt[1], "")
		}
		for _, role := range []string{"@everyone", "bot"} {
			if err := w.SetPermission(role, "Change Nickname", false); err != nil {
				t.Fatal(err)
			}
		}
		w.require(`{"type":"botSetNickname","nickname":"Paw"}`,
			"Failed: botSetNickname: I need *Change Nickname* for that; an admin can give it to my role under Server Settings → Roles", "")
	})
}

func TestOnlyOperatorsChangeTheBot(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		for _, payload := range []string{`{"type":"botSetStatus","status":"idle"}`, `{"type":"botSetActivity","name":"x"}`, `{"type":"botSetNickname","nickname":"x"}`} {
			if got := w.Run("bob", payload)[0]; !strings.Contains(got, "only the people who run me may do that") {
				t.Errorf("%s: %s", payload, got)
			}
		}
		if got := w.BotPresence(); got.Status != "online" || got.Activities != nil {
			t.Errorf("presence %+v", got)
		}
	})
}
