package channels

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// called is a channel as people write it.
func called(ch chat.Channel) string { return "#" + chat.Name(ch.Name) }

// named is a channel that is going, or a category, for the readers of the turn: its name, or its mention
// if that must not be told to all of them.
func (c *Category) named(ctx context.Context, call actions.Call, ch chat.Channel) string {
	if !call.Tells(ctx, c.server.Readable, ch.ID) {
		return ch.ID.Mention()
	}
	if ch.Kind == chat.CategoryKind || ch.Kind == chat.Thread {
		return chat.Bold(chat.Name(ch.Name))
	}
	return chat.Bold(called(ch))
}

// listed is a channel in a list.
func listed(ch chat.Channel) string {
	text := fmt.Sprintf("%s (id:%s%s)", called(ch), ch.ID, activity(ch))
	if ch.Kind != chat.TextChannel && ch.Kind != chat.Thread {
		text += " " + string(ch.Kind)
	}
	return text
}

// activity is when something was last said in a channel, if ever.
func activity(ch chat.Channel) string {
	if ch.Active.IsZero() {
		return ""
	}
	return ", active " + ch.Active.UTC().Format("2006-01-02 15:04 UTC")
}

// A Name is a channel's new name. Members and models like to write the # in front of it,
// which is no part of the name.
type Name string

// UnmarshalText removes the #.
func (n *Name) UnmarshalText(text []byte) error {
	s := chat.OneLine(strings.TrimPrefix(strings.TrimSpace(string(text)), "#"))
	if s == "" {
		return errors.New("empty")
	}
	*n = Name(s)
	return nil
}
