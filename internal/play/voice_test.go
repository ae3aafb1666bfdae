package play_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/play"
)

// A line is what is said in a call.
type line struct {
	Channel, ID, By, Text string
	Over, Cut             bool
}

// lines are what is said in calls, as it is heard. Each call of the function waits for the next line.
func (v *visit) lines() func() line {
	v.Helper()
	next := v.events("voice")
	return func() (l line) {
		v.Helper()
		data := next()
		if err := json.Unmarshal([]byte(data[strings.Index(data, "{"):]), &l); err != nil {
			v.Fatalf("%s: %v", data, err)
		}
		return l
	}
}

// chat are the messages of a channel, in one text.
func (v *visit) chat(channel string) string {
	v.Helper()
	var all struct{ Messages []message }
	v.ask("GET", "/api/channels/"+channel+"/messages?as=you", "", &all)
	var list []string
	for _, m := range all.Messages {
		list = append(list, m.Content)
	}
	return strings.Join(list, "\n")
}

// reads waits until a text stands in a channel.
func (v *visit) reads(channel, text string) {
	v.Helper()
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(v.chat(channel), text); {
		if time.Now().After(deadline) {
			v.Fatalf("%q does not come:\n%s", text, v.chat(channel))
		}
	}
}

// goesIn has you enter the lounge and ask the bot in.
func (v *visit) goesIn() (lounge string) {
	v.Helper()
	lounge = v.channel("Lounge")
	v.ask("POST", "/api/voice?as=you", fmt.Sprintf(`{"channel":%q}`, lounge), nil)
	v.asksIn(lounge)
	return lounge
}

// asksIn asks the bot into the lounge, and waits until it says that it listens.
func (v *visit) asksIn(lounge string) {
	v.Helper()
	before := strings.Count(v.chat(lounge), listening)
	v.ask("POST", "/api/channels/"+lounge+"/messages?as=you", fmt.Sprintf(`{"content":"!voice join <#%s>"}`, lounge), nil)
	for deadline := time.Now().Add(30 * time.Second); strings.Count(v.chat(lounge), listening) == before; {
		if time.Now().After(deadline) {
			v.Fatalf("the bot does not come:\n%s", v.chat(lounge))
		}
	}
}

const listening = "ignore me"

func (v *visit) speaks(text string) {
	v.Helper()
	v.ask("POST", "/api/voice/say?as=you", fmt.Sprintf(`{"text":%q}`, text), nil)
}

func TestOneTalksWithTheBot(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Bot: ownProcess()})
	defer v.leave()
	lounge := v.goesIn()
	next := v.lines()
	v.speaks("what day is it?")
	if said := next(); said.Text != "what day is it?" || said.Channel != lounge || !said.Over {
		t.Errorf("%+v", said)
	}
	begun := next()
	if !strings.HasPrefix(begun.Text, "It is ") || begun.Channel != lounge || begun.Over {
		t.Errorf("%+v", begun)
	}
	v.reads(lounge, "**you** (voice): what day is it?\nIt is ")
	if over := next(); over.ID != begun.ID || !over.Over || over.Cut {
		t.Errorf("%+v", over)
	}
}

func TestWhoTalksIntoTheBotStopsIt(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Bot: ownProcess()})
	defer v.leave()
	v.goesIn()
	next := v.lines()
	v.speaks("tell me a story")
	told := next()
	for told.By == "" || !strings.Contains(told.Text, "could not sleep") { // a long sentence
		told = next()
	}
	v.speaks("what day is it?")
	if said := next(); said.Text != "what day is it?" {
		t.Errorf("before it could be interrupted, there was %+v", said)
	}
	if end := next(); end.ID != told.ID || !end.Cut {
		t.Errorf("%+v goes on after somebody talked into it: %+v", told, end)
	}
	if answer := next(); !strings.HasPrefix(answer.Text, "It is ") {
		t.Errorf("the answer is %+v", answer)
	}
}

// TestTheRoomOutlivesTheBot: after its plug was pulled, it can be asked in again.
func TestTheRoomOutlivesTheBot(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Bot: ownProcess()})
	defer v.leave()
	lounge := v.goesIn()
	v.ask("POST", "/api/bot", `{"alive":false}`, nil)
	v.ask("POST", "/api/bot", `{"alive":true}`, nil)
	v.alive()
	v.asksIn(lounge)
	next := v.lines()
	v.speaks("what day is it?")
	next()
	if answer := next(); !strings.HasPrefix(answer.Text, "It is ") {
		t.Errorf("the answer is %+v", answer)
	}
}

// TestOneEntersAndLeaves: who is in a voice channel is known to the page, and what cannot be done is said.
func TestOneEntersAndLeaves(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Bot: ownProcess(), Layout: "guild Club: #general Lounge:voice Attic:voice\nmember you: owner\nmember sam\ndeny Attic sam: Connect\n"})
	defer v.leave()
	lounge, attic := v.channel("Lounge"), v.channel("Attic")
	v.refused("POST", "/api/voice/say?as=sam", `{"text":"hello"}`, "in no voice channel")
	v.refused("POST", "/api/voice?as=sam", fmt.Sprintf(`{"channel":%q}`, attic), "may not enter")
	v.refused("POST", "/api/voice?as=sam", fmt.Sprintf(`{"channel":%q}`, v.channel("general")), "may not enter")
	v.refused("POST", "/api/voice?as=DiscoClaw", `{}`, "nobody of that name")
	v.ask("POST", "/api/voice?as=sam", fmt.Sprintf(`{"channel":%q}`, lounge), nil)
	if in := v.inside(lounge); len(in) != 1 {
		t.Errorf("inside are %q", in)
	}
	v.refused("POST", "/api/voice/say?as=sam", `{"text":"hello"}`, "nobody else is in the call")
	v.refused("POST", "/api/voice/say?as=sam", `{"text":" "}`, "say something")
	v.refused("POST", "/api/voice/say?as=sam", fmt.Sprintf(`{"text":%q}`, strings.Repeat("la ", 400)), "too long")
	next := v.lines()
	v.ask("POST", "/api/voice?as=you", fmt.Sprintf(`{"channel":%q}`, lounge), nil)
	v.speaks("hello")
	if said := next(); said.Text != "hello" {
		t.Errorf("%+v", said)
	}
	v.ask("POST", "/api/voice?as=sam", `{"channel":""}`, nil)
	if in := v.inside(lounge); len(in) != 1 {
		t.Errorf("inside are %q", in)
	}
}

// TestRealServicesReplaceThePlaygrounds: what is typed would be nothing to a real recogniser.
func TestRealServicesReplaceThePlaygrounds(t *testing.T) {
	t.Parallel()
	v := visiting(t, play.Options{Bot: ownProcess(), Demo: true, Env: config.Env{"DISCOCLAW_STT_BASE_URL": "http://127.0.0.1:1/v1"}})
	defer v.leave()
	var about struct {
		Voice struct{ Typed, Captions bool }
	}
	if v.ask("GET", "/api/about", "", &about); about.Voice.Typed || !about.Voice.Captions {
		t.Errorf("%+v", about)
	}
	v.refused("POST", "/api/voice/say?as=you", `{"text":"hello"}`, "microphone")
}

func (v *visit) inside(channel string) []string {
	v.Helper()
	var world struct {
		Channels []struct {
			ID     string
			Inside []string
		}
	}
	v.ask("GET", "/api/world?as=you", "", &world)
	for _, ch := range world.Channels {
		if ch.ID == channel {
			return ch.Inside
		}
	}
	return nil
}

// refused sends a request that must be refused, with a reason.
func (v *visit) refused(method, path, body, why string) {
	v.Helper()
	req, err := http.NewRequestWithContext(v.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	req.Header.Set("X-Discoclaw", "play")
	req.AddCookie(v.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode/100 != 4 || !strings.Contains(string(text), why) {
		v.Errorf("%s %s %s: %d %s, want %q", method, path, body, resp.StatusCode, text, why)
	}
}
