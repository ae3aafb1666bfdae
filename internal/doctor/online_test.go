package doctor_test

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/invite"
	"discoclaw/internal/llm/llmtest"
)

// onlineLines are the findings of CheckOnline.
func onlineLines(t *testing.T, env config.Env, out app.Externals) []string {
	t.Helper()
	var lines []string
	for _, f := range newDoctor(t, env, out).CheckOnline(t.Context()) {
		lines = append(lines, mark(f)+" "+f.What+": "+f.State)
	}
	return lines
}

func requireLines(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEachModelIsTriedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(llmtest.Server).Listen()
		defer l.Close()
		l.Queue(llmtest.Text("yes"), llmtest.Text("yes"), llmtest.NoSuchModel())
		env := config.Env{
			"OPENAI_BASE_URL": l.URL, "OPENAI_MODEL": "m-1", "DISCOCLAW_FAST_MODEL": "m-2", "FORGE_AUDITOR_MODEL": "m-3", "DISCOCLAW_DATA_DIR": t.TempDir(),
			"DISCOCLAW_TAINT": "confirm", // without a reader, which is tried at greater length
		}
		requireLines(t, onlineLines(t, env, app.Externals{ModelHTTP: l.HTTP}), []string{
			"note discord: Discord was not asked: there is no token",
			"ok model: for chat, forge-drafter, cron-exec, plan-run, voice: m-1 at " + l.URL + " answered after 0s",
			"ok model: for fast, summary, consent, cron: m-2 at " + l.URL + " answered after 0s",
			"WRONG model: for forge-auditor: m-3 at " + l.URL + `: model.test does not have the model that was asked for; choose another one than "m-3" in OPENAI_MODEL or RUNTIME_MODEL`,
		})
		if n := len(l.Requests()); n != 3 {
			t.Errorf("%d requests were sent", n)
		}
	})
}

// TestAModelThatIsNotSetUpIsNotAsked, and that is said.
func TestAModelThatIsNotSetUpIsNotAsked(t *testing.T) {
	nothing := new(down)
	got := onlineLines(t, config.Env{"DISCOCLAW_DATA_DIR": t.TempDir(), "PRIMARY_RUNTIME": "anthropic"}, app.Externals{ModelHTTP: &http.Client{Transport: nothing}})
	for _, line := range got[1:] {
		if !strings.HasPrefix(line, "note model: for ") || !strings.HasSuffix(line, " at Anthropic was not asked: anthropic is not set up") {
			t.Errorf("got %s", line)
		}
	}
	if len(got) < 2 || nothing.requests > 0 {
		t.Errorf("%d lines, %d requests", len(got), nothing.requests)
	}
}

// down is a network that reaches nothing.
type down struct{ requests int }

func (d *down) RoundTrip(*http.Request) (*http.Response, error) {
	d.requests++
	return nil, errors.New("network is unreachable")
}

// TestAServiceThatCannotBeReachedIsSaidOnce, and the others are checked nevertheless.
func TestAServiceThatCannotBeReachedIsSaidOnce(t *testing.T) {
	const noDiscord = "WRONG discord: this machine does not reach Discord; check its network, or look at https://discordstatus.com"
	t.Run("Discord", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := new(llmtest.Server).Listen()
			defer l.Close()
			l.Queue(llmtest.Text("yes"))
			env := config.Env{"DISCORD_TOKEN": "t", "OPENAI_BASE_URL": l.URL, "OPENAI_MODEL": "m-1", "DISCOCLAW_DATA_DIR": t.TempDir(), "DISCOCLAW_TAINT": "confirm"}
			got := onlineLines(t, env, app.Externals{HTTP: &http.Client{Transport: new(down)}, ModelHTTP: l.HTTP})
			if len(got) != 2 || got[0] != noDiscord || !strings.HasPrefix(got[1], "ok model: for chat") {
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
		})
	})
	t.Run("everything", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			nothing := new(down)
			env := config.Env{
				"DISCORD_TOKEN": "t", "OPENAI_API_KEY": "k", "DISCOCLAW_FAST_MODEL": "gpt-x", "FORGE_AUDITOR_MODEL": "anthropic:deep", "ANTHROPIC_API_KEY": "k",
				"DISCOCLAW_DATA_DIR": t.TempDir(),
			}
			out := app.Externals{HTTP: &http.Client{Transport: new(down)}, ModelHTTP: &http.Client{Transport: nothing}}
			if found := newDoctor(t, env, out).CheckOnline(t.Context()); !found[0].Fault {
				t.Errorf("%+v is a mistake of the settings", found)
			}
			const noModel = " is not available; try again a little later, or check the network of this machine"
			requireLines(t, onlineLines(t, env, out), []string{
				noDiscord,
				"WRONG model: for chat, forge-drafter, cron-exec, plan-run, voice: gpt-6-sol at OpenAI: api.openai.com" + noModel,
				"WRONG model: for forge-auditor: claude-opus-5-5 at Anthropic: api.anthropic.com" + noModel,
			})
			if nothing.requests != 4 {
				t.Errorf("%d requests were sent", nothing.requests)
			}
		})
	})
}

// TestDoctorAsksDiscord about everything that only Discord knows.
func TestDoctorAsksDiscord(t *testing.T) {
	const (
		all      = "guild disco: #general\nmember ada: owner\nbot DiscoClaw: Administrator\n"
		two      = all + "\nguild lab: #general\nmember ada: owner\nbot DiscoClaw: View Channel, Send Messages, Send Messages in Threads, Read Message History, Create Polls\n"
		talkOnly = "DISCOCLAW_DISCORD_ACTIONS=0"
		intents  = "ok intents: the Message Content Intent and the Server Members Intent are on"
		token    = "ok token: Discord accepts it; the bot is called DiscoClaw"
		enough   = "ok permissions: the bot has all it needs for what is switched on"
	)
	for _, tt := range []struct {
		name, layout string
		settings     []string
		before       func(w *discordtest.World)
		want         func(w *discordtest.World, id func(guild string) string) []string
	}{
		{"all is well", all, nil, nil, func(_ *discordtest.World, id func(string) string) []string {
			return []string{token, intents, "ok servers: the bot is on disco (" + id("disco") + ")", enough}
		}},
		{"a refused token", all, []string{"DISCORD_TOKEN=wrong"}, nil, func(*discordtest.World, func(string) string) []string {
			return []string{"WRONG token: Discord refused the token; copy a fresh one from https://discord.com/developers/applications (your application → Bot → Reset Token) into DISCORD_TOKEN, and start the bot again"}
		}},
		{"no intents", all, nil, func(w *discordtest.World) { w.WithoutMessageContent(); w.WithoutMemberList() }, func(_ *discordtest.World, id func(string) string) []string {
			return []string{token,
				"WRONG intents: the Message Content Intent is off, so Discord does not let the bot log in; turn it on in Discord's developer portal (Bot → Privileged Gateway Intents)",
				"ok intents: the Server Members Intent is off; only lists of members need it",
				"ok servers: the bot is on disco (" + id("disco") + ")", enough}
		}},
		{"no server", all, []string{"DISCORD_GUILD_ID=123456789012345678"}, func(w *discordtest.World) {
			if err := w.ExpelBot("disco"); err != nil {
				t.Error(err)
			}
		}, func(w *discordtest.World, _ func(string) string) []string {
			return []string{token, intents, "WRONG servers: the bot is on no server; open this link to invite it: " + invited(t, w)}
		}},
		{"another server in the settings", two, []string{"DISCORD_GUILD_ID=123456789012345678", talkOnly}, nil, func(_ *discordtest.World, id func(string) string) []string {
			return []string{token, intents, "WRONG servers: DISCORD_GUILD_ID is 123456789012345678, but the bot is on disco (" + id("disco") + "), lab (" + id("lab") + "); set it to one of these IDs, or delete it"}
		}},
		{"a server that is not an ID", two, []string{"DISCORD_GUILD_ID=disco", talkOnly}, nil, func(_ *discordtest.World, id func(string) string) []string {
			return []string{token, intents, "ok servers: the bot is on disco (" + id("disco") + "), lab (" + id("lab") + ")", enough}
		}},
		{"missing permissions", two, []string{"DISCOCLAW_DISCORD_ACTIONS_GUILD=0", "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=0", "DISCOCLAW_DISCORD_ACTIONS_MESSAGING=0"}, nil,
			func(_ *discordtest.World, id func(string) string) []string {
				return []string{token, intents, "ok servers: the bot is on disco (" + id("disco") + "), lab (" + id("lab") + ")",
					"WRONG permissions: on lab (" + id("lab") + "), the bot lacks Manage Threads (tasks); grant it to the bot's role under Server Settings → Roles, or turn the actions off"}
			}},
		{"missing permissions where it does not answer", two, []string{"DISCORD_GUILD_ID=DISCO"}, nil, func(_ *discordtest.World, id func(string) string) []string {
			return []string{token, intents, "ok servers: the bot is on disco (" + id("disco") + "), lab (" + id("lab") + ")", enough}
		}},
		{"it cannot talk", "guild disco: #general\nmember ada: owner\nrole @everyone: View Channel\nbot DiscoClaw: Use Activities\n", []string{talkOnly}, nil, func(_ *discordtest.World, id func(string) string) []string {
			return []string{token, intents, "ok servers: the bot is on disco (" + id("disco") + ")",
				"WRONG permissions: on disco (" + id("disco") + "), the bot lacks Send Messages (replies), Send Messages in Threads (replies), Read Message History (replies); grant them to the bot's role under Server Settings → Roles"}
		}},
		{"the list of servers fails", all, nil, func(w *discordtest.World) {
			w.Fail(fakediscord.Fault{Match: "GET /users/@me/guilds", Status: http.StatusForbidden})
		}, func(*discordtest.World, func(string) string) []string {
			return []string{token, intents, "WRONG servers: "}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, tt.layout)
				id := func(guild string) string { return string(guildCalled(t, w, guild)) }
				env := apptest.Env(t, w, tt.settings...)
				if env["DISCORD_GUILD_ID"] == "DISCO" {
					env["DISCORD_GUILD_ID"] = id("disco")
				}
				if tt.before != nil {
					tt.before(w)
				}
				got := slices.DeleteFunc(onlineLines(t, env, app.Externals{HTTP: w.HTTP()}), func(line string) bool {
					return strings.HasPrefix(line, "note model: ") // none is set up
				})
				want := tt.want(w, id)
				if last := want[len(want)-1]; strings.HasSuffix(last, ": ") && len(got) == len(want) && strings.HasPrefix(got[len(got)-1], last) {
					got[len(got)-1] = last
				}
				requireLines(t, got, want)
				if text := strings.Join(got, "\n"); strings.Contains(text, env["DISCORD_TOKEN"]) && env["DISCORD_TOKEN"] != "wrong" {
					t.Errorf("the token is shown:\n%s", text)
				}
			})
		})
	}
}

// guildCalled returns the ID of a server.
func guildCalled(t testing.TB, w *discordtest.World, name string) chat.GuildID {
	t.Helper()
	state := w.State()
	for _, g := range state.Guilds() {
		if g.Name == name {
			return g.ID
		}
	}
	t.Fatalf("there is no server %s", name)
	return ""
}

// invited returns the invite link for usual settings.
func invited(t testing.TB, w *discordtest.World) string {
	t.Helper()
	d, err := app.NewDoctor(apptest.Env(t, w), app.Externals{})
	if err != nil {
		t.Fatal(err)
	}
	return invite.For(string(w.State().Guild.Bot), d.Registry, d.Flags).Link
}

// TestTheStartSaysWhereTheBotIs, in the log: its servers, a wrong DISCORD_GUILD_ID, or the link to invite it.
func TestTheStartSaysWhereTheBotIs(t *testing.T) {
	const two = "guild disco: #general\nmember ada: owner\n\nguild lab: #general\nmember ada: owner\n"
	for _, tt := range []struct {
		name     string
		settings []string
		before   func(w *discordtest.World) error
		want     []string
		absent   string
	}{
		{"its servers", nil, nil, []string{`msg=online`, `servers="disco (`, `), lab (`, `msg=starting`, `model=`}, "DISCORD_GUILD_ID"},
		{"a wrong server", []string{"DISCORD_GUILD_ID=123456789012345678"}, nil, []string{"level=WARN", "DISCORD_GUILD_ID is not a server that the bot is on", `servers="disco (`, `), lab (`}, "not answering on a server"},
		{"no server", nil, func(w *discordtest.World) error { return errors.Join(w.ExpelBot("disco"), w.ExpelBot("lab")) },
			[]string{"level=WARN", "the bot is on no server; open the link to invite it", "link=", "client_id=APPLICATION"}, "DISCORD_GUILD_ID"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, two)
				if tt.before != nil {
					if err := tt.before(w); err != nil {
						t.Fatal(err)
					}
				}
				var log bytes.Buffer
				bot, err := app.NewBot(apptest.Env(t, w, tt.settings...), app.Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: &log})
				if err != nil {
					t.Fatal(err)
				}
				stop := apptest.Start(bot)
				time.Sleep(time.Minute)
				if _, err := stop(); err != nil {
					t.Error(err)
				}
				text := strings.ReplaceAll(log.String(), string(w.State().Guild.Bot), "APPLICATION")
				for _, want := range tt.want {
					if !strings.Contains(text, want) {
						t.Errorf("%q is missing in\n%s", want, text)
					}
				}
				if strings.Contains(text, tt.absent) {
					t.Errorf("%q is in\n%s", tt.absent, text)
				}
			})
		})
	}
}
