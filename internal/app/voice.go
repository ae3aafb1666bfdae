package app

import (
	"cmp"
	"context"

	"discoclaw/internal/access"
	voiceact "discoclaw/internal/actions/voice"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/flow"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/voice"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/session"
)

// newVoice keeps the bot in voice channels, and has it talk there. What is wrong with DISCOCLAW_VOICE_ENABLED is said with the switch of
// the actions, which needs it too.
func newVoice(c *Core, env config.Env, out Externals) (*voice.Manager, *session.Host) {
	o := voice.Options{Log: c.log}
	on, _ := env.Bool("DISCOCLAW_VOICE_ENABLED", false)
	if on {
		o.Others = c.discord.Others
	}
	if out.NoCalls || !on {
		return voice.New(voice.Signals{Gateway: c.discord}, o), nil
	}
	var m *voice.Manager
	talks := session.New(session.Options{
		Services: c.speech, Meter: c.meter,
		Where: func(g chat.GuildID) (voice.Status, bool) { return m.Status(g) }, Others: c.discord.Others,
		Serves: func(who chat.User, room chat.Place) bool {
			return c.policy().Admit(access.ByVoice, who, room) == access.Admitted && !c.transcript.Ignored(who.ID)
		},
		Server: c.discord, Zone: c.Config.Chat.Zone(),
		Addressing: string(c.Config.Voice.Addressing), Copies: chat.ChannelID(c.Config.Voice.Log), Log: c.log,
		Wake: func() []string { return c.Config.Voice.Calls(cmp.Or(c.name(), c.discord.Self().Name)) },
	})
	o.Talk, o.Adjusted = talks.Talk, talks.Adjusted
	m = voice.New(voice.NewCalls(c.discord, link.Options{HTTP: out.HTTP, DialUDP: out.DialUDP, Log: c.log}), o)
	return m, talks
}

func newVoiceFace(c *Core) *voiceact.Category {
	return voiceact.New(c.discord, c.voice, voiceact.Options{
		Speech: c.speech.Speech, Local: c.speech.Speaking.Local, Meter: c.meter, People: c.transcript, Fetch: c.files.Sound,
		Joins: c.talks != nil, Hears: c.talks != nil && c.talks.Hears(), Lacking: c.Config.Speech.Lacking(), Log: c.log,
	})
}

// startTalk has people heard in calls. If it is not known who does not want to be, nobody is.
func startTalk(ctx context.Context, b *Bot) {
	c := b.core
	if c.talks == nil {
		return
	}
	if err := c.transcript.Load(ctx); err != nil {
		c.log.ErrorContext(ctx, "cannot look up who wants to be heard in calls, so nobody is", "err", err)
		return
	}
	c.talks.Run(func(said session.Said) { b.flows.Said(ctx, flow.Said(said)) })
}

// newVoiceFlow returns what turns in calls need.
func newVoiceFlow(c *Core) flow.Voice {
	return flow.Voice{
		Calls: calls{c.talks}, Model: func() llm.Choice { return c.models.Resolved(roles.Voice) },
		Style: c.Config.Voice.Style, Keep: c.transcript.Keep,
	}
}

// calls are those that the bot is in.
type calls struct{ *session.Host }

func (c calls) Answer(room chat.Place, to chat.UserID, interrupt func(by chat.UserID)) flow.Spoken {
	return c.Host.Answer(room, to, interrupt)
}

// EnteredVoice has the bot follow the people whom it serves.
func (h handler) EnteredVoice(g chat.GuildID, who chat.Occupant) {
	c := h.bot.core
	if c.Config.Voice.AutoJoin && c.policy().Admit(access.ByVoice, who.User, chat.Place{Guild: g, Channel: who.Channel}) == access.Admitted {
		c.voice.Follow(g, who.Channel)
	}
}
