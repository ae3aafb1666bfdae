package app

import (
	"log/slog"
	"net/http"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/openai"
)

// HasModel says whether the settings name any model to ask.
func HasModel(env config.Env) bool { return env.Has("OPENAI_API_KEY") || env.Has("OPENAI_BASE_URL") }

const noModel = "no model is set up: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key"

// openAIRuntime is what PRIMARY_RUNTIME and the roles call the one runtime there is.
const openAIRuntime = "openai"

// newRuntime returns the model that the settings name.
func newRuntime(cfg config.Config, client *http.Client, log *slog.Logger) llm.Runtime {
	model := openai.New(openai.Options{
		Key:     cfg.OpenAI.Key.Reveal(),
		BaseURL: string(cfg.OpenAI.BaseURL),
		Model:   tier(cfg.OpenAI, "capable"),
		HTTP:    client,
	})
	return guarded(model, cfg.Chat, log)
}

// guarded puts around a runtime what every runtime needs.
func guarded(r llm.Runtime, c config.Chat, log *slog.Logger) llm.Runtime {
	return llm.Watched(llm.ImagesOptional(llm.Retrying(r, llm.RetryOptions{Log: log}), log), llm.WatchOptions{
		Limit: milliseconds(c.Timeout),
		Stall: orNever(c.StallTimeout),
	})
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// orNever reads a setting in which 0 means never, for an option in which a negative
// time does.
func orNever(ms int) time.Duration {
	if ms == 0 {
		return -1
	}
	return milliseconds(ms)
}

// tier is the model that a tier stands for. Any other name is a model's own.
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

// otherServersModel is asked for at a server that speaks OpenAI's language, if
// nobody says which models it has. Many of them answer to this name.
const otherServersModel = "gpt-4o"
