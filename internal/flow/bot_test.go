package flow_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/memnet"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
)

// A host is a machine on which a whole bot runs, one process after the other. The world and the
// data directory outlive a process.
type host struct {
	*discordtest.World
	t     *testing.T
	env   config.Env
	file  string      // with the settings; empty for none
	model llm.Runtime // of the processes that are started from now on
	disk  *fulldisk.Disk
	hooks *memnet.Listener // the port of webhooks, if they are on
	log   logged

	dead atomic.Bool // the process has been killed: it reaches neither Discord nor the disk any more
	end  func() (time.Duration, error)
}

// onHost runs a test in a synctest bubble with a world. The bot, which is not started yet, answers every message of ada
// with [apptest.Indeed].
func onHost(t *testing.T, layout string, test func(h *host), settings ...string) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, layout)
		env := apptest.Env(t, w, settings...)
		h := &host{World: w, t: t, env: env, model: apptest.Talkative(), disk: fulldisk.New(t, env["DISCOCLAW_DATA_DIR"])}
		t.Cleanup(func() {
			if h.end != nil {
				t.Error("a process was neither stopped nor killed")
			}
		})
		test(h)
	})
}

// serves sets whom the bot serves, instead of ada alone.
func (h *host) serves(names ...string) {
	var ids []string
	for _, name := range names {
		ids = append(ids, string(h.UserID(name)))
	}
	h.env["DISCORD_ALLOW_USER_IDS"] = strings.Join(ids, ",")
}

// start starts a process, and waits until it is online. Its requests go through by, if that is given.
func (h *host) start(by ...http.RoundTripper) {
	h.t.Helper()
	var next http.RoundTripper = h.HTTP().Transport
	if len(by) > 0 {
		next = by[0]
	}
	h.dead.Store(false)
	h.hooks = memnet.New()
	bot, err := app.NewBot(h.env, app.Externals{
		HTTP: &http.Client{Transport: line{next, &h.dead}}, Runtime: h.model, Log: io.MultiWriter(h.t.Output(), &h.log), Settings: h.file,
		Listen: func(string) (net.Listener, error) { return h.hooks, nil },
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.end = apptest.Start(bot)
}

// logged is what processes have logged, one after the other and at the same time.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A line is the transport of a process's requests, which fails when the process is dead.
type line struct {
	http.RoundTripper
	dead *atomic.Bool
}

var errDead = errors.New("the process is dead")

func (l line) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.dead.Load() {
		return nil, errDead
	}
	return l.RoundTripper.RoundTrip(r)
}

// stop shuts the process down gracefully.
func (h *host) stop() {
	h.t.Helper()
	if _, err := h.end(); err != nil {
		h.t.Errorf("the bot ended with %v", err)
	}
	h.end = nil
}

// leave stops the process and ends its session, so that Discord does not replay the events in between to the next
// process.
func (h *host) leave() {
	h.t.Helper()
	h.stop()
	h.Gateway().ForgetSessions()
}

// run runs a process for the duration of a function and one more minute, and ends it with leave.
func (h *host) run(during func()) {
	h.t.Helper()
	h.start()
	if during != nil {
		during()
	}
	time.Sleep(time.Minute)
	h.leave()
}

// die cuts the process off from Discord and from the disk.
func (h *host) die() {
	h.dead.Store(true)
	h.disk.Become(fulldisk.Broken, 0)
}

// kill ends the process as SIGKILL would, unless it is dead already. Discord keeps the session.
func (h *host) kill() {
	h.die()
	_, _ = h.end() // the error of a process that was killed is expected
	h.end = nil
	h.disk.Become(fulldisk.Roomy, 0)
}

// data opens the database of a bot that is not running.
func (h *host) data(use func(db *store.DB)) {
	h.t.Helper()
	db, err := store.Open(h.t.Context(), filepath.Join(h.env["DISCOCLAW_DATA_DIR"], store.FileName))
	if err != nil {
		h.t.Fatal(err)
	}
	use(db)
	h.must(db.Close())
}

// exec executes a statement on the database of a bot that is not running.
func (h *host) exec(statements ...string) {
	h.t.Helper()
	h.data(func(db *store.DB) {
		for _, s := range statements {
			if _, err := db.ExecContext(h.t.Context(), s); err != nil {
				h.t.Fatalf("%s: %v", s, err)
			}
		}
	})
}

func (h *host) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// ask posts a message of ada in #general.
func (h *host) ask(text string) chat.MessageID { return h.MustSay("ada", "general", text).ID }

// answered requires the number of answers to a message in #general by [apptest.Talkative].
func (h *host) answered(want int, what string, to chat.MessageID) {
	h.t.Helper()
	h.answeredIn(want, what, "general", to, apptest.Indeed)
}

// answeredIn requires the number of answers to a message that hold a text.
func (h *host) answeredIn(want int, what, channel string, to chat.MessageID, words string) {
	h.t.Helper()
	if n := apptest.Answers(h.t, h.World, channel, to, words); n != want {
		h.t.Errorf("%s: %d answers, want %d\n%s", what, n, want, h.Transcript())
	}
}

// shows requires how often a text occurs in a channel.
func (h *host) shows(want int, channel, words string) {
	h.t.Helper()
	if n := strings.Count(apptest.Contents(h.World, channel), words); n != want {
		h.t.Errorf("%q is %d times in #%s, want %d\n%s", words, n, channel, want, h.Transcript())
	}
}

// last returns the bot's last message in a channel.
func (h *host) last(channel string) string { return apptest.Last(h.World, channel) }

// killedAt is a transport that kills the process when it posts a certain message.
type killedAt struct {
	http.RoundTripper
	h     *host
	path  string       // suffix of the request's path
	posts atomic.Int32 // number of messages that are posted before
	heard bool         // the message reaches Discord
}

// atPost kills the process right before or right after it posts a message, after some others.
func (h *host) atPost(posts int32, heard bool) *killedAt {
	k := &killedAt{RoundTripper: h.HTTP().Transport, h: h, path: "/messages", heard: heard}
	k.posts.Store(posts)
	return k
}

func (k *killedAt) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, k.path) || k.posts.Add(-1) >= 0 {
		return k.RoundTripper.RoundTrip(r)
	}
	if !k.heard {
		k.h.die()
		return nil, errDead
	}
	resp, err := k.RoundTripper.RoundTrip(r)
	k.h.die()
	if err == nil {
		_ = resp.Body.Close() // a dead process does not read it
	}
	return nil, errDead
}

// noHistory keeps earlier conversation out of prompts.
const noHistory = "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0"

// outOfOrder is an outage: Discord answers no request.
var outOfOrder = fakediscord.Fault{Status: http.StatusServiceUnavailable}

// reading counts requests for messages, each of which takes a second.
type reading struct {
	http.RoundTripper
	mu             sync.Mutex
	all, now, most int
}

func (r *reading) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/messages") {
		r.count(1)
		time.Sleep(time.Second)
		defer r.count(-1)
	}
	return r.RoundTripper.RoundTrip(req)
}

func (r *reading) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now += n
	r.all += max(n, 0)
	r.most = max(r.most, r.now)
}

func (r *reading) underWay() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}
