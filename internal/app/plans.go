package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/memory"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/ask"
	planwork "discoclaw/internal/plan/work"
	"discoclaw/internal/plan/worktree"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
)

// planFolder is the folder of plans in the workspace.
const planFolder = "plans"

// newPlans returns the engine of plans.
func newPlans(c *Core) *plan.Engine {
	return plan.New(c.db, plan.Options{Folder: filepath.Join(c.workFolder(), planFolder), Tasks: c.tasks, Now: c.now, Log: c.log})
}

// newPlanWork returns the manager of what models do on plans. The models are those of a bot.
func newPlanWork(c *Core) *planwork.Manager {
	cfg := c.Config.Plans
	fixes := cfg.Fixes
	if fixes == 0 {
		fixes = -1
	}
	return planwork.New(planwork.Options{
		Plans: c.plans, Server: c.discord, Outbox: c.outbox,
		Trees: sync.OnceValues(c.newTrees),
		Projects: func(ctx context.Context, t *worktree.Trees) (worktree.Projects, error) {
			return t.Projects(ctx, c.workFolder())
		},
		May:    c.mayWork,
		Level:  c.planLevel(),
		Rounds: cfg.Rounds, ForgeTime: milliseconds(cfg.ForgeTime), Files: cfg.Files, Fixes: fixes, PhaseTime: milliseconds(cfg.PhaseTime),
		Throttle: milliseconds(cfg.Throttle), Heartbeat: milliseconds(cfg.Heartbeat), AutoImplement: cfg.Automatic, NoRuns: !cfg.Phases,
		Now: c.now, Log: c.log,
	})
}

// newTrees returns the worktrees of plans.
func (c *Core) newTrees() (*worktree.Trees, error) {
	trees, err := worktree.New(c.dataDir)
	if err == nil {
		trees.Hide = c.hide()
	}
	return trees, err
}

// planLevel returns what models may do in the worktree of a plan: write, and run commands only where all models may.
func (c *Core) planLevel() llm.ToolLevel {
	if level := c.toolLevel(); level.Allows(llm.ToolsWrite) {
		return level
	}
	return llm.ToolsWrite
}

// mayWork returns why work on a plan must not begin, or go on after a restart: it is switched off, or its people are not served there
// any more, or do not operate the bot.
func (c *Core) mayWork(ctx context.Context, w plan.Work) error {
	sw := c.people["plan"]
	if w.Kind == plan.Forging {
		sw = c.people["forge"]
	}
	if !sw.On {
		return fmt.Errorf("%s; %s", sw.Why, sw.Remedy)
	}
	for _, who := range chat.Together(w.Requester, w.Prompters).List() {
		if why := c.policy().Admit(access.ByButton, chat.User{ID: who}, w.At); why != access.Admitted {
			return fmt.Errorf("I no longer answer %s there (%s)", who.Mention(), why)
		}
		if !c.operates(ctx, who, w.At.Guild) {
			return fmt.Errorf("%s is no longer an operator", who.Mention())
		}
	}
	return nil
}

// A planDesk is the work on plans as flows use it.
type planDesk struct {
	*planwork.Manager
	bot *Bot
}

// planWork completes the manager with what a bot has.
func (b *Bot) planWork() planDesk {
	m := b.core.planWork
	m.Model, m.Learned = b.planModel, b.learned
	m.Report = func(ctx context.Context, what string) { b.board.Report(ctx, status.Faults, what) }
	return planDesk{m, b}
}

// planModel returns the models that work on a plan, each call of which is charged to its requester.
func (b *Bot) planModel(w plan.Work) ask.Model {
	return func(ctx context.Context, q ask.Question) (string, error) {
		model := b.core.models.Resolved(q.Role)
		var answer strings.Builder
		for event, err := range b.out.Runtime.Invoke(ctx, llm.Request{
			System: q.System, Messages: []llm.Message{{Role: llm.User, Text: q.Text}}, Runtime: model.Runtime, Model: model.Model,
			Payer:     llm.Payer{User: string(w.Requester), Channel: string(w.At.Channel), Job: w.Job, Turn: fmt.Sprintf("plan-work/%d", w.ID), Role: string(q.Role)},
			Workspace: llm.Workspace{Level: q.Level, Root: q.Folder, Trusted: true},
		}) {
			if err != nil {
				return "", err
			}
			if delta, ok := event.(llm.TextDelta); ok {
				answer.WriteString(delta.Text)
			}
		}
		return answer.String(), nil
	}
}

// learned offers the outcome of work on a plan to the memory of its requester, as an exchange.
func (b *Bot) learned(ctx context.Context, w plan.Work, what string) {
	c := b.core
	x := memory.Exchange{
		Turn: chat.TurnID(fmt.Sprintf("plan-work/%d", w.ID)), Place: w.At, Person: w.Requester,
		Said: fmt.Sprintf("(asked for %s)", w.Plan), Answer: what, At: c.now(), Public: c.discord.Public(w.At),
	}
	if w.Outside != "" {
		return
	}
	if err := c.db.Tx(ctx, func(tx *store.Tx) error { return c.memory.Note(ctx, tx, x) }); err != nil {
		c.log.WarnContext(ctx, "what came of a plan is not remembered", "plan", w.Plan, "err", err)
	}
}

// Pressed handles the buttons of messages about plans.
func (d planDesk) Pressed(_ context.Context, p chat.Press) bool {
	if d.StopPressed(p) {
		return true
	}
	press, ok := planwork.ParsePress(p.Button)
	if ok {
		d.bot.bg.Go("answer about a plan", func(ctx context.Context) {
			if text := d.decide(ctx, p, press); text != "" {
				if err := d.bot.core.discord.RespondEphemeral(ctx, p, text); err != nil {
					d.bot.core.log.WarnContext(ctx, "cannot answer the button", "channel", p.Place.Channel, "user", p.User.ID, "err", err)
				}
			}
		})
	}
	return ok
}

// decide carries out the press of a button, and returns the private reply to it; empty if the channel shows the result.
func (d planDesk) decide(ctx context.Context, p chat.Press, press planwork.Press) string {
	b, c := d.bot, d.bot.core
	if !c.operates(ctx, p.User.ID, p.Place.Guild) {
		return "Only the people who run me decide about plans."
	}
	m := chat.Message{ID: p.Place.Message, Place: p.Place, Author: p.User}
	var said string
	switch press.Verb {
	case planwork.Approve:
		out, err := b.acts.Perform(ctx, m, "planApprove", planact.Approve{PlanID: string(press.Plan), Version: press.Hash})
		if why := refusalOf(out, err); why != "" {
			d.Overtaken(ctx, p.Place, press)
			return why
		}
		said = planwork.ApprovedBy(p.User.ID, press.Plan)
	case planwork.Carry:
		out, err := b.acts.Perform(ctx, m, "planRun", planact.Which{PlanID: string(press.Plan)})
		if why := refusalOf(out, err); why != "" {
			d.Overtaken(ctx, p.Place, press)
			return why
		}
		said = fmt.Sprintf("▶️ Approved, and started by %s.", p.User.ID.Mention())
	case planwork.Cancel:
		if _, err := c.plans.Cancel(ctx, p.Place.Guild, string(press.Plan), p.User.ID); err != nil {
			return chat.Capital(err.Error()) + "."
		}
		said = fmt.Sprintf("🛑 Cancelled by %s. `!forge %s` reopens it.", p.User.ID.Mention(), press.Plan)
	default:
		return fmt.Sprintf("Tell me what to change: `!forge %s <what should change>`. Without words after it, I work on what the audit found.", press.Plan)
	}
	d.Decided(ctx, p.Place, press.Plan, said)
	return ""
}

// refusalOf says why an action was not done; empty if it was.
func refusalOf(out actions.Outcome, err error) string {
	switch {
	case err != nil:
		return "I could not write that down; please try again."
	case out.Err != nil:
		return chat.Capital(out.Err.Error()) + "."
	case out.Pending != nil:
		return "This has to be approved on the card that I posted."
	}
	return ""
}
