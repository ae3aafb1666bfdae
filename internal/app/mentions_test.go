package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// references are the fields that refer to something that must exist, so that other texts in them
// fail. All other fields take any text.
var references = strings.Fields(`
	channel channelId threadId parent category roles members tags messageId replyTo before after userId assignee taskId due tag status role tagId guildId eventId
	startTime endTime at in action
	substring replaces card filePath emoji choices appliedTags permissions allow deny clear above below color expression model cronId schedule every from skip timezone missed allowedActions chain routingMode state triggerType planId version project until size quality provider`)

// TestNoFieldOfAnyActionMentionsAnybody: mentions are put into every text of every action. The
// whole bot executes it for the owner, who approves everything.
func TestNoFieldOfAnyActionMentionsAnybody(t *testing.T) {
	for _, a := range mustCore(t, nil).registry.All() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { mentionEverywhere(t, a, trialOf(a)) })
		})
	}
}

func mentionEverywhere(t *testing.T, a *actions.Action, tr trial) {
	w := discordtest.New(t, trialWorld)
	c := &court{World: w, t: t}
	c.said = w.MustSay("ada", "ops", "a message").ID
	s := startShow(t, w)
	for request := range strings.Lines(tr.before) {
		c.made = idOf(s.perform(c.expand(strings.TrimSpace(request)), "ada"))
		if c.core = s.bot.core; strings.Contains(request, "planCreate") {
			c.fillPlan()
		}
	}
	shout := fmt.Sprintf("@everyone @here <@&%s> <@%s>", w.Roles()[2].ID, w.UserID("zed"))
	base := c.expand(tr.request)
	if tr.text != "" {
		base = c.expand(tr.text)
	}
	for _, f := range a.Fields() {
		if slices.Contains(references, f.Name) && f.Kind == schema.Text {
			s.perform(filled(t, a.Name, base, map[string]any{f.Name: shout}), "ada")
		}
	}
	texts := map[string]any{}
	for _, f := range a.Fields() {
		if v := shouted(f, shout); v != nil {
			texts[f.Name] = v
		}
	}
	if line := s.perform(filled(t, a.Name, base, texts), "ada"); !strings.Contains(line, cmp.Or(tr.fails, "Done: ")) {
		t.Errorf("with mentions in all texts: %s\nIf one of its fields is no free text, it belongs to references.", line)
	}
	s.end()
	w.RequireNoMentions(t)
}

// shouted returns a value for a field that takes any text; nil for others.
func shouted(f schema.Field, shout string) any {
	free := func(s *schema.Shape) bool { return s.Kind == schema.Text && len(s.Enum) == 0 }
	if slices.Contains(references, f.Name) {
		return nil
	}
	switch {
	case free(&f.Shape):
		if f.Max != nil && *f.Max < float64(len(shout)) {
			return shout[:min(len(shout), int(*f.Max))]
		}
		return shout
	case f.Kind == schema.List && free(f.Item):
		return []string{"@everyone", "@here"}
	}
	return nil
}

// filled returns a request with some fields replaced.
func filled(t *testing.T, name, args string, values map[string]any) string {
	t.Helper()
	all := map[string]any{}
	if err := json.Unmarshal([]byte(args), &all); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	all["type"] = name
	for k, v := range values {
		all[k] = v
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A show is a whole bot with everything switched on, and a model with scripted answers.
type show struct {
	*discordtest.World
	t     *testing.T
	bot   *Bot
	model *script.Replies
	end   func()

	mu    sync.Mutex
	lines []string // of the last turn
}

// withoutPlans is a model that works on plans, but never comes to an end. Small jobs have an answer of their own.
type withoutPlans struct{ llm.Runtime }

func (m withoutPlans) Invoke(ctx context.Context, r llm.Request) iter.Seq2[llm.Event, error] {
	switch {
	case r.Payer.Role == string(roles.Fast) && r.Payer.Turn != "":
		return script.Say("@everyone talks.").Stream(ctx)
	case !strings.HasPrefix(r.Payer.Turn, "plan-work/"):
		return m.Runtime.Invoke(ctx, r)
	}
	return func(yield func(llm.Event, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

func startShow(t *testing.T, w *discordtest.World) *show {
	t.Helper()
	s := &show{World: w, t: t, model: script.New()}
	services, client := outsideServices(t)
	env := apptest.Env(t, w, append(services, "DISCOCLAW_ACTION_FOLLOWUP_DEPTH=0")...)
	for _, v := range mustCore(t, nil).switches() {
		env[v.Name] = "1"
	}
	bot, err := NewBot(env, Externals{HTTP: w.HTTP(), NoCalls: true, ModelHTTP: client, Runtime: withoutPlans{s.model}, Answered: s.note})
	if err != nil {
		t.Fatal(err)
	}
	s.bot = bot
	(&court{World: w, t: t, core: bot.core}).prepareFiles()
	stop := apptest.Start(bot)
	s.end = func() {
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	}
	return s
}

func (s *show) note(over turn.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if over.Origin.Flow == actions.FlowCron {
		return // a job that the request has triggered
	}
	s.lines = actions.AllLines(over.Result.Outcomes())
}

// perform has a request executed for somebody, who approves it if asked. It returns the result
// lines and the card.
func (s *show) perform(request, who string) string {
	s.t.Helper()
	s.model.Add(script.Say("Here you are.\n" + actions.BlockOpen + request + actions.BlockClose))
	s.MustSay(who, "general", "do it")
	time.Sleep(5 * time.Second)
	synctest.Wait()
	text := s.agree(who)
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n") + text
}

// agree approves the last card in #general, and returns its text afterwards.
func (s *show) agree(who string) string {
	s.t.Helper()
	for _, m := range slices.Backward(s.Messages("general")) {
		for _, b := range m.Buttons() {
			if b.Label != "Approve" {
				continue
			}
			if _, err := s.Press(who, m.ID, b.CustomID); err != nil {
				s.t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			card, _ := s.Message(m.ID)
			return "\n" + card.Content
		}
	}
	return ""
}
