package app

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
	worktools "discoclaw/internal/llm/tools"
	"discoclaw/internal/spend"
	"discoclaw/internal/workspace"
)

// native reports whether some models are given the actions as functions.
func (c *Core) native() bool { return c.Config.Actions.Native != "off" }

// toolLevel returns what models may do on this machine at most.
func (c *Core) toolLevel() llm.ToolLevel { return llm.ToolLevel(c.Config.Runtimes.Tools) }

// hasTools reports whether a person's turns may change something on this machine, or reach MCP servers.
func (c *Core) hasTools(ctx context.Context, who chat.UserID, g chat.GuildID) bool {
	return (c.toolLevel().Allows(llm.ToolsWrite) || c.Config.MCP.File != "") && c.operates(ctx, who, g)
}

// offLimits are the paths with secrets that neither tools of models nor actions reach.
func (c *Core) offLimits() []string {
	list := []string{c.dataDir}
	if c.settingsFile != "" {
		list = append(list, c.settingsFile)
	}
	if path, err := filepath.Abs(c.Config.MCP.File); c.Config.MCP.File != "" && err == nil {
		list = append(list, path)
	}
	return list
}

// modelTools are what models at an API use in the workspace and of the web.
func (c *Core) modelTools() worktools.Options {
	known, private := workspace.Documents()
	// plans are for the operators of their server; planShow tells of them
	known, private = append(known, planFolder), append(private, planFolder)
	deny := append(c.offLimits(), c.texts().Content)
	for _, name := range private {
		deny = append(deny, filepath.Join(c.workFolder(), name))
	}
	return worktools.Options{Root: c.workFolder(), Deny: deny, Known: known, Log: c.log}
}

// HideKeys keeps what models run on this machine from reading the environment of this process. It is for a process that does nothing
// but run the bot.
func HideKeys() error { return worktools.HideEnvironment() }

// ReadableKeys warns operators whose models run commands, if the keys could not be hidden.
func (b *Bot) ReadableKeys(err error) []string {
	if err == nil || !b.core.toolLevel().Allows(llm.ToolsShell) {
		return nil
	}
	return []string{err.Error()}
}

// newMeter returns the meter of what models cost.
func newMeter(c *Core) (*spend.Meter, error) {
	b := c.Config.Budgets
	prices, err := models.LoadPrices(b.Prices)
	if err != nil {
		return nil, fmt.Errorf("DISCOCLAW_PRICES_FILE: %w", err)
	}
	return spend.New(c.db, spend.Options{
		Prices: prices, Ceilings: spend.Ceilings{Day: b.Day, UserDay: b.UserDay, CronRun: b.CronRun},
		Now: c.now, Zone: c.Config.Chat.Zone(), Log: c.log,
	}), nil
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// orNever converts a setting in which 0 means never to an option in which a negative duration does.
func orNever(ms int) time.Duration {
	if ms == 0 {
		return -1
	}
	return milliseconds(ms)
}
