package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Members know what the members of a server may do there.
type Members interface {
	// Missing returns which of the permissions a member lacks in a channel, or on
	// the server as a whole if the channel is empty.
	Missing(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID, needs []chat.Permission) ([]chat.Permission, error)
}

// Guard lets an action run only if its requester holds what it needs. No known
// requester, or one who cannot be looked up, holds nothing. The action is told in
// which channel that was checked, and acts there.
func Guard(p Policy, m Members) actions.Middleware {
	return func(next actions.Handler) actions.Handler {
		return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
			channel, err := check(ctx, p, m, call, b)
			if err != nil {
				return actions.Result{}, err
			}
			return next(ctx, call.PermittedIn(channel), b)
		}
	}
}

// check returns the channel in which the requester holds what is needed; it is empty
// if that is no matter of a channel.
func check(ctx context.Context, p Policy, m Members, call actions.Call, b actions.Bound) (chat.ChannelID, error) {
	needs := onDiscord(b.Action.Needs)
	who, guild := call.Origin.Requester, call.Origin.Place.Guild
	switch {
	case len(b.Action.Needs) == 0:
		return "", nil
	case who == "":
		return "", errors.New("permission denied: nobody is known to have asked for this")
	case len(needs) < len(b.Action.Needs) && !p.Operates(who):
		return "", errors.New("permission denied: this is for operators (DISCOCLAW_OPERATOR_USER_IDS)")
	case len(needs) == 0:
		return "", nil
	case guild == "":
		return "", errors.New("permission denied: this works on a server only")
	}
	channel, err := b.Where(ctx, call)
	if err != nil {
		return "", err
	}
	missing, err := m.Missing(ctx, guild, who, channel, needs)
	if err != nil {
		return "", fmt.Errorf("permission denied: the rights of who asked could not be looked up: %w", err)
	}
	if len(missing) > 0 {
		return "", lacking(channel, missing)
	}
	return channel, nil
}

// lacking words a refusal. The channel is named by its mention, which Discord shows
// as its name to those who may see it, and to nobody else.
func lacking(channel chat.ChannelID, missing []chat.Permission) error {
	names := make([]string, len(missing))
	for i, p := range missing {
		names[i] = "“" + string(p) + "”"
	}
	where := "on this server"
	if channel != "" {
		where = "in <#" + string(channel) + ">"
	}
	return fmt.Errorf("permission denied: who asked lacks %s %s", strings.Join(names, " and "), where)
}

// onDiscord leaves out the right that Discord does not know.
func onDiscord(needs []chat.Permission) []chat.Permission {
	var list []chat.Permission
	for _, p := range needs {
		if p != chat.Operator {
			list = append(list, p)
		}
	}
	return list
}
