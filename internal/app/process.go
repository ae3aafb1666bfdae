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
	"discoclaw/internal/lifetime"
	"discoclaw/internal/llm/roles"
)

// A process is one run of the bot: how it began, and what there is to tell about that.
type process struct {
	store   *lifetime.Store
	restart chan struct{} // has an element when the bot shall end to be started again
	asked   atomic.Bool   // somebody has asked for that

	// Set before anything runs.
	began  time.Time
	start  lifetime.Start
	mishap string // with the database; empty if there was none

	online atomic.Bool // it has logged in

	mu          sync.Mutex
	startupNote string // for a model, until it is told
}

// begin looks at what the last run left.
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

// noteTime is how long it may take to note that the bot runs, while nothing is heard.
const noteTime = 2 * time.Second

// noteRunning notes that the bot runs from now on. That comes before the first thing that it
// says, or else a process that is killed right after that would pass for one that never ran.
// It does not come before the login, so that whoever asked for a restart is told of the one
// that succeeds.
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

// arrived is told of every login. It does not wait for what follows from it.
func (b *Bot) arrived() {
	b.board.Online()
	first := !b.process.online.Swap(true)
	b.bg.Go("arrival", func(ctx context.Context) {
		if first {
			b.announceRestart(ctx)
		}
		marked := b.repair(ctx)
		if first {
			b.board.Report(ctx, b.bootReport(marked))
			b.takeName(ctx)
		}
	})
}

// repairTime is how long marking interrupted replies may take. What is not done by then
// is tried at the next login.
const repairTime = 5 * time.Second

// repair marks the placeholders of turns that are not resumed.
func (b *Bot) repair(ctx context.Context) (marked int) {
	ctx, cancel := context.WithTimeout(ctx, repairTime)
	defer cancel()
	marked, err := b.replies.Repair(ctx, b.flows.ResumedTurns()...)
	if err != nil {
		b.core.log.WarnContext(ctx, "cannot mark all interrupted replies; the rest is tried at the next login", "err", err)
	}
	return marked
}

// announceRestart says that the bot runs, where somebody waits for it.
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

// takeName makes the name in the settings the bot's nickname.
func (b *Bot) takeName(ctx context.Context) {
	name := b.core.Config.Chat.Name
	if name == "" {
		return
	}
	if err := b.core.discord.TakeName(ctx, name); err != nil {
		b.core.log.WarnContext(ctx, "the bot goes by another name on some servers", "err", err)
	}
}

// bootReport is what operators are told at the start.
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
		fmt.Sprintf("Version %s, model %s, people served: %d.", versionText(), c.models.Resolved(roles.Chat), len(c.Config.Discord.Users.Valid())),
		"Actions: " + strings.Join(on, ", ") + ".",
	}
	if len(on) == 0 {
		lines[2] = "Actions: none."
	}
	if marked > 0 {
		lines = append(lines, fmt.Sprintf("Replies that had been interrupted, and say so now: %d.", marked))
	}
	if b.process.mishap != "" {
		lines = append(lines, "⚠️ "+b.process.mishap)
	}
	for _, w := range b.Warnings() {
		lines = append(lines, "⚠️ "+w)
	}
	return strings.Join(lines, "\n")
}

// origin says how a run began.
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

// startupNote is what a model is told about how the bot began; nothing, if there is nothing
// worth knowing.
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

// startup is what the first prompt for a person says about how the bot began. It is
// for who asked for the restart, or else for the first person who is served.
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
