package actions

import (
	"context"
	"regexp"
	"slices"
	"sync"

	"discoclaw/internal/chat"
)

// Emojis lists the emoji of a server.
type Emojis interface {
	Emojis(ctx context.Context, g chat.GuildID) ([]chat.ServerEmoji, error)
}

// custom is a custom emoji in a text, or alone.
var custom = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<a?:\w+:(\d{15,20})>|^\w+:(\d{15,20})$`) })

// ForEmoji is what Emoji may demand.
var ForEmoji = []chat.Permission{chat.UseExternalEmojis}

// Emoji demands Use External Emojis in a channel, if the texts for it have emoji of other servers.
func (c Call) Emoji(ctx context.Context, s Emojis, ch chat.ChannelID, texts ...string) ([]Demand, error) {
	var ids []string
	for _, text := range texts {
		for _, found := range custom().FindAllStringSubmatch(text, -1) {
			ids = append(ids, found[1]+found[2])
		}
	}
	if len(ids) == 0 || c.Origin.Place.Guild == "" {
		return nil, nil
	}
	own, err := s.Emojis(ctx, c.Origin.Place.Guild)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(own, func(e chat.ServerEmoji) bool { return e.ID == id }) {
			return []Demand{{Channel: ch, Rights: ForEmoji}}, nil
		}
	}
	return nil, nil
}
