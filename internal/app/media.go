package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"discoclaw/internal/actions"
	imageact "discoclaw/internal/actions/imagegen"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/imagegen"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn/attach"
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

// imageModel returns why pictures cannot be made by the model of the settings, or a note about it. Both may be empty.
func (c *Core) imageModel() (problem, note string) {
	const setting = "IMAGEGEN_DEFAULT_MODEL: "
	if c.Config.Images.Model == "" || !c.flags["imagegen"].On {
		return "", ""
	}
	s := c.studio()
	order, err := s.Order(imagegen.Wish{Prompt: "a test"})
	if err != nil {
		return setting + err.Error(), ""
	}
	if failed, ok := errors.AsType[*imagegen.Failure](s.Ready(order)); ok {
		return fmt.Sprintf(setting+"there is no key for %s; %s", order.Model, failed.Remedy), ""
	}
	if day, successor := s.Retirement(order); day != "" {
		return "", fmt.Sprintf(setting+"its vendor retires %s on %s; set it to %s", order.Model, day, successor)
	}
	return "", ""
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

// lengthOf is how long a voice message is that is to be paid for. It says so itself, but whoever sends it may lie: a second has at
// most 16,000 bytes, which is twice what Discord's own have.
func lengthOf(file chat.Attachment, data []byte) time.Duration {
	return max(file.Spoken, time.Duration(len(data))*time.Second/16_000)
}

// transcriber returns what transcribes voice messages, or nil if nothing does. Their authors pay.
func (c *Core) transcriber(client *http.Client) attach.Transcriber {
	service := c.transcriptions(client)
	if service == nil {
		return nil
	}
	return func(ctx context.Context, m chat.Message, file chat.Attachment, data []byte) (string, error) {
		payer := llm.Payer{User: string(m.Author.ID), Channel: string(m.Place.Channel), Role: "transcription"}
		record, err := c.meter.BeginRecording(ctx, payer, c.hearing(), lengthOf(file, data))
		if err != nil {
			return "", err
		}
		defer record.Made(0, false) // also what fails may be charged
		return service.Transcribe(ctx, file.Name, data)
	}
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
