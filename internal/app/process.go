package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/inspect"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/status"
)

// begin loads the state that the last run left.
func (b *Bot) begin(ctx context.Context) {
	b.process.Begin(ctx)
	if err := b.replies.Recall(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "cannot find interrupted replies", "err", err)
	}
	if err := b.inbox.Recall(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "what was said meanwhile is not read", "err", err)
	}
}

// arrived handles a login, in the background.
func (b *Bot) arrived() {
	b.board.Online()
	first := b.process.Arrived()
	b.bg.Go("arrival", func(ctx context.Context) {
		if first {
			b.core.doctor.LogOnline(ctx, b.core.log)
			b.process.Announce(ctx)
		}
		marked := b.repair(ctx)
		if first {
			b.board.Report(ctx, status.News, b.bootReport(marked))
			if mishap := b.core.db.Beginning().Mishap(); mishap != "" {
				b.board.Report(ctx, status.Storage, "⚠️ "+mishap)
			}
			b.takeName(ctx)
		}
	})
}

// repairTime is the timeout of marking interrupted replies. The rest is tried at the next login.
const repairTime = 5 * time.Second

// repair marks the placeholders of turns that are not resumed as interrupted.
func (b *Bot) repair(ctx context.Context) (marked int) {
	ctx, cancel := context.WithTimeout(ctx, repairTime)
	defer cancel()
	marked, err := b.replies.Repair(ctx, b.flows.ResumedTurns()...)
	if err != nil {
		b.core.log.WarnContext(ctx, "cannot mark all interrupted replies; the rest is tried at the next login", "err", err)
	}
	return marked
}

// takeName makes the name of the settings the bot's nickname.
func (b *Bot) takeName(ctx context.Context) {
	name := b.core.Config.Chat.Name
	if name == "" {
		return
	}
	if err := b.core.discord.TakeName(ctx, name); err != nil {
		b.core.log.WarnContext(ctx, "the bot goes by another name on some servers", "err", err)
	}
}

// bootReport returns the first post to the status channel.
func (b *Bot) bootReport(marked int) string {
	c := b.core
	var on []string
	for _, cat := range c.registry.Categories() {
		if c.flags[cat.Name()].On {
			on = append(on, cat.Name())
		}
	}
	lines := []string{
		"**Online**, " + b.process.Origin() + ".",
		fmt.Sprintf("Version %s, model %s, %s in DISCORD_ALLOW_USER_IDS; operators: %s.", inspect.VersionText(), c.models.Resolved(roles.Chat),
			chat.Counted(len(c.Config.Discord.Users.Valid()), "person", "people"), c.doctor.Operators().State),
		"Actions: " + strings.Join(on, ", ") + ".",
	}
	if len(on) == 0 {
		lines[2] = "Actions: none."
	}
	if marked > 0 {
		lines = append(lines, fmt.Sprintf("Replies that had been interrupted, and say so now: %d.", marked))
	}
	for _, w := range b.Warnings() {
		lines = append(lines, "⚠️ "+w)
	}
	return strings.Join(lines, "\n")
}
