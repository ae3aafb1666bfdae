package app

import (
	"cmp"
	"context"
	"net/http"

	"discoclaw/internal/access"
	voiceact "discoclaw/internal/actions/voice"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/flow"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/spend"
	"discoclaw/internal/voice"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/session"
	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/transcribe"
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
		Recogniser: c.recogniser(out.ModelHTTP), Speech: c.speaker(), Meter: c.meter,
		Hearing: c.hearing(), SpeaksLocally: c.speaksLocally(),
		Where: func(g chat.GuildID) (voice.Status, bool) { return m.Status(g) }, Others: c.discord.Others,
		Serves: func(who chat.User, room chat.Place) bool {
			return c.policy().Admit(access.ByVoice, who, room) == access.Admitted && !c.transcript.Ignored(who.ID)
		},
		Server: c.discord, Zone: c.Config.Chat.Zone(),
		Addressing: string(c.Config.Voice.Addressing), Wake: c.wakeWords, Log: c.log,
	})
	o.Talk = talks.Talk
	m = voice.New(voice.NewCalls(c.discord, link.Options{HTTP: out.HTTP, DialUDP: out.DialUDP, Log: c.log}), o)
	return m, talks
}

// wakeWords are what the bot is called in calls.
func (c *Core) wakeWords() []string {
	if words := c.Config.Voice.WakeWords; len(words) > 0 {
		return words
	}
	return []string{cmp.Or(c.name(), c.discord.Self().Name)}
}

// transcriptions returns what transcribes; nil if nothing does.
func (c *Core) transcriptions(client *http.Client) *transcribe.Service {
	o := c.Config.Speech
	s := transcribe.Options{HTTP: client, Log: c.log}
	switch o.Hears() {
	case "openai":
		s.BaseURL, s.Key, s.Model = string(o.BaseURL), o.Key.Reveal(), string(o.Model)
	case "deepgram":
		s.Deepgram, s.Key, s.Model = true, o.DeepgramKey.Reveal(), string(o.DeepgramModel)
	default:
		return nil
	}
	return transcribe.New(s)
}

// recogniser is transcriptions for calls.
func (c *Core) recogniser(client *http.Client) transcribe.Recogniser {
	if s := c.transcriptions(client); s != nil {
		return s
	}
	return nil // a nil *Service is no Recogniser
}

// hearing is what transcriptions are paid as.
func (c *Core) hearing() spend.Service {
	o := c.Config.Speech
	if o.Hears() == "deepgram" {
		return spend.Service{Model: string(o.DeepgramModel)}
	}
	return spend.Service{Model: string(o.Model), Local: o.BaseURL.Local()}
}

// speaker returns what speaks; nil if nothing does.
func (c *Core) speaker() *speech.Service {
	o := c.Config.Speech
	s := speech.Options{Provider: string(o.Speaks()), HTTP: c.modelHTTP}
	switch o.Speaks() {
	case "":
		return nil
	case "openai":
		s.BaseURL, s.Key, s.Model, s.Voice = string(o.SpeakURL), o.SpeakKey.Reveal(), string(o.SpeakModel), o.Voice
	case "deepgram":
		s.Key, s.Voice, s.Speed, s.Model = o.DeepgramKey.Reveal(), string(o.DeepgramVoice), o.DeepgramSpeed, string(o.DeepgramVoice)
	case "cartesia":
		s.Key, s.Voice, s.Model = o.CartesiaKey.Reveal(), o.CartesiaVoice, string(o.CartesiaModel)
	}
	return speech.New(s)
}

func (c *Core) speaksLocally() bool {
	return c.Config.Speech.Speaks() == "openai" && c.Config.Speech.SpeakURL.Local()
}

// voiceFace returns the category.
func (c *Core) voiceFace() *voiceact.Category {
	return voiceact.New(c.discord, c.voice, voiceact.Options{
		Speech: c.speaker(), Local: c.speaksLocally(), Meter: c.meter, People: c.transcript, Fetch: c.files.Sound,
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

// voiceFlow is what turns in calls need.
func (c *Core) voiceFlow() flow.Voice {
	return flow.Voice{
		Calls: calls{c}, Model: func() llm.Choice { return c.models.Resolved(roles.Voice) },
		Style: c.Config.Voice.Style, Keep: c.transcript.Keep,
	}
}

// calls are those that the bot is in.
type calls struct{ core *Core }

func (c calls) Answer(room chat.Place, to chat.UserID, interrupt func()) flow.Spoken {
	return c.core.talks.Answer(room, to, interrupt)
}

// Log is the channel for what was said in calls, if everybody who reads it may enter the room.
func (c calls) Log(ctx context.Context, room chat.Place) chat.ChannelID {
	log := chat.ChannelID(c.core.Config.Voice.Log)
	if log == "" {
		return ""
	}
	open, err := c.core.discord.Enterable(ctx, room.Guild, log, room.Channel)
	if err != nil || !open {
		c.core.log.WarnContext(ctx, "DISCOCLAW_VOICE_LOG_CHANNEL is not used: not everybody who reads it may enter the voice channel",
			"channel", room.Channel, "err", err)
		return ""
	}
	return log
}

// EnteredVoice has the bot follow the people whom it serves.
func (h handler) EnteredVoice(g chat.GuildID, who chat.Occupant) {
	c := h.bot.core
	if c.Config.Voice.AutoJoin && c.policy().Admit(access.ByVoice, who.User, chat.Place{Guild: g, Channel: who.Channel}) == access.Admitted {
		c.voice.Follow(g, who.Channel)
	}
}
