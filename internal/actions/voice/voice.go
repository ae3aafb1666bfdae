// Package voice is the category of that name: the bot in voice channels. It fronts
// the engine of the same name, which does the work.
package voice

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/spend"
	engine "discoclaw/internal/voice"
	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/transcript"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	actions.Pacer
	// VoiceChannel finds voice and stage channels, and no others.
	VoiceChannel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error)
	// CheckOwn returns which permissions the bot itself lacks in a channel.
	CheckOwn(ch chat.ChannelID, needs ...chat.Permission) error
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	Message(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Message, error)
	LatestOwn(ctx context.Context, ch chat.ChannelID) (chat.MessageID, error)
}

// Options are what the category needs besides a server and an engine.
type Options struct {
	Speech *speech.Service   // nil means that nothing can speak
	Local  bool              // Speech is on this machine, where it costs nothing
	Meter  *spend.Meter      // belongs to Speech
	People *transcript.Store // who wants to be heard
	// Fetch reads a file of a message.
	Fetch   func(context.Context, chat.Attachment) ([]byte, error)
	Joins   bool         // DISCOCLAW_VOICE_ENABLED
	Hears   bool         // what people say in calls is answered
	Lacking string       // what was chosen for speech and cannot be used, with the setting that is missing; may be empty
	Log     *slog.Logger // nil discards
}

// A Category puts the bot into voice channels, posts recordings, and plays them there.
type Category struct {
	server Server
	engine *engine.Manager
	Options
	turns actions.PerTurn // counts voice notes
}

// New returns the voice category.
func New(s Server, m *engine.Manager, o Options) *Category {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Category{server: s, engine: m, Options: o}
}

func (*Category) Name() string { return "voice" }

// Flag: voice itself has a switch besides the one for its actions.
func (*Category) Flag() actions.Flag {
	return actions.Flag{
		Env:   "DISCOCLAW_DISCORD_ACTIONS_VOICE",
		Needs: []actions.Requirement{{AnyOf: []string{"DISCOCLAW_VOICE_ENABLED"}, Switch: true}},
	}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.voiceJoin(), c.voiceLeave(), c.voiceStatus(), c.voiceMute(), c.voiceDeafen(), c.voiceNote(), c.voicePlay()}
}

func (*Category) ForReference() string {
	return "The bot can be in one voice channel of this server at a time."
}

// Rule keeps models from promising what the bot cannot do.
func (c *Category) Rule() string {
	switch {
	case c.Hears && c.Speech != nil:
		return ""
	case c.Hears:
		return "In a voice channel you hear people, but your answers are only written."
	case c.Speech != nil:
		return "In a voice channel you hear nobody: say so."
	}
	return "In a voice channel you neither hear nor speak: say so."
}

// limits is what people who have the bot join should know.
func (c *Category) limits() string {
	switch {
	case c.Hears && c.Speech != nil:
		return ""
	case c.Hears:
		return "; I hear you there and answer in its chat, since I have no voice here"
	case c.Speech != nil:
		return "; I can't hear you there, since nothing here understands speech"
	}
	return "; I can't hear or speak there, since nothing here understands or makes speech"
}

// toConnect are the rights that the requester must have in the voice channel.
var toConnect = []chat.Permission{chat.ViewChannel, chat.Connect}

// guild is the server of the turn.
func guild(call actions.Call) (chat.GuildID, error) {
	if call.Origin.Place.Guild == "" {
		return "", errors.New("there are no voice channels here, because this is not a server")
	}
	return call.Origin.Place.Guild, nil
}

// bots is the bot's voice channel. It is empty if there is none, or none that is visible to
// the requester.
func (c *Category) bots(ctx context.Context, call actions.Call) (chat.ChannelID, error) {
	g, err := guild(call)
	if err != nil {
		return "", err
	}
	status, connected := c.engine.Status(g)
	if !connected || !c.sees(ctx, call, status.Channel) {
		return "", nil
	}
	return status.Channel, nil
}

// sees reports whether a channel is visible to all people of the turn. Without a requester,
// or if their rights cannot be looked up, it is not.
func (c *Category) sees(ctx context.Context, call actions.Call, ch chat.ChannelID) bool {
	ok, err := call.May(ctx, c.server.MissingPermissions, ch, chat.ViewChannel)
	return ok && err == nil
}

// still is bots, if that is the channel in which rights were checked.
func (c *Category) still(ctx context.Context, call actions.Call) (chat.ChannelID, error) {
	now, err := c.bots(ctx, call)
	if checked, _ := call.Checked(); err == nil && now != checked {
		err = errMoved
	}
	return now, err
}

// A VoiceJoin puts the bot into a voice channel.
type VoiceJoin struct {
	Channel chat.ChannelRef `json:"channel" alias:"channelId" word:"text" doc:"Voice or stage channel, name or ID."`
}

func (c *Category) voiceJoin() *actions.Action {
	return actions.Define(actions.Spec[VoiceJoin]{
		Name:     "voiceJoin",
		Aliases:  []string{"JOIN_VOICE", "JOIN_VC", "JOIN_VOICE_CHAT", "JOIN_VOICE_CHANNEL", "JOIN_CALL", "JOIN_MEETING"},
		Summary:  "Join a voice or stage channel, or move there from another.",
		Sentence: "Join the voice channel {channel}",
		Needs:    toConnect,
		Examples: []VoiceJoin{{Channel: "Lounge"}},
		NeedsIn: func(ctx context.Context, call actions.Call, in VoiceJoin) (chat.ChannelID, error) {
			g, err := guild(call)
			if err != nil {
				return "", err
			}
			ch, err := c.server.VoiceChannel(ctx, g, call.Origin.Requester, in.Channel)
			return ch.ID, err
		},
		AlsoNeeds: c.mayLeave,
		Do: func(ctx context.Context, call actions.Call, _ VoiceJoin) (actions.Result, error) {
			ch, _ := call.Checked()
			before, err := c.bots(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			var undo []actions.Inverse
			if before != ch {
				undo = append(undo, back(before))
			}
			return actions.Done(c.engine.Join(ctx, call.Origin.Place.Guild, ch), "joined "+ch.Mention()+c.limits(), undo...)
		},
	})
}

// mayLeave demands the right to move the bot out of its present voice channel: joining
// another one leaves it.
func (c *Category) mayLeave(ctx context.Context, call actions.Call, _ VoiceJoin) ([]actions.Demand, error) {
	status, connected := c.engine.Status(call.Origin.Place.Guild)
	to, _ := call.Checked()
	switch {
	case !connected || status.Channel == to:
		return nil, nil
	case !c.sees(ctx, call, status.Channel): // the error must not name it
		return nil, errors.New("I'm busy in another voice channel; try again later")
	}
	return []actions.Demand{{Channel: status.Channel, Rights: toConnect}}, nil
}

// back moves the bot to its former channel.
func back(to chat.ChannelID) actions.Inverse {
	if to == "" {
		return actions.Reverse("leave the voice channel", "voiceLeave", VoiceLeave{})
	}
	return actions.Reverse("go back to "+to.Mention(), "voiceJoin", VoiceJoin{chat.ChannelRef(to)})
}

// A VoiceLeave takes the bot out of voice.
type VoiceLeave struct {
	Guild string `json:"guildId,omitempty" alias:"guild" rare:"yes" doc:"This server's ID; no other is accepted."`
}

// here refuses other servers: rights on one do not count on another.
func (in VoiceLeave) here(call actions.Call) error {
	if in.Guild != "" && chat.GuildID(in.Guild) != call.Origin.Place.Guild {
		return errors.New("I can only leave voice channels of the server where I am asked")
	}
	return nil
}

func (c *Category) voiceLeave() *actions.Action {
	return actions.Define(actions.Spec[VoiceLeave]{
		Name:     "voiceLeave",
		Aliases:  []string{"LEAVE_VOICE", "LEAVE_VC", "LEAVE_VOICE_CHAT", "LEAVE_VOICE_CHANNEL", "LEAVE_CALL", "LEAVE_MEETING"},
		Summary:  "Leave the voice channel.",
		Sentence: "Leave the voice channel[ {where}][ of {guildId}]",
		Needs:    toConnect,
		Examples: []VoiceLeave{{}},
		NeedsIn: func(ctx context.Context, call actions.Call, in VoiceLeave) (chat.ChannelID, error) {
			if err := in.here(call); err != nil {
				return "", err
			}
			return c.bots(ctx, call)
		},
		Do: func(ctx context.Context, call actions.Call, _ VoiceLeave) (actions.Result, error) {
			from, err := c.still(ctx, call)
			if err != nil || from == "" {
				return actions.Done(err, "I was not in a voice channel")
			}
			return actions.Done(c.engine.Leave(ctx, call.Origin.Place.Guild), "left "+from.Mention(), back(from))
		},
	})
}
