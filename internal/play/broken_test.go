package play_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/play"
)

// TestThePanelTellsTheTruthAboutBrokenAnswers has a real bot ask a model that answers badly.
func TestThePanelTellsTheTruthAboutBrokenAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		answers []llmtest.Answer
		want    []string
	}{
		{"an action that is no JSON", []llmtest.Answer{llmtest.Text(`Sure. <discord-action>{"type":"channelList",}</discord-action>`), llmtest.Text("Sorry.")},
			[]string{`"type":"unreadable action","verdict":"broken"`, "Not valid JSON, so nothing of it was done, and the model was told so."}},
		{"an action that is cut off", []llmtest.Answer{llmtest.Text(`Sure. <discord-action>{"type":"channelList"`), llmtest.Text("Sorry.")},
			[]string{`"verdict":"broken"`, "Cut off before its end, so nothing of it was done"}},
		{"broken twice", []llmtest.Answer{llmtest.Text(`<discord-action>{"type":</discord-action>`), llmtest.Text(`<discord-action>{"type":</discord-action>`)},
			[]string{"and the model was told so.", "and people are told so."}},
		{"actions as code", []llmtest.Answer{llmtest.Text("```json\n<discord-action>{\"type\":\"channelList\"}</discord-action>\n```"), llmtest.Text("Sorry.")},
			[]string{`"flaw":"it wrote actions as code, which does not run, so nothing of them was done"`}},
		{"an answer that is cut off", []llmtest.Answer{llmtest.Cut("Once upon")}, []string{`"error":"`, "cut off", `"flaw":"it has no complete answer`}},
		{"a vendor that refuses", []llmtest.Answer{llmtest.Unauthorized()}, []string{`"error":"`, `"answerBytes":0,"flaw":"it has no complete answer, because of the error above"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := &llmtest.Server{}
			model.Queue(tt.answers...)
			server := httptest.NewServer(model)
			defer server.Close()
			v := visiting(t, play.Options{Env: config.Env{"OPENAI_BASE_URL": server.URL + "/v1", "OPENAI_MODEL": "m", "OPENAI_API_KEY": "k", "DISCOCLAW_NATIVE_ACTIONS": "0"}})
			defer v.leave()
			turn := v.turnOf("list the channels")
			for _, want := range tt.want {
				if !strings.Contains(turn, want) {
					t.Errorf("%q is missing in %s", want, turn)
				}
			}
		})
	}
}

// turnOf says something and returns the record of the turn about it.
func (v *visit) turnOf(text string) string {
	v.Helper()
	next := v.turns()
	v.ask("POST", "/api/channels/"+v.channel("general")+"/messages?as=you", `{"content":"`+text+`"}`, nil)
	return next()
}

// turns returns a function that waits for the record of the next turn.
func (v *visit) turns() (next func() string) { return v.events("turn") }

// events returns a function that waits for the next event of a name.
func (v *visit) events(name string) (next func() string) {
	v.Helper()
	req, err := http.NewRequestWithContext(v.Context(), "GET", v.url+"/api/events?as=you", nil)
	if err != nil {
		v.Fatal(err)
	}
	req.Header.Set("X-Discoclaw", "play")
	req.AddCookie(v.key)
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req) // what does not come in a minute does not come at all
	if err != nil {
		v.Fatal(err)
	}
	v.Cleanup(func() { resp.Body.Close() })
	stream := bufio.NewScanner(resp.Body)
	stream.Buffer(nil, 1<<20)
	return func() string {
		v.Helper()
		for stream.Scan() {
			if stream.Text() == "event: "+name && stream.Scan() && stream.Scan() {
				return stream.Text()
			}
		}
		v.Fatalf("there was no %s: %v", name, stream.Err())
		return ""
	}
}
