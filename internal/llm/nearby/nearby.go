// Package nearby looks for models that can be used without a key: servers on this machine that speak OpenAI's API, and the
// command-line programs of vendors. It asks nobody else, and uses nothing that it finds.
package nearby

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"sync"
	"time"
)

// A Found is a way to reach a model, and the settings that choose it.
type Found struct {
	Name     string            // for people
	Settings map[string]string // variables of the environment and their values
}

// A Server is where a program for local models usually listens.
type Server struct{ Name, Address string }

// Servers are the programs that are looked for.
var Servers = []Server{{"Ollama", "127.0.0.1:11434"}, {"LM Studio", "127.0.0.1:1234"}, {"llama.cpp", "127.0.0.1:8080"}}

// programs are the vendors' own, which have an account already.
var programs = []struct{ name, file, runtime string }{
	{"Claude Code", "claude", "claude"}, {"Codex", "codex", "codex"}, {"the Gemini CLI", "gemini", "gemini-cli"},
}

const (
	patience  = 300 * time.Millisecond
	maxAnswer = 1 << 20
	maxModels = 20 // of one server
)

// Look asks the servers for their models and looks for the programs. It takes no longer than a moment.
func Look(ctx context.Context, servers []Server) []Found {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lists := make([][]Found, len(servers))
	var wg sync.WaitGroup
	for i, s := range servers {
		wg.Go(func() { lists[i] = s.models(ctx) })
	}
	wg.Wait()
	var all []Found
	for _, list := range lists {
		all = append(all, list...)
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p.file); err == nil {
			all = append(all, Found{p.name, map[string]string{"PRIMARY_RUNTIME": p.runtime}})
		}
	}
	return all
}

// models are those of a server; none if nothing listens there, or something else. A proxy or a redirect could lead elsewhere.
func (s Server) models(ctx context.Context) (found []Found) {
	base := "http://" + s.Address + "/v1"
	client := &http.Client{
		Transport:     &http.Transport{DialContext: (&net.Dialer{}).DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var list struct {
		Object string
		Data   []struct{ ID string }
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&list)
	if err != nil || resp.StatusCode != http.StatusOK || list.Object != "list" {
		return nil
	}
	for _, m := range list.Data[:min(len(list.Data), maxModels)] {
		if m.ID != "" {
			found = append(found, Found{s.Name + ": " + m.ID, map[string]string{"OPENAI_BASE_URL": base, "OPENAI_MODEL": m.ID}})
		}
	}
	return found
}
