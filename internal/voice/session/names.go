package session

import (
	"context"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// nameTime is how long it may take to find out what a channel is called.
const nameTime = 2 * time.Second

// name returns what a mention is called when it is read aloud; empty for nothing. A channel that not everybody in the room may read has
// no name, as in writing.
func (h *Host) name(room chat.Place) func(mention string) string {
	return func(mention string) string {
		id := strings.Trim(mention, "<>@!&#")
		switch {
		case strings.HasPrefix(mention, "<#"):
			return h.channelName(room, chat.ChannelID(id))
		case strings.HasPrefix(mention, "<t:"):
			return h.timeOf(mention)
		case strings.HasPrefix(mention, "<@"):
			there, _ := h.o.Others(room.Guild, "")
			for _, who := range there {
				if string(who.ID) == id {
					return who.Name
				}
			}
		}
		return ""
	}
}

func (h *Host) channelName(room chat.Place, id chat.ChannelID) string {
	ctx, cancel := context.WithTimeout(context.Background(), nameTime)
	defer cancel()
	ch, err := h.o.Server.ChannelByID(ctx, id)
	if err != nil || ch.Guild != room.Guild {
		return ""
	}
	if open, err := h.o.Server.Readable(ctx, room.Guild, room.Channel, id); err != nil || !open {
		return ""
	}
	return ch.Name
}

// timeOf is a time of Discord's, <t:1700000000:R>, as it is in the bot's own time zone: in a call it is not known where people are.
func (h *Host) timeOf(mention string) string {
	unix, _, _ := strings.Cut(strings.Trim(mention, "<t:>"), ":")
	seconds, err := strconv.ParseInt(unix, 10, 64)
	if err != nil {
		return ""
	}
	at := time.Unix(seconds, 0).In(h.o.Zone)
	if at.Format(time.DateOnly) == time.Now().In(h.o.Zone).Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("Monday, 2 January, 15:04")
}
