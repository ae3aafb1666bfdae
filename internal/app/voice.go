package app

import (
	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/voice"
)

// voiceOptions are of voice channels. What is wrong with DISCOCLAW_VOICE_ENABLED is said with the switch of the actions, which needs it too.
func (c *Core) voiceOptions(env config.Env) voice.Options {
	o := voice.Options{Log: c.log}
	if on, _ := env.Bool("DISCOCLAW_VOICE_ENABLED", false); on && c.Config.Voice.AutoJoin {
		o.Others = c.discord.Others
	}
	return o
}

// EnteredVoice has the bot follow the people whom it serves.
func (h handler) EnteredVoice(g chat.GuildID, who chat.Occupant) {
	c := h.bot.core
	if c.policy().Admit(access.ByVoice, who.User, chat.Place{Guild: g, Channel: who.Channel}) == access.Admitted {
		c.voice.Follow(g, who.Channel)
	}
}
