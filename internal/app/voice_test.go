package app

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/voice/speech/speechtest"
)

const withVoice = `
guild disco: #general Lounge:voice
member ada: owner
`

// TestTheBotLeavesVoiceBeforeDisconnecting: it leaves the channel while it is still connected.
func TestTheBotLeavesVoiceBeforeDisconnecting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, withVoice)
		env := apptest.Env(t, w, "DISCOCLAW_VOICE_ENABLED=1", "DISCOCLAW_DISCORD_ACTIONS_VOICE=1")
		calls := w.UseCalls(fakevoice.Options{})
		_, stop := begins(t, env, Externals{HTTP: w.HTTP(), DialUDP: calls.DialUDP, Runtime: script.New(
			script.Say(`On my way.<discord-action>{"type":"voiceJoin","channel":"Lounge"}</discord-action>`),
		)})
		w.MustSay("ada", "general", "come to the lounge")
		synctest.Wait()
		if there, _ := w.VoiceState("bot"); there.Channel != w.ChannelID("Lounge") {
			t.Errorf("the bot is in %q\n%s", there.Channel, w.Transcript())
		}
		before := w.Gateway().Counts().Commands
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if n := w.Gateway().Counts().Commands - before; n != 2 {
			t.Errorf("%d commands were sent in the end, want the one that leaves and the one that becomes invisible", n)
		}
		if there, inside := w.VoiceState("bot"); inside {
			t.Errorf("the bot is still in %q", there.Channel)
		}
	})
}

// TestVoiceNotes: with a server for speech the model is told of them, and a directive posts a recording. If the server fails, the words
// are in the reply.
func TestVoiceNotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, withVoice)
		mouth := speechtest.New(t)
		model := script.New(script.Say(`<actions><voice>Good morning, everybody.</voice></actions>Listen to this.`), script.Say(`<actions><voice>Good night.</voice></actions>Sleep well.`))
		env := apptest.Env(t, w, append(withSpeech, "DISCOCLAW_VOICE_ENABLED=1", "DISCOCLAW_DISCORD_ACTIONS_VOICE=1")...)
		_, stop := begins(t, env, Externals{HTTP: w.HTTP(), ModelHTTP: mouth.HTTP, Runtime: model})
		w.MustSay("ada", "general", "say good morning")
		time.Sleep(time.Minute)
		mouth.Next(speechtest.Answer(500, "{}"))
		w.MustSay("ada", "general", "and good night")
		time.Sleep(time.Minute)
		synctest.Wait()
		var got []string
		for _, m := range w.Messages("general") {
			text := m.Content
			if m.Author == w.UserID("bot") {
				text = "bot: " + text
			}
			for _, a := range m.Attachments {
				text += " [" + a.Name + ": " + string(a.Data) + "]"
			}
			got = append(got, text)
		}
		want := []string{
			"say good morning", "bot: Listen to this.", "bot:  [voice-note.mp3: " + speechtest.MP3 + "]",
			"and good night", "bot: Sleep well.\n\nGood night.",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if system := model.Requests()[0].System; !strings.Contains(system, "\nvoiceNote(text, aloud?)") {
			t.Errorf("the model is not told of voice notes:\n%s", system)
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestWithoutAServerForSpeechThereAreNoVoiceNotes in prompts, and one that cannot be used is mentioned to operators.
func TestWithoutAServerForSpeechThereAreNoVoiceNotes(t *testing.T) {
	t.Parallel()
	on := []string{"DISCOCLAW_VOICE_ENABLED=1", "DISCOCLAW_DISCORD_ACTIONS_VOICE=1"}
	for _, tt := range []struct {
		name           string
		env            []string
		offered, warns bool
	}{
		{"both", append(on, withSpeech...), true, false},
		{"no server", on, false, false},
		{"no voice actions", withSpeech, false, true},
		{"neither", nil, false, false},
	} {
		env := config.Env{}
		for _, v := range tt.env {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		core := mustCore(t, env)
		gate := core.registry.Gate(core.flags)
		if offered := gate.Verdict("voiceNote").Decision == actions.Allowed; offered != tt.offered {
			t.Errorf("%s: that it is offered is %v", tt.name, offered)
		}
		if warns := slices.Contains(core.Warnings, silentSpeech); warns != tt.warns {
			t.Errorf("%s: the warnings are %q", tt.name, core.Warnings)
		}
	}
}
