package lifetime

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/chat"
)

// Discord is where a restart is announced.
type Discord interface {
	Send(context.Context, chat.ChannelID, chat.Outgoing) (chat.MessageID, error)
	Edit(context.Context, chat.ChannelID, chat.MessageID, chat.Outgoing) error
}

// ProcessOptions are what a [Process] works with.
type ProcessOptions struct {
	Store   *Store
	Discord Discord
	Users   []chat.UserID // whose prompts may say how the bot began
	Version string
	Log     *slog.Logger
}

// A Process is this run of the bot: how it began, and whether a restart was requested.
type Process struct {
	ProcessOptions
	restart chan struct{} // receives an element when a restart is requested
	asked   atomic.Bool   // a restart was requested
	online  atomic.Bool   // has logged in at least once

	// Set by Begin.
	began time.Time
	start Start

	mu   sync.Mutex
	note string // for the first prompt that may have it; empty afterwards
}

// NewProcess returns a process that has not begun.
func NewProcess(o ProcessOptions) *Process {
	return &Process{ProcessOptions: o, restart: make(chan struct{}, 1)}
}

// Begin loads the state that the last run left.
func (p *Process) Begin(ctx context.Context) {
	p.began = time.Now()
	start, err := p.Store.Last(ctx)
	if err != nil {
		p.Log.ErrorContext(ctx, "nobody can say how the bot ended", "err", err)
	}
	p.start, p.note = start, startupNote(start)
}

// NoteTime is the timeout of recording that the bot runs, or does not any more. No events are handled meanwhile.
const NoteTime = 2 * time.Second

// NoteRunning records that the bot runs. That has to come before its first post, or a process that
// is killed right after it would look as if it had never run. It has to come after the login, so
// that a restart is announced by the first start that succeeds.
func (p *Process) NoteRunning() {
	if p.online.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), NoteTime)
	defer cancel()
	if err := p.Store.Running(ctx); err != nil {
		p.Log.ErrorContext(ctx, "the start was not written down", "err", err)
	}
}

// NoteStopped records that the bot was told to end.
func (p *Process) NoteStopped(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, NoteTime)
	defer cancel()
	if err := p.Store.Stopped(ctx); err != nil {
		p.Log.ErrorContext(ctx, "the end was not written down", "err", err)
	}
}

// Arrived notes a login, and reports whether it is the first one.
func (p *Process) Arrived() (first bool) { return !p.online.Swap(true) }

// WasOnline reports whether the bot has logged in at least once.
func (p *Process) WasOnline() bool { return p.online.Load() }

// Asked reports whether a restart was requested.
func (p *Process) Asked() bool { return p.asked.Load() }

// Restarts receives an element when a restart is requested.
func (p *Process) Restarts() <-chan struct{} { return p.restart }

// Announce edits the notice of the person who requested the restart.
func (p *Process) Announce(ctx context.Context) {
	last := p.start
	if last.Kind != Restarted || last.Notice == "" {
		return
	}
	text := fmt.Sprintf("Restarted in %.1f s.", time.Since(last.Ended).Seconds())
	if err := p.Discord.Edit(ctx, last.Channel, last.Notice, chat.Outgoing{Text: text}); err != nil {
		p.Log.WarnContext(ctx, "nobody could be told of the restart", "channel", last.Channel, "err", err)
	}
}

// Origin describes how this run began.
func (p *Process) Origin() string {
	switch p.start.Kind {
	case First:
		return "for the first time"
	case Stopped:
		return "after it had been stopped"
	case Restarted:
		return "after a restart that " + chat.Literal(chat.Clip(p.start.By.Name, 100)) + " asked for"
	case Crashed:
		return "after a crash"
	}
	return "though nobody can say how it ended before"
}

// startupNote returns what a prompt says about how the bot began; empty if the model need not know.
func startupNote(s Start) string {
	const goesOn = "Replies that were being written then are taken up again by themselves. This is for your information; do not bring it up by yourself."
	switch s.Kind {
	case Stopped:
		return "You were stopped and started again since the last message. " + goesOn
	case Restarted:
		return "You were restarted since the last message, with !restart. " + goesOn
	case Crashed:
		return "You ended unexpectedly and were started again since the last message. What was being done then may or may not have been carried out: look before you do something again. " + goesOn
	}
	return ""
}

// Startup returns what a prompt says about how the bot began, once: for the person who requested the
// restart, or else for the first person who is served.
func (p *Process) Startup(by chat.UserID) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if asked := p.start.By.ID; asked != "" && by != asked || !slices.Contains(p.Users, by) {
		return ""
	}
	text := p.note
	p.note = ""
	return text
}
