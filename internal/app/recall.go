package app

import (
	"net/http"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/memory/recall"
)

// newRecall returns the recall of old talk, or nil if it is switched off.
func newRecall(c *Core, client *http.Client) *recall.Engine {
	r := c.Config.Recall
	if !r.Enabled {
		return nil
	}
	outsider := func(m chat.Message) bool { return c.policy().Outsider(m, c.discord.Self().ID) }
	o := recall.Options{DB: c.db, Server: c.discord, Outsider: outsider, All: r.All, Embedder: newEmbedder(c.Config, client), Log: c.log}
	if r.Channels.Set() {
		o.Channels = append([]chat.ChannelID{}, ids[chat.ChannelID](r.Channels)...)
	}
	return recall.New(o)
}

const (
	openAIURL      = "https://api.openai.com/v1"
	embeddingModel = "text-embedding-3-small"
	embeddingSize  = 1536
)

// newEmbedder returns the embedder of the settings, or nil if there is none. The key of the model goes only to the
// server that it is for.
func newEmbedder(c config.Config, client *http.Client) *recall.Embedder {
	r := c.Recall
	e := &recall.Embedder{URL: string(r.BaseURL), Key: r.Key.Reveal(), Model: string(r.Model), Dimensions: r.Dimensions, HTTP: client}
	if r.Provider == "openai" {
		e.Shorten = true
		if e.URL == "" {
			e.URL = openAIURL
		}
		if e.Model == "" {
			e.Model = embeddingModel
		}
		if e.Dimensions == 0 {
			e.Dimensions = embeddingSize
		}
	} else if _, name, ok := strings.Cut(e.Model, "/"); ok {
		e.Model = name
	}
	theirs := string(c.OpenAI.BaseURL)
	if theirs == "" {
		theirs = openAIURL
	}
	if e.Key == "" && strings.TrimRight(theirs, "/") == strings.TrimRight(e.URL, "/") {
		e.Key = c.OpenAI.Key.Reveal()
	}
	if e.Key == "" && r.Provider == "openai" {
		return nil
	}
	return e
}
