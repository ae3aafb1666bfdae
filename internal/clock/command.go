package clock

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// Commands implements [commands.Commander]: !timezone sets the time zone of its author.
func (z *Zones) Commands() []commands.Command {
	return []commands.Command{{
		Name: "timezone", Args: "[Europe/Berlin | default]", Summary: "See or set your time zone.", Run: z.run,
		Options: []commands.Option{{Name: "zone", Summary: "Its name, such as Europe/Berlin, or default for mine; the one in use if left out."}},
	}}
}

func (z *Zones) run(ctx context.Context, m chat.Message, args string) (string, error) {
	who := m.Author.ID
	switch {
	case args == "":
		own, err := z.own(ctx, who)
		if own == nil || err != nil {
			return "You have set no time zone, so I use mine: " + shown(z.usual) + ". `!timezone Europe/Berlin` sets yours.", err
		}
		return "Your time zone is " + shown(own) + ".", nil
	case strings.EqualFold(args, "default"):
		return "I use my own time zone for you again: " + shown(z.usual) + ".", z.clear(ctx, who)
	}
	zone := find(args)
	if zone == nil {
		return "", &commands.UsageError{Problem: "I don't know that time zone.", Example: "!timezone Europe/Berlin"}
	}
	return "Your time zone is now " + shown(zone) + ".", z.set(ctx, who, zone)
}

// shown is a zone with the time there.
func shown(zone *time.Location) string {
	now := time.Now().In(zone)
	name := zone.String()
	if zone == time.Local {
		name = now.Format("UTC-07:00")
	}
	return fmt.Sprintf("%s, where it is %s", chat.Literal(name), now.Format("Monday, 15:04"))
}
