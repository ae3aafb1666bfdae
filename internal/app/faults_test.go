package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/test/golden"
	"discoclaw/internal/test/skip"
)

// A vendorKind is a vendor whose fake the whole bot can talk to.
type vendorKind struct {
	name  string
	env   string
	serve func() (llmtest.Vendor, *http.Client)
}

var vendorKinds = []vendorKind{
	{"openai without tools", "OPENAI_API_KEY=correct-horse", func() (llmtest.Vendor, *http.Client) {
		l := new(llmtest.Server).Listen()
		return llmtest.OpenAI{Local: l}, l.HTTP
	}},
	{"openai", "OPENAI_API_KEY=correct-horse", func() (llmtest.Vendor, *http.Client) {
		v := new(llmtest.Responses).Listen()
		return v, v.HTTP
	}},
	{"anthropic", "ANTHROPIC_API_KEY=correct-horse", func() (llmtest.Vendor, *http.Client) {
		v := new(llmtest.Anthropic).Listen()
		return v, v.HTTP
	}},
	{"gemini", "GEMINI_API_KEY=correct-horse", func() (llmtest.Vendor, *http.Client) {
		v := new(llmtest.Gemini).Listen()
		return v, v.HTTP
	}},
}

// tools are what its models may use.
func (v vendorKind) tools() string {
	if strings.HasSuffix(v.name, " without tools") {
		return "off"
	}
	return "read"
}

// begun is a part of an answer that has a whole action in it.
const begun = `On it.<discord-action>{"type":"channelCreate","name":"pwned"}</discord-action>`

// modelFaults are what can become of a request.
var modelFaults = []struct {
	name   string
	script llmtest.Script
}{
	{"401", func(x llmtest.Response) { x.Fail(llm.Error{Kind: llm.Unauthorized}) }},
	{"403", func(x llmtest.Response) { x.Write(http.StatusForbidden, "application/json", "{}") }},
	{"404 model", func(x llmtest.Response) { x.Fail(llm.Error{Kind: llm.NoSuchModel}) }},
	{"413", func(x llmtest.Response) { x.Write(http.StatusRequestEntityTooLarge, "application/json", "{}") }},
	{"429", func(x llmtest.Response) { x.Write(http.StatusTooManyRequests, "application/json", "{}") }},
	{"429 with Retry-After", func(x llmtest.Response) { x.Fail(llm.Error{Kind: llm.RateLimited, RetryAfter: 10 * time.Minute}) }},
	{"500", func(x llmtest.Response) {
		x.Fail(llm.Error{Kind: llm.Unavailable, Status: http.StatusInternalServerError})
	}},
	{"200 with a web page", func(x llmtest.Response) { x.Write(http.StatusOK, "text/html", "<html>Welcome!</html>") }},
	{"200 with another API", func(x llmtest.Response) { x.Write(http.StatusOK, "application/json", `{"hello":"world"}`) }},
	{"cut in the middle of a character", func(x llmtest.Response) { x.Say(begun); x.Tear("a 🦞") }},
	{"no final event", func(x llmtest.Response) { x.Say(begun) }},
	{"a broken connection", func(x llmtest.Response) { x.Say(begun); x.Die() }},
	{"garbage", func(x llmtest.Response) { x.Say(begun); x.Garble(); x.Done(llm.Usage{Input: 1, Output: 1}) }},
	{"an error in the middle", func(x llmtest.Response) { x.Say(begun); x.Fail(llm.Error{Kind: llm.Unavailable}) }},
	{"a length limit", func(x llmtest.Response) { x.Say(begun); x.Fail(llm.Error{Kind: llm.Cut}) }},
	{"a content filter", func(x llmtest.Response) { x.Say(begun); x.Fail(llm.Error{Kind: llm.Blocked}) }},
	{"a slow drip", func(x llmtest.Response) {
		x.Say(begun)
		for range 100 {
			x.Wait(3 * time.Minute) // so that none comes with the timeout
			x.Say(".")
		}
	}},
	{"a server that hangs", func(x llmtest.Response) { x.Say(begun); x.Hang() }},
	{"a server that never begins", func(x llmtest.Response) { x.Hang() }},
}

// TestWhatPeopleReadWhenAModelFails: a plain sentence, whoever the vendor is; no placeholder stays, and nothing is
// done out of an answer that broke off. Ada runs the bot, so that she reads what to change; bob does not.
func TestWhatPeopleReadWhenAModelFails(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the scenes, many times")
	t.Parallel()
	var all []string
	for _, v := range vendorKinds {
		for _, f := range modelFaults {
			for _, who := range []string{"ada", "bob"} {
				t.Run(v.name+"/"+f.name+"/"+who, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						text := failing(t, v, f.script, who)
						all = append(all, fmt.Sprintf("%s, %s, %s:\n%s\n", v.name, f.name, who, text))
					})
				})
			}
		}
	}
	golden.Equal(t, "testdata/faults.golden", strings.Join(all, "\n"))
}

// failing returns what a member reads when the model fails.
func failing(t *testing.T, v vendorKind, script llmtest.Script, who string) string {
	w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember bob\n")
	vendor, client := v.serve()
	defer vendor.Close()
	vendor.Always(script)
	env := apptest.Env(t, w, v.env, "DISCOCLAW_RUNTIME_TOOLS="+v.tools(), "RUNTIME_TIMEOUT_MS=1200000", "DISCOCLAW_RESPOND=all",
		"DISCORD_ALLOW_USER_IDS="+string(w.UserID("ada"))+","+string(w.UserID("bob")), "DISCOCLAW_OPERATOR_USER_IDS="+string(w.UserID("ada")))
	_, stop := begins(t, env, Externals{HTTP: w.HTTP(), ModelHTTP: client, Log: t.Output()})
	w.MustSay(who, "general", "make a channel")
	time.Sleep(time.Hour)
	synctest.Wait()
	messages := w.Messages("general")
	if len(messages) != 2 {
		t.Fatalf("the channel was left as\n%s", w.Transcript())
	}
	text := messages[1].Content
	partial := strings.Contains(text, "On it.")
	switch {
	case strings.Contains(text, "Thinking") || !strings.Contains(text, "⚠️"):
		t.Errorf("the reply was left as %q", text)
	case partial != strings.Contains(text, "Nothing was done."):
		t.Errorf("%q does not say what was done", text)
	case strings.Contains(text, "correct-horse"):
		t.Error("the reply has the key")
	case strings.Contains(w.Transcript(), "pwned"):
		t.Error("an action of an answer that broke off was executed")
	}
	if _, err := stop(); err != nil {
		t.Error(err)
	}
	return text
}
