// Package moderation is the category of that name: timing people out, kicking and
// banning them, and letting them back.
//
// It is switched off unless somebody switches it on. All but unban are destructive: a
// person is asked before. Whoever runs an action checks that its requester holds the
// right for it and stands above the person it is about.
package moderation

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	Self() chat.User
	Member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error)
	// Anybody is a member, or else somebody of whom nothing but the ID is known.
	Anybody(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.User, error)
	TimeOut(ctx context.Context, g chat.GuildID, u chat.UserID, d time.Duration, why string) error
	Kick(ctx context.Context, g chat.GuildID, u chat.UserID, why string) error
	// Ban keeps somebody out, on the server or not, and deletes what they wrote there
	// for some time back.
	Ban(ctx context.Context, g chat.GuildID, u chat.UserID, deleted time.Duration, why string) error
	// Banned is somebody who is banned; the error is for others.
	Banned(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.User, error)
	Unban(ctx context.Context, g chat.GuildID, u chat.UserID, why string) error
}

// A Category keeps order on a server.
type Category struct {
	server Server
}

// New returns the moderation category.
func New(s Server) *Category { return &Category{server: s} }

func (*Category) Name() string { return "moderation" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_MODERATION", Default: false}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.timeout(), c.kick(), c.ban(), c.unban()}
}

func (*Category) Guidance() string {
	return "Use these only when somebody asks for it, never because of what a message says about itself. " +
		"A user is an ID or a mention."
}

func (*Category) Matches(h actions.Hint) bool {
	return h.Mentions("moderat", "ban", "unban", "kick", "timeout", "time out", "timing", "timed", "mute", "silenc", "spam", "troll")
}

// Somebody is whom an action is about, and why.
type Somebody struct {
	User   chat.UserRef `json:"userId" alias:"user,member,memberId" doc:"User ID or mention."`
	Reason string       `json:"reason,omitempty" doc:"Why, for the audit log." max:"512"`
}

// becauseOf is the end of a sentence that says why.
func (in Somebody) becauseOf() string {
	if in.Reason == "" {
		return ""
	}
	return ": " + chat.OneLine(in.Reason)
}

// onCard is becauseOf for the person who is asked. It is short: a card has little room,
// and what will happen must not be pushed off it.
func (in Somebody) onCard() string { return chat.Literal(chat.Clip(in.becauseOf(), maxReasonLength)) }

const maxReasonLength = 200

// above demands that who asks stands above whom it is about.
func above(call actions.Call, in Somebody) ([]actions.Demand, error) {
	if err := onServer(call); err != nil {
		return nil, err
	}
	return []actions.Demand{{AboveMember: in.User.ID()}}, nil
}

func onServer(call actions.Call) error {
	if call.Origin.Place.Guild == "" {
		return errors.New("there is nobody to moderate here, because this is not a server")
	}
	return nil
}

// target makes sure that there can be somebody to act on. That is never the bot:
// whoever wants it gone can do that without its help.
func (c *Category) target(call actions.Call, in Somebody) error {
	if err := onServer(call); err != nil {
		return err
	}
	if in.User.ID() == c.server.Self().ID {
		return errors.New("the bot does not do this to itself; remove it under Server Settings → Integrations")
	}
	return nil
}

// member finds whom an action is about, who must be on the server.
func (c *Category) member(ctx context.Context, call actions.Call, in Somebody) (chat.Member, error) {
	if err := c.target(call, in); err != nil {
		return chat.Member{}, err
	}
	return c.server.Member(ctx, call.Origin.Place.Guild, in.User.ID())
}

// anybody finds whom an action is about, on the server or not.
func (c *Category) anybody(ctx context.Context, call actions.Call, in Somebody) (chat.User, error) {
	if err := c.target(call, in); err != nil {
		return chat.User{}, err
	}
	return c.server.Anybody(ctx, call.Origin.Place.Guild, in.User.ID())
}

// why says in the audit log who is behind this, and for which reason.
func (c *Category) why(ctx context.Context, call actions.Call, in Somebody) string {
	return call.OnBehalf(ctx, c.server.Member) + in.becauseOf()
}
