package nearby_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm/nearby"
)

// answering is the address of a server with a response to everything.
func answering(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func TestModelsOnThisMachineAreFound(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs have another ending there")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // which must not be asked
	var asked string
	ours := answering(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.Path + r.Header.Get("Authorization")
		io.WriteString(w, `{"object":"list","data":[{"id":"llama3.2","object":"model"},{"id":""},{"id":"qwen3"}]}`)
	})
	elsewhere := answering(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+ours+"/v1/models", http.StatusFound)
	})
	page := answering(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>a page</html>") })
	other := answering(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"id":"5"}]}`) })
	refused := answering(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	hangs := answering(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	var servers []nearby.Server
	for _, address := range []string{"127.0.0.1:1", elsewhere, page, other, refused, hangs, ours} {
		servers = append(servers, nearby.Server{Name: "Ollama", Address: address})
	}
	want := []nearby.Found{
		{Name: "Ollama: llama3.2", Settings: map[string]string{"OPENAI_BASE_URL": "http://" + ours + "/v1", "OPENAI_MODEL": "llama3.2"}},
		{Name: "Ollama: qwen3", Settings: map[string]string{"OPENAI_BASE_URL": "http://" + ours + "/v1", "OPENAI_MODEL": "qwen3"}},
		{Name: "Claude Code", Settings: map[string]string{"PRIMARY_RUNTIME": "claude"}},
	}
	if diff := cmp.Diff(want, nearby.Look(t.Context(), servers)); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if asked != "GET /v1/models" {
		t.Errorf("it was asked %q", asked)
	}
}
