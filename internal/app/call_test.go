package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
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
	t     testing.TB
	calls *fakevoice.Server
	ears  *transcribetest.Deepgram
	mouth *speechtest.Server

	env      config.Env
	services *http.Client
	killer   *killer
	bot      *Bot
	stop     func() (time.Duration, error)
}

const inLounge = `
guild disco: #general #log Lounge:voice Attic:voice
member ada: owner
member bob
stranger zed
stranger Robot: bot
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

// newLounge returns one without a bot. In its settings, {log} is the ID of that channel.
func newLounge(t testing.TB, layout string, o fakevoice.Options, settings ...string) *lounge {
	w := discordtest.New(t, layout)
	l := &lounge{World: w, t: t, calls: w.UseCalls(o), ears: transcribetest.NewDeepgram(t), mouth: speechtest.New(t)}
	l.mouth.Voice = func(text string, rate int) (pcm []int16) {
		said := append(tones.Say(text), make([]int16, opus.Rate/5)...) // a sentence ends with a pause
		for i := 0; i < len(said); i += opus.Rate / rate {
			pcm = append(pcm, said[i])
		}
		return pcm
	}
	for i, s := range settings {
		settings[i] = strings.ReplaceAll(s, "{log}", string(w.ChannelID("log")))
	}
	l.env = apptest.Env(t, w, append([]string{
		"DISCOCLAW_VOICE_ENABLED=1", "DISCOCLAW_DISCORD_ACTIONS_VOICE=1", "DEEPGRAM_API_KEY=" + transcribetest.Key,
		"DISCOCLAW_TTS_BASE_URL=" + speechtest.URL, "DISCOCLAW_TTS_API_KEY=" + speechtest.Key,
		"DISCORD_ALLOW_USER_IDS=" + string(w.UserID("ada")) + "," + string(w.UserID("bob")),
	}, settings...)...)
	l.services = &http.Client{Transport: byPath{"api.deepgram.com": l.ears.HTTP, "/speech/": l.mouth.HTTP}}
	return l
}

// inLoungeWith runs a test with a bot that is in no call yet.
func inLoungeWith(t *testing.T, layout string, model llm.Runtime, test func(l *lounge), settings ...string) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLounge(t, layout, fakevoice.Options{}, settings...)
		l.start(model)
		defer func() { // also after a Fatal, or the bubble would be stuck
			if _, err := l.stop(); err != nil {
				t.Error(err)
			}
		}()
		test(l)
	})
}

// inCall is inLoungeWith once ada has asked the bot into the lounge.
func inCall(t *testing.T, model llm.Runtime, test func(l *lounge), settings ...string) {
	t.Helper()
	inLoungeWith(t, inLounge, model, func(l *lounge) {
		l.join()
		test(l)
	}, settings...)
}

func (l *lounge) start(model llm.Runtime) {
	l.t.Helper()
	l.killer = &killer{next: l.HTTP().Transport}
	l.bot, l.stop = begins(l.t, l.env, Externals{
		HTTP: &http.Client{Transport: l.killer}, ModelHTTP: l.services, DialUDP: l.calls.DialUDP, Runtime: model,
	})
}

// join has ada ask the bot into the lounge.
func (l *lounge) join() {
	l.t.Helper()
	l.MustSay("ada", "general", "!voice join Lounge")
	time.Sleep(5 * time.Second)
	synctest.Wait()
}

// crash ends the process without a chance to do anything about it, and starts the next one.
func (l *lounge) crash(next llm.Runtime) {
	l.t.Helper()
	synctest.Wait()
	l.killer.arm(1, func() { _ = l.bot.core.db.Close() })
	l.killer.step("now")
	_, _ = l.stop() // the error of a killed process is expected
	l.AwaitStart()
	l.start(next)
	time.Sleep(time.Minute)
	synctest.Wait()
}

// A caller is a member in the call.
type caller struct {
	l    *lounge
	id   uint64
	call *link.Call

	mu    sync.Mutex
	heard *tones.Ear
	last  time.Time // when the bot was last heard
}

// enter has a member enter the call of the lounge.
func (l *lounge) enter(who string) *caller {
	l.t.Helper()
	l.must(l.EnterVoice(who, "Lounge"))
	return l.dial(who)
}

// dial connects a member to the call of their channel, and waits for its encryption.
func (l *lounge) dial(who string) *caller {
	l.t.Helper()
	c := l.connect(who, l.calls.DialUDP)
	l.wait(5 * time.Second)
	return c
}

// connect connects a member to the call of their channel.
func (l *lounge) connect(who string, udp func(ctx context.Context, address string) (net.Conn, error)) *caller {
	l.t.Helper()
	pass, err := l.VoicePass(who)
	l.must(err)
	identity, err := dave.NewIdentity()
	l.must(err)
	at := fakevoice.TicketOf(pass)
	call, err := link.Dial(l.t.Context(), link.Server{
		Endpoint: pass.Endpoint, Token: at.Token, Session: at.Session, Guild: at.Guild, Channel: at.Channel, Self: at.User,
	}, link.Options{Identity: identity, HTTP: l.HTTP(), DialUDP: udp})
	l.must(err)
	l.t.Cleanup(call.Close)
	c := &caller{l: l, id: at.User, call: call, heard: tones.NewEar(opus.Rate)}
	go c.listen()
	return c
}

// number is the ID of a member, as calls have it.
func (l *lounge) number(who string) uint64 {
	n, err := strconv.ParseUint(string(l.UserID(who)), 10, 64)
	l.must(err)
	return n
}

// listen hears the bot.
func (c *caller) listen() {
	bot := c.l.number("bot")
	decoder, err := opus.NewDecoder()
	if err != nil {
		c.l.t.Error(err)
		return
	}
	for f := range c.call.Frames() {
		pcm, err := decoder.Decode(f.Opus)
		if err != nil || f.User != bot {
			continue
		}
		c.mu.Lock()
		c.heard.Hear(tones.Left(pcm))
		if slices.Max(pcm) > audibly {
			c.last = time.Now()
		}
		c.mu.Unlock()
	}
}

// audibly is how loud a sound is that people notice.
const audibly = 300

// say says a text, and not a moment more.
func (c *caller) say(text string) {
	c.l.t.Helper()
	c.call.Speaking(true)
	c.send(text)
	c.call.Speaking(false)
}

func (c *caller) send(text string) {
	c.l.t.Helper()
	frames, err := tones.Frames(text)
	c.l.must(err)
	for range 5 { // with which people's clients end what they say
		frames = append(frames, link.Silence)
	}
	for _, f := range frames {
		time.Sleep(20 * time.Millisecond)
		c.l.must(c.call.Send(f))
	}
}

// ask says a text, and waits until it is answered.
func (c *caller) ask(text string) {
	c.l.t.Helper()
	c.say(text)
	c.l.wait(20 * time.Second)
}

// hears is what the bot has said so far.
func (c *caller) hears() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return tones.Text(c.heard.Words())
}

// heardAt is when the bot was last heard.
func (c *caller) heardAt() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// awaits waits until the bot has said a text.
func (c *caller) awaits(text string) {
	c.l.t.Helper()
	for range 60 * 50 {
		if strings.Contains(c.hears(), text) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.l.t.Fatalf("the bot has not said %q but %q\n%s", text, c.hears(), c.l.Transcript())
}

func (l *lounge) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (l *lounge) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// chat is what stands in the chat of the lounge, a line each.
func (l *lounge) chat(channel string) string {
	var lines []string
	for _, m := range l.Messages(channel) {
		lines = append(lines, m.Content)
	}
	return strings.Join(lines, "\n--\n")
}

// stored is all that the database has.
func (l *lounge) stored() string {
	l.t.Helper()
	var all strings.Builder
	for _, table := range store.Tables {
		rows, err := l.bot.core.db.QueryContext(l.t.Context(), "SELECT * FROM "+table.Name)
		l.must(err)
		columns, err := rows.Columns()
		l.must(err)
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			l.must(rows.Scan(into...))
			fmt.Fprintf(&all, "%s: %s\n", table.Name, values)
		}
		l.must(errors.Join(rows.Err(), rows.Close()))
	}
	return all.String()
}

func TestABotThatHearsAnswersAloud(t *testing.T) {
	model := script.New(script.Say(`I have opened it. What else?<discord-action>{"type":"taskCreate","title":"feed the parrot"}</discord-action>`))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		ada.ask("open a task to feed the parrot")
		if got := ada.hears(); got != "i have opened it. what else?" {
			t.Errorf("ada hears %q", got)
		}
		want := "**ada** (voice): open a task to feed the parrot\nI have opened it. What else?\n\nDone: opened “feed the parrot”"
		if got := apptest.Last(l.World, "Lounge"); got != want {
			t.Errorf("the chat has %q", got)
		}
		req := model.Requests()[0]
		if !strings.HasSuffix(req.Messages[0].Text, "says in the call in #Lounge]: open a task to feed the parrot") || !strings.Contains(req.System, "## This is a call") {
			t.Errorf("the model is told\n%s\n%s", req.System, req.Messages[0].Text)
		}
		if req.Workspace.Level != "" || len(req.Tools) > 0 {
			t.Errorf("the model has tools: %+v", req.Workspace)
		}
	})
}
