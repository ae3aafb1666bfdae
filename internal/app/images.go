package app

import (
	"context"
	"path/filepath"

	imageact "discoclaw/internal/actions/imagegen"
	"discoclaw/internal/chat"
	"discoclaw/internal/imagegen"
)

// imageCategory returns the category of pictures.
func (c *Core) imageCategory() *imageact.Category {
	o := c.Config.Images
	return imageact.New(c.discord, imageact.Options{
		Studio: imagegen.New(imagegen.Options{
			OpenAIKey: c.Config.OpenAI.Key.Reveal(), OpenAIBase: string(c.Config.OpenAI.BaseURL),
			GeminiKey: o.GeminiKey.Reveal(), GeminiBase: string(c.Config.Gemini.BaseURL),
			Model: string(o.Model), HTTP: c.modelHTTP, Log: c.log,
		}),
		Quota:  imagegen.NewQuota(c.db, o.Hourly, c.now),
		Book:   c.book,
		Folder: filepath.Join(c.dataDir, sendFolder),
		Once:   c.sendOnce,
		Posted: func(ctx context.Context, turn chat.TurnID, part string) (chat.MessageID, error) {
			id, _, err := c.outbox.Of(turn, nil).Posted(ctx, part)
			return id, err
		},
		Log:    c.log,
	})
}
