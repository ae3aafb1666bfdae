package fakediscord

import (
	"fmt"
	"regexp"
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
		out = append(out, object{
			"id": e.ID, "name": e.Name, "roles": []string{}, "require_colons": true, "managed": false,
			"animated": e.Animated, "available": !e.Unavailable,
		})
	}
	return out
}

func listEmojis(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	return ok(c.emojisJSON())
}
