package app

import (
	"context"
	"path/filepath"

	"discoclaw/internal/actions"
	imageact "discoclaw/internal/actions/imagegen"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/imagegen"
)

// noImageKey is the warning that pictures are switched on without a key.
const noImageKey = "DISCOCLAW_DISCORD_ACTIONS_IMAGEGEN has no effect without a key: set OPENAI_API_KEY or IMAGEGEN_GEMINI_API_KEY"

// lacksImageKey reports whether pictures are switched on without a key.
func (c *Core) lacksImageKey(env config.Env) bool {
	flag := (*imageact.Category)(nil).Flag()
	master, _ := env.Bool(actions.MasterSwitch, true) // these were read before
	on, _ := env.Bool(flag.Env, flag.Default)
	return master && on && !c.flags["imagegen"].On
}

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
		Log: c.log,
	})
}
