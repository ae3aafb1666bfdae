package voice_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/voice"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakevoice"
	engine "discoclaw/internal/voice"
	"discoclaw/internal/voice/link"
)

const layout = `
guild disco: #general Lounge:voice stage:stage attic:voice
member ada: owner
member bob
bot DiscoClaw: View Channel, Connect, Speak
deny attic bob: View Channel
deny stage bob: Connect
`

// A world is a server whose bot has the category.
type world struct {
	*server.Server
	t testing.TB
}

func onServer(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		manager := engine.New(engine.Signals{Gateway: w.Bot}, engine.Options{})
		t.Cleanup(func() { manager.LeaveAll(context.Background()) })
		w.Offer(voice.New(w.Bot, manager, voice.Options{}))
		test(t, &world{Server: w, t: t})
	})
}

// TestStatusTellsOfTheCall: who is there, and how it is encrypted.
func TestStatusTellsOfTheCall(t *testing.T) {
	t.Parallel()
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		calls := w.UseCalls(fakevoice.Options{})
		manager := engine.New(engine.NewCalls(w.Bot, link.Options{HTTP: w.HTTP(), DialUDP: calls.DialUDP}), engine.Options{})
		t.Cleanup(func() { manager.LeaveAll(context.Background()) })
		w.Offer(voice.New(w.Bot, manager, voice.Options{}))
		w.Require("ada", `{"type":"voiceJoin","channel":"Lounge"}`, "Done: joined <#{Lounge}>; I can't hear or speak there, since nothing here understands or makes speech")
		const begin = "Done: Voice connection: <#{Lounge}>, connected since 2026-03-02 12:00:01 UTC, "
		w.Require("ada", `{"type":"voiceStatus"}`,
			begin+"nobody else in the call, encrypted end to end (DAVE 1), 0% of the sound lost lately")
		if err := w.Deny("Lounge", "bot", chat.Speak); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.Require("ada", `{"type":"voiceStatus"}`,
			begin+"nobody else in the call, encrypted end to end (DAVE 1), 0% of the sound lost lately, without the permission *Speak*")

		calls.Refuse(true)
		w.Require("ada", `{"type":"voiceJoin","channel":"stage"}`, "Failed: voiceJoin: I can't reach Discord's voice server; try again in a few minutes")
		w.Require("ada", `{"type":"voiceStatus"}`, "Done: No active voice connections")
	})
}

func (w *world) requireBotIn(channel string) {
	w.t.Helper()
	synctest.Wait()
	there, _ := w.VoiceState("bot")
	if channel == "" && there.Channel != "" || channel != "" && there.Channel != w.ChannelID(channel) {
		w.t.Errorf("the bot is in %q, want %s", there.Channel, channel)
	}
}

func TestTheBotJoinsMovesAndLeaves(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Require("bob", `{"type":"voiceStatus"}`, "Done: No active voice connections")
		w.Require("bob", `{"type":"voiceLeave"}`, "Done: I was not in a voice channel")
		w.Require("bob", `{"type":"voiceJoin","channel":"#lounge"}`, "Done: joined <#{Lounge}>; I can't hear or speak there, since nothing here understands or makes speech")
		w.requireBotIn("Lounge")
		w.Require("bob", `{"type":"voiceStatus"}`, "Done: Voice connection: <#{Lounge}>, connected since 2026-03-02 12:00:00 UTC")
		w.Require("bob", `{"type":"voiceMute","mute":true}`, "Done: muted myself in the voice channel")
		w.Require("bob", `{"type":"voiceDeafen","deafen":true}`, "Done: deafened myself in the voice channel")
		time.Sleep(time.Hour)
		w.Require("bob", `{"type":"voiceStatus"}`, "Done: Voice connection: <#{Lounge}>, connected since 2026-03-02 12:00:00 UTC, muted, deafened")
		w.RequireShort("bob", `{"type":"voiceStatus"}`, "looked up the voice connection in <#{Lounge}>", "{Lounge}")
		w.Require("bob", `{"type":"voiceMute","mute":false}`, "Done: unmuted myself in the voice channel")
		w.Require("bob", `{"type":"voiceDeafen","deafen":false}`, "Done: undeafened myself in the voice channel")
		w.Require("ada", `{"type":"voiceJoin","channel":"{stage}"}`, "Done: joined <#{stage}>; I can't hear or speak there, since nothing here understands or makes speech")
		w.requireBotIn("stage")
		w.Require("ada", `{"type":"voiceLeave","guildId":"`+string(w.GuildID())+`"}`, "Done: left <#{stage}>")
		w.requireBotIn("")
	})
}

func TestVoiceActionsRefuse(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		const notHere = "I'm not in a voice channel here; ask me to join one first"
		w.Require("ada", `{"type":"voiceMute","mute":true}`, "Failed: voiceMute: "+notHere)
		w.Require("ada", `{"type":"voiceDeafen","deafen":true}`, "Failed: voiceDeafen: "+notHere)
		w.Require("ada", `{"type":"voiceMute"}`, "Failed: voiceMute: mute: missing")
		w.Require("ada", `{"type":"voiceDeafen","deafen":"perhaps"}`, `Failed: voiceDeafen: deafen: must be true or false, not "perhaps"`)
		w.Require("ada", `{"type":"voiceJoin","channel":"general"}`, `Failed: voiceJoin: I can't see a voice channel #general`)
		w.Require("ada", `{"type":"voiceJoin","channel":"{general}"}`, `Failed: voiceJoin: {general} is not a voice channel`)
		w.Require("ada", `{"type":"voiceJoin","channel":" "}`, `Failed: voiceJoin: channel: empty`)
		w.Require("ada", `{"type":"voiceLeave","guildId":"123456789012345678"}`,
			"Failed: voiceLeave: I can only leave voice channels of the server where I am asked")
		if err := w.Deny("Lounge", "bot", chat.Connect); err != nil {
			t.Fatal(err)
		}
		w.Require("ada", `{"type":"voiceJoin","channel":"Lounge"}`,
			"Failed: voiceJoin: I need *Connect* in <#{Lounge}> for that; an admin can allow it for my role there, under Edit Channel → Permissions")
	})
}

func TestJoiningNeedsTheRequestersRights(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Require("bob", `{"type":"voiceJoin","channel":"stage"}`, "Failed: voiceJoin: you need *Connect* in <#{stage}> for that")
		w.Require("bob", `{"type":"voiceJoin","channel":"attic"}`, `Failed: voiceJoin: I can't see a voice channel #attic`)
		w.Require("", `{"type":"voiceJoin","channel":"Lounge"}`, "Failed: voiceJoin: nobody is known to have asked for this")
		w.requireBotIn("")

		w.Require("ada", `{"type":"voiceJoin","channel":"stage"}`, "Done: joined <#{stage}>; I can't hear or speak there, since nothing here understands or makes speech")
		for _, payload := range []string{`{"type":"voiceLeave"}`, `{"type":"voiceMute","mute":true}`, `{"type":"voiceDeafen","deafen":true}`} {
			typ := strings.Split(payload, `"`)[3]
			w.Require("bob", payload, "Failed: "+typ+": you need *Connect* in <#{stage}> for that")
		}
		w.requireBotIn("stage")
	})
}

func TestAHiddenVoiceChannelIsNotNamed(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.Require("ada", `{"type":"voiceJoin","channel":"attic"}`, "Done: joined <#{attic}>; I can't hear or speak there, since nothing here understands or makes speech")
		for _, who := range []string{"bob", ""} {
			w.Require(who, `{"type":"voiceStatus"}`, "Done: No active voice connections")
		}
		w.Require("bob", `{"type":"voiceLeave"}`, "Done: I was not in a voice channel")
		w.Require("bob", `{"type":"voiceMute","mute":true}`, "Failed: voiceMute: I'm not in a voice channel here; ask me to join one first")
		w.requireBotIn("attic")
		w.Require("ada", `{"type":"voiceStatus"}`, "Done: Voice connection: <#{attic}>, connected since 2026-03-02 12:00:00 UTC")
	})
}

// TestRightsHoldForTheCheckedChannel: a moderator moves the bot meanwhile.
func TestRightsHoldForTheCheckedChannel(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		for _, payload := range []string{`{"type":"voiceLeave"}`, `{"type":"voiceMute","mute":true}`, `{"type":"voiceDeafen","deafen":true}`} {
			w.Require("ada", `{"type":"voiceJoin","channel":"Lounge"}`, "Done: joined <#{Lounge}>; I can't hear or speak there, since nothing here understands or makes speech")
			w.Between = func() {
				if err := w.EnterVoice("bot", "stage"); err != nil {
					t.Fatal(err)
				}
			}
			typ := strings.Split(payload, `"`)[3]
			w.Require("bob", payload, "Failed: "+typ+": I have changed my voice channel meanwhile; ask again")
			w.Between = nil
			w.requireBotIn("stage")
		}
	})
}

func TestEveryVoiceActionCanBeUndone(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		for _, tt := range []struct{ do, want string }{
			{`{"type":"voiceJoin","channel":"Lounge"}`, `leave the voice channel: {"type":"voiceLeave"}`},
			{`{"type":"voiceJoin","channel":"Lounge"}`, ``}, // it was there
			{`{"type":"voiceMute","mute":true}`, `unmute me in the voice channel: {"type":"voiceMute","mute":false}`},
			{`{"type":"voiceMute","mute":true}`, ``},
			{`{"type":"voiceDeafen","deafen":true}`, `undeafen me in the voice channel: {"type":"voiceDeafen","deafen":false}`},
			{`{"type":"voiceJoin","channel":"stage"}`, `go back to <#{Lounge}>: {"type":"voiceJoin","channel":"{Lounge}"}`},
			{`{"type":"voiceLeave"}`, `go back to <#{stage}>: {"type":"voiceJoin","channel":"{stage}"}`},
			{`{"type":"voiceLeave"}`, ``},
		} {
			out, got := w.Do("ada", tt.do)[0], ""
			for _, back := range out.Result.Undo {
				got += back.Text + ": " + string(back.Request.Args)
			}
			if want := w.WithIDs(tt.want); got != want || out.Err != nil {
				t.Errorf("%s (%v)\n got %s\nwant %s", tt.do, out.Err, got, want)
			}
		}
	})
}

func TestTheSwitchNeedsVoice(t *testing.T) {
	t.Parallel()
	f := voice.New(nil, nil, voice.Options{}).Flag()
	if f.Env != "DISCOCLAW_DISCORD_ACTIONS_VOICE" || f.Default || len(f.Needs) != 1 || f.Needs[0].AnyOf[0] != "DISCOCLAW_VOICE_ENABLED" {
		t.Errorf("flag %+v", f)
	}
}
