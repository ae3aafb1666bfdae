// Package command is the adapter for models that are programs on this machine: Claude Code, Codex and the Gemini CLI.
//
// Start with [New]. Every request is one run of the program: the whole conversation goes in over stdin (prompt.go), and
// events come out as lines of JSON (answer.go). process.go starts and ends processes; claude.go, codex.go and gemini.go
// know what each program is called with and what its lines mean; errors.go makes sentences of what went wrong.
//
// These programs have tools of their own. Each dialect says how a level of tools is put to its program, and what the
// program cannot be kept from. A request may name a folder in which its program works instead of the workspace (llm.Workspace.Root). There
// no program has tools for the web, and the levels mean:
//
//   - read: Claude Code and the Gemini CLI read files in the folder. Codex, which would read every file of the account, is
//     asked without tools.
//   - write: Claude Code and the Gemini CLI also change files in the folder, though Claude Code is not allowed those of git. Codex runs
//     commands in its sandbox, which may write in the folder alone, but read every file of the account.
//   - shell: all of them run commands with all rights of the bot's account.
//
// A program whose own settings stand in the folder, where a model may have written them, is asked without tools below
// the level shell. Without tools, a program does not run in the folder.
package command

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"

	"discoclaw/internal/background"
	"discoclaw/internal/llm"
)

// A Kind is a program. Its text is the runtime's name in errors and settings.
type Kind string

const (
	Claude Kind = "claude"
	Codex  Kind = "codex"
	Gemini Kind = "gemini-cli"
)

// Options say what is run, and with what.
type Options struct {
	Kind    Kind
	Program string       // a path, or a name in PATH; empty means its usual name
	Model   string       // for requests that name none; empty leaves it to the program
	Dir     string       // the workspace; requests without tools run in an empty folder
	Key     string       // of the program's account; empty means that people have logged in with the program
	MaxUSD  float64      // what one run may cost; 0 means no limit. Only Claude Code has such an option
	Home    string       // where the program keeps its login; empty means the home of the bot's account
	Log     *slog.Logger // may be nil
}

// A Runtime runs a program for every request. It is safe for concurrent use.
type Runtime struct {
	Options
	dialect dialect
	reaper  *background.Group // has a goroutine for every process

	ending  sync.Once
	closing chan struct{} // closed when Close is called
}

// New returns a runtime. Nothing runs before the first request.
func New(o Options) *Runtime {
	d := map[Kind]dialect{Claude: claude{}, Codex: codex{}, Gemini: gemini{}}[o.Kind]
	o.Program = cmp.Or(o.Program, d.traits().program)
	if filepath.Base(o.Program) != o.Program { // a path, of the bot's folder and not of that in which the program runs
		if path, err := filepath.Abs(o.Program); err == nil {
			o.Program = path
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Runtime{Options: o, dialect: d, reaper: background.New(o.Log), closing: make(chan struct{})}
}

// Close ends all processes and returns when they are gone. They are asked to end, and killed after a moment, or when ctx
// ends. Requests after it fail.
func (r *Runtime) Close(ctx context.Context) error {
	r.ending.Do(func() { close(r.closing) })
	return r.reaper.Close(ctx)
}

func (r *Runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		req.Model = cmp.Or(req.Model, r.Model)
		req.Workspace = r.fit(ctx, fencedIn(req.Workspace))
		for event, err := range r.answer(ctx, req) {
			// The program goes on for a moment after the request was cancelled. What it does then is not told any more.
			if ctx.Err() != nil {
				event, err = nil, context.Cause(ctx)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// fencedIn takes the tools away from all but operators, and where the request may hold orders of others: some programs read
// whatever the bot's account can, its settings included.
func fencedIn(w llm.Workspace) llm.Workspace {
	if !w.Trusted || w.Tainted {
		w.Level = llm.ToolsOff
	}
	return w
}

// fit takes the tools away where the program would have more than the level gives in the folder that a request names.
func (r *Runtime) fit(ctx context.Context, w llm.Workspace) llm.Workspace {
	if w.Root == "" || !w.Level.Allows(llm.ToolsRead) {
		return w
	}
	if why := r.dialect.traits().unfit(w); why != "" {
		r.Log.WarnContext(ctx, "asking a program without tools", "runtime", string(r.Kind), "reason", why)
		w.Level = llm.ToolsOff
	}
	return w
}
