package flow

import (
	"context"
	"fmt"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// What follows is checked before a turn that begins without its requester, each time, so that rights that were lost
// meanwhile do not count.

// A lost error says that a turn cannot run because people have lost what it needs, or its channel is gone. It is for people.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

func lost(format string, args ...any) error { return lostError{fmt.Errorf(format, args...)} }

// target returns the place of a channel, which may have been deleted. It is looked up by ID, since another channel may have
// its name by now.
func (k *deps) target(ctx context.Context, g chat.GuildID, id chat.ChannelID, name string) (chat.Place, error) {
	at := chat.Place{Guild: g, Channel: id}
	if name != "" {
		name = ", #" + name
	}
	ch, err := k.server.ChannelByID(ctx, id)
	switch {
	case chat.IsGone(err):
		return at, lost("I can't find its channel%s: %w", name, err)
	case err != nil:
		return at, fmt.Errorf("I can't find its channel%s: %w", name, err)
	case ch.Guild != g || !ch.Kind.HasChat():
		return at, lost("its channel no longer takes messages")
	case ch.Kind == chat.Thread:
		at.Parent = ch.Parent
	}
	return at, nil
}

// stillServed checks with the access policy that the bot still answers in a place, and to all people of a turn.
func (k *deps) stillServed(way *access.Way, o actions.Origin) error {
	for _, who := range o.People() {
		if why := k.access.Admit(way, chat.User{ID: who}, o.Place); why != access.Admitted {
			return lost("I no longer answer <@%s> there (%s)", who, why)
		}
	}
	return nil
}

// mayWrite checks that all people of a turn may write in its channel themselves.
func (k *deps) mayWrite(ctx context.Context, o actions.Origin) error {
	for _, who := range o.People() {
		missing, err := k.server.MissingPermissions(ctx, o.Place.Guild, who, o.Place.Channel,
			[]chat.Permission{chat.ViewChannel, chat.SendMessages})
		if chat.IsPermanent(err) { // they have left
			return lost("I can't tell what <@%s> may do there: %w", who, err)
		}
		if err != nil {
			return fmt.Errorf("I can't tell what <@%s> may do there: %w", who, err)
		}
		if len(missing) > 0 {
			return lost("<@%s> lacks *%s* there now", who, missing[0])
		}
	}
	return nil
}
