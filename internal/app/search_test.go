package app

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/websearch/searchtest"
)

// TestAWebSearchSaysWhatItLacks, at the start and to the doctor, if it was asked for. A bot without one is not warned of it.
func TestAWebSearchSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	const off = "off: web; set "
	for _, tt := range []struct {
		name     string
		env      []string
		warnings []string
		doctor   string
	}{
		{"nothing", nil, nil, off + "DISCOCLAW_WEBSEARCH_PROVIDER"},
		{"the switch alone", []string{"DISCOCLAW_DISCORD_ACTIONS_WEB=1"}, []string{"DISCOCLAW_DISCORD_ACTIONS_WEB has no effect without DISCOCLAW_WEBSEARCH_PROVIDER"}, off + "DISCOCLAW_WEBSEARCH_PROVIDER"},
		{"a provider without its key", []string{"DISCOCLAW_WEBSEARCH_PROVIDER=brave"}, []string{"DISCOCLAW_WEBSEARCH_PROVIDER has no effect without DISCOCLAW_WEBSEARCH_API_KEY"}, off + "DISCOCLAW_WEBSEARCH_API_KEY"},
		{"a provider without its address", []string{"DISCOCLAW_WEBSEARCH_PROVIDER=searxng"}, []string{"DISCOCLAW_WEBSEARCH_PROVIDER has no effect without DISCOCLAW_WEBSEARCH_URL"}, off + "DISCOCLAW_WEBSEARCH_URL"},
		{"a key without its provider", []string{"DISCOCLAW_WEBSEARCH_API_KEY=x"}, []string{"DISCOCLAW_WEBSEARCH_API_KEY has no effect without DISCOCLAW_WEBSEARCH_PROVIDER"}, off + "DISCOCLAW_WEBSEARCH_PROVIDER"},
		{"an address that is not used", []string{"DISCOCLAW_WEBSEARCH_PROVIDER=tavily", "DISCOCLAW_WEBSEARCH_API_KEY=x", "DISCOCLAW_WEBSEARCH_URL=https://example.com"}, []string{"DISCOCLAW_WEBSEARCH_URL has no effect with DISCOCLAW_WEBSEARCH_PROVIDER=tavily"}, "on"},
		{"an open way", []string{"DISCOCLAW_WEBSEARCH_PROVIDER=searxng", "DISCOCLAW_WEBSEARCH_URL=http://searxng:8080"}, []string{"DISCOCLAW_WEBSEARCH_URL is plain http to another machine: searches can be read on the way"}, "on"},
		{"switched off", []string{"DISCOCLAW_WEBSEARCH_PROVIDER=brave", "DISCOCLAW_DISCORD_ACTIONS_WEB=0"}, nil, "off: web; set DISCOCLAW_DISCORD_ACTIONS_WEB=1"},
		{"Tavily", []string{"DISCOCLAW_WEBSEARCH_PROVIDER=tavily", "DISCOCLAW_WEBSEARCH_API_KEY=x"}, nil, "on"},
		{"SearXNG", []string{"DISCOCLAW_WEBSEARCH_PROVIDER=searxng", "DISCOCLAW_WEBSEARCH_URL=http://127.0.0.1:8080"}, nil, "on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			core := mustCore(t, config.NewEnv(append(tt.env, "DISCOCLAW_DATA_DIR="+apptest.PrivateDir(t))))
			if !slices.Equal(core.Warnings, tt.warnings) {
				t.Errorf("warned of %q, want %q", core.Warnings, tt.warnings)
			}
			got := "on"
			for _, f := range core.doctor.Check(t.Context()) {
				if strings.HasPrefix(f.State, "off: web;") {
					got = f.State
				}
			}
			if got != tt.doctor {
				t.Errorf("the doctor says %q, want %q", got, tt.doctor)
			}
			offered, err := core.Inspect.Prompt("message")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(offered, "webSearch("); got != (tt.doctor == "on") {
				t.Errorf("the model is told of it: %v", got)
			}
		})
	}
}

// TestTheKeyOfASearchStaysSecret: a provider that quotes it, in an error and in a result, does not get it into the log, the
// channel or a prompt.
func TestTheKeyOfASearchStaysSecret(t *testing.T) {
	t.Parallel()
	const key = "canary-in-a-coal-mine"
	synctest.Test(t, func(t *testing.T) {
		w, search := discordtest.New(t, apptest.World), searchtest.Listen()
		search.Key = key
		search.Refuses(searchtest.Refusal{Status: 401, Body: `{"detail":{"error":"wrong key: ` + key + `"}}`}, searchtest.Refusal{Status: 200, Body: key})
		const ask = `<discord-action>{"type":"webSearch","query":"tea"}</discord-action>`
		search.Finds(searchtest.Page{Title: "Your key is " + key, URL: "https://example.com/?key=" + key, Text: key})
		model := script.New(script.Say(ask), script.Say(ask), script.Say(ask), script.Say("It works in the end."))
		log := &logged{}
		env := apptest.Env(t, w, "DISCOCLAW_WEBSEARCH_PROVIDER=tavily", "DISCOCLAW_WEBSEARCH_API_KEY="+key, "LOG_LEVEL=debug")
		_, stop := begins(t, env, Externals{HTTP: w.HTTP(), ModelHTTP: search.HTTP, Runtime: model, Log: log})
		w.MustSay("ada", "general", "look for tea")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := len(model.Requests()); n != 4 || len(search.Queries()) != 3 {
			t.Errorf("the model was asked %d times, the web %q\n%s", n, search.Queries(), w.Transcript())
		}
		told := ""
		for _, r := range model.Requests() {
			for _, m := range r.Messages {
				told += m.Text
			}
		}
		for name, text := range map[string]string{"the log": log.String(), "the channel": w.Transcript(), "a prompt": told} {
			if strings.Contains(text, key) || !strings.Contains(text, "web") {
				t.Errorf("%s has the key, or nothing about the search:\n%s", name, text)
			}
		}
		_, _ = stop()
		search.Close()
	})
}
