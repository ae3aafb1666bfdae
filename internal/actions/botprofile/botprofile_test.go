package botprofile_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/botprofile"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A town is a small Discord with the bot on it. Ada operates the bot; bob may only
// talk to it.
type town struct {
	*discordtest.World
	t        testing.TB
	registry *actions.Registry
	guard    actions.Middleware
}

func inTown(t *testing.T, test func(t *testing.T, w *town)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &town{World: discordtest.New(t, "guild disco: #general\nmember bob"), t: t}
		bot := discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		w.registry = actionstest.Registry(t, botprofile.New(bot))
		ada, bob := w.UserID("ada"), w.UserID("bob")
		w.guard = access.Guard(access.Policy{
			Users:     []chat.UserID{ada, bob},
			Operators: access.List[chat.UserID]{Set: true, IDs: []chat.UserID{ada}},
		}, bot)

		ctx, leave := context.WithCancel(context.Background())
		ready, left := make(ear, 1), make(chan error, 1)
		go func() { left <- bot.Run(ctx, ready) }()
		t.Cleanup(func() {
			leave()
			if err := <-left; err != nil {
				t.Errorf("the bot left: %v", err)
			}
		})
		<-ready
		test(t, w)
	})
}

// An ear hears that the bot is ready, and nothing else.
type ear chan struct{}

func (e ear) Ready(chat.User)                     { e <- struct{}{} }
func (ear) Message(context.Context, chat.Message) {}
func (ear) Edited(context.Context, chat.Message)  {}
func (ear) Deleted(context.Context, chat.Place)   {}
func (ear) Pressed(context.Context, chat.Press)   {}
func (ear) Reacted(context.Context, chat.Reacted) {}

func (w *town) run(who, payload string) actions.Outcome {
	w.t.Helper()
	synctest.Wait()
	var head struct{ Type string }
	if err := json.Unmarshal([]byte(payload), &head); err != nil {
		w.t.Fatal(err)
	}
	origin := actions.Origin{Flow: actions.FlowMessage, Requester: w.UserID(who), Place: chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general")}}
	gate := w.registry.Gate(actionstest.Open(w.registry))
	out := actions.NewDispatcher(w.guard).Execute(w.t.Context(), origin, gate, []actions.Request{{Type: head.Type, Args: json.RawMessage(payload)}})[0]
	synctest.Wait()
	return out
}

// require compares the line of a request of ada's, and what would take it back.
func (w *town) require(payload, want, undo string) {
	w.t.Helper()
	out, back := w.run("ada", payload), ""
	for _, inverse := range out.Result.Undo {
		back += inverse.Text + ": " + string(inverse.Request.Args)
	}
	if got := out.Line(); got != want || back != undo {
		w.t.Errorf("%s\n got %s\nwant %s\nundo %s\nwant %s", payload, got, want, back, undo)
	}
}

func TestStatusAndActivityAreShown(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		w.require(`{"type":"botSetStatus","status":"idle"}`, "Done: Status set to idle",
			`set the bot's status back to online: {"type":"botSetStatus","status":"online"}`)
		w.require(`{"type":"botSetStatus","status":"IDLE"}`, "Done: Status set to idle", "")
		w.require(`{"type":"botSetActivity","name":"chess"}`, "Done: Activity set to Playing: chess", "")
		w.require(`{"type":"botSetActivity","name":"at\n work","activityType":"custom"}`, "Done: Activity set to Custom: at work",
			`set the bot's activity back to Playing: chess: {"type":"botSetActivity","name":"chess","activityType":"Playing"}`)
		want := fakediscord.Presence{Status: "idle", Activities: []fakediscord.Activity{{Name: "Custom Status", Type: 4, State: "at work"}}}
		if diff := cmp.Diff(want, w.BotPresence()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTheNicknameIsSetAndGivenBack(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		nick := func() string {
			bot, _ := w.Member("bot")
			return bot.Nick
		}
		w.require(`{"type":"botSetNickname","nickname":"DiscoClaw"}`, `Done: Nickname already set to "DiscoClaw"`, "")
		w.require(`{"type":"botSetNickname","nickname":" Claw "}`, `Done: Nickname set to "Claw"`,
			`set the bot's nickname back to "DiscoClaw": {"type":"botSetNickname","nickname":"DiscoClaw"}`)
		if nick() != "Claw" {
			t.Errorf("the nickname is %q", nick())
		}
		w.require(`{"type":"botSetNickname","nickname":"Claw"}`, `Done: Nickname already set to "Claw"`, "")
		w.require(`{"type":"botSetNickname","nickname":"Paw"}`, `Done: Nickname set to "Paw"`,
			`set the bot's nickname back to "Claw": {"type":"botSetNickname","nickname":"Claw"}`)
		w.require(`{"type":"botSetNickname","nickname":"DiscoClaw"}`, `Done: Nickname set to "DiscoClaw"`,
			`set the bot's nickname back to "Paw": {"type":"botSetNickname","nickname":"Paw"}`)
		if nick() != "" {
			t.Errorf("the nickname is %q, though it has the bot's own name back", nick())
		}
		changes := 0
		for _, x := range w.Requests() {
			if strings.HasPrefix(x.Route, "PATCH") {
				changes++
				if x.Reason != "asked for by the user "+string(w.UserID("ada")) {
					t.Errorf("the audit log says %q", x.Reason)
				}
			}
		}
		if changes != 3 {
			t.Errorf("%d requests changed the nickname, want 3", changes)
		}
	})
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
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
			"Failed: botSetNickname: set the nickname: the bot lacks “Change Nickname” in this server; grant it under Server Settings → Roles → the bot's role", "")
	})
}

func TestOnlyOperatorsChangeTheBot(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		for _, payload := range []string{`{"type":"botSetStatus","status":"idle"}`, `{"type":"botSetActivity","name":"x"}`, `{"type":"botSetNickname","nickname":"x"}`} {
			if got := w.run("bob", payload).Line(); !strings.Contains(got, "this is for operators") {
				t.Errorf("%s: %s", payload, got)
			}
		}
		if got := w.BotPresence(); got.Status != "online" || got.Activities != nil {
			t.Errorf("presence %+v", got)
		}
	})
}
