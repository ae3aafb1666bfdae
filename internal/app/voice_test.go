package app

import (
	"testing"
	"testing/synctest"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
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
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New(
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
		if n := w.Gateway().Counts().Commands - before; n != 1 {
			t.Errorf("%d commands were sent in the end, want the one that leaves", n)
		}
		if there, inside := w.VoiceState("bot"); inside {
			t.Errorf("the bot is still in %q", there.Channel)
		}
	})
}
