package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
)

const rightsWorld = `
guild disco: #general #ops
bot DiscoClaw
member ada: owner
member bob: helpers
role helpers: View Channel, Send Messages, Read Message History, Attach Files, Add Reactions, Manage Messages, Pin Messages, Create Public Threads
`

// payloads are requests for every messaging type about #ops. {m} is a message there.
var payloads = map[string]string{
	"sendMessage":   `{"type":"sendMessage","channel":"ops","content":"hi"}`,
	"sendFile":      `{"type":"sendFile","channel":"ops","filePath":"report.txt"}`,
	"react":         `{"type":"react","channelId":"ops","messageId":"{m}","emoji":"👍"}`,
	"unreact":       `{"type":"unreact","channelId":"ops","messageId":"{m}","emoji":"👍"}`,
	"readMessages":  `{"type":"readMessages","channel":"ops"}`,
	"fetchMessage":  `{"type":"fetchMessage","channelId":"ops","messageId":"{m}"}`,
	"editMessage":   `{"type":"editMessage","channelId":"ops","messageId":"{m}","content":"x"}`,
	"deleteMessage": `{"type":"deleteMessage","channelId":"ops","messageId":"{m}"}`,
	"bulkDelete":    `{"type":"bulkDelete","channelId":"ops","count":2}`,
	"crosspost":     `{"type":"crosspost","channelId":"ops","messageId":"{m}"}`,
	"threadCreate":  `{"type":"threadCreate","channelId":"ops","name":"x"}`,
	"pinMessage":    `{"type":"pinMessage","channelId":"ops","messageId":"{m}"}`,
	"unpinMessage":  `{"type":"unpinMessage","channelId":"ops","messageId":"{m}"}`,
	"listPins":      `{"type":"listPins","channel":"ops"}`,
}

// TestNobodyGetsThroughTheBotWhatDiscordRefusesThem walks every messaging type and
// every right it needs, and takes just that right from who asks. The client is the
// real one, and Discord's own arithmetic is the fake's.
func TestNobodyGetsThroughTheBotWhatDiscordRefusesThem(t *testing.T) {
	core := mustCore(t, nil)
	for cat, a := range core.registry.All() {
		if cat.Name() != "messaging" {
			continue
		}
		if payloads[a.Name] == "" {
			t.Errorf("there is no request for %s in this test", a.Name)
		}
		if len(a.Needs) == 0 {
			t.Errorf("%s needs no right at all", a.Name)
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			for _, right := range a.Needs {
				got := asked(t, a.Name, "bob", deny("bob", right))
				if right == chat.ViewChannel { // what they may not see is not there for them
					if want := "Failed: " + a.Name + `: there is no channel "ops" on this server`; got != want {
						t.Errorf("without seeing the channel: %s", got)
					}
				} else if !strings.HasPrefix(got, "Failed: "+a.Name+": permission denied: who asked lacks ") || !strings.Contains(got, "“"+string(right)+"”") {
					t.Errorf("without %s: %s", right, got)
				}
			}
			if got := asked(t, a.Name, "bob", nil); strings.Contains(got, "permission denied") {
				t.Errorf("with all rights: %s", got)
			}
			if got := asked(t, a.Name, "", nil); !strings.Contains(got, "nobody is known to have asked") {
				t.Errorf("nobody asks: %s", got)
			}
		})
	}
}

// TestTheBotSaysWhichRightItLacks takes from the bot what Discord wants of it.
func TestTheBotSaysWhichRightItLacks(t *testing.T) {
	hidden := `there is no channel "ops" on this server`
	for _, tt := range []struct {
		name  string
		right chat.Permission
		says  string
	}{
		{"sendMessage", chat.SendMessages, "the bot lacks “Send Messages” in #ops"},
		{"sendFile", chat.AttachFiles, "the bot lacks “Attach Files” in #ops"},
		{"react", chat.AddReactions, "the bot lacks “Add Reactions” in #ops"},
		{"unreact", chat.ReadHistory, "the bot lacks “Read Message History” in #ops"},
		{"readMessages", chat.ReadHistory, "the bot lacks “Read Message History” in #ops"},
		{"fetchMessage", chat.ReadHistory, "the bot lacks “Read Message History” in #ops"},
		{"editMessage", chat.ViewChannel, hidden},
		{"deleteMessage", chat.ManageMessages, "the bot lacks “Manage Messages” in #ops"},
		{"bulkDelete", chat.ManageMessages, "the bot lacks “Manage Messages” in #ops"},
		{"crosspost", chat.ViewChannel, hidden},
		{"threadCreate", chat.CreateThreads, "the bot lacks “Create Public Threads” in #ops"},
		{"pinMessage", chat.PinMessages, "the bot lacks “Pin Messages” in #ops"},
		{"unpinMessage", chat.PinMessages, "the bot lacks “Pin Messages” in #ops"},
		{"listPins", chat.ReadHistory, "the bot lacks “Read Message History” in #ops"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := asked(t, tt.name, "ada", deny("DiscoClaw", tt.right))
			if !strings.HasPrefix(got, "Failed: "+tt.name+": ") || !strings.Contains(got, tt.says) {
				t.Errorf("%s\nshould say %s", got, tt.says)
			}
		})
	}
}

// deny takes a right in #ops from somebody.
func deny(who string, right chat.Permission) func(*discordtest.World) error {
	return func(w *discordtest.World) error { return w.Deny("ops", who, right) }
}

// asked has somebody ask for an action in a world of its own, after a change to it,
// and returns the line that comes of it.
func asked(t *testing.T, name, who string, change func(*discordtest.World) error) (line string) {
	t.Helper()
	return askedIn(t, rightsWorld, who, change, payloads[name])[0]
}

// askedIn is the same for several actions, one after the other, in any world that has
// ada, bob and #ops. {m} is a message there, and {ada}, {bob} and {bot} are who they say.
func askedIn(t *testing.T, layout, who string, change func(*discordtest.World) error, payloads ...string) (lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, layout)
		env := inWorld(t, w)
		core, err := newCore(env, Outside{HTTP: w.HTTP()})
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(filepath.Join(env["DISCOCLAW_DATA_DIR"], outbox, "report.txt")); err != nil {
			t.Fatal(err)
		}
		if change != nil {
			if err := change(w); err != nil {
				t.Fatal(err)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- core.discord.Run(ctx, deaf{}) }()
		synctest.Wait()
		w.MustSay("ada", "ops", "another message")
		said := w.MustSay("ada", "ops", "a message")
		var requester chat.UserID
		if who != "" {
			requester = w.UserID(who)
		}
		origin := actions.Origin{
			Flow:      actions.FlowMessage,
			Place:     chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general"), Message: said.ID},
			Requester: requester,
		}
		approve := func(next actions.Handler) actions.Handler {
			return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
				return next(ctx, call.Approved(), b)
			}
		}
		dispatcher := actions.NewDispatcher(access.Guard(core.policy(), core.discord), approve)
		gate := core.registry.Gate(actionstest.Open(core.registry))
		ids := strings.NewReplacer("{m}", string(said.ID), "{ada}", string(w.UserID("ada")), "{bob}", string(w.UserID("bob")), "{bot}", string(core.discord.Self().ID))
		var requests []actions.Request
		for _, payload := range payloads {
			var named struct{ Type string }
			if err := json.Unmarshal([]byte(payload), &named); err != nil {
				t.Fatal(err)
			}
			requests = append(requests, actions.Request{Type: named.Type, Args: []byte(ids.Replace(payload))})
		}
		for _, out := range dispatcher.Execute(ctx, origin, gate, requests) {
			lines = append(lines, out.Line())
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return lines
}

func writeFile(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte("all is well"), 0o600)
}

// deaf hears nothing.
type deaf struct{}

func (deaf) Ready(chat.User)                       {}
func (deaf) Message(context.Context, chat.Message) {}
func (deaf) Edited(context.Context, chat.Message)  {}
func (deaf) Deleted(context.Context, chat.Place)   {}
func (deaf) Pressed(context.Context, chat.Press)   {}
