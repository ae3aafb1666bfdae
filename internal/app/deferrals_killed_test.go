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
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/deferral"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// A cutOff is a deferred run in a process that is killed, and then in the next process.
type cutOff struct {
	answer string
	blank  []byte // the database at the beginning

	world     *discordtest.World
	env       config.Env
	written   map[int]bool // see killer
	paidTwice bool         // the model was asked again for an answer that was in the ledger
}

// After a kill, a run may be late. It says so above its first message or, if that has no room left,
// below all of them.
var remarkAbove, remarkBelow = regexp.MustCompile(`-# Late: this was due <t:\d+:R>\.\n  `), regexp.MustCompile(`#ops bot: -# Late: .*\n`)

// play runs the deferred run, with the process killed at step kill unless that is 0. It returns the
// final transcript, the number of steps, and where the process was killed.
func (c *cutOff) play(t *testing.T, kill int, pause time.Duration) (said string, steps int, where string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.world = discordtest.New(t, "guild disco: #ops #log\nmember ada: owner\n")
		c.env = apptest.Env(t, c.world)
		c.written, c.paidTwice = map[int]bool{}, false
		if err := os.WriteFile(filepath.Join(c.env["DISCOCLAW_DATA_DIR"], store.FileName), c.blank, 0o600); err != nil {
			t.Fatal(err)
		}
		c.schedule(t)
		e := c.live(t, kill)
		steps, where = e.steps, e.where
		if kill > 0 {
			time.Sleep(pause)
			c.live(t, 0)
		}
		said = c.world.Transcript()
	})
	return said, steps, where
}

// schedule schedules the run for a minute from now, as an earlier process would have.
func (c *cutOff) schedule(t *testing.T) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(c.env["DISCOCLAW_DATA_DIR"], store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	w := c.world
	job := deferral.Job{Guild: w.GuildID(), Channel: w.ChannelID("ops"), Name: "ops", Prompt: "x", Requester: w.UserID("ada")}
	_, err = deferral.New(db, deferral.Options{}).Schedule(t.Context(), job, time.Minute)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// live runs one process until the run is over.
func (c *cutOff) live(t *testing.T, kill int) *killer {
	t.Helper()
	e := &killer{next: c.world.HTTP().Transport, written: c.written}
	bot, stop := begins(t, c.env, Outside{HTTP: &http.Client{Transport: e}, Runtime: c.model(e)})
	bot.flows.Runner.Remember = e.ledgers(bot)
	synctest.Wait()
	e.arm(kill, func() { _ = bot.core.db.Close() })
	time.Sleep(65 * time.Second) // it is due after one minute
	_, _ = stop()                // the error of a killed process is expected
	return e
}

func (c *cutOff) model(e *killer) llm.Runtime {
	return script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
		if !e.step("before the model is asked") {
			return script.Answer{script.Fail(errDead)}.Stream(ctx)
		}
		e.note(func() { c.paidTwice = c.paidTwice || e.written[0] })
		return script.Say(c.answer).Stream(ctx)
	})
}

// TestAKilledDeferredRunIsResumed: the process is killed at every step of a deferred run. Whichever
// step that was, everything is there once in the end.
func TestAKilledDeferredRunIsResumed(t *testing.T) {
	t.Parallel()
	blank := blankDatabase(t)
	long := strings.TrimSpace(strings.Repeat("word ", 500))
	for _, tt := range []struct {
		name, answer string
		once         []string
	}{
		{"words and an action", `Pinged.<discord-action>{"type":"sendMessage","channel":"log","content":"hello"}</discord-action>`, []string{"Pinged.", "#log bot: hello"}},
		{"a long answer", "First. " + long + " Last.", []string{"First.", "Last."}},
		{"a long answer with a file", "First. " + long + "\n```go\n" + strings.Repeat("line := 1\n", 2000) + "```\nLast.", []string{"First.", "Last.", "[file code-1.go]"}},
	} {
		for _, pause := range []time.Duration{0, 6 * time.Minute} { // Discord has forgotten all nonces by then
			t.Run(fmt.Sprintf("%s, %v later", tt.name, pause), func(t *testing.T) {
				t.Parallel()
				c := &cutOff{answer: tt.answer, blank: blank}
				want, steps, _ := c.play(t, 0, 0)
				for kill := 1; kill <= steps; kill++ {
					got, _, where := c.play(t, kill, pause)
					if plain := remarkBelow.ReplaceAllString(remarkAbove.ReplaceAllString(got, ""), ""); plain != want {
						t.Errorf("killed %s:\n%s\nwant:\n%s", where, got, want)
					}
					for _, text := range tt.once {
						if n := strings.Count(got, text); n != 1 {
							t.Errorf("killed %s: %q stands there %d times", where, text, n)
						}
					}
					if c.paidTwice {
						t.Errorf("killed %s: the model was asked again for an answer that is known", where)
					}
				}
			})
		}
	}
}
