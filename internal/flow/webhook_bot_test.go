package flow_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

const takesCalls = "DISCOCLAW_WEBHOOK_ENABLED=1"

// hooked stores a job in #ops that runs when its webhook is called, and returns its secret.
func (h *host) hooked(id string, change ...func(*cron.Job)) (secret string) {
	h.t.Helper()
	h.cron(id, append([]func(*cron.Job){func(j *cron.Job) { j.Trigger, j.Schedule = cron.ByWebhook, "" }}, change...)...)
	h.data(func(db *store.DB) {
		var err error
		secret, err = cron.New(db, cron.Options{}).Secret(h.t.Context(), id)
		h.must(err)
	})
	return secret
}

// call calls a webhook, and requires the status of the answer.
func (h *host) call(id, secret, body string, want int) {
	h.t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, body)
	req, err := http.NewRequest("POST", "http://127.0.0.1/webhook/"+id, strings.NewReader(body))
	h.must(err)
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := h.hooks.HTTPClient().Do(req)
	h.must(err)
	if resp.StatusCode != want {
		h.t.Errorf("the call of %s gets %s, want %d", id, resp.Status, want)
	}
	h.must(resp.Body.Close())
}

// TestAWebhookCallThatIsKilled after it was accepted is neither lost nor doubled: while it waits, while its run thinks, and before and after
// its action and its answer.
func TestAWebhookCallThatIsKilled(t *testing.T) {
	t.Parallel()
	for _, step := range []struct {
		name  string
		posts int32
		heard bool
		kill  time.Duration // after the calls, instead
	}{
		{name: "while one runs and one waits", kill: 5 * time.Second},
		{name: "before its action", posts: 0},
		{name: "after its action", posts: 0, heard: true},
		{name: "before its answer", posts: 1},
		{name: "after its answer", posts: 1, heard: true},
		{name: "before the action of the next one", posts: 2},
		{name: "after the answer of the next one", posts: 3, heard: true},
	} {
		t.Run(step.name, func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				secret := h.hooked("cron-1", func(j *cron.Job) { j.Allowed = []string{"sendMessage"} })
				answer := func(n string) script.Answer {
					return append(script.Answer{script.Pause(10 * time.Second)}, script.Say(`Heard `+n+`.<discord-action>{"type":"sendMessage","channel":"ops","content":"`+n+`"}</discord-action>`)...)
				}
				h.model = &pupil{answers: map[string]script.Answer{"call number 1": answer("one"), "call number 2": answer("two")}}
				if step.kill != 0 {
					h.start()
				} else {
					h.start(h.atPost(step.posts, step.heard))
				}
				h.call("cron-1", secret, "call number 1", 202)
				h.call("cron-1", secret, "call number 2", 202)
				if step.kill != 0 {
					time.Sleep(step.kill)
				} else if time.Sleep(time.Minute); !h.dead.Load() {
					t.Fatal("it was not killed")
				}
				h.kill()
				time.Sleep(5 * time.Second)
				h.Gateway().ForgetSessions()
				h.start()
				h.call("cron-1", secret, "call number 1", 409)
				time.Sleep(5 * time.Minute)
				h.stop()
				if got := apptest.Contents(h.World, "ops"); got != "one\nHeard one.\ntwo\nHeard two.\n" {
					t.Errorf("it posted %q", got)
				}
				h.ended("cron-1", cron.Success, cron.Success)
			}, takesCalls)
		})
	}
}

// TestWebhooksOfPeopleWhoLostTheirRights run nothing: the job is paused with the first call, and takes no more.
func TestWebhooksOfPeopleWhoLostTheirRights(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(h *host) error{
		"a member who has left": func(h *host) error { return h.RemoveMember("bob") },
		"a right that was lost": func(h *host) error { return h.Deny("#ops", "bob", chat.SendMessages) },
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.serves("ada", "bob")
				secret := h.hooked("cron-1", func(j *cron.Job) { j.Author = h.UserID("bob") })
				model := &pupil{}
				h.model = model
				h.start()
				h.must(change(h))
				synctest.Wait() // until the bot knows
				h.call("cron-1", secret, "one", 202)
				time.Sleep(time.Minute)
				h.call("cron-1", secret, "two", 423)
				h.stop()
				if len(model.asked) > 0 || len(h.Messages("ops")) > 0 {
					t.Errorf("it ran\n%s", h.Transcript())
				}
				if got := h.reports(); len(got) != 1 || !strings.Contains(got[0], "It is paused now") {
					t.Errorf("reported %q", got)
				}
			}, takesCalls, "DISCOCLAW_STATUS_CHANNEL=status")
		})
	}
}

// TestTheSecretOfAWebhookIsNowhereElse than in its table, and the body of a call that is over is nowhere.
func TestTheSecretOfAWebhookIsNowhereElse(t *testing.T) {
	onHost(t, cronWorld, func(h *host) {
		secret := h.hooked("cron-1")
		model := &pupil{answers: map[string]script.Answer{
			"what about": script.Say(`<discord-action>{"type":"cronShow","cronId":"cron-1"}</discord-action><discord-action>{"type":"cronUpdate","cronId":"cron-1","silent":true}</discord-action>`),
		}}
		h.model = model
		h.start()
		h.call("cron-1", secret, "a body", 202)
		h.ask("what about it?")
		_, err := h.Run("ada", "general", "/discoclaw cron webhook cron-1")
		h.must(err)
		time.Sleep(time.Minute)
		h.ask("!cron show cron-1")
		h.ask("!undo")
		time.Sleep(time.Minute)
		h.stop()
		if len(model.prompts) < 2 || strings.Contains(fmt.Sprint(model.prompts), secret) {
			t.Errorf("prompts have the secret: %v", model.prompts)
		}
		if log := h.log.String(); !strings.Contains(log, "webhook called") || strings.Contains(log, secret) {
			t.Error("the log has the secret, or does not tell of the call")
		}
		if n := strings.Count(h.Transcript(), secret); n != 1 {
			t.Errorf("the secret is shown %d times\n%s", n, h.Transcript())
		}
		h.data(func(db *store.DB) {
			for _, table := range store.Tables {
				rows := h.dump(db, table.Name)
				if strings.Contains(rows, "a body") || table.Name != "cron_hooks" && strings.Contains(rows, secret) {
					t.Errorf("%s has the secret or the body: %s", table.Name, rows)
				}
			}
		})
	}, takesCalls, "LOG_LEVEL=debug")
}

// dump returns all rows of a table.
func (h *host) dump(db *store.DB, table string) string {
	h.t.Helper()
	rows, err := db.QueryContext(h.t.Context(), "SELECT * FROM "+table)
	h.must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	h.must(err)
	var all strings.Builder
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		h.must(rows.Scan(into...))
		fmt.Fprintf(&all, "%s\n", values)
	}
	h.must(rows.Err())
	return all.String()
}
