package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/flow"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// A killer kills a process at a given step: from then on nothing reaches Discord, the model or the
// database.
type killer struct {
	next http.RoundTripper

	mu      sync.Mutex
	armed   bool
	left    int    // steps until the kill
	steps   int    // so far
	kill    func() // makes the database unreachable
	dead    bool
	where   string       // the step at which it was killed
	busy    bool         // an action has begun and not settled
	written map[int]bool // rounds whose answer is in the ledger
}

var errDead = errors.New("the process is dead")

// step counts a point between two operations of the process, and reports whether the process is
// still alive.
func (e *killer) step(where string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dead || !e.armed {
		return !e.dead
	}
	e.steps++
	e.left--
	if e.left == 0 {
		e.dead, e.where = true, where
		e.kill()
	}
	return !e.dead
}

// note calls what, unless the process is dead.
func (e *killer) note(what func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.dead {
		what()
	}
}

func (e *killer) arm(steps int, kill func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.armed, e.left, e.kill = true, steps, kill
}

// RoundTrip sends a request to Discord, with a step before and after it.
func (e *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	what := r.Method + " " + r.URL.Path
	if !e.step("before " + what) {
		return nil, errDead
	}
	resp, err := e.next.RoundTrip(r)
	if !e.step("after " + what) {
		if err == nil {
			_ = resp.Body.Close() // the process is dead
		}
		return nil, errDead
	}
	return resp, err
}

// ledgers opens the ledgers of a bot, with a step before each entry.
func (e *killer) ledgers(bot *Bot) func(ctx context.Context, id chat.TurnID) (turn.Ledger, error) {
	return func(ctx context.Context, id chat.TurnID) (turn.Ledger, error) {
		ledger, err := bot.ledger.Open(ctx, id)
		return mortal{ledger, e}, err
	}
}

// A mortal ledger has a step before each entry. A kill after an entry is the same as one before the
// next operation.
type mortal struct {
	turn.Ledger
	e *killer
}

func (m mortal) Answered(ctx context.Context, n int, a turn.Answer) {
	m.e.step("before the answer is written down")
	m.Ledger.Answered(ctx, n, a)
	m.e.note(func() { m.e.written[n] = true })
}

func (m mortal) Delivered(ctx context.Context, n int, r chat.Receipt) {
	m.e.step("before the delivery is written down")
	m.Ledger.Delivered(ctx, n, r)
}

func (m mortal) Actions(n int) actions.Progress { return mortalProgress{m.Ledger.Actions(n), m.e} }

type mortalProgress struct {
	actions.Progress
	e *killer
}

func (m mortalProgress) Begin(ctx context.Context, name string) error {
	m.e.step("before an action has begun")
	err := m.Progress.Begin(ctx, name)
	m.e.note(func() { m.e.busy = true })
	if !m.e.step("after an action has begun") {
		return errDead
	}
	return err
}

func (m mortalProgress) Settle(ctx context.Context, records map[string]actions.Record) {
	m.e.step("before an action has settled")
	m.Progress.Settle(ctx, records)
	m.e.note(func() { m.e.busy = false })
}

// talk is an empty prompt.
type talk struct{}

func (talk) First(context.Context) (llm.Request, error) { return llm.Request{}, nil }

func (talk) Next(req llm.Request, answer llm.Message, _ actions.Reason, _ actions.Round, _ bool) llm.Request {
	req.Messages = append(req.Messages, answer)
	return req
}

// A doomed turn runs in a process that is killed, and then in the next process.
type doomed struct {
	answers []string           // of the model, one for each round
	fault   *fakediscord.Fault // of Discord, until the next process
	pause   time.Duration      // between the processes
	kill    int                // the step of the kill; 0 means none
	blank   []byte             // the database at the beginning

	world     *discordtest.World
	env       config.Env
	written   map[int]bool // rounds whose answer was in the ledger
	paidTwice bool         // the model was asked again for such a round
	busy      bool         // an action had begun and not settled at the kill
	steps     int          // of the first process
	where     string
}

// model returns the model of a process, with a step before each answer.
func (d *doomed) model(e *killer) llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		n := len(req.Messages)
		if !e.step("before the model is asked") {
			return script.Answer{script.Fail(errDead)}.Stream(ctx)
		}
		e.note(func() { d.paidTwice = d.paidTwice || e.written[n] })
		return script.Say(d.answers[n]).Stream(ctx)
	})
}

// live runs the turn in one process.
func (d *doomed) live(t *testing.T, kill int) {
	t.Helper()
	e := &killer{next: d.world.HTTP().Transport, written: d.written}
	bot, stop := begins(t, d.env, Externals{HTTP: &http.Client{Transport: e}, Runtime: d.model(e)})
	time.Sleep(10 * time.Second) // until the login, even if Discord has forgotten the session
	runner := *bot.runner
	runner.Remember = e.ledgers(bot)
	e.arm(kill, func() { _ = bot.core.db.Close() })
	origin := actions.Origin{
		Flow: actions.FlowMessage, Requester: d.world.UserID("ada"), Turn: "turn-1",
		Place: chat.Place{Guild: d.world.GuildID(), Channel: d.world.ChannelID("#general")},
	}
	_, err := runner.Run(t.Context(), turn.Turn{
		Origin: origin, Gate: bot.core.registry.Gate(bot.core.flags, flow.Narrowings(origin)...), Prompt: talk{}, FollowUps: 2,
		Venue: bot.replies.Venue(reply.Options{Place: origin.Place, Turn: origin.Turn, Stop: "stop:1"}),
	})
	if kill == 0 {
		if err != nil {
			t.Errorf("killed %s: the turn failed: %v", d.where, err)
		}
		time.Sleep(2 * time.Minute) // for work in the background
	}
	if d.steps == 0 {
		d.steps, d.where, d.busy = e.steps, e.where, e.busy
	}
	_, _ = stop() // the error of a killed process is expected
}

// blankDatabase returns an empty database with all tables, which take time to create.
func blankDatabase(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.FileName)
	db, err := store.Open(t.Context(), path)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	blank, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return blank
}

// play runs the turn, and returns the final transcript.
func (d *doomed) play(t *testing.T) string {
	t.Helper()
	var all string
	synctest.Test(t, func(t *testing.T) {
		d.world = discordtest.New(t, "guild disco: #general #log #old\nmember ada: owner\n")
		d.env = apptest.Env(t, d.world, "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")
		if err := os.WriteFile(filepath.Join(d.env["DISCOCLAW_DATA_DIR"], store.FileName), d.blank, 0o600); err != nil {
			t.Fatal(err)
		}
		d.written = map[int]bool{}
		if d.fault != nil {
			fault := *d.fault
			d.world.Fail(fault)
		}
		if d.kill > 0 {
			d.live(t, d.kill)
			time.Sleep(d.pause)
			d.world.Recover()
		}
		d.live(t, 0)
		all = fleeting.ReplaceAllString(d.world.Transcript(), "…")
	})
	return all
}

// fleeting matches what differs from run to run.
var fleeting = regexp.MustCompile(`<t:\d+:R>|!confirm \w+|<#\d+>|discord.com/channels/[\d/]+`)

const interrupted = "restarted in the middle of it"

// TestAKilledTurnIsResumed: the process is killed at every step of a turn. Whichever step that was,
// everything is there once in the end.
func TestAKilledTurnIsResumed(t *testing.T) {
	t.Parallel()
	const soon, late = 0, 6 * time.Minute // Discord has forgotten all nonces by then
	blank := blankDatabase(t)
	for _, tt := range []struct {
		name    string
		answers []string
		pauses  []time.Duration
		once    []string // texts that must not be there twice
		unclear bool     // nobody can find out later whether its action was done
	}{
		{"a plain answer", []string{"Hello, ada."}, []time.Duration{soon, late}, []string{"Hello, ada."}, false},
		{
			"actions and a further answer",
			[]string{
				`On it.<discord-action>{"type":"sendMessage","channel":"log","content":"hello"}</discord-action><discord-action>{"type":"channelList"}</discord-action>`,
				"There are three channels.",
			},
			[]time.Duration{late},
			[]string{"On it.", "There are three channels.", "#log bot: hello"},
			false,
		},
		{
			"an action and no words",
			[]string{`<discord-action>{"type":"sendMessage","channel":"log","content":"hello"}</discord-action>`, "Hm."},
			[]time.Duration{soon},
			[]string{"#log bot: hello"},
			false,
		},
		{
			"an action that Discord does not recognise",
			[]string{`Making it.<discord-action>{"type":"channelCreate","name":"new"}</discord-action>`, "Hm."},
			[]time.Duration{late},
			[]string{"Making it."},
			true,
		},
		{
			"a question",
			[]string{`Shall I?<discord-action>{"type":"channelDelete","channel":"old"}</discord-action>`, "Hm."},
			[]time.Duration{late},
			[]string{"Shall I?", "without buttons"},
			false,
		},
		{
			"a long answer with a file",
			[]string{"First. " + strings.Repeat("word ", 500) + "\n```go\n" + strings.Repeat("line := 1\n", 2000) + "```\nLast."},
			[]time.Duration{late},
			[]string{"First.", "Last.", "[file code-1.go]"},
			false,
		},
	} {
		for _, pause := range tt.pauses {
			t.Run(fmt.Sprintf("%s, %v later", tt.name, pause), func(t *testing.T) {
				t.Parallel()
				whole := &doomed{blank: blank, answers: tt.answers}
				want := whole.play(t)
				for kill := 1; kill <= whole.steps; kill++ {
					d := &doomed{blank: blank, answers: tt.answers, pause: pause, kill: kill}
					d.check(t, want, d.play(t), tt.once, tt.unclear)
				}
			})
		}
	}
}

// check compares the transcript with that of a turn without a kill.
func (d *doomed) check(t *testing.T, want, got string, once []string, unclear bool) {
	t.Helper()
	told := strings.Contains(got, interrupted)
	switch {
	case told != (d.busy && unclear):
		t.Errorf("killed %s: whether an action was interrupted is told wrongly:\n%s", d.where, got)
	case !told && got != want:
		t.Errorf("killed %s:\n%s\nwant:\n%s", d.where, got, want)
	case strings.Contains(got, "[button Stop]") || strings.Contains(got, "Thinking"):
		t.Errorf("killed %s: a placeholder is left:\n%s", d.where, got)
	case d.paidTwice:
		t.Errorf("killed %s: the model was asked again for an answer that is known", d.where)
	}
	for _, text := range once {
		if n := strings.Count(got, text); n > 1 || n == 0 && !told {
			t.Errorf("killed %s: %q stands there %d times:\n%s", d.where, text, n, got)
		}
	}
}

// TestAnUnconfirmedPlaceholderIsReused: Discord accepts the placeholder and never responds. The
// next process finds it.
func TestAnUnconfirmedPlaceholderIsReused(t *testing.T) {
	t.Parallel()
	const never = 1000
	blank := blankDatabase(t)
	for _, pause := range []time.Duration{0, 6 * time.Minute} {
		t.Run(fmt.Sprintf("%v later", pause), func(t *testing.T) {
			t.Parallel()
			fault := &fakediscord.Fault{Match: "POST /channels/{channel}/messages", Accepted: true}
			d := &doomed{blank: blank, answers: []string{"Hello, ada."}, fault: fault, pause: pause, kill: never}
			if got := d.play(t); got != "#general bot: Hello, ada.\n" {
				t.Error(got)
			}
		})
	}
}

func TestAFinishedTurnLeavesNoLedgerRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		bot, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hello, ada."))})
		before := len(w.Requests())
		w.MustSay("ada", "general", "hello")
		time.Sleep(time.Minute)
		var rounds, posts, inFlight int
		err := bot.core.db.QueryRowContext(t.Context(), "SELECT (SELECT COUNT(*) FROM rounds), COUNT(*), SUM(inflight) FROM posts WHERE message <> ''").Scan(&rounds, &posts, &inFlight)
		if err != nil || rounds != 0 || posts != 1 || inFlight != 0 {
			t.Errorf("%d answers and %d posts are written down, %d in flight, %v", rounds, posts, inFlight, err)
		}
		if n := len(w.Requests()) - before; n != 2 || apptest.Last(w, "general") != "Hello, ada." {
			t.Errorf("%d requests:\n%s", n, w.Transcript())
		}
		_, _ = stop()
	})
}
