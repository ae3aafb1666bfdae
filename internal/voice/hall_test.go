package voice_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice"
)

const layout = `
guild disco: #general hall:voice stage:stage attic:voice
member ada: owner
member bob
bot DiscoClaw: View Channel, Connect
`

// A hall is a small Discord with the bot on it, and a manager that puts the bot into
// voice channels.
type hall struct {
	*discordtest.World
	t       testing.TB
	bot     *discord.Client
	follows bool              // the bot comes and goes with people
	calls   *fakevoice.Server // nil without sound
	*voice.Manager
	log lines
}

// inHall runs a test in a hall with its own time.
func inHall(t *testing.T, layout string, test func(t *testing.T, h *hall)) {
	t.Helper()
	t.Parallel()
	beforeLogin(t, layout, func(t *testing.T, h *hall) {
		h.connect(t)
		test(t, h)
	})
}

// beforeLogin runs a test in a hall to which the bot has yet to connect.
func beforeLogin(t *testing.T, layout string, test func(t *testing.T, h *hall)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &hall{World: discordtest.New(t, layout), t: t}
		h.bot = discord.New(discord.Options{Token: h.Token(), APIURL: h.APIURL(), HTTP: h.HTTP()})
		h.use(voice.Signals{Gateway: h.bot})
		t.Cleanup(func() { h.LeaveAll(context.Background()) })
		test(t, h)
	})
}

// use makes the manager.
func (h *hall) use(t voice.Transport) {
	h.Manager = voice.New(t, voice.Options{Others: h.bot.Others, Log: slog.New(slog.NewTextHandler(&h.log, nil))})
}

// connect logs the bot in until the test ends.
func (h *hall) connect(t *testing.T) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	left := make(chan error, 1)
	go func() { left <- h.bot.Run(ctx, ears{h: h}) }()
	t.Cleanup(func() {
		leave()
		if err := <-left; err != nil {
			t.Errorf("the bot left: %v", err)
		}
	})
	synctest.Wait()
}

// ears have the bot follow people into voice channels.
type ears struct {
	discordtest.Deaf
	h *hall
}

func (e ears) EnteredVoice(g chat.GuildID, who chat.Occupant) {
	if e.h.follows && !who.Bot {
		e.h.Follow(g, who.Channel)
	}
}

func (h *hall) join(channel string) error {
	h.t.Helper()
	return h.Join(h.t.Context(), h.GuildID(), h.ChannelID(channel))
}

// start begins to join and lets that come as far as it does without time.
func (h *hall) start(channel string) <-chan error {
	h.t.Helper()
	joined := make(chan error, 1)
	go func() { joined <- h.join(channel) }()
	synctest.Wait()
	return joined
}

func (h *hall) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// fill makes a channel full.
func (h *hall) fill(channel string) {
	h.t.Helper()
	h.must(h.SetUserLimit(channel, 1))
	h.must(h.EnterVoice("bob", channel))
	synctest.Wait()
}

// requireStatus compares what the manager knows, without the time, and where the bot
// really is, with a channel and a state. An empty channel means that it is nowhere.
func (h *hall) requireStatus(channel string, state voice.State) {
	h.t.Helper()
	synctest.Wait()
	got, known := h.Status(h.GuildID())
	want := voice.Status{State: state}
	if channel != "" {
		want.Channel = h.ChannelID(channel)
	}
	got.Since, got.Mute, got.Deaf = time.Time{}, false, false
	if got != want || known != (channel != "") {
		h.t.Errorf("the status is %+v, want %+v\nlog:\n%s", got, want, &h.log)
	}
	if state == voice.Ready || channel == "" {
		h.requireBotIn(channel)
	}
}

func (h *hall) requireBotIn(channel string) {
	h.t.Helper()
	want := chat.ChannelID("")
	if channel != "" {
		want = h.ChannelID(channel)
	}
	if there, _ := h.VoiceState("bot"); there.Channel != want {
		h.t.Errorf("the bot is in %q, want %q (%s)", there.Channel, want, channel)
	}
}

func (h *hall) requireState(want fakediscord.VoiceState) {
	h.t.Helper()
	synctest.Wait()
	if got, _ := h.VoiceState("bot"); got != want {
		h.t.Errorf("the bot is in %+v, want %+v", got, want)
	}
}

// requireError compares a part of an error's text.
func requireError(t testing.TB, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want something about %q", err, part)
	}
}

// lines is a log that can be looked at.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
