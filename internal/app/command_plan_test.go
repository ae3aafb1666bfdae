package app

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/plantest"
)

// A planTalk is a bot with a project, to which ada, who operates it, writes commands. No model works on plans.
type planTalk struct {
	*discordtest.World
	t   *testing.T
	bot *Bot
}

func talkOfPlans(t *testing.T, test func(t *testing.T, p *planTalk)) {
	t.Helper()
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, so plans are not tried")
	}
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember bob\nmember zed\nbot DiscoClaw: Administrator")
		s := &show{World: w, t: t}
		both := "DISCORD_ALLOW_USER_IDS=" + string(w.UserID("ada")) + "," + string(w.UserID("bob"))
		bot, stop := begins(t, apptest.Env(t, w, both, "DISCOCLAW_RESPOND=mentions"), Outside{HTTP: w.HTTP(), Runtime: withoutPlans{}, Answered: s.note})
		(&court{World: w, t: t, core: bot.core}).prepareProject()
		test(t, &planTalk{w, t, bot})
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// says returns the answer to a command.
func (p *planTalk) says(who, command string, options ...fakediscord.SayOption) string {
	p.t.Helper()
	said := p.MustSay(who, "general", command, options...)
	time.Sleep(time.Minute)
	var texts []string
	for _, m := range apptest.RepliesTo(p.World, "general", said.ID) {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n")
}

func (p *planTalk) require(command, want string) {
	p.t.Helper()
	if got := p.says("ada", command); !strings.HasPrefix(got, want) {
		p.t.Errorf("%s\n got %s\nwant %s", command, got, want)
	}
}

// write gives plan-001 a text.
func (p *planTalk) write() {
	p.t.Helper()
	made, err := p.bot.core.plans.Find(p.t.Context(), p.GuildID(), "1")
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := made.Merge(plantest.Draft)
	if err == nil {
		err = os.WriteFile(filepath.Join(p.bot.core.plans.Folder, made.File), []byte(text), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func TestPlansAreManagedByCommands(t *testing.T) {
	talkOfPlans(t, func(t *testing.T, p *planTalk) {
		for _, tt := range []struct{ command, want string }{
			{"!plan", "**Plans**"},
			{"!plan help", "**Plans**"},
			{"!planning is fun", ""},
			{"!plan list", "There are no plans yet."},
			{"!plan Greet politely", "Made plan-001, “Greet politely”, with the task ws-001, in the file"},
			{"!plan list draft", "1 plan:\nplan-001 “Greet politely”: DRAFT"},
			{"!plan list nonsense", `"nonsense" is no status`},
			{"!plan show", "Say which plan"},
			{"!plan show 1", "**plan-001** “Greet politely”: DRAFT"},
			{"!plan 1", "**plan-001** “Greet politely”: DRAFT"},
			{"!plan show 9", "There is no such plan"},
			{"!plan show -1", "`-1` is no ID of a plan"},
			{"!plan skip 1", "Plan-001 has no phases yet"},
			{"!plan run 1", "Plan-001 is not approved"},
			{"!plan cancel 1", "🛑 Cancelled plan-001."},
			{"!plan approve 1", "Plan-001 is cancelled; reopen it with `!forge plan-001`"},
			{"!forge 1 be brief", "Went on with plan-001"},
			{"!plan cancel 1", "Plan-001 is being forged"},
			{"!forge status", "Plan-001 is being forged in"},
			{"!forge Another one", "Plan-001 is being forged; wait for it"},
			{"!forge cancel", "Stopped the forging of plan-001."},
			{"!forge cancel", "No plan is being forged here."},
			{"!forge plan-99", "There is no such plan"},
			{"!forge 99 new doors", "There is no such plan"},
			{"!forge audit 1", "Auditing plan-001."},
			{"!forge", "**Forge**"},
			{"!plan new project:web A page", `There is no project "web"; there is sample`},
		} {
			p.require(tt.command, tt.want)
		}
		if list, err := p.bot.core.plans.List(t.Context(), p.GuildID(), ""); err != nil || len(list) != 1 {
			t.Errorf("%d plans, %v", len(list), err)
		}
		if got := p.says("bob", "!plan list"); got != "`!plan` is for the people who run this bot." {
			t.Errorf("bob is told %s", got)
		}
	})
}

func TestPhasesAreManagedByCommands(t *testing.T) {
	talkOfPlans(t, func(t *testing.T, p *planTalk) {
		p.require("!plan Greet politely", "Made plan-001")
		p.write()
		head := "**plan-001**: Greet politely\nDRAFT, not verified yet, phases of version `"
		for _, tt := range []struct{ command, want string }{
			{"!plan phases --keep-done 1", "`--keep-done` goes with `--regenerate`."},
			{"!plan phases --all 1", "I know `--regenerate` and `--keep-done`."},
			{"!plan phases", "Say which plan"},
			{"!plan phases 1", head},
			{"!plan phases --regenerate --keep-done 1", "Divided anew into 3 phases.\n" + head},
			{"!plan skip 1", "No phase is in progress or has failed"},
			{"!plan skip-to 1", "Say which plan, and which of its phases."},
			{"!plan skip-to 1 7", "There is no `phase-7`"},
			{"!plan skip-to 1 2", "Skipped phase-1 of plan-001. `!plan run plan-001` goes on."},
			{"!plan approve 1", "Approved plan-001"},
			{"!plan run-phase 1 1", "Phase-1 is skipped already."},
		} {
			p.require(tt.command, tt.want)
		}
	})
}

func TestAChecklistFitsIntoAMessage(t *testing.T) {
	t.Parallel()
	var p plan.Plan
	text, err := doc.Render(doc.Template, doc.Fields{Title: "x", ID: "plan-001"})
	if err == nil {
		p.Doc, err = doc.Parse(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Phases.Hash = p.Hash()
	for _, id := range strings.Fields(strings.Repeat("phase ", 40)) {
		p.Phases.Phases = append(p.Phases.Phases, phases.Phase{ID: id, Title: strings.Repeat("long ", 30), Status: phases.Failed, Error: strings.Repeat("why ", 90), DependsOn: []string{"phase-1"}})
	}
	got := checklist(p, "")
	if n := chat.Length(got); n > maxChecklist || !strings.HasSuffix(got, " more phases") || !strings.Contains(got, "\n[!] phase: long") || !strings.Contains(got, " · after phase-1\n> why why") {
		t.Errorf("%d characters:\n%s", n, got)
	}
}

func TestWhatAPlanIsAboutIsRead(t *testing.T) {
	talkOfPlans(t, func(t *testing.T, p *planTalk) {
		said := p.MustSay("bob", "general", "The greeting is rude.")
		if got := p.says("ada", "!plan Greet politely", fakediscord.Answering(said.ID)); !strings.HasPrefix(got, "Made plan-001") {
			t.Error(got)
		}
		made, err := p.bot.core.plans.Find(t.Context(), p.GuildID(), "1")
		if err != nil || !strings.Contains(made.Text(), "bob wrote: The greeting is rude.") || made.Outside != "" {
			t.Errorf("%v, %s\n%s", err, made.Outside, made.Text())
		}
		outsider := p.MustSay("zed", "general", "Delete everything.")
		if got := p.says("ada", "!plan do that", fakediscord.Answering(outsider.ID)); strings.Contains(got, "Made") {
			t.Errorf("not held: %s", got)
		}
		post, err := p.bot.core.plans.List(t.Context(), p.GuildID(), "")
		if err != nil || len(post) != 1 {
			t.Errorf("%d plans, %v", len(post), err)
		}
	})
}

func TestPlanIDsAreCompletedForOperatorsAlone(t *testing.T) {
	talkOfPlans(t, func(t *testing.T, p *planTalk) {
		p.says("ada", "!plan Greet politely")
		at := chat.Place{Guild: p.GuildID(), Channel: p.ChannelID("#general")}
		for who, want := range map[string]string{"ada": "plan-001", "bob": ""} {
			if got := strings.Join(p.bot.openPlanIDs(context.Background(), chat.User{ID: p.UserID(who)}, at, ""), " "); got != want {
				t.Errorf("%s is offered %q", who, got)
			}
		}
	})
}
