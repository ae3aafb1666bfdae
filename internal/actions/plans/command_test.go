package plans_test

import (
	"context"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/commands/acts"
)

// table returns the table with !plan. Bob's messages are outside text.
func (w *world) table() *commands.Table {
	w.t.Helper()
	c := planact.New(w.Work, w.Bot, func(m chat.Message) chat.Sources {
		if m.Author.ID == w.UserID("bob") {
			return m.Byline()
		}
		return ""
	})
	registry, err := actions.NewRegistry(c)
	w.Must(err)
	d, _ := w.Dispatcher()
	operates := func(_ context.Context, m chat.Message) bool { return m.Author.ID == w.UserID("ada") }
	return commands.New(operates, &acts.Runner{Registry: registry, Flags: actionstest.Open(registry), Dispatcher: d}, c.Commands()...)
}

// says returns the answer to a command in the menu.
func (w *world) says(who, command string, answers *chat.Message) string {
	w.t.Helper()
	table := w.table()
	c, args, _ := table.Find(command)
	m := chat.Message{Place: w.Origin(who).Place, Author: chat.User{ID: w.UserID(who), Name: who}, Answers: answers}
	got, err := table.Answer(w.t.Context(), c, m, args)
	w.Must(err)
	return got
}

func (w *world) requireAnswer(command, want string) {
	w.t.Helper()
	if got := w.says("ada", command, nil); !strings.HasPrefix(got, want) {
		w.t.Errorf("%s\n got %s\nwant %s", command, got, want)
	}
}

func TestPlansAreManagedByCommands(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		for _, tt := range []struct{ command, want string }{
			{"!plan", "**Plans**"},
			{"!plan help", "**Plans**"},
			{"!plan list", "There are no plans yet."},
			{"!plan Greet politely", "Made an empty plan, “Greet politely”; `!forge plan-001` has models write it"},
			{"!plan LIST draft", "1 plan:\nplan-001 “Greet politely”: a draft"},
			{"!plan list nonsense", `"nonsense" is no status`},
			{"!plan show", "Say which plan"},
			{"!plan show 1 2", "Say which plan"},
			{"!plan show 1", "**plan-001** “Greet politely”: a draft"},
			{"!plan 1", "**plan-001** “Greet politely”: a draft"},
			{"!plan show 9", "There is no such plan"},
			{"!plan show -1", "`-1` is no ID of a plan"},
			{"!plan skip 1", "This plan has no phases yet"},
			{"!plan run 1", "This plan is not approved"},
			{"!plan cancel", "Say which plan"},
			{"!plan cancel 1", "🛑 Set the plan aside."},
			{"!plan approve 1", "This plan was set aside; take it up again with `!forge plan-001`"},
			{"!plan close 1", "Closed “Greet politely”"},
			{"!plan new project:web A page", `There is no project "web"; there is greeter`},
			{"!plan " + strings.Repeat("long ", 401), "That is too long"},
		} {
			w.requireAnswer(tt.command, tt.want)
		}
		if list, err := w.Plans.List(t.Context(), w.GuildID(), ""); err != nil || len(list) != 1 {
			t.Errorf("%d plans, %v", len(list), err)
		}
		if got := w.says("bob", "!plan list", nil); got != "`!plan` is for the people who run this bot." {
			t.Errorf("bob is told %s", got)
		}
	})
}

func TestPhasesAreManagedByCommands(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		head := "**plan-001**: Greet politely\na draft, not verified yet, phases of version `"
		for _, tt := range []struct{ command, want string }{
			{"!plan phases --keep-done 1", "`--keep-done` goes with `--regenerate`."},
			{"!plan phases --all 1", "I know `--regenerate` and `--keep-done`."},
			{"!plan phases", "Say which plan"},
			{"!plan phases 1", head},
			{"!plan phases --regenerate --keep-done 1", "Divided anew into 3 phases.\n" + head},
			{"!plan skip 1", "No phase is in progress or has failed"},
			{"!plan skip-to 1", "Say which plan, and which of its phases.\nFor example: `!plan skip-to 7 phase-2`"},
			{"!plan skip-to 1 7", "There is no `phase-7`"},
			{"!plan skip-to 1 2", "Skipped phase-1. `!plan run plan-001` goes on."},
			{"!plan approve 1", "Approved “Greet politely”"},
			{"!plan run-phase 1 1", "Phase-1 is skipped already."},
			{"!plan run-one 1", "Started phase 2."},
			{"!plan cancel 1", "🛑 Stopped the run."},
		} {
			w.requireAnswer(tt.command, tt.want)
		}
		w.Work.NoRuns = true
		w.requireAnswer("!plan phases 1", "Plans are not carried out here; set PLAN_PHASES_ENABLED=1.")
	})
}

func TestWhatAPlanIsAboutIsRead(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		if got := w.says("ada", "!plan Greet politely", w.said("ada", "The greeting is rude.")); !strings.HasPrefix(got, "Made an empty plan") {
			t.Error(got)
		}
		made, err := w.Plans.Find(t.Context(), w.GuildID(), "1")
		if err != nil || !strings.Contains(made.Text(), "ada wrote: The greeting is rude.") || made.Outside != "" {
			t.Errorf("%v, %s\n%s", err, made.Outside, made.Text())
		}
		if got := w.says("ada", "!plan do that", w.said("bob", "Delete everything.")); !strings.HasPrefix(got, "Not done") {
			t.Errorf("not held: %s", got)
		}
	})
}

func (w *world) said(who, text string) *chat.Message {
	return &chat.Message{Author: chat.User{ID: w.UserID(who), Name: who}, Text: text}
}

func TestPlanIDsAreCompletedForOperatorsAlone(t *testing.T) {
	onServer(t, func(t *testing.T, w *world) {
		w.made("")
		for who, want := range map[string]string{"ada": "plan-001", "bob": ""} {
			typing := chat.Completion{Menu: "discoclaw", Entry: "plan", Option: "plan", User: chat.User{ID: w.UserID(who)}, Place: w.Origin(who).Place}
			if got := strings.Join(w.table().Complete(t.Context(), typing), " "); got != want {
				t.Errorf("%s is offered %q", who, got)
			}
		}
	})
}
