package play

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"discoclaw/internal/config"
	"discoclaw/internal/llm/nearby"
)

// vendors are those whose key can be typed on the page, and the settings of their keys.
var vendors = []struct{ name, setting string }{
	{"OpenAI", "OPENAI_API_KEY"}, {"Anthropic", "ANTHROPIC_API_KEY"}, {"Gemini", "GEMINI_API_KEY"}, {"OpenRouter", "OPENROUTER_API_KEY"},
}

// modelSettings begin the settings that name a model; those of another choice would win over the chosen one.
var modelSettings = []string{"PRIMARY_RUNTIME", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"}

// listModels answers with the models that are on this machine, and the vendors whose key can be given. Nothing of it is used.
func (s *site) listModels(w http.ResponseWriter, r *http.Request) {
	found, names := nearby.Look(r.Context(), s.servers), []string{}
	for _, f := range found {
		names = append(names, f.Name)
	}
	keys := []string{}
	for _, v := range vendors {
		keys = append(keys, v.name)
	}
	answering(map[string]any{"found": names, "vendors": keys, "demo": s.scripted()}).ServeHTTP(w, r)
}

// chooseModel has another model speak from now on: {"found":NAME}, {"vendor":NAME,"key":KEY}, or {} for the script. A key stays in
// the memory of this process.
func (s *site) chooseModel(w http.ResponseWriter, r *http.Request) {
	var in struct{ Found, Vendor, Key string }
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 10_000)).Decode(&in)
	if err == nil {
		err = s.choose(r, in.Found, in.Vendor, in.Key)
	}
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()}) // the reader may be gone
		return
	}
	answering(map[string]any{"speaker": s.speaker(), "demo": s.scripted()}).ServeHTTP(w, r)
}

func (s *site) choose(r *http.Request, found, vendor, key string) error {
	switch {
	case found != "":
		list := nearby.Look(r.Context(), s.servers)
		i := slices.IndexFunc(list, func(f nearby.Found) bool { return f.Name == found })
		if i < 0 {
			return errors.New(found + " is not there any more; look again")
		}
		return s.speakBy(list[i].Settings)
	case vendor != "":
		i := slices.IndexFunc(vendors, func(v struct{ name, setting string }) bool { return v.name == vendor })
		if i < 0 || key == "" {
			return errors.New("choose a vendor, and paste its key")
		}
		return s.speakBy(map[string]string{vendors[i].setting: key})
	}
	return s.speakBy(nil)
}

// speakBy replaces the bot by one with other settings for its model, or by the script without any. What it was answering goes on.
func (p *playground) speakBy(settings map[string]string) error {
	env := maps.Clone(p.settings)
	if env == nil {
		env = config.Env{}
	}
	for _, name := range modelSettings {
		delete(env, name)
	}
	maps.Copy(env, settings)
	return p.replace(env, settings == nil)
}
