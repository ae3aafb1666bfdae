package app

import (
	"net/http"

	"discoclaw/internal/chat"
	"discoclaw/internal/memory/recall"
)

// newRecall returns the recall of old talk, or nil if it is switched off.
func newRecall(c *Core, client *http.Client) *recall.Engine {
	r, ai := c.Config.Recall, c.Config.OpenAI
	if !r.Enabled {
		return nil
	}
	outsider := func(m chat.Message) bool { return c.policy().Outsider(m, c.discord.Self().ID) }
	o := recall.Options{DB: c.db, Server: c.discord, Outsider: outsider, All: r.All, Log: c.log, Embedder: recall.Settings{
		Provider: string(r.Provider), URL: string(r.BaseURL), Key: r.Key.Reveal(), Model: string(r.Model), Dimensions: r.Dimensions,
		OpenAIURL: string(ai.BaseURL), OpenAIKey: ai.Key.Reveal(), HTTP: client,
	}.Embedder()}
	if r.Channels.Set() {
		o.Channels = append([]chat.ChannelID{}, ids[chat.ChannelID](r.Channels)...)
	}
	return recall.New(o)
}
