package app

import (
	"log/slog"
	"net/http"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/openai"
)

// HasModel reports whether the settings name a model's server.
func HasModel(env config.Env) bool { return env.Has("OPENAI_API_KEY") || env.Has("OPENAI_BASE_URL") }

const noModel = "no model is set up: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key"

// openAIRuntime is the name of the only runtime, in PRIMARY_RUNTIME and in the roles.
const openAIRuntime = "openai"

// newRuntime returns the runtime of the settings.
func newRuntime(cfg config.Config, client *http.Client, log *slog.Logger) llm.Runtime {
	model := openai.New(openai.Options{
		Key:     cfg.OpenAI.Key.Reveal(),
		BaseURL: string(cfg.OpenAI.BaseURL),
		Model:   tier(cfg.OpenAI, "capable"),
		HTTP:    client,
	})
	return guarded(model, cfg.Chat, log)
}

// guarded wraps a runtime with retries, a fallback without images, and timeouts.
func guarded(r llm.Runtime, c config.Chat, log *slog.Logger) llm.Runtime {
	return llm.Watched(llm.ImagesOptional(llm.Retrying(r, llm.RetryOptions{Log: log}), log), llm.WatchOptions{
		Limit: milliseconds(c.Timeout),
		Stall: orNever(c.StallTimeout),
	})
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// orNever converts a setting in which 0 means never to an option in which a negative duration does.
func orNever(ms int) time.Duration {
	if ms == 0 {
		return -1
	}
	return milliseconds(ms)
}

// tier returns the model of a tier. Any other name is that of a model.
func tier(o config.OpenAI, name string) string {
	own := map[string]config.Model{"fast": o.Fast, "capable": o.Capable, "deep": o.Deep}
	model, ok := own[name]
	switch {
	case !ok:
		return name
	case model != "":
		return string(model)
	case o.Model != "":
		return string(o.Model)
	case o.BaseURL != "":
		return otherServersModel
	}
	return openAITiers[name]
}

// openAITiers are the models of OpenAI's own service.
var openAITiers = map[string]string{"fast": "gpt-5-mini", "capable": "gpt-5.4", "deep": "gpt-5.4-pro"}

// otherServersModel is the default at other servers with OpenAI's API, since their models are
// unknown. Many of them accept this name.
const otherServersModel = "gpt-4o"
