package app

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	planwork "discoclaw/internal/plan/work"
	"discoclaw/internal/plan/worktree"
)

// planFolder is the folder of plans in the workspace.
const planFolder = "plans"

// newPlanWork returns plans, and what has models work on them.
func newPlanWork(c *Core) *planwork.Manager {
	cfg := c.Config.Plans
	return planwork.New(planwork.Options{
		Plans:  plan.New(c.db, plan.Options{Folder: filepath.Join(c.workFolder(), planFolder), Tasks: c.tasks, Now: c.now, Log: c.log}),
		Server: c.discord, Outbox: c.outbox, Memory: c.memory, Level: c.toolLevel(),
		Trees: sync.OnceValues(func() (*worktree.Trees, error) { return worktree.New(c.dataDir, c.hide()) }),
		Projects: func(ctx context.Context, t *worktree.Trees) (worktree.Projects, error) {
			return t.Projects(ctx, c.workFolder())
		},
		Off: func(k plan.Kind) string {
			sw := c.people[map[plan.Kind]string{plan.Running: "plan", plan.Forging: "forge"}[k]]
			if sw.On {
				return ""
			}
			return sw.Why + "; " + sw.Remedy
		},
		Barred: func(who chat.UserID, at chat.Place) string {
			return string(c.policy().Admit(access.ByButton, chat.User{ID: who}, at))
		},
		Operates: c.operates,
		Rounds:   cfg.Rounds, ForgeTime: milliseconds(cfg.ForgeTime),
		Files: cfg.Files, Fixes: cmp.Or(cfg.Fixes, -1), PhaseTime: milliseconds(cfg.PhaseTime),
		Throttle: milliseconds(cfg.Throttle), Heartbeat: milliseconds(cfg.Heartbeat), AutoImplement: cfg.Automatic, NoRuns: !cfg.Phases,
		Now: c.now, Log: c.log,
	})
}
