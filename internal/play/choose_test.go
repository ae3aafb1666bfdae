package play_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/nearby"
	"discoclaw/internal/play"
)

// TestAModelIsChosenOnThePage: one on this machine is offered and used when it is chosen, and not before.
func TestAModelIsChosenOnThePage(t *testing.T) {
	t.Parallel()
	model, asked := &llmtest.Server{}, new(atomic.Int32)
	model.Queue(llmtest.Text("Hello from next door."))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			io.WriteString(w, `{"object":"list","data":[{"id":"tiny"}]}`)
			return
		}
		asked.Add(1)
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	v := visiting(t, play.Options{Layout: small, Servers: []nearby.Server{{Name: "Ollama", Address: strings.TrimPrefix(server.URL, "http://")}}})
	defer v.leave()
	if turn := v.turnOf("hello"); !strings.Contains(turn, `"model":"a script"`) || asked.Load() > 0 {
		t.Errorf("%s, and the model was asked %d times", turn, asked.Load())
	}
	var list struct {
		Found, Vendors []string
		Demo           bool
	}
	v.ask("GET", "/api/models", "", &list)
	if len(list.Found) == 0 || list.Found[0] != "Ollama: tiny" || !list.Demo || len(list.Vendors) != 4 || asked.Load() > 0 {
		t.Errorf("%+v, and the model was asked %d times", list, asked.Load())
	}
	var now struct {
		Speaker string
		Demo    bool
	}
	v.ask("POST", "/api/models", `{"found":"Ollama: tiny"}`, &now)
	if now.Demo || !strings.Contains(now.Speaker, "tiny") {
		t.Errorf("%+v", now)
	}
	v.alive()
	if turn := v.turnOf("hello"); !strings.Contains(turn, `"model":"tiny"`) || asked.Load() != 1 {
		t.Errorf("%s, and the model was asked %d times", turn, asked.Load())
	}
	v.ask("POST", "/api/models", `{}`, &now)
	v.alive()
	if turn := v.turnOf("hello"); !strings.Contains(turn, `"model":"a script"`) || !now.Demo || asked.Load() != 1 {
		t.Errorf("%+v %s, and the model was asked %d times", now, turn, asked.Load())
	}
}
