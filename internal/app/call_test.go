package app

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/speech/speechtest"
	"discoclaw/internal/voice/tones"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

// A lounge is a server whose bot talks in calls: people speak in tones, which a recogniser understands.
type lounge struct {
	*discordtest.World
	t     *testing.T
	calls *fakevoice.Server
	ears  *transcribetest.Deepgram
	mouth *speechtest.Server
	bot   *Bot
}

const inLounge = `
guild disco: #general #log Lounge:voice
member ada: owner
member bob
stranger zed
`

// byPath sends requests to one server or another.
type byPath map[string]*http.Client

func (b byPath) RoundTrip(r *http.Request) (*http.Response, error) {
	for path, client := range b {
		if strings.Contains(r.URL.Host+r.URL.Path, path) {
			if r.URL.Host == "api.deepgram.com" {
				r = r.Clone(r.Context())
				r.URL.Path = "/deepgram" + r.URL.Path
			}
			return client.Transport.RoundTrip(r)
		}
	}
	panic("nobody serves " + r.URL.String())
}

// inCall runs a test with a bot that ada has asked into the lounge.
func inCall(t *testing.T, model *script.Replies, test func(l *lounge), settings ...string) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, inLounge)
		l := &lounge{World: w, t: t, calls: w.UseCalls(fakevoice.Options{}), ears: transcribetest.NewDeepgram(t), mouth: speechtest.New(t)}
		l.mouth.Voice = func(text string, rate int) (pcm []int16) {
			said := tones.Say(text)
			for i := 0; i < len(said); i += 48000 / rate {
				pcm = append(pcm, said[i])
			}
			return pcm
		}
		env := apptest.Env(t, w, append([]string{
			"DISCOCLAW_VOICE_ENABLED=1", "DISCOCLAW_DISCORD_ACTIONS_VOICE=1", "DEEPGRAM_API_KEY=" + transcribetest.Key,
			"DISCOCLAW_TTS_BASE_URL=" + speechtest.URL, "DISCOCLAW_TTS_API_KEY=" + speechtest.Key,
			"DISCORD_ALLOW_USER_IDS=" + string(w.UserID("ada")) + "," + string(w.UserID("bob")),
		}, settings...)...)
		services := &http.Client{Transport: byPath{"api.deepgram.com": l.ears.HTTP, "/speech/": l.mouth.HTTP}}
		var stop func() (time.Duration, error)
		l.bot, stop = begins(t, env, Externals{HTTP: w.HTTP(), ModelHTTP: services, DialUDP: l.calls.DialUDP, Runtime: model})
		w.MustSay("ada", "general", "!voice join Lounge")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		test(l)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// A caller is a member in the call.
type caller struct {
	l    *lounge
	call *link.Call

	mu    sync.Mutex
	heard *tones.Ear
}

// enter has a member enter the call.
func (l *lounge) enter(who string) *caller {
	l.t.Helper()
	if err := l.EnterVoice(who, "Lounge"); err != nil {
		l.t.Fatal(err)
	}
	pass, err := l.VoicePass(who)
	if err != nil {
		l.t.Fatal(err)
	}
	identity, err := dave.NewIdentity()
	if err != nil {
		l.t.Fatal(err)
	}
	number := func(id string) uint64 { n, _ := strconv.ParseUint(id, 10, 64); return n }
	call, err := link.Dial(l.t.Context(), link.Server{
		Endpoint: pass.Endpoint, Token: pass.Token, Session: pass.Session,
		Guild: number(string(pass.Guild)), Channel: number(string(pass.Channel)), Self: number(string(pass.User)),
	}, link.Options{Identity: identity, HTTP: l.HTTP(), DialUDP: l.calls.DialUDP})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(call.Close)
	c := &caller{l: l, call: call, heard: tones.NewEar(48000)}
	decoder, err := opus.NewDecoder()
	if err != nil {
		l.t.Fatal(err)
	}
	go func() {
		for f := range call.Frames() {
			if pcm, err := decoder.Decode(f.Opus); err == nil && f.User == number(string(l.UserID("bot"))) {
				c.mu.Lock()
				c.heard.Hear(tones.Left(pcm))
				c.mu.Unlock()
			}
		}
	}()
	time.Sleep(5 * time.Second)
	return c
}

// say says a text, and waits until it was understood and answered.
func (c *caller) say(text string) {
	c.l.t.Helper()
	frames, err := tones.Frames(text)
	if err != nil {
		c.l.t.Fatal(err)
	}
	c.call.Speaking(true)
	for _, f := range frames {
		time.Sleep(20 * time.Millisecond)
		if err := c.call.Send(f); err != nil {
			c.l.t.Fatal(err)
		}
	}
	for range 5 {
		time.Sleep(20 * time.Millisecond)
		_ = c.call.Send(link.Silence)
	}
	c.call.Speaking(false)
}

// hears is what the bot has said so far.
func (c *caller) hears() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return tones.Text(c.heard.Words())
}

// chat is what stands in the chat of the lounge, a line each.
func (l *lounge) chat(channel string) string {
	var lines []string
	for _, m := range l.Messages(channel) {
		lines = append(lines, m.Content)
	}
	return strings.Join(lines, "\n--\n")
}

func TestABotThatHearsAnswersAloud(t *testing.T) {
	model := script.New(script.Say(`I have opened it. What else?<discord-action>{"type":"taskCreate","title":"feed the parrot"}</discord-action>`))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.say("open a task to feed the parrot")
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := ada.hears(); got != "i have opened it.what else?" {
			t.Errorf("ada hears %q", got)
		}
		if got := l.chat("Lounge"); !strings.Contains(got, "**ada** (voice): open a task to feed the parrot\nI have opened it. What else?\n\nDone: opened “feed the parrot”") {
			t.Errorf("in the chat stands\n%s", got)
		}
		asked := model.Requests()[0]
		if words := asked.Messages[0].Text; !strings.HasSuffix(words, "says in the call in #Lounge]: open a task to feed the parrot") {
			t.Errorf("the model is asked\n%s", words)
		}
		if !strings.Contains(asked.System, "## This is a call") || asked.Workspace.Level != "" {
			t.Errorf("the model is told\n%s", asked.System)
		}
	})
}
