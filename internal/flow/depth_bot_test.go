package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/cron"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// depths returns the depths of the turns that have asked for approval, as a card keeps them.
func (h *host) depths() string {
	h.t.Helper()
	var list []int
	h.data(func(db *store.DB) {
		rows, err := db.QueryContext(h.t.Context(), "SELECT depth FROM questions ORDER BY rowid")
		h.must(err)
		for rows.Next() {
			var depth int
			h.must(rows.Scan(&depth))
			list = append(list, depth)
		}
		h.must(rows.Close())
	})
	return fmt.Sprint(list)
}

// answer answers the question that a turn has asked, after a restart.
func (h *host) answer(question string) {
	h.t.Helper()
	h.leave()
	h.start()
	said := append(h.Messages("general"), h.Messages("ops")...)
	i := slices.IndexFunc(said, func(m fakediscord.Message) bool { return strings.HasPrefix(m.Content, question) })
	if i < 0 {
		h.t.Errorf("no question:\n%s", h.Transcript())
		return
	}
	h.must(h.React("ada", said[i].ID, "✅"))
	time.Sleep(2 * time.Minute)
}

// digger is a model that deletes #old when it reads “must go”, which takes it half a minute, and starts other runs as well.
func digger(starts string) *pupil {
	block := func(action string) script.Answer {
		return script.Say("<discord-action>" + action + "</discord-action>")
	}
	dig := append(script.Answer{script.Pause(30 * time.Second)}, block(`{"type":"channelDelete","channel":"old"}`)...)
	return &pupil{answers: map[string]script.Answer{
		"old must go":  dig,
		"Must it go?":  dig,
		"Put it to us": block(`{"type":"reactionPrompt","question":"Must it go?","choices":["✅","❌"]}`),
		"Only begin":   script.Say("Begun."),
		"Start it":     block(starts),
	}}
}

// TestARunKnowsWhetherAnActionStartedIt: each way to delete #old leads to a card, which has the depth of its turn. Ten seconds after what
// starts it the process is killed, so that another one goes on.
func TestARunKnowsWhetherAnActionStartedIt(t *testing.T) {
	t.Parallel()
	const (
		ask     = `{"type":"reactionPrompt","question":"Must it go?","choices":["✅","❌"]}`
		later   = `{"type":"defer","channel":"general","delaySeconds":600,"prompt":"%s"}`
		trigger = `{"type":"cronTrigger","cronId":"cron-1"}`
	)
	says := func(words string) func(*host) { return func(h *host) { h.ask(words) } }
	slot := func(*host) { untilSlot(-time.Second) }
	for _, tt := range []struct {
		name   string
		job    string // what a job is to do
		chain  []string
		begin  func(h *host)
		starts string // the action of a message
		answer bool   // a question is answered in the end
		depth  string
	}{
		{name: "a message", begin: says("old must go"), depth: "[0]"},
		{name: "an answer", begin: says("Start it"), starts: ask, answer: true, depth: "[0]"},
		{name: "a deferred run", begin: says("Start it"), starts: fmt.Sprintf(later, "old must go"), depth: "[1]"},
		{name: "an answer to a deferred run", begin: says("Start it"), starts: fmt.Sprintf(later, "Put it to us"), answer: true, depth: "[1]"},
		{name: "a job at its time", job: "old must go", begin: slot, depth: "[0]"},
		{name: "an answer to a job", job: "Put it to us", begin: slot, answer: true, depth: "[0]"},
		{name: "a job after another", job: "Only begin", chain: []string{"cron-2"}, begin: slot, depth: "[1]"},
		{name: "a job that an action runs", job: "old must go", begin: says("Start it"), starts: trigger, depth: "[1]"},
		{name: "an answer to a job that an action runs", job: "Put it to us", begin: says("Start it"), starts: trigger, answer: true, depth: "[1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.cron("cron-2", func(j *cron.Job) { j.Trigger, j.Schedule, j.Prompt = cron.ByHand, "", "old must go" })
				if tt.job != "" {
					h.cron("cron-1", func(j *cron.Job) { j.Schedule, j.Prompt, j.Chain = "10 * * * *", tt.job, tt.chain })
				}
				h.model = digger(tt.starts)
				h.start()
				tt.begin(h)
				time.Sleep(10 * time.Second)
				h.kill()
				h.start()
				time.Sleep(15 * time.Minute)
				if tt.answer {
					h.answer("Must it go?")
				}
				h.leave()
				if got := h.depths(); got != tt.depth {
					t.Errorf("the depths are %s, want %s\n%s", got, tt.depth, h.Transcript())
				}
			}, noHistory)
		})
	}
}

func TestARunThatAnotherProgramStartsIsAtTheTop(t *testing.T) {
	onHost(t, cronWorld, func(h *host) {
		secret := h.hooked("cron-1", func(j *cron.Job) { j.Prompt = "old must go" })
		h.model = digger("")
		h.start()
		h.call("cron-1", secret, "x", 202)
		time.Sleep(5 * time.Minute)
		h.leave()
		if got := h.depths(); got != "[0]" {
			t.Errorf("the depths are %s\n%s", got, h.Transcript())
		}
	}, noHistory, takesCalls)
}
