package fakediscord

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/chat"
)

// A GuildEmoji is a custom emoji of the guild.
type GuildEmoji struct {
	ID          string       `json:"id"`
	Guild       chat.GuildID `json:"guild,omitempty"`
	Name        string       `json:"name"`
	Animated    bool         `json:"animated,omitempty"`
	Unavailable bool         `json:"unavailable,omitempty"` // the guild has lost the boosts for it
}

var emojiName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w+$`) })

// AddEmoji adds a custom emoji to the first guild.
func (w *World) AddEmoji(e GuildEmoji) (GuildEmoji, error) {
	err := w.change(func() error {
		if n := len(e.Name); n < 2 || n > 32 || !emojiName().MatchString(e.Name) {
			return fmt.Errorf("%q is no name for an emoji; use 2 to 32 letters, digits and underscores", e.Name)
		}
		g := w.first()
		e.ID, e.Guild = w.newID(), g.ID
		g.emojis = append(g.emojis, &e)
		w.audit(g, auditEmojiCreate, g.Owner, e.ID, "", AuditChange{Key: "name", New: e.Name})
		w.emitOn(g, "GUILD_EMOJIS_UPDATE", intentExpressions, object{"guild_id": g.ID, "emojis": g.emojisJSON()})
		return nil
	})
	return e, err
}

func (g *guild) emojisJSON() []object {
	out := []object{}
	for _, e := range g.emojis {
		out = append(out, e.json())
	}
	return out
}

func (e *GuildEmoji) json() object {
	return object{
		"id": e.ID, "name": e.Name, "roles": []string{}, "require_colons": true, "managed": false,
		"animated": e.Animated, "available": !e.Unavailable,
	}
}

// custom finds the custom emoji of an ID, on any guild.
func (w *World) custom(id string) *GuildEmoji {
	for _, g := range w.guilds {
		for _, e := range g.emojis {
			if e.ID == id {
				return e
			}
		}
	}
	return nil
}

// canonical is an emoji as reactions have it. A custom one, written name:id or a:name:id, goes by its ID.
func (w *World) canonical(e chat.Emoji) chat.Emoji {
	if i := strings.LastIndexByte(string(e), ':'); i >= 0 {
		if known := w.custom(string(e[i+1:])); known != nil {
			return chat.Emoji(known.Name + ":" + known.ID)
		}
	}
	return e
}

// offers reports whether the bot may use a canonical emoji in a channel: a Unicode emoji, a custom one of the channel's guild, or of another one
// that the bot is on if it has the right for that.
func (w *World) offers(c *Channel, may Permissions, e chat.Emoji) bool {
	_, id, isCustom := strings.Cut(string(e), ":")
	if !isCustom {
		return isEmoji(string(e))
	}
	known := w.custom(id)
	return known != nil && !known.Unavailable && w.hasBot(w.guild(known.Guild)) &&
		(known.Guild == c.Guild || may.Has(externalEmojis) || c.Type == DMChannel)
}

// checkEmojis refuses custom emoji on buttons that there are not.
func (w *World) checkEmojis(rows []Component) error {
	for i, row := range rows {
		for j, b := range row.Components {
			if b.Emoji != nil && b.Emoji.ID != "" && w.custom(string(b.Emoji.ID)) == nil {
				return invalid(fmt.Sprintf("components.%d.components.%d.emoji.id", i, j), "BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
			}
		}
	}
	return nil
}

func getEmoji(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	e := c.custom(c.vars["emoji"])
	if e == nil || e.Guild != c.ID {
		return answer{}, errNoSuchEmoji
	}
	return ok(e.json())
}

func listEmojis(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	return ok(c.emojisJSON())
}
