package access

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Members looks up the permissions and ranks of a server's members.
type Members interface {
	// MissingPermissions returns which of the permissions a member lacks in a channel, or on
	// the server as a whole if the channel is empty.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// Outranks reports whether a member's highest role is above another member's and
	// above a role. Empty arguments are not compared.
	Outranks(ctx context.Context, g chat.GuildID, u chat.UserID, member chat.UserID, role chat.RoleID) (bool, error)
	// Servers returns the servers that the bot is on.
	Servers() []chat.GuildID
	// User finds a member by a name, for a member.
	User(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.UserRef) (chat.Member, error)
	// Role finds a role by a name.
	Role(ctx context.Context, g chat.GuildID, ref chat.RoleRef) (chat.Role, error)
}

// Guard lets an action run only if its requester holds what it needs. No known
// requester, or one who cannot be looked up, holds nothing. The action gets the channel in
// which that was checked, and acts there; names of users are IDs from then on. If it fails, the error
// has the remedy in its text for operators.
func Guard(p Policy, m Members) actions.Middleware {
	return func(next actions.Handler) actions.Handler {
		return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
			channel, b, err := check(ctx, p, m, call.Origin.Addressed(), call, b)
			if err != nil {
				return actions.Result{}, err
			}
			res, err := next(ctx, call.PermittedIn(channel), b)
			if err != nil && p.Operates(ctx, m, call.Origin.Requester, call.Origin.Place.Guild) {
				err = chat.ForOperators(err)
			}
			return res, err
		}
	}
}

// Denied is the error of an action that the requester has no right to.
type Denied struct {
	Why  string
	lack *actions.Lack // nil if it is not for want of a right
}

func (d *Denied) Error() string { return d.Why }

// Lacking returns the right that is missing; nil if something else is.
func (d *Denied) Lacking() *actions.Lack { return d.lack }

// lacks adds to a refusal who lacks what.
func lacks(who chat.UserID, needs string, err error) error {
	if d := (*Denied)(nil); errors.As(err, &d) {
		d.lack = &actions.Lack{User: who, Needs: needs}
	}
	return err
}

func deny(format string, args ...any) error { return &Denied{Why: fmt.Sprintf(format, args...)} }

// May returns why an action would be denied with this origin, or nil.
func May(ctx context.Context, p Policy, m Members, o actions.Origin, b actions.Bound) error {
	_, _, err := check(ctx, p, m, "you", actions.Call{Origin: o}, b)
	return err
}

// check returns the channel in which the requester holds what is needed, and the request with the users that its names
// stand for. The channel is empty if the action is not about one. A refusal calls the requester what them says.
func check(ctx context.Context, p Policy, m Members, them string, call actions.Call, b actions.Bound) (chat.ChannelID,
	actions.Bound, error) {
	channel, err := checkNeeds(ctx, p, m, them, call, b)
	if err != nil {
		return "", b, err
	}
	if b, err = b.WithUsers(ctx, call, m.User); err != nil {
		return "", b, err
	}
	if b, err = b.WithRoles(ctx, call, m.Role); err != nil {
		return "", b, err
	}
	err = checkAlso(ctx, m, them, call, channel, b)
	if err != nil || call.Origin.Requester == "" {
		return channel, b, err
	}
	for _, by := range call.Origin.People()[1:] {
		// Without this, the author of a question would borrow the rights of the user who answers.
		call.Origin.Requester, them = by, by.Mention()+", who asked the question,"
		if call.Origin.Flow == actions.FlowCron {
			them = by.Mention() + ", whose words are in this job,"
		}
		theirs, err := checkNeeds(ctx, p, m, them, call, b)
		if err == nil {
			err = checkAlso(ctx, m, them, call, theirs, b)
		}
		if err != nil {
			return channel, b, err
		}
	}
	return channel, b, nil
}

// checkNeeds checks the rights that the action always needs, and returns the channel in which it did.
func checkNeeds(ctx context.Context, p Policy, m Members, them string, call actions.Call, b actions.Bound) (chat.ChannelID, error) {
	needs := slices.DeleteFunc(slices.Clone(b.Action.Needs), func(p chat.Permission) bool { return p == chat.Operator }) // on Discord
	who := call.Origin.Requester
	switch {
	case !b.Bounded():
		return "", nil
	case who == "":
		return "", deny("nobody is known to have asked for this")
	case len(needs) < len(b.Action.Needs) && !p.Operates(ctx, m, who, call.Origin.Place.Guild):
		refusal := lacks(who, "an operator", deny("only the people who run me may do that"))
		return "", chat.WithRemedy(refusal, "DISCOCLAW_OPERATOR_USER_IDS names them")
	case len(needs) == 0, b.Action.Direct && call.Origin.Place.Guild == "":
		return "", nil
	}
	channel, err := where(ctx, call, b)
	if err != nil {
		return "", err
	}
	return channel, meets(ctx, m, call.Origin.Place.Guild, who, them, actions.Demand{Channel: channel, Rights: needs})
}

// checkAlso checks what the request needs besides.
func checkAlso(ctx context.Context, m Members, them string, call actions.Call, channel chat.ChannelID, b actions.Bound) error {
	also, err := b.AlsoNeeds(ctx, call.PermittedIn(channel))
	if err != nil {
		return err
	}
	for _, d := range also {
		if err := meets(ctx, m, call.Origin.Place.Guild, call.Origin.Requester, them, d); err != nil {
			return err
		}
	}
	return nil
}

// where returns the channel that a request is about.
func where(ctx context.Context, call actions.Call, b actions.Bound) (chat.ChannelID, error) {
	if call.Origin.Place.Guild == "" {
		return "", errServerOnly
	}
	return b.NeedsIn(ctx, call)
}

var errServerOnly = deny("this works on a server only")

// meets returns why a user does not meet a demand, or nil.
func meets(ctx context.Context, m Members, g chat.GuildID, who chat.UserID, them string, d actions.Demand) error {
	if g == "" {
		return errServerOnly
	}
	if len(d.Rights) > 0 {
		missing, err := m.MissingPermissions(ctx, g, who, d.Channel, d.Rights)
		if err != nil {
			return deny("I could not look up what %s may do: %v", them, err)
		}
		if len(missing) > 0 {
			return lacks(who, chat.Rights(missing), deny("%s", actions.Needs(them, d.Channel, missing...)))
		}
	}
	if err := stands(ctx, m, g, who, them, d.AboveMember, ""); err != nil {
		return err
	}
	return stands(ctx, m, g, who, them, "", d.AboveRole)
}

// stands returns why a user does not stand above a member or a role, or nil.
func stands(ctx context.Context, m Members, g chat.GuildID, who chat.UserID, them string, member chat.UserID, role chat.RoleID) error {
	if member == "" && role == "" {
		return nil
	}
	above, err := m.Outranks(ctx, g, who, member, role)
	if err != nil {
		return deny("I could not look up the roles: %v", err)
	}
	if above {
		return nil
	}
	need := "needs"
	if them == "you" {
		need = "need"
	}
	switch {
	case member == who && them == "you":
		return deny("you can't do that to yourself")
	case member == who:
		return deny("%s can't do that to themselves", them)
	case member != "":
		return lacks(who, "a role above "+member.Mention(), deny("%s %s a higher role than %s for that", them, need, member.Mention()))
	}
	highest := "a role above " + chat.Role{ID: role}.Mention()
	return lacks(who, highest, deny("%s %s %s for that", them, need, highest))
}
