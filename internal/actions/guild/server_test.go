package guild_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/guild"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A hall is a small Discord with the bot on it, and the category in the bot's hands.
// Whatever is asked for passes the guard, so people get what they may have and no more.
type hall struct {
	*discordtest.World
	t        testing.TB
	bot      *discord.Client
	category *guild.Category
	where    string // where everything is asked for
}

const hallLayout = `
guild disco: #general #ops ideas:forum talk:voice lounge:voice podium:stage Projects:category
bot DiscoClaw: View Channel, Send Messages, Read Message History, Manage Channels, Create Invite, Manage Server, Create Events, Manage Events, View Audit Log, Connect
member ada: owner
member bob: helpers
member eve
role helpers: Create Events, Manage Events, View Audit Log, Manage Server, Manage Channels
role @everyone: View Channel, Read Message History, Send Messages, Create Invite, Connect
thread "A plan" in #ops
`

// inHall runs a test in a hall with its own time.
func inHall(t *testing.T, layout string, test func(t *testing.T, w *hall)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &hall{World: discordtest.New(t, layout), t: t, where: "#general"}
		w.bot = discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		w.category = guild.New(w.bot)
		w.connect(t)
		test(t, w)
	})
}

// connect lets the bot learn about the server until the test ends.
func (w *hall) connect(t *testing.T) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	ready, left := make(ear), make(chan error, 1)
	go func() { left <- w.bot.Run(ctx, ready) }()
	t.Cleanup(func() {
		leave()
		if err := <-left; err != nil {
			t.Errorf("the bot left: %v", err)
		}
	})
	select {
	case <-ready:
	case err := <-left:
		left <- nil
		t.Fatalf("the bot did not connect: %v", err)
	}
}

// outcome runs one request of somebody's, who agrees to everything that cannot be
// undone; an empty name is for nobody. What is put in between happens after the check
// of rights.
func (w *hall) outcome(who, payload string, between ...actions.Middleware) actions.Outcome {
	w.t.Helper()
	d, gate := w.dispatcher(between...)
	return d.ExecuteApproved(w.t.Context(), w.origin(who), gate, []actions.Request{request(w.t, payload)})[0]
}

func (w *hall) dispatcher(between ...actions.Middleware) (*actions.Dispatcher, actions.Gate) {
	w.t.Helper()
	synctest.Wait() // for what has happened on the server to reach the bot
	reg := actionstest.Registry(w.t, w.category)
	guard := access.Guard(access.Policy{}, w.bot)
	return actions.NewDispatcher(append([]actions.Middleware{guard}, between...)...), reg.Gate(actionstest.Open(reg))
}

func (w *hall) origin(who string) actions.Origin {
	ch, _ := w.Channel(w.where)
	o := actions.Origin{Flow: actions.FlowMessage, Place: chat.Place{Guild: w.GuildID(), Channel: ch.ID, Message: "111111111111111111"}}
	if ch.Type.IsThread() {
		o.Place.Parent = ch.Parent
	}
	if who != "" {
		o.Requester = w.UserID(who)
	}
	return o
}

// require runs one request and compares its line, in which {name} stands for the ID of
// a channel.
func (w *hall) require(who, payload, want string) {
	w.t.Helper()
	got := w.outcome(who, w.withIDs(payload)).Line()
	if want = w.withIDs(want); got != want {
		w.t.Errorf("%s\n got %s\nwant %s", payload, got, want)
	}
}

// requirePart is for lines of which only a part matters.
func (w *hall) requirePart(who, payload string, parts ...string) string {
	w.t.Helper()
	got := w.outcome(who, w.withIDs(payload)).Line()
	for _, part := range parts {
		if part = w.withIDs(part); !strings.Contains(got, part) {
			w.t.Errorf("%s\n got %s\nwant it to contain %s", payload, got, part)
		}
	}
	return got
}

func (w *hall) withIDs(text string) string {
	for _, ch := range w.Channels() {
		text = strings.ReplaceAll(text, "{"+ch.Name+"}", string(ch.ID))
	}
	return text
}

func (w *hall) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// undo runs what would take back what a request of ada's did.
func (w *hall) undo(out actions.Outcome) string {
	w.t.Helper()
	if out.Err != nil || len(out.Result.Undo) != 1 {
		w.t.Fatalf("%s: there is no way back, %v", out.Request.Args, out.Err)
	}
	return w.outcome("ada", string(out.Result.Undo[0].Request.Args)).Line()
}

// TestEachServerActionNamesWhatItNeeds pins down what whoever asks must be allowed to
// do: a permission that is lost here is given to everybody.
func TestEachServerActionNamesWhatItNeeds(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"searchMessages": "View Channel, Read Message History",
		"eventList":      "", // shows what who asked may see
		"eventCreate":    "Create Events",
		"eventEdit":      "Manage Events",
		"eventDelete":    "Manage Events",
		"inviteCreate":   "View Channel, Create Invite",
		"inviteList":     "", // Manage Server, or Manage Channels in the channel
		"auditLog":       "View Audit Log",
		"emojiList":      "",
	}
	queries := "searchMessages eventList inviteList auditLog emojiList"
	for _, a := range guild.New(nil).Actions() {
		expected, mine := want[a.Name]
		if !mine {
			continue
		}
		delete(want, a.Name)
		var needs []string
		for _, p := range a.Needs {
			needs = append(needs, string(p))
		}
		if got := strings.Join(needs, ", "); got != expected {
			t.Errorf("%s needs %s, want %s", a.Name, got, expected)
		}
		query := strings.Contains(" "+queries+" ", " "+a.Name+" ")
		if a.Quiet || a.Grave != (a.Name == "eventDelete") || (a.Effect == actions.Queries) != query {
			t.Errorf("%s: quiet %v, grave %v, query %v", a.Name, a.Quiet, a.Grave, a.Effect == actions.Queries)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// TestNobodyIsToldOrGetsAnything: without somebody who asked, nothing is done.
func TestNobodyIsToldOrGetsAnything(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *hall) {
		for _, payload := range []string{
			`{"type":"searchMessages","query":"x"}`, `{"type":"eventList"}`, `{"type":"eventCreate","name":"x","startTime":"2027-01-01"}`,
			`{"type":"eventEdit","eventId":"123456789012345678","name":"x"}`, `{"type":"eventDelete","eventId":"123456789012345678"}`,
			`{"type":"inviteCreate"}`, `{"type":"inviteList"}`, `{"type":"auditLog"}`, `{"type":"emojiList"}`,
		} {
			w.requirePart("", payload, "Failed: ", "nobody is known to have asked for this")
		}
		w.must(w.RemoveMember("eve"))
		for _, payload := range []string{`{"type":"eventList"}`, `{"type":"emojiList"}`} {
			w.requirePart("eve", payload, "permission denied: this is for members of the server")
		}
	})
}

func TestTheServerIsExplainedWhenTheTalkIsAboutIt(t *testing.T) {
	t.Parallel()
	c := guild.New(nil)
	for _, text := range []string{"which events are there", "invite my friend", "search for the release notes", "who changed that? look into the audit log", "list the emoji"} {
		if !c.Matches(actions.Hint{Text: text}) {
			t.Errorf("not explained for %q", text)
		}
	}
	if c.Matches(actions.Hint{Text: "what is the capital of France?"}) {
		t.Error("explained for nothing")
	}
	if f := c.Flag(); f.Env != "DISCOCLAW_DISCORD_ACTIONS_GUILD" || !f.Default || c.Name() != "guild" {
		t.Errorf("%s has the switch %+v", c.Name(), f)
	}
}

// held is what a person is asked about a request of ada's.
func (w *hall) held(payload string) actions.Held {
	w.t.Helper()
	d, gate := w.dispatcher()
	asked := &desk{}
	d.Hold = asked
	d.Execute(w.t.Context(), w.origin("ada"), gate, []actions.Request{request(w.t, payload)})
	if len(asked.held) != 1 {
		w.t.Fatalf("asked about %v", asked.held)
	}
	return asked.held[0]
}
