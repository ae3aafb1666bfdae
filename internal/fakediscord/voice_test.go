package fakediscord_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

const voiceStates = 1 << 7

const studio = "guild d: #a talk:voice studio:stage hall:voice\nmember ada: owner\nmember bob\nbot Robo: View Channel, Connect"

// say sends a payload.
func (s *session) say(format string, args ...any) {
	s.t.Helper()
	if err := s.ws.Write(s.t.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
}

// join asks for a voice channel.
func (s *session) join(w *discordtest.World, channel string, mute bool) {
	s.t.Helper()
	s.say(`{"op":4,"d":{"guild_id":"%s","channel_id":"%s","self_mute":%v,"self_deaf":false}}`, w.GuildID(), w.ChannelID(channel), mute)
}

func (s *session) requireNames(what, want string) {
	s.t.Helper()
	if got := names(s.heard()); got != want {
		s.t.Errorf("%s: told %q, want %q", what, got, want)
	}
}

func TestTheBotComesMovesAndLeavesVoice(t *testing.T) {
	bubble(t, studio, usual|voiceStates, func(w *discordtest.World, s *session) {
		s.heard()
		s.join(w, "talk", false)
		told := s.heard()
		if names(told) != "VOICE_STATE_UPDATE VOICE_SERVER_UPDATE" {
			t.Fatalf("told %s", names(told))
		}
		var state struct {
			Guild   chat.GuildID   `json:"guild_id"`
			Channel chat.ChannelID `json:"channel_id"`
			User    chat.UserID    `json:"user_id"`
			Session string         `json:"session_id"`
		}
		var server struct{ Token, Endpoint string }
		if json.Unmarshal(told[0].Data, &state) != nil || json.Unmarshal(told[1].Data, &server) != nil {
			t.Fatalf("told %s %s", told[0].Data, told[1].Data)
		}
		if state.Guild != w.GuildID() || state.Channel != w.ChannelID("talk") || state.User != w.UserID("bot") || state.Session == "" {
			t.Errorf("state %+v", state)
		}
		if server.Token == "" || server.Endpoint == "" {
			t.Errorf("server %+v", server)
		}

		s.join(w, "talk", true)
		s.requireNames("silent", "VOICE_STATE_UPDATE")
		if got, _ := w.VoiceState("bot"); got != (fakediscord.VoiceState{Channel: w.ChannelID("talk"), Mute: true}) {
			t.Errorf("state %+v", got)
		}
		s.join(w, "studio", false)
		s.requireNames("moved", "VOICE_STATE_UPDATE VOICE_SERVER_UPDATE")
		s.say(`{"op":4,"d":{"guild_id":"%s","channel_id":null,"self_mute":false,"self_deaf":false}}`, w.GuildID())
		s.requireNames("left", "VOICE_STATE_UPDATE")
		if got, inside := w.VoiceState("bot"); inside {
			t.Errorf("still in %+v", got)
		}
		s.say(`{"op":4,"d":{"guild_id":"%s","channel_id":null,"self_mute":false,"self_deaf":false}}`, w.GuildID())
		s.requireNames("left again", "")
	})
}

func TestRefusedVoiceStatesHaveNoResponse(t *testing.T) {
	bubble(t, studio, usual|voiceStates, func(w *discordtest.World, s *session) {
		must(t, w.Deny("hall", "bot", chat.Connect))
		must(t, w.SetUserLimit("studio", 1))
		must(t, w.EnterVoice("bob", "studio"))
		s.heard()
		for _, channel := range []string{"hall", "studio", "a"} {
			s.join(w, channel, false)
			s.requireNames(channel, "")
		}
		s.say(`{"op":4,"d":{"guild_id":"1","channel_id":"%s","self_mute":false,"self_deaf":false}}`, w.ChannelID("talk"))
		s.requireNames("another server", "")
		must(t, w.SetPermission("bot", "Move Members", true))
		s.heard()
		s.join(w, "studio", false)
		s.requireNames("full, but the bot moves people", "VOICE_STATE_UPDATE VOICE_SERVER_UPDATE")
	})
}

func TestTheBotGetsItsVoiceStateFromModerators(t *testing.T) {
	bubble(t, studio, usual|voiceStates, func(w *discordtest.World, s *session) {
		s.heard()
		if err := w.EnterVoice("bot", "talk"); err == nil {
			t.Error("the bot was made to come")
		}
		s.join(w, "talk", false)
		s.heard()
		must(t, w.EnterVoice("bot", "hall"))
		s.requireNames("moved", "VOICE_STATE_UPDATE VOICE_SERVER_UPDATE")
		must(t, w.SetVoiceServer(false))
		s.requireNames("no server", "VOICE_SERVER_UPDATE")
		must(t, w.LeaveVoice("bot"))
		s.requireNames("taken out", "VOICE_STATE_UPDATE")
		s.join(w, "talk", false)
		s.heard()
		must(t, w.DeleteChannel("talk"))
		s.requireNames("the channel is gone", "CHANNEL_DELETE VOICE_STATE_UPDATE")
	})
}

func TestVoiceStatesNeedTheirIntent(t *testing.T) {
	bubble(t, studio, usual, func(w *discordtest.World, s *session) {
		s.heard()
		s.join(w, "talk", false)
		s.requireNames("without the intent", "VOICE_SERVER_UPDATE")
	})
}

func TestANewSessionIsInNoVoiceChannelAndHasVoiceStates(t *testing.T) {
	bubble(t, studio, usual|voiceStates, func(w *discordtest.World, s *session) {
		s.join(w, "talk", false)
		must(t, w.EnterVoice("bob", "talk"))
		second := connect(s.t, w, w.Token(), usual|voiceStates)
		var guild struct {
			States []struct {
				User chat.UserID `json:"user_id"`
			} `json:"voice_states"`
		}
		if err := json.Unmarshal(second.heard()[1].Data, &guild); err != nil {
			t.Fatal(err)
		}
		if len(guild.States) != 1 || guild.States[0].User != w.UserID("bob") {
			t.Errorf("voice states %+v", guild.States)
		}
		if _, inside := w.VoiceState("bot"); inside {
			t.Error("the bot is in voice without a session that put it there")
		}
	})
}

func TestTheBotLeavesVoiceWhenItsSessionEnds(t *testing.T) {
	bubble(t, studio, usual|voiceStates, func(w *discordtest.World, s *session) {
		s.join(w, "talk", false)
		must(t, s.ws.Close(websocket.StatusNormalClosure, ""))
		synctest.Wait()
		if got, inside := w.VoiceState("bot"); inside {
			t.Errorf("still in %+v", got)
		}
	})
}

func TestTheBotSetsItsPresence(t *testing.T) {
	bubble(t, studio, usual, func(w *discordtest.World, s *session) {
		if got := w.BotPresence(); got.Status != "online" || got.Activities != nil {
			t.Errorf("at first: %+v", got)
		}
		s.say(`{"op":3,"d":{"status":"idle","since":null,"afk":false,"activities":[{"name":"Custom Status","type":4,"state":"thinking"}]}}`)
		want := fakediscord.Presence{Status: "idle", Activities: []fakediscord.Activity{{Name: "Custom Status", Type: 4, State: "thinking"}}}
		if diff := cmp.Diff(want, w.BotPresence()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		connect(s.t, w, w.Token(), usual)
		if got := w.BotPresence(); got.Status != "online" || got.Activities != nil {
			t.Errorf("in a new session: %+v", got)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
