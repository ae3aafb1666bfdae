package app

import (
	"context"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/voice"
	"discoclaw/internal/voice/link"
)

// newVoice keeps the bot in voice channels. What is wrong with DISCOCLAW_VOICE_ENABLED is said with the switch of the actions, which needs
// it too.
func newVoice(c *Core, env config.Env, out Externals) *voice.Manager {
	o := voice.Options{Log: c.log}
	if on, _ := env.Bool("DISCOCLAW_VOICE_ENABLED", false); on && c.Config.Voice.AutoJoin {
		o.Others = c.discord.Others
	}
	if out.NoCalls {
		return voice.New(voice.Signals{Gateway: c.discord}, o)
	}
	return voice.New(voice.NewCalls(c.discord, link.Options{HTTP: out.HTTP, DialUDP: out.DialUDP, Log: c.log}), o)
}

// loadUnheard has people heard who want to be. If it fails, nobody is.
func loadUnheard(ctx context.Context, b *Bot) {
	if err := b.core.transcript.Load(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "cannot look up who wants to be heard in calls, so nobody is", "err", err)
	}
}

// EnteredVoice has the bot follow the people whom it serves.
func (h handler) EnteredVoice(g chat.GuildID, who chat.Occupant) {
	c := h.bot.core
	if c.policy().Admit(access.ByVoice, who.User, chat.Place{Guild: g, Channel: who.Channel}) == access.Admitted {
		c.voice.Follow(g, who.Channel)
	}
}
