package discord

import (
	"context"
	"errors"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
)

// maxActivityLength is how long the text of an activity may be, in UTF-16 units.
const maxActivityLength = 128

// customName is the name that Discord requires for an activity of which only the text is
// shown.
const customName = "Custom Status"

var activityTypes = map[chat.ActivityKind]discordgo.ActivityType{
	chat.Playing:   discordgo.ActivityTypeGame,
	chat.Listening: discordgo.ActivityTypeListening,
	chat.Watching:  discordgo.ActivityTypeWatching,
	chat.Competing: discordgo.ActivityTypeCompeting,
	chat.Custom:    discordgo.ActivityTypeCustom,
}

// connection returns the gateway client, while Run runs.
func (c *Client) connection() (*gateway.Client, error) {
	if gw := c.gateway.Load(); gw != nil {
		return gw, nil
	}
	return nil, errors.New("I am not connected to Discord; wait until I am")
}

// Presence returns the bot's presence: online without an activity, unless the Options or
// SetPresence changed that.
func (c *Client) Presence() chat.Presence {
	shown := chat.Presence{Status: chat.Online}
	gw, err := c.connection()
	if err != nil {
		return shown
	}
	set := gw.Presence()
	if set.Status != "" {
		shown.Status = chat.Status(set.Status)
	}
	if len(set.Activities) > 0 {
		shown.Activity = activityFrom(set.Activities[0])
	}
	return shown
}

// SetPresence changes the bot's presence, on all servers, until it is restarted.
func (c *Client) SetPresence(ctx context.Context, p chat.Presence) error {
	gw, err := c.connection()
	if err != nil {
		return err
	}
	if err := CheckPresence(p); err != nil {
		return err
	}
	return gw.SetPresence(ctx, func(shown *gateway.Presence) { show(p, shown) })
}

// show applies the fields of p that are set.
func show(p chat.Presence, shown *gateway.Presence) {
	if p.Status != "" {
		shown.Status = string(p.Status)
	}
	if shown.Status == "" {
		shown.Status = string(chat.Online)
	}
	if p.Activity != (chat.Activity{}) {
		shown.Activities = []gateway.Activity{activityBody(p.Activity)}
	}
}

// firstPresence returns the presence of the login, or nil.
func (c *Client) firstPresence() *gateway.Presence {
	if c.presence == (chat.Presence{}) {
		return nil
	}
	first := &gateway.Presence{}
	show(c.presence, first)
	return first
}

// CheckPresence refuses an invalid presence: Discord closes the connection for one.
func CheckPresence(p chat.Presence) error {
	switch p.Status {
	case "", chat.Online, chat.Idle, chat.DoNotDisturb, chat.Invisible:
	default:
		return fmt.Errorf("there is no status %q; choose online, idle, dnd or invisible", chat.Clip(string(p.Status), 40))
	}
	if p.Activity == (chat.Activity{}) {
		return nil
	}
	if _, known := activityTypes[p.Activity.Kind]; !known {
		return fmt.Errorf("there is no activity %q; choose Playing, Listening, Watching, Competing or Custom", chat.Clip(string(p.Activity.Kind), 40))
	}
	switch n := chat.Length(p.Activity.Text); {
	case n == 0:
		return errors.New("the activity has no text; say what I am doing")
	case n > maxActivityLength:
		return fmt.Errorf("the activity has %d characters, and Discord takes %d at most; shorten it", n, maxActivityLength)
	}
	return nil
}

func activityBody(a chat.Activity) gateway.Activity {
	body := gateway.Activity{Name: a.Text, Type: int(activityTypes[a.Kind])}
	if a.Kind == chat.Custom {
		body.Name, body.State = customName, a.Text
	}
	return body
}

func activityFrom(body gateway.Activity) chat.Activity {
	a := chat.Activity{Text: body.Name}
	for kind, number := range activityTypes {
		if int(number) == body.Type {
			a.Kind = kind
		}
	}
	if a.Kind == chat.Custom {
		a.Text = body.State
	}
	return a
}
