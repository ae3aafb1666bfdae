package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/discord/rest"
)

// intoVoice are the permissions for joining a voice channel.
var intoVoice = []chat.Permission{chat.ViewChannel, chat.Connect}

var aVoiceChannel = meaning{"voice channel", func(ch chat.Channel) int {
	if ch.Kind != chat.Voice && ch.Kind != chat.Stage {
		return -1
	}
	return 0
}}

// VoiceChannel is Channel for voice and stage channels alone.
func (c *Client) VoiceChannel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return c.resolve(ctx, g, who, ref, aVoiceChannel)
}

// VoiceState returns the bot's voice state on a server, as Discord last sent it. changed is
// closed at the next change.
func (c *Client) VoiceState(g chat.GuildID) (now chat.VoiceState, changed <-chan struct{}) {
	heard, changed := c.voices.look(g)
	return heard.VoiceState, changed
}

// VoiceServer returns where the sound of the bot's voice channel on a server is. The channel that VoiceState returns is closed when
// this changes, too. After a move it is that of the channel before until Discord names another, with another token.
func (c *Client) VoiceServer(g chat.GuildID) chat.VoiceServer {
	heard, _ := c.voices.look(g)
	return heard.server
}

// JoinVoice connects the bot to a voice channel of a server, or moves it there, and mutes or
// deafens it. It waits until Discord has confirmed that and named a voice server. Discord sends
// nothing if it does not let the bot in, so ctx has to end the wait; the bot may then still
// be connected later.
func (c *Client) JoinVoice(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool) error {
	if err := c.mayJoinVoice(ctx, g, ch); err != nil {
		return err
	}
	before, _ := c.voices.look(g)
	if err := c.sendVoiceState(ctx, g, ch, mute, deaf); err != nil {
		return err
	}
	here := func(now voice) bool {
		served := now.servers > before.servers || before.Channel == ch && now.Served
		return now.Channel == ch && now.Mute == mute && now.Deaf == deaf && served
	}
	err := c.awaitVoice(ctx, g, before, here)
	switch where := c.cache.describe(ch); {
	case err == nil:
		return nil
	case !errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("join %s: %w", where, err)
	case before.Channel == ch:
		return fmt.Errorf("nothing came back from Discord about me in %s in time; look before trying again", where)
	default:
		return fmt.Errorf("I was not let into %s in time; check that it is not full and that my role has *%s* there, under %s, then try again", where, chat.Connect, rest.InTheChannel)
	}
}

// LeaveVoice disconnects the bot from voice on a server and waits until Discord has confirmed
// that.
func (c *Client) LeaveVoice(ctx context.Context, g chat.GuildID) error {
	before, _ := c.voices.look(g)
	if err := c.sendVoiceState(ctx, g, "", false, false); err != nil {
		return err
	}
	err := c.awaitVoice(ctx, g, before, func(now voice) bool { return now.Channel == "" })
	if errors.Is(err, errVoiceLost) {
		return nil // the bot is disconnected anyway
	}
	return err
}

// mayJoinVoice refuses a request to which Discord would not respond at all.
func (c *Client) mayJoinVoice(ctx context.Context, g chat.GuildID, id chat.ChannelID) error {
	ch, err := c.channelOf(ctx, g, id)
	switch {
	case err != nil:
		return err
	case aVoiceChannel.rank(ch.Channel) < 0:
		return fmt.Errorf("%s, where nobody can talk", nature(ch.Channel))
	}
	q := rest.Request{Guild: g, Channel: id, Needs: intoVoice}
	if !c.cache.botMeets(q) {
		return errors.New(c.forbidden(q))
	}
	return nil
}

func (c *Client) sendVoiceState(ctx context.Context, g chat.GuildID, ch chat.ChannelID, mute, deaf bool) error {
	gw, err := c.connection()
	if err != nil {
		return err
	}
	v := gateway.VoiceState{Guild: string(g), Mute: mute, Deaf: deaf}
	if ch != "" {
		v.Channel = new(string(ch))
	}
	return gw.SetVoiceState(ctx, v)
}

// errVoiceLost is for a request whose session has ended.
var errVoiceLost = errors.New("my connection to Discord began anew meanwhile; try again")

// awaitVoice waits until the bot's voice state is as wanted.
func (c *Client) awaitVoice(ctx context.Context, g chat.GuildID, before voice, wanted func(voice) bool) error {
	for {
		now, changed := c.voices.look(g)
		switch {
		case wanted(now):
			return nil
		case now.sessions != before.sessions:
			return errVoiceLost
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return rest.Stopped{Cause: ctx.Err(), Maybe: true}
		}
	}
}

// voices are the bot's voice states, and those of others.
type voices struct {
	mu       sync.Mutex
	sessions int // counts gateway sessions
	known    map[chat.GuildID]*voice
	others   map[chat.GuildID]*others
}

// A voice is the bot's voice state on one server.
type voice struct {
	chat.VoiceState
	server   chat.VoiceServer
	servers  int // counts voice servers that Discord has named
	sessions int // gateway sessions so far

	changed chan struct{} // closed at the next change
}

func newVoices() *voices {
	return &voices{known: map[chat.GuildID]*voice{}, others: map[chat.GuildID]*others{}}
}

func (v *voices) look(g chat.GuildID) (voice, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := v.on(g)
	return *known, known.changed
}

func (v *voices) change(g chat.GuildID, f func(*voice)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.on(g).change(f)
}

// begin resets the states for a new session, in which the bot is in no channel.
func (v *voices) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sessions++
	for _, known := range v.known {
		known.change(func(k *voice) {
			k.lose()
			k.sessions = v.sessions
		})
	}
}

// on returns the voice on a server. The caller holds the lock.
func (v *voices) on(g chat.GuildID) *voice {
	if v.known[g] == nil {
		v.known[g] = &voice{sessions: v.sessions, changed: make(chan struct{})}
	}
	return v.known[g]
}

func (v *voice) change(f func(*voice)) {
	f(v)
	close(v.changed)
	v.changed = make(chan struct{})
}

// lose records that the bot is in no channel, though no member disconnected it.
func (v *voice) lose() {
	lost := v.Lost || v.Channel != ""
	v.end()
	v.Lost = lost
}

// end records that the bot is in no channel.
func (v *voice) end() { v.VoiceState, v.server = chat.VoiceState{}, chat.VoiceServer{} }

// wireVoice is a user's voice state.
type wireVoice struct {
	Guild    chat.GuildID   `json:"guild_id"`   // missing in descriptions of a server
	Channel  chat.ChannelID `json:"channel_id"` // empty, from null, for none
	User     chat.UserID    `json:"user_id"`
	Session  string         `json:"session_id" wire:"optional"`
	Mute     bool           `json:"self_mute" wire:"optional"`
	Deaf     bool           `json:"self_deaf" wire:"optional"`
	Suppress bool           `json:"suppress" wire:"optional"`
	Member   *wireMember    `json:"member" wire:"optional"` // missing in descriptions of a server
}

func (l *listener) voiceChanged(w wireVoice) error {
	if w.User == "" {
		return errNoID
	}
	switch {
	case w.Guild == "":
		return nil
	case w.User != l.Self().ID:
		l.entered(w.Guild, l.voices.moved(w))
		return nil
	}
	l.voices.change(w.Guild, func(v *voice) {
		switch {
		case w.Channel != "":
			v.Channel, v.Mute, v.Deaf, v.Lost = w.Channel, w.Mute, w.Deaf, false
			v.server.Session = w.Session
		case v.Channel != "": // else it is a late event of the last session
			v.end()
		}
	})
	return nil
}

// wireVoiceServer is a voice server. While there is none, the address is empty.
type wireVoiceServer struct {
	Guild    chat.GuildID `json:"guild_id"`
	Endpoint string       `json:"endpoint"`
	Token    string       `json:"token" wire:"optional"`
}

func (l *listener) voiceServed(w wireVoiceServer) error {
	if w.Guild == "" {
		return errNoID
	}
	l.voices.change(w.Guild, func(v *voice) {
		v.Served = w.Endpoint != ""
		v.server.Endpoint, v.server.Token = w.Endpoint, w.Token
		if v.Served {
			v.servers++
		}
	})
	return nil
}

// voicesDescribed updates the voice states from the description of a server. After an outage, the
// bot may have been disconnected.
func (l *listener) voicesDescribed(w wireGuild) {
	own := l.Self().ID
	if !slices.ContainsFunc(w.Voices, func(v wireVoice) bool { return v.User == own }) {
		l.voices.change(chat.GuildID(w.ID), (*voice).lose)
	}
	l.entered(chat.GuildID(w.ID), l.voices.described(w, own))
}

// leaveOldVoices disconnects the bot from the voice channels in which an earlier process left it,
// since this one has no state for them; a new session begins in none. It does not wait for
// that.
func (l *listener) leaveOldVoices(ctx context.Context) {
	l.acks.Go(func() {
		for _, g := range l.servers {
			if err := l.sendVoiceState(ctx, g, "", false, false); err != nil {
				return // the connection is gone, and Discord disconnects the bot by itself
			}
		}
	})
}

// voiceOver resets the voice state on a server that the bot is no longer on.
func (l *listener) voiceOver(g chat.GuildID) {
	l.voices.change(g, (*voice).end)
	l.voices.described(wireGuild{ID: string(g)}, "")
}
