package fakediscord

import (
	"errors"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
)

// A VoiceState is a member's voice channel, and whether they have muted or deafened
// themselves.
type VoiceState struct {
	Channel    chat.ChannelID
	Mute, Deaf bool
}

// A VoiceServer is where clients of those in voice channels meet. It is told who may come, and who no longer may, with the world
// locked.
type VoiceServer struct {
	Endpoint string // as Discord names it: a host, and a port if it is not 443
	Admit    func(VoicePass)
	Expel    func(VoicePass)
}

// nowhere is the voice server of a new world. Nothing listens there.
var nowhere = VoiceServer{Endpoint: "voice.fake.discord:443", Admit: func(VoicePass) {}, Expel: func(VoicePass) {}}

// A VoicePass is what a member's client needs for a voice channel. The bot learns it from events.
type VoicePass struct {
	Guild                    chat.GuildID
	Channel                  chat.ChannelID
	User                     chat.UserID
	Session, Token, Endpoint string
}

// UseVoiceServer has clients meet at a voice server from now on. Those who are in voice channels have to go there.
func (w *World) UseVoiceServer(v VoiceServer) {
	_ = w.change(func() error { // which never fails
		old := w.voiceServer
		w.voiceServer = v
		for _, g := range w.guilds {
			for _, m := range g.members {
				if _, inside := g.voice[m.ID]; inside {
					old.expel(g, m)
					w.admitToVoice(m, true)
				}
			}
		}
		return nil
	})
}

// VoicePass is what a client of a member needs who is in a voice channel. A member of several guilds is named with one of them.
func (w *World) VoicePass(member string) (VoicePass, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, err := w.soleMember(member)
	if err != nil {
		return VoicePass{}, err
	}
	pass, ok := w.guild(m.Guild).passes[m.ID]
	if !ok {
		return VoicePass{}, fmt.Errorf("%s is in no voice channel", member)
	}
	return pass, nil
}

// VoiceState is a member's voice state, if there is one. A member of several guilds is
// named with one of them.
func (w *World) VoiceState(member string) (VoiceState, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, err := w.soleMember(member)
	if err != nil {
		return VoiceState{}, false
	}
	v, ok := w.guild(m.Guild).voice[m.ID]
	return v, ok
}

// EnterVoice puts a member into a voice channel, or moves them there as a moderator
// would. The bot can only be moved.
func (w *World) EnterVoice(member, channel string) error {
	return w.reshape(func() error {
		m, c := w.member(member), w.channel(channel)
		switch {
		case m == nil:
			return fmt.Errorf("there is no member %s", member)
		case c == nil:
			return w.noChannel(channel)
		case !c.Type.isVocal():
			return fmt.Errorf("%s is not a voice channel", c)
		}
		g := w.guild(c.Guild)
		if m = g.person(m.ID); m == nil {
			return fmt.Errorf("%s is not on %s", member, g.Name)
		}
		now, inside := g.voice[m.ID]
		if m.ID == w.bot && !inside {
			return errors.New("the bot is in no voice channel, so it cannot be moved to another")
		}
		now.Channel = c.ID
		w.putInVoice(m, now)
		return nil
	})
}

// LeaveVoice takes a member out of their voice channel, as a moderator does with
// Disconnect.
func (w *World) LeaveVoice(member string) error {
	return w.reshape(func() error {
		m, err := w.soleMember(member)
		if err != nil {
			return err
		}
		w.takeOutOfVoice(m)
		return nil
	})
}

// SetUserLimit sets the user limit of a voice channel. 0 means any number.
func (w *World) SetUserLimit(channel string, limit int) error {
	return w.changeChannel(channel, func(c *Channel) error {
		if !c.Type.isVocal() {
			return fmt.Errorf("%s is not a voice channel", c)
		}
		c.UserLimit = limit
		return nil
	})
}

// SetVoiceServer makes the bot's voice server fail, or replaces it.
func (w *World) SetVoiceServer(there bool) error {
	return w.change(func() error {
		for _, g := range w.guilds {
			if _, inside := g.voice[w.bot]; inside {
				w.admitToVoice(w.botOn(g), there)
				return nil
			}
		}
		return errors.New("the bot is in no voice channel")
	})
}

// setVoiceState applies the bot's voice state, if it has the rights. Otherwise Discord
// sends no response at all.
func (w *World) setVoiceState(want fakegateway.VoiceState) {
	_ = w.reshape(func() error { // which never fails
		g := w.guild(chat.GuildID(want.Guild))
		if g == nil || !w.hasBot(g) {
			return nil
		}
		bot := w.botOn(g)
		switch {
		case want.Channel == nil:
			w.takeOutOfVoice(bot)
		case w.mayEnterVoice(bot, w.channels[chat.ChannelID(*want.Channel)]):
			w.putInVoice(bot, VoiceState{Channel: chat.ChannelID(*want.Channel), Mute: want.Mute, Deaf: want.Deaf})
		}
		return nil
	})
}

// mayEnterVoice reports whether a member may be in a voice channel. A member may stay in a
// full one, and one who can move members may enter it.
func (w *World) mayEnterVoice(m *Member, c *Channel) bool {
	if c == nil || !c.Type.isVocal() || c.Guild != m.Guild {
		return false
	}
	g := w.guild(c.Guild)
	if g.voice[m.ID].Channel == c.ID {
		return true
	}
	may := w.permissions(m, c)
	inside := 0
	for _, v := range g.voice {
		if v.Channel == c.ID {
			inside++
		}
	}
	full := c.UserLimit > 0 && inside >= c.UserLimit && !may.Has(moveMembers)
	return may.Has(viewChannel|connect) && !full
}

// putInVoice sets a voice state and emits it. The bot gets a voice server event when its
// channel changes, not when it only mutes itself.
func (w *World) putInVoice(m *Member, v VoiceState) {
	g := w.guild(m.Guild)
	moved := g.voice[m.ID].Channel != v.Channel
	g.voice[m.ID] = v
	w.emitVoiceState(m, v)
	if moved {
		w.admitToVoice(m, true)
	}
}

func (w *World) takeOutOfVoice(m *Member) {
	g := w.guild(m.Guild)
	if v, inside := g.voice[m.ID]; inside {
		delete(g.voice, m.ID)
		w.voiceServer.expel(g, m)
		v.Channel = ""
		w.emitVoiceState(m, v)
	}
}

// emptyVoice removes all members from a channel that was deleted.
func (w *World) emptyVoice(c *Channel) {
	g := w.guild(c.Guild)
	for _, m := range g.members {
		if g.voice[m.ID].Channel == c.ID {
			w.takeOutOfVoice(m)
		}
	}
}

// hangUp removes the bot from voice when its session ends, on the guilds that were the session's.
func (w *World) hangUp(of fakegateway.Shard) {
	_ = w.reshape(func() error { // which never fails
		for _, g := range w.guilds {
			if of.Has(string(g.ID)) {
				w.takeOutOfVoice(w.botOn(g))
			}
		}
		return nil
	})
}

// emitVoiceState emits a voice state. Without the intent the bot does not even get its own.
// https://discord.com/developers/docs/events/gateway#list-of-intents
func (w *World) emitVoiceState(m *Member, v VoiceState) {
	o := w.voiceStateJSON(m, v)
	o["guild_id"], o["member"] = m.Guild, w.memberJSON(m)
	if c := w.channels[v.Channel]; c != nil {
		w.queue("VOICE_STATE_UPDATE", intentVoice, c, o, o, m.ID == w.bot || w.sees(w.botMember(), c))
		return
	}
	w.emitOn(w.guild(m.Guild), "VOICE_STATE_UPDATE", intentVoice, o)
}

// admitToVoice lets a member's client come to the voice server, and sends the bot the token for that. Without a server there is no address
// until the next of these events.
func (w *World) admitToVoice(m *Member, there bool) {
	g := w.guild(m.Guild)
	pass := VoicePass{
		Guild: g.ID, Channel: g.voice[m.ID].Channel, User: m.ID,
		Session: voiceSession(m), Token: "voice-" + w.newID(), Endpoint: w.voiceServer.Endpoint,
	}
	if there {
		g.passes[m.ID] = pass
		w.voiceServer.Admit(pass)
	}
	if m.ID != w.bot {
		return
	}
	public := object{"guild_id": g.ID, "endpoint": nil}
	if there {
		public["endpoint"] = pass.Endpoint
	}
	w.queueOn(g, "VOICE_SERVER_UPDATE", 0, public, object{"guild_id": g.ID, "endpoint": public["endpoint"], "token": pass.Token}, true)
}

func (v VoiceServer) expel(g *guild, m *Member) {
	if pass, ok := g.passes[m.ID]; ok {
		delete(g.passes, m.ID)
		v.Expel(pass)
	}
}

func voiceSession(m *Member) string { return "session-of-" + string(m.ID) }

// voiceStates are those of all members, as in GUILD_CREATE.
func (w *World) voiceStates(g *guild) []object {
	all := []object{}
	for _, m := range g.members {
		if v, inside := g.voice[m.ID]; inside {
			all = append(all, w.voiceStateJSON(m, v))
		}
	}
	return all
}

func (w *World) voiceStateJSON(m *Member, v VoiceState) object {
	c := w.channels[v.Channel]
	return object{
		"channel_id": idOrNull(v.Channel), "user_id": m.ID, "session_id": voiceSession(m),
		"self_mute": v.Mute, "self_deaf": v.Deaf, "self_video": false, "mute": false, "deaf": false,
		"suppress": c != nil && c.Type == StageChannel, "request_to_speak_timestamp": nil,
	}
}
