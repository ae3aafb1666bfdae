package play_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/nearby"
	"discoclaw/internal/play"
)

// TestMain lets the test binary also be the bot's process.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == botProcess {
		if err := play.Alone(os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const botProcess = "bot"

func ownProcess() []string { return []string{os.Args[0], botProcess} }

// A pulse is what the page knows of the bot.
type pulse struct {
	Own        bool
	State, Why string
	Kept       []struct{ Channel, Message string }
}

// alive waits until the bot is there, after it was replaced.
func (v *visit) alive() {
	for p := (pulse{}); p.State != "alive"; {
		v.ask("GET", "/api/bot", "", &p)
	}
}

// message is a message of the bot in #general.
type message struct {
	ID      string
	Content string
	Author  struct{ Name string }
	Buttons [][]struct{ Label string }
}

func (v *visit) messages() (list []message) {
	var all struct{ Messages []message }
	v.ask("GET", "/api/channels/"+v.channel("general")+"/messages?as=you", "", &all)
	return all.Messages
}

// say says something in #general, without waiting.
func (v *visit) say(text string) {
	v.ask("POST", "/api/channels/"+v.channel("general")+"/messages?as=you", fmt.Sprintf(`{"content":%q}`, text), nil)
}

// settled waits until nothing is being written, and the bot has said a text so many times in #general.
func (v *visit) settled(text string, times int) []message {
	v.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		list, open, there := v.messages(), false, 0
		for _, m := range list {
			open = open || len(m.Buttons) > 0 && m.Buttons[0][0].Label == chat.StopLabel
			if m.Author.Name == "DiscoClaw" {
				there += strings.Count(m.Content, text)
			}
		}
		if !open && there >= times {
			return list
		}
		if time.Now().After(deadline) {
			v.Fatalf("%q does not come: %+v", text, list)
		}
	}
}

// TestABotInAProcessOfItsOwnIsTheSame: it answers, has what the layout gives it, goes by the clock and takes another model.
func TestABotInAProcessOfItsOwnIsTheSame(t *testing.T) {
	t.Parallel()
	model := &llmtest.Server{}
	model.Queue(llmtest.Text("Hello from next door."))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			io.WriteString(w, `{"object":"list","data":[{"id":"tiny"}]}`)
			return
		}
		model.ServeHTTP(w, r)
	}))
	defer server.Close()
	v := visiting(t, play.Options{Bot: ownProcess(), Servers: []nearby.Server{{Name: "Ollama", Address: strings.TrimPrefix(server.URL, "http://")}}})
	defer v.leave()
	var p pulse
	if v.ask("GET", "/api/bot", "", &p); !p.Own || p.State != "alive" || len(p.Kept) != 0 {
		t.Errorf("%+v", p)
	}
	if turn := v.turnOf("what is 6 * 7?"); !strings.Contains(turn, `"model":"a script"`) || !strings.Contains(turn, "42") {
		t.Error(turn)
	}
	v.upload("notes.md", "one\ntwo\n", "look at this")
	v.settled("I read 2 lines of `notes.md`", 1)
	var clock struct{ Jobs []struct{ Name string } }
	for len(clock.Jobs) < 2 { // it is given them after it is online
		v.ask("GET", "/api/clock", "", &clock)
	}
	next := v.turns()
	v.ask("POST", "/api/clock", `{"to":"run"}`, &clock)
	if turn := next(); !strings.Contains(turn, `"kind":"job","job":"cron-`) {
		t.Error(turn)
	}
	var said struct{ ID string }
	next = v.turns()
	v.ask("POST", "/api/channels/"+v.channel("general")+"/messages?as=you", `{"content":"delete #random"}`, &said)
	for turn := next(); !strings.Contains(turn, `"verdict":"held"`); turn = next() {
	}
	v.press("Reject")
	turn := next()
	if !strings.Contains(turn, `"verdict":"dropped","end":"rejected by you"`) || !strings.Contains(turn, `"id":"`+said.ID+`"`) {
		t.Error(turn)
	}
	silence := v.events("silence")
	v.ask("POST", "/api/channels/"+v.channel("general")+"/messages?as=zed", `{"content":"hello?"}`, &said)
	if got := silence(); !strings.Contains(got, said.ID) || !strings.Contains(got, "zed is not on the bot’s list") {
		t.Error(got)
	}
	v.ask("POST", "/api/models", `{"found":"Ollama: tiny"}`, nil)
	v.alive()
	if turn := v.turnOf("hello"); !strings.Contains(turn, `"model":"tiny"`) {
		t.Error(turn)
	}
}

// press presses the newest button of a name in #general.
func (v *visit) press(label string) {
	v.Helper()
	var all struct {
		Messages []struct {
			ID      string
			Buttons [][]struct{ ID, Label string }
		}
	}
	v.ask("GET", "/api/channels/"+v.channel("general")+"/messages?as=you", "", &all)
	for _, m := range slices.Backward(all.Messages) {
		for _, b := range slices.Concat(m.Buttons...) {
			if b.Label == label {
				v.ask("POST", "/api/channels/"+v.channel("general")+"/messages/"+m.ID+"/press?as=you", fmt.Sprintf(`{"button":%q}`, b.ID), nil)
				return
			}
		}
	}
	v.Fatalf("there is no button %s: %+v", label, all)
}

// upload sends a file to the bot, and returns the record of the turn.
func (v *visit) upload(name, content, text string) string {
	v.Helper()
	next := v.turns()
	body := strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n{\"content\":\"" + text + "\"}" +
		"\r\n--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"" + name + "\"\r\n\r\n" + content + "\r\n--x--\r\n")
	req, err := http.NewRequestWithContext(v.Context(), "POST", v.url+"/api/channels/"+v.channel("general")+"/messages?as=you", body)
	if err != nil {
		v.Fatal(err)
	}
	req.Header.Set("X-Discoclaw", "play")
	req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	req.AddCookie(v.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		v.Fatal(resp.Status)
	}
	return next()
}

// TestThePlugIsPulled at random moments of answers: the same message goes on, and nothing is done twice.
func TestThePlugIsPulled(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Layout: small, Bot: ownProcess(), Pace: 3 * time.Millisecond})
	defer v.leave()
	const pulls = 6
	for n := range pulls {
		v.say(fmt.Sprintf("say run %d in #ops", n))
		<-time.After(time.Duration(rand.IntN(150)) * time.Millisecond) // some moment of it
		var p pulse
		if v.ask("POST", "/api/bot", `{"alive":false}`, &p); p.State != "dead" || p.Why != "" {
			t.Fatalf("%+v", p)
		}
		kept := p.Kept
		if v.ask("POST", "/api/bot", `{"alive":true}`, &p); p.State == "dead" {
			t.Fatalf("%+v", p)
		}
		list := v.settled("Posting it in", n+1)
		for _, k := range kept {
			if i := indexOf(list, k.Message); i < 0 {
				t.Errorf("run %d: the message that it was writing is gone: %+v", n, list)
			}
		}
	}
	var ops struct{ Messages []message }
	v.ask("GET", "/api/channels/"+v.channel("ops")+"/messages?as=you", "", &ops)
	for n := range pulls {
		posted := 0
		for _, m := range ops.Messages {
			if m.Author.Name == "DiscoClaw" && m.Content == fmt.Sprintf("run %d", n) {
				posted++
			}
		}
		if posted != 1 {
			t.Errorf("run %d was posted %d times", n, posted)
		}
	}
	answers := 0
	for _, m := range v.messages() {
		if m.Author.Name == "DiscoClaw" {
			answers++
		}
	}
	if answers != pulls {
		t.Errorf("%d answers to %d requests: %+v", answers, pulls, v.messages())
	}
}

func indexOf(list []message, id string) int {
	for i, m := range list {
		if m.ID == id {
			return i
		}
	}
	return -1
}

// TestWhatIsSaidToADeadBotIsAnsweredLater, and another model brings it back, too.
func TestWhatIsSaidToADeadBotIsAnsweredLater(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Layout: small, Bot: ownProcess()})
	defer v.leave()
	v.ask("POST", "/api/bot", `{"alive":false}`, nil)
	v.ask("POST", "/api/bot", `{"alive":false}`, nil)
	v.say("what is 6 * 7?")
	v.ask("POST", "/api/models", `{}`, nil)
	v.settled("6 × 7 = 42", 1)
	v.ask("POST", "/api/bot", `{"alive":true}`, nil) // which it is
	v.settled("6 × 7 = 42", 1)
}

// TestABotInsideCannotBeKilledAlone.
func TestABotInsideCannotBeKilledAlone(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Layout: small})
	defer v.leave()
	var p pulse
	if v.ask("GET", "/api/bot", "", &p); p.Own || p.State != "alive" {
		t.Errorf("%+v", p)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", v.url+"/api/bot", strings.NewReader(`{"alive":false}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Discoclaw", "play")
	req.AddCookie(v.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var refused struct{ Error string }
	if json.NewDecoder(resp.Body).Decode(&refused) != nil || resp.StatusCode != http.StatusConflict || refused.Error == "" {
		t.Errorf("%s %+v", resp.Status, refused)
	}
}

// TestATypedKeyIsInNoEnvironmentArgumentOrFile of the bot's process.
func TestATypedKeyIsInNoEnvironmentArgumentOrFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked at as on Linux")
	}
	t.Parallel()
	const secret = "sk-typed-on-the-page-0123456789"
	data := t.TempDir()
	v := visiting(t, play.Options{Layout: small, Bot: ownProcess(), Data: data})
	defer v.leave()
	v.ask("POST", "/api/models", `{"vendor":"OpenAI","key":"`+secret+`"}`, nil)
	v.alive()
	looked := 0
	for _, pattern := range []string{"/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline", data + "/*", data + "/*/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue // a folder, or a process that is gone or of somebody else
			}
			if looked++; strings.Contains(string(text), secret) {
				t.Errorf("the key is in %s", file)
			}
		}
	}
	if looked < 10 {
		t.Errorf("only %d files were looked at", looked)
	}
}

// TestAProcessThatCannotBeginSaysWhy, with the flag that mends it.
func TestAProcessThatCannotBeginSaysWhy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]play.Options{
		"no folder for its data": {Data: filepath.Join(file, "data"), Bot: ownProcess()},
		"no such program":        {Bot: []string{filepath.Join(file, "gone")}},
		"a program that ends":    {Bot: []string{os.Args[0], "-test.run=^$"}},
	} {
		o.Layout, o.Demo, o.Out = small, true, io.Discard
		err := play.Serve(t.Context(), o)
		if err == nil || name[:4] == "no f" && !strings.Contains(err.Error(), "--data") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAnOpenPageGoesOnAfterARestart of the playground: its key is kept beside the world.
func TestAnOpenPageGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "world.json")
	v := visiting(t, play.Options{Layout: small, World: file, Bot: ownProcess()})
	key := v.key.Value
	v.leave()
	again := visiting(t, play.Options{World: file, Bot: ownProcess()})
	defer again.leave()
	if again.key.Value != key {
		t.Error("the key is another one")
	}
	world, err := os.ReadFile(file)
	info, statErr := os.Stat(filepath.Join(file+".data", "playground.key"))
	if err != nil || statErr != nil || strings.Contains(string(world), key) || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: the key is in the world, or others can read it", err, statErr)
	}
}
