package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"discoclaw/internal/chat"
)

// eraseAbout removes everything that is stored about a person.
func (c *Category) eraseAbout(ctx context.Context, who chat.UserID) (string, error) {
	c.Talk.Forget(who)
	jobs, err := c.Jobs.DeleteOf(ctx, who) // their posts and the chains of other jobs follow
	if err != nil {
		return "", err
	}
	n, err := c.DB.Erase(ctx, string(who))
	if err != nil {
		return "", err
	}
	if n+jobs == 0 {
		return "there was nothing to erase", nil
	}
	return "erased everything that I had stored about " + who.Mention(), nil
}

// Stored returns everything that is stored about a person. Summaries and tasks are the words of others, too: they are left out
// where the person may not read them in Discord now.
func (c *Category) Stored(ctx context.Context, who chat.UserID) (map[string][]map[string]any, error) {
	found, err := c.DB.Export(ctx, string(who))
	for _, row := range slices.Concat(found["talks"], found["old_summaries"]) {
		ch, err := c.Server.ChannelByID(ctx, chat.ChannelID(fmt.Sprint(row["talk"])))
		var missing []chat.Permission
		if err == nil && ch.Guild != "" {
			missing, err = c.Server.MissingPermissions(ctx, ch.Guild, who, ch.ID, []chat.Permission{chat.ViewChannel, chat.ReadHistory})
		}
		if err != nil || len(missing) > 0 {
			delete(row, "summary")
			delete(row, "capsule")
		}
	}
	for _, row := range found["tasks"] {
		if !c.ReadsTasks(ctx, chat.GuildID(fmt.Sprint(row["guild"])), who) {
			for _, text := range []string{"title", "description", "labels", "reason", "base", "sent"} {
				delete(row, text)
			}
		}
	}
	return found, err
}

// export posts everything that is stored about the author, as a file in a direct message.
func (c *Category) export(ctx context.Context, m chat.Message) (string, error) {
	if m.Place.Guild != "" {
		return "I send that in a direct message: write `!memory export` to me there.", nil
	}
	found, err := c.Stored(ctx, m.Author.ID)
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return "", err
	}
	file := chat.File{Name: "discoclaw-about-you.json", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
	_, err = c.Server.Send(ctx, m.Place.Channel, chat.Outgoing{Text: "Everything that I have stored about you:", Files: []chat.File{file}, ReplyTo: m.ID})
	return "", err
}
