package voice_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/voice"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
	engine "discoclaw/internal/voice"
)

const layout = `
guild disco: #general Lounge:voice stage:stage attic:voice
member ada: owner
member bob
bot DiscoClaw: View Channel, Connect
deny attic bob: View Channel
deny stage bob: Connect
`

// A town is a small Discord with the bot on it, and the category in the bot's hands.
// Whatever is asked for passes the guard.
type town struct {
	*discordtest.World
	t        testing.TB
	registry *actions.Registry
	guard    actions.Middleware
	waiting  func() // what happens between the check of rights and the action
}

func inTown(t *testing.T, test func(t *testing.T, w *town)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &town{World: discordtest.New(t, layout), t: t}
		bot := discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		manager := engine.New(engine.Signals{Gateway: bot}, nil)
		w.registry = actionstest.Registry(t, voice.New(bot, manager))
		w.guard = access.Guard(access.Policy{}, bot)

		ctx, leave := context.WithCancel(context.Background())
		ready, left := make(ear, 1), make(chan error, 1)
		go func() { left <- bot.Run(ctx, ready) }()
		t.Cleanup(func() {
			manager.LeaveAll(context.Background())
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

// run does what somebody asks for; an empty name is nobody.
func (w *town) run(who, payload string) actions.Outcome {
	w.t.Helper()
	synctest.Wait()
	var head struct{ Type string }
	if err := json.Unmarshal([]byte(payload), &head); err != nil {
		w.t.Fatal(err)
	}
	origin := actions.Origin{Flow: actions.FlowMessage, Place: chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general")}}
	if who != "" {
		origin.Requester = w.UserID(who)
	}
	pause := func(next actions.Handler) actions.Handler {
		return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
			if w.waiting != nil {
				w.waiting()
				synctest.Wait()
			}
			return next(ctx, call, b)
		}
	}
	gate := w.registry.Gate(actionstest.Open(w.registry))
	return actions.NewDispatcher(w.guard, pause).Execute(w.t.Context(), origin, gate, []actions.Request{{Type: head.Type, Args: json.RawMessage(payload)}})[0]
}

// require compares the line of a request, in which {name} stands for the ID of a
// channel, and returns what would take it back.
func (w *town) require(who, payload, want string) []actions.Inverse {
	w.t.Helper()
	for _, ch := range w.Channels() {
		payload = strings.ReplaceAll(payload, "{"+ch.Name+"}", string(ch.ID))
		want = strings.ReplaceAll(want, "{"+ch.Name+"}", string(ch.ID))
	}
	out := w.run(who, payload)
	if got := out.Line(); got != want {
		w.t.Errorf("%s: %s\n got %s\nwant %s", who, payload, got, want)
	}
	return out.Result.Undo
}

func (w *town) requireBotIn(channel string) {
	w.t.Helper()
	synctest.Wait()
	there, _ := w.VoiceState("bot")
	if channel == "" && there.Channel != "" || channel != "" && there.Channel != w.ChannelID(channel) {
		w.t.Errorf("the bot is in %q, want %s", there.Channel, channel)
	}
}

func TestTheBotIsTakenAroundVoiceChannels(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		w.require("bob", `{"type":"voiceStatus"}`, "Done: No active voice connections")
		w.require("bob", `{"type":"voiceLeave"}`, "Done: No active voice connection to leave")
		w.require("bob", `{"type":"voiceJoin","channel":"#lounge"}`, "Done: Joined voice channel #Lounge")
		w.requireBotIn("Lounge")
		w.require("bob", `{"type":"voiceStatus"}`, "Done: Voice connection: channel=#Lounge (id:{Lounge}), state=ready since 2026-03-02 12:00:00 UTC")
		w.require("bob", `{"type":"voiceMute","mute":true}`, "Done: Muted in voice channel")
		w.require("bob", `{"type":"voiceDeafen","deafen":true}`, "Done: Deafened in voice channel")
		time.Sleep(time.Hour)
		w.require("bob", `{"type":"voiceStatus"}`, "Done: Voice connection: channel=#Lounge (id:{Lounge}), state=ready since 2026-03-02 12:00:00 UTC, muted, deafened")
		w.require("bob", `{"type":"voiceMute","mute":false}`, "Done: Unmuted in voice channel")
		w.require("bob", `{"type":"voiceDeafen","deafen":false}`, "Done: Undeafened in voice channel")
		w.require("ada", `{"type":"voiceJoin","channel":"{stage}"}`, "Done: Joined voice channel #stage")
		w.requireBotIn("stage")
		w.require("ada", `{"type":"voiceLeave","guildId":"`+string(w.GuildID())+`"}`, "Done: Left voice channel #stage")
		w.requireBotIn("")
	})
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		const notHere = "the bot is in no voice channel here; let it join one with voiceJoin first"
		w.require("ada", `{"type":"voiceMute","mute":true}`, "Failed: voiceMute: "+notHere)
		w.require("ada", `{"type":"voiceDeafen","deafen":true}`, "Failed: voiceDeafen: "+notHere)
		w.require("ada", `{"type":"voiceMute"}`, "Failed: voiceMute: mute: missing")
		w.require("ada", `{"type":"voiceDeafen","deafen":"perhaps"}`, `Failed: voiceDeafen: deafen: must be true or false, not "perhaps"`)
		w.require("ada", `{"type":"voiceJoin","channel":"general"}`, `Failed: voiceJoin: there is no voice channel "general" on this server`)
		w.require("ada", `{"type":"voiceJoin","channel":"{general}"}`, `Failed: voiceJoin: {general} is not a voice channel`)
		w.require("ada", `{"type":"voiceJoin","channel":" "}`, `Failed: voiceJoin: channel: empty`)
		w.require("ada", `{"type":"voiceLeave","guildId":"123456789012345678"}`,
			"Failed: voiceLeave: the bot can only be made to leave voice channels of the server where it is asked; leave guildId out")
		if err := w.Deny("Lounge", "bot", chat.Connect); err != nil {
			t.Fatal(err)
		}
		w.require("ada", `{"type":"voiceJoin","channel":"Lounge"}`,
			"Failed: voiceJoin: the bot lacks “Connect” in #Lounge; allow it for the bot's role there, under Edit Channel → Permissions")
	})
}

func TestNobodyTakesTheBotWhereTheyMayNotGo(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		w.require("bob", `{"type":"voiceJoin","channel":"stage"}`, "Failed: voiceJoin: permission denied: who asked lacks “Connect” in <#{stage}>")
		w.require("bob", `{"type":"voiceJoin","channel":"attic"}`, `Failed: voiceJoin: there is no voice channel "attic" on this server`)
		w.require("", `{"type":"voiceJoin","channel":"Lounge"}`, "Failed: voiceJoin: permission denied: nobody is known to have asked for this")
		w.requireBotIn("")

		w.require("ada", `{"type":"voiceJoin","channel":"stage"}`, "Done: Joined voice channel #stage")
		for _, payload := range []string{`{"type":"voiceLeave"}`, `{"type":"voiceMute","mute":true}`, `{"type":"voiceDeafen","deafen":true}`} {
			typ := strings.Split(payload, `"`)[3]
			w.require("bob", payload, "Failed: "+typ+": permission denied: who asked lacks “Connect” in <#{stage}>")
		}
		w.requireBotIn("stage")
	})
}

func TestAHiddenChannelIsNotToldAbout(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		w.require("ada", `{"type":"voiceJoin","channel":"attic"}`, "Done: Joined voice channel #attic")
		for _, who := range []string{"bob", ""} {
			w.require(who, `{"type":"voiceStatus"}`, "Done: No active voice connections")
		}
		w.require("bob", `{"type":"voiceLeave"}`, "Done: No active voice connection to leave")
		w.require("bob", `{"type":"voiceMute","mute":true}`, "Failed: voiceMute: the bot is in no voice channel here; let it join one with voiceJoin first")
		w.requireBotIn("attic")
		w.require("ada", `{"type":"voiceStatus"}`, "Done: Voice connection: channel=#attic (id:{attic}), state=ready since 2026-03-02 12:00:00 UTC")
	})
}

// TestRightsHoldForTheChannelThatWasChecked: a moderator moves the bot just then.
func TestRightsHoldForTheChannelThatWasChecked(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		for _, payload := range []string{`{"type":"voiceLeave"}`, `{"type":"voiceMute","mute":true}`, `{"type":"voiceDeafen","deafen":true}`} {
			w.require("ada", `{"type":"voiceJoin","channel":"Lounge"}`, "Done: Joined voice channel #Lounge")
			w.waiting = func() {
				if err := w.EnterVoice("bot", "stage"); err != nil {
					t.Fatal(err)
				}
			}
			typ := strings.Split(payload, `"`)[3]
			w.require("bob", payload, "Failed: "+typ+": the bot has changed its voice channel meanwhile; ask again")
			w.waiting = nil
			w.requireBotIn("stage")
		}
	})
}

func TestEverythingCanBeTakenBack(t *testing.T) {
	inTown(t, func(t *testing.T, w *town) {
		for _, tt := range []struct{ do, want string }{
			{`{"type":"voiceJoin","channel":"Lounge"}`, `leave the voice channel: {"type":"voiceLeave"}`},
			{`{"type":"voiceJoin","channel":"Lounge"}`, ``}, // it was there
			{`{"type":"voiceMute","mute":true}`, `unmute the bot in its voice channel: {"type":"voiceMute","mute":false}`},
			{`{"type":"voiceMute","mute":true}`, ``},
			{`{"type":"voiceDeafen","deafen":true}`, `undeafen the bot in its voice channel: {"type":"voiceDeafen","deafen":false}`},
			{`{"type":"voiceJoin","channel":"stage"}`, `go back to the voice channel #Lounge: {"type":"voiceJoin","channel":"{Lounge}"}`},
			{`{"type":"voiceLeave"}`, `go back to the voice channel #stage: {"type":"voiceJoin","channel":"{stage}"}`},
			{`{"type":"voiceLeave"}`, ``},
		} {
			out, got := w.run("ada", tt.do), ""
			for _, back := range out.Result.Undo {
				got += back.Text + ": " + string(back.Request.Args)
			}
			want := strings.NewReplacer("{Lounge}", string(w.ChannelID("Lounge")), "{stage}", string(w.ChannelID("stage"))).Replace(tt.want)
			if got != want || out.Err != nil {
				t.Errorf("%s (%v)\n got %s\nwant %s", tt.do, out.Err, got, want)
			}
		}
	})
}

func TestTheSwitchNeedsVoice(t *testing.T) {
	t.Parallel()
	f := voice.New(nil, nil).Flag()
	if f.Env != "DISCOCLAW_DISCORD_ACTIONS_VOICE" || f.Default || len(f.Needs) != 1 || f.Needs[0].AnyOf[0] != "DISCOCLAW_VOICE_ENABLED" || f.Needs[0].Default {
		t.Errorf("flag %+v", f)
	}
}
