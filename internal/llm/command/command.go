// Package command is the adapter for models that are programs on this machine: Claude Code, Codex and the Gemini CLI.
//
// Start with [New]. Every request is one run of the program: the whole conversation goes in over stdin (dialect.go), and
// events come out as lines of JSON. process.go starts and ends processes; claude.go, codex.go and gemini.go
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
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
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
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
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

// maxLine bounds the memory for an event. Results of tools stand in one, files and all.
const maxLine = 8 << 20

// answer runs the program and yields what it says. It returns as soon as ctx ends or the consumer leaves: the process
// is ended in the background.
func (r *Runtime) answer(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		c, err := r.start(req)
		if err != nil {
			yield(nil, err)
			return
		}
		pause := time.Duration(0)
		defer func() { c.leave(pause) }()
		defer context.AfterFunc(ctx, c.out.interrupt)()

		in := r.dialect.listen(req.Workspace)
		heard := follow(&c.out, in, yield)
		if heard.skipped > 0 {
			r.Log.DebugContext(ctx, "lines of the program were no events", "runtime", string(r.Kind), "count", heard.skipped, "first", c.hide(heard.preview))
		}
		over, why := in.verdict()
		switch {
		case heard.left:
			return
		case over && why == nil:
			pause = grace // it may still have something to put away
			return
		case !over:
			why = c.obituary(ctx, in, heard.err)
		}
		if text := in.rest(); text != "" && !yield(llm.TextDelta{Text: text}, nil) {
			return
		}
		yield(nil, c.describe(why, req.Model))
	}
}

// heard is what became of a program's output besides events.
type heard struct {
	left    bool // the consumer has
	err     error
	skipped int    // lines that are no events
	preview string // of the first of them
}

// follow yields the events of a program's output up to the end of the answer, or of the output. A line that is no event
// is something that the program, or one that it runs, wanted to say to people; what it may have torn apart shows by the
// end that is missing.
func follow(out io.Reader, in reader, yield func(llm.Event, error) bool) (h heard) {
	lines := transport.Lines(out, maxLine)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		events, ok := in.take(lines.Bytes())
		if !ok {
			if h.skipped++; h.skipped == 1 {
				h.preview = chat.Clip(chat.OneLine(lines.Text()), 200)
			}
		}
		for _, e := range events {
			if !yield(e, nil) {
				h.left = true
				return h
			}
		}
		if over, _ := in.verdict(); over {
			return h
		}
	}
	if h.err = lines.Err(); errors.Is(h.err, bufio.ErrTooLong) {
		h.err = errLongLine
	}
	return h
}

var errLongLine = errors.New("a line is longer than 8 MiB")
