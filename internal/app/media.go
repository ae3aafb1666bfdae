package app

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"

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

func (c *Core) studio() *imagegen.Studio {
	return imagegen.New(imagegen.Options{
		OpenAIKey: c.Config.OpenAI.Key.Reveal(), OpenAIBase: string(c.Config.OpenAI.BaseURL),
		GeminiKey: c.Config.Images.GeminiKey.Reveal(), GeminiBase: string(c.Config.Gemini.BaseURL),
		Model: string(c.Config.Images.Model), HTTP: c.modelHTTP, Log: c.log,
	})
}

// imageCategory returns the category of pictures.
func (c *Core) imageCategory() *imageact.Category {
	return imageact.New(c.discord, imageact.Options{
		Studio: c.studio(),
		Quota:  imagegen.NewQuota(c.db, c.Config.Images.Hourly, c.now),
		Meter:  c.meter,
		Folder: filepath.Join(c.dataDir, sendFolder),
		Once:   c.sendOnce,
		Posted: func(ctx context.Context, turn chat.TurnID, part string) (chat.MessageID, error) {
			id, _, err := c.outbox.Of(turn, nil).Posted(ctx, part)
			return id, err
		},
		Log: c.log,
	})
}

// silentSpeech is the warning that a server for speech is never used.
const silentSpeech = "DISCOCLAW_TTS_BASE_URL has no effect without DISCOCLAW_VOICE_ENABLED=1 and DISCOCLAW_DISCORD_ACTIONS_VOICE=1"

// discordsAPI is the host of Discord's API, which serves no files.
const discordsAPI = "discord.com"

// fileHosts returns the hosts that attachments may be fetched from besides Discord's own: those of
// the settings, and the host of an API other than Discord's, such as a fake.
func fileHosts(d config.Discord) []string {
	hosts := slices.Clone([]string(d.CDN))
	if api, err := url.Parse(string(d.API)); err == nil && api.Host != discordsAPI {
		hosts = append(hosts, api.Host)
	}
	return hosts
}
