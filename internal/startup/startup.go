// Package startup records how a process ended, so that the next one can say whether it
// follows a stop, a restart that a user asked for, or a crash.
//
// It is a single value in the database. [Store.Last] reads it at the start,
// [Store.Running] marks it as running, and Stopped or Restarting as ended. A value that is still
// marked as running means a crash.
package startup

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/store"
)

// A Kind is the reason of a start.
type Kind string

const (
	First     Kind = "first start"    // there is no row
	Crashed   Kind = "crash"          // the row is still marked as running
	Stopped   Kind = "stop"           // it shut down in order
	Restarted Kind = "restart"        // asked for by a user
	Unknown   Kind = "nobody can say" // the database could not be read
)

// A Start says why the bot started.
type Start struct {
	Kind    Kind
	Ended   time.Time // of the process before; after a crash, when that had started
	Restart           // if one was asked for
}

// A Restart records a user's request for one.
type Restart struct {
	By      chat.User      // ID and name
	Asked   chat.MessageID // the request
	Channel chat.ChannelID // of the notice
	Notice  chat.MessageID // the bot's answer; empty if posting it failed
}

// A Store keeps the value.
type Store struct{ cell *store.Cell[record] }

// A record is what the database keeps.
type record struct {
	State   string
	At      int64 // since when, in microseconds since 1970
	Restart       // if State is restarting
}

// States of a record. Without one, the bot never ran.
const (
	running    = "running"
	stopped    = "stopped"
	restarting = "restarting"
)

func now(state string, r Restart) record { return record{state, time.Now().UnixMicro(), r} }

// NewStore returns a store over a database that is open when it is used. A restored copy says
// that the bot was running: a restart that it speaks of has been announced since.
func NewStore(db *store.DB) *Store {
	return &Store{store.NewCell(db, "lifetime", now(running, Restart{}))}
}

// Last returns how the process before ended.
func (s *Store) Last(ctx context.Context) (Start, error) {
	last, err := s.cell.Load(ctx)
	if err != nil {
		return Start{Kind: Unknown}, err
	}
	start := Start{Kind: Crashed, Ended: time.UnixMicro(last.At), Restart: last.Restart}
	switch last.State {
	case "":
		return Start{Kind: First}, nil
	case stopped:
		start.Kind = Stopped
	case restarting:
		start.Kind = Restarted
	}
	return start, nil
}

// Running records that the bot runs.
func (s *Store) Running(ctx context.Context) error { return s.cell.Save(ctx, now(running, Restart{})) }

// Restarting records that the bot ends because a user asked for a restart.
func (s *Store) Restarting(ctx context.Context, r Restart) error {
	return s.cell.Save(ctx, now(restarting, r))
}

// Stopped marks the bot as stopped, unless it is marked as restarting.
func (s *Store) Stopped(ctx context.Context) error {
	return s.cell.Update(ctx, func(last record) record {
		if last.State != running {
			return last
		}
		return now(stopped, Restart{})
	})
}

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

// onlyStatus makes !restart only report the last start.
const onlyStatus = "status"

// Command returns !restart.
func (p *Process) Command() commands.Command {
	return commands.Command{
		Name: "restart", Args: "[status]", Summary: "Restart the bot, or show when it last started.", Operator: true, Run: p.run,
		Options: []commands.Option{{Name: "what", Summary: "Only show when it last started.", Choices: []string{onlyStatus}}},
	}
}

// run ends the bot so that it is started again, or reports the last start.
func (p *Process) run(ctx context.Context, m chat.Message, args string) (string, error) {
	switch strings.ToLower(args) {
	case "":
	case onlyStatus:
		origin := ""
		if p.start.Kind != First {
			origin = ", " + p.Origin()
		}
		return fmt.Sprintf("Running for %s%s.\nVersion %s.", chat.Lasting(time.Since(p.began)), origin, p.Version), nil
	default:
		return "", &commands.UsageError{Problem: "Write `!restart` or `!restart status`."}
	}
	switch {
	case m.ID != "" && m.ID == p.start.Asked:
		return "", nil // the same message, resumed after the restart that it asked for
	case p.asked.Swap(true):
		return "The bot is restarting already.", nil
	}
	notice, err := p.Discord.Send(ctx, m.Place.Channel, chat.Outgoing{Text: "Restarting…", ReplyTo: m.ID})
	if err != nil {
		p.Log.WarnContext(ctx, "nobody could be told of the restart", "channel", m.Place.Channel, "err", err)
	}
	if err := p.Store.Restarting(ctx, Restart{By: m.Author, Asked: m.ID, Channel: m.Place.Channel, Notice: notice}); err != nil {
		p.Log.ErrorContext(ctx, "the restart was not written down", "err", err)
	}
	p.restart <- struct{}{} // never blocks: the swap above lets only one caller get here
	return "", nil
}
