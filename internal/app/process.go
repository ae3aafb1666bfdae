package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/inspect"
	"discoclaw/internal/lifetime"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/status"
)

// A process holds the state of this run of the bot: how it began, and whether a restart was
// requested.
type process struct {
	store   *lifetime.Store
	restart chan struct{} // receives an element when a restart is requested
	asked   atomic.Bool   // a restart was requested

	// Set before anything runs.
	began  time.Time
	start  lifetime.Start
	mishap string // a recovery of the database; empty if there was none

	online atomic.Bool // has logged in at least once

	mu          sync.Mutex
	startupNote string // for the first prompt that may have it; empty afterwards
}

// begin loads the state that the last run left.
func (b *Bot) begin(ctx context.Context) {
	var err error
	b.process.began = time.Now()
	if b.process.start, err = b.process.store.Last(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "nobody can say how the bot ended", "err", err)
	}
	b.process.startupNote = startupNote(b.process.start)
	if err := b.replies.Recall(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "cannot find interrupted replies", "err", err)
	}
	if err := b.inbox.Recall(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "what was said meanwhile is not read", "err", err)
	}
}

// noteTime is the timeout of recording that the bot runs. No events are handled meanwhile.
const noteTime = 2 * time.Second

// noteRunning records that the bot runs. That has to come before its first post, or a process that
// is killed right after it would look as if it had never run. It has to come after the login, so
// that a restart is announced by the first start that succeeds.
func (b *Bot) noteRunning() {
	if b.process.online.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	if err := b.process.store.Running(ctx); err != nil {
		b.core.log.ErrorContext(ctx, "the start was not written down", "err", err)
	}
}

// arrived handles a login, in the background.
func (b *Bot) arrived() {
	b.board.Online()
	first := !b.process.online.Swap(true)
	b.bg.Go("arrival", func(ctx context.Context) {
		if first {
			b.core.doctor.LogOnline(ctx, b.core.log)
			b.announceRestart(ctx)
		}
		marked := b.repair(ctx)
		if first {
			b.board.Report(ctx, status.News, b.bootReport(marked))
			if b.process.mishap != "" {
				b.board.Report(ctx, status.Storage, "⚠️ "+b.process.mishap)
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

// announceRestart edits the notice of the person who requested the restart.
func (b *Bot) announceRestart(ctx context.Context) {
	last := b.process.start
	if last.Kind != lifetime.Restarted || last.Notice == "" {
		return
	}
	text := fmt.Sprintf("Restarted in %.1f s.", time.Since(last.Ended).Seconds())
	if err := b.core.discord.Edit(ctx, last.Channel, last.Notice, chat.Outgoing{Text: text}); err != nil {
		b.core.log.WarnContext(ctx, "nobody could be told of the restart", "channel", last.Channel, "err", err)
	}
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
		"**Online**, " + origin(b.process.start) + ".",
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

// origin describes how a run began.
func origin(s lifetime.Start) string {
	switch s.Kind {
	case lifetime.First:
		return "for the first time"
	case lifetime.Stopped:
		return "after it had been stopped"
	case lifetime.Restarted:
		return "after a restart that " + chat.Literal(chat.Clip(s.By.Name, 100)) + " asked for"
	case lifetime.Crashed:
		return "after a crash"
	}
	return "though nobody can say how it ended before"
}

// startupNote returns what a prompt says about how the bot began; empty if the model need not know.
func startupNote(s lifetime.Start) string {
	const goesOn = "Replies that were being written then are taken up again by themselves. This is for your information; do not bring it up by yourself."
	switch s.Kind {
	case lifetime.Stopped:
		return "You were stopped and started again since the last message. " + goesOn
	case lifetime.Restarted:
		return "You were restarted since the last message, with !restart. " + goesOn
	case lifetime.Crashed:
		return "You ended unexpectedly and were started again since the last message. What was being done then may or may not have been carried out: look before you do something again. " + goesOn
	}
	return ""
}

// startup returns a function that returns the startup note, once: for the person who requested the
// restart, or else for the first person who is served.
func (b *Bot) startup(policy access.Policy) func(by chat.UserID) string {
	return func(by chat.UserID) string {
		b.process.mu.Lock()
		defer b.process.mu.Unlock()
		if asked := b.process.start.By.ID; asked != "" && by != asked || !slices.Contains(policy.Users, by) {
			return ""
		}
		text := b.process.startupNote
		b.process.startupNote = ""
		return text
	}
}
