// Package tools gives models at an API tools for a folder, the workspace, and for pages of the web. [Looped] wraps a
// runtime: it offers the tools of the request's level, runs what the model calls, and asks again with the results until
// there is an answer. A request may name another folder, a project: then that takes the place of the workspace, hidden
// files are readable but for git's own, and there are no pages, which would steer code that is written unattended.
//
// File tools cannot leave the folder, whatever the model writes, and do not reach secrets inside of it (box.go). Pages are fetched
// from public addresses alone (web.go). Commands are not fenced in: they have all rights of the bot's
// account, though not its environment (system_unix.go, [HideEnvironment]).
package tools

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"discoclaw/internal/llm"
)

// Options say where the tools work.
type Options struct {
	// Root is the workspace. Without it there are no tools.
	Root string
	// Deny are absolute paths that file tools do not reach, such as the data directory and the settings file, also where
	// they are inside of Root. Of a folder around Root, what is in Root is reached all the same.
	Deny []string
	// Known are names in Root that the model knows without reading them. If there is nothing else, a request that only
	// reads is not burdened with tools for files.
	Known []string
	// Env are the names of variables that commands get from the bot's own environment, besides PATH and LANG.
	Env []string
	// More returns further tools for a request. It is asked neither about a project, nor where the request has outside text in it: no card
	// could show people beforehand what such a tool does. It may be nil.
	More func(ctx context.Context, req llm.Request) []External
	// Web is for tests.
	Web Web
	// Log has a line for every call. It may be nil.
	Log *slog.Logger
}

// A Web changes how pages are reached.
type Web struct {
	Allow    func(netip.Addr) bool // addresses that are reached although they are not public; nil means none
	Resolver *net.Resolver         // nil means that of the system
	Roots    *x509.CertPool        // nil means those of the system
}

// Looped runs the tools that a request's Workspace allows, and streams the answers of all rounds as one. The calls are not
// passed on; a ToolStart and a ToolEnd are. Calls of the request's own tools, whose names must differ from ours, are passed on, and so
// are those of tools that do not exist, if the request has some. An answer without calls of ours ends the loop. After
// one with both it goes on: ours run at once, in their order, and the others, which come without an ID then, count as
// noted until the answer is complete, when the consumer runs them.
//
// When ctx ends, or the consumer leaves, it returns at once; a command that still runs then is killed in the background.
func Looped(r llm.Runtime, o Options) llm.Runtime {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &looped{runtime: r, Options: o}
}

type looped struct {
	runtime llm.Runtime
	Options
}

func (l *looped) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	offered := l.offer(req.Workspace)
	if req.Workspace.Root == "" && (l.Root == "" || len(offered) == 0) {
		return l.runtime.Invoke(ctx, req)
	}
	return func(yield func(llm.Event, error) bool) {
		box, err := l.open(req.Workspace)
		switch {
		case err != nil && req.Workspace.Root != "":
			yield(nil, &llm.Error{Kind: llm.NoFolder, Err: err})
			return
		case err != nil:
			l.Log.ErrorContext(ctx, "cannot open the workspace, asking without tools", "err", err)
			l.runtime.Invoke(ctx, req)(yield)
			return
		}
		defer box.close()
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		newSession(l, box, l.withMore(ctx, offered, req), req, yield).run(ctx)
	}
}

// open opens the folder in which the tools of a request work.
func (l *looped) open(w llm.Workspace) (*box, error) {
	if w.Root == "" {
		b, err := openBox(l.Root, l.Deny)
		if err == nil {
			b.deny.dots = !w.Level.Allows(llm.ToolsWrite) // as files that are sent have none either
		}
		return b, err
	}
	b, err := openBox(w.Root, l.Deny)
	if err == nil {
		b.project, b.deny.git = true, true
		b.deny.submodules(b.root)
	}
	return b, err
}

// offer returns the tools of a level, without those for which there is nothing to do.
func (l *looped) offer(w llm.Workspace) []tool {
	list := offer(w.Level)
	switch {
	case w.Root != "":
		return slices.DeleteFunc(list, func(t tool) bool { return t.Name == fetching })
	case !w.Tainted && (w.Level.Allows(llm.ToolsWrite) || l.hasFiles()): // otherwise a stranger could have a file quoted
		return list
	}
	return slices.DeleteFunc(list, func(t tool) bool { return t.Name != fetching })
}

// hasFiles reports whether the workspace has something that the model does not know.
func (l *looped) hasFiles() bool {
	entries, err := os.ReadDir(l.Root)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), ".") && !slices.Contains(l.Known, e.Name())
	})
}

// A tool is one that models may call.
type tool struct {
	llm.Tool
	level   llm.ToolLevel // from which on it is offered
	changes bool          // it runs alone, after the calls before it
	decode  func(json.RawMessage) (input, error)
	server  string // that runs it; empty for ours
}

// An input is what a model wrote for a call, as a struct of its tool. Errors of run are sentences for the model.
type input interface {
	about() string
	run(ctx context.Context, s *session) (result, error)
}

// A result is what a tool returns.
type result struct {
	text   string
	failed bool
	// outside names the outside text that is in it, as in llm.ToolEnd.
	outside string
	// said is the part of it in which addresses count as said by other people than the model.
	said string
}

// offer returns the tools of a level.
func offer(level llm.ToolLevel) []tool {
	var list []tool
	for _, t := range table {
		if level.Allows(t.level) {
			list = append(list, t)
		}
	}
	return list
}

// fetching is the name of the tool for pages of the web.
const fetching = "web_fetch"

var table = []tool{
	{define("read_file", "Read a text file of the workspace.", `
		"file_path": {"type": "string"},
		"offset": {"type": "integer", "minimum": 1, "description": "First line, from 1"},
		"limit": {"type": "integer", "minimum": 1, "description": "Number of lines"}`, "file_path"),
		llm.ToolsRead, false, decode[readFile], ""},
	{define("list_files", "List files of the workspace.", `
		"pattern": {"type": "string", "description": "Such as *.md or src/**/*.{ts,tsx}"},
		"path": {"type": "string", "description": "Folder to look in"}`, "pattern"),
		llm.ToolsRead, false, decode[listFiles], ""},
	{define("search_content", "Search text files of the workspace for lines.", `
		"pattern": {"type": "string", "description": "Regular expression (RE2)"},
		"path": {"type": "string", "description": "File or folder to look in"},
		"glob": {"type": "string", "description": "Only files such as *.go"},
		"case_insensitive": {"type": "boolean"}`, "pattern"),
		llm.ToolsRead, false, decode[searchContent], ""},
	{define(fetching, "Fetch a public page of the web as text.", `
		"url": {"type": "string", "description": "Begins with https://"}`, "url"),
		llm.ToolsRead, false, decode[webFetch], ""},
	{define("write_file", "Create or replace a text file of the workspace, with its folders.", `
		"file_path": {"type": "string", "description": "Path inside the workspace."},
		"content": {"type": "string", "description": "The whole text of the file."}`, "file_path", "content"),
		llm.ToolsWrite, true, decode[writeFile], ""},
	{define("edit_file", "Replace a piece of a text file of the workspace. The piece must stand there exactly once, unless replace_all is true.", `
		"file_path": {"type": "string", "description": "Path inside the workspace."},
		"old_string": {"type": "string", "description": "The piece as it stands in the file, with spaces and line breaks."},
		"new_string": {"type": "string", "description": "What to put in its place."},
		"replace_all": {"type": "boolean"}`, "file_path", "old_string", "new_string"),
		llm.ToolsWrite, true, decode[editFile], ""},
	{define("bash", "Run a command in a shell, in the workspace's folder. It gets no input, and what it leaves running is ended with it.", `
		"command": {"type": "string"},
		"timeout": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "Milliseconds; 30000 without it."}`, "command"),
		llm.ToolsShell, true, decode[bash], ""},
}

// define describes a tool. Properties are those of its input's JSON Schema.
func define(name, description, properties string, required ...string) llm.Tool {
	names, _ := json.Marshal(required) // texts always can be encoded
	var schema bytes.Buffer
	text := `{"type":"object","properties":{` + properties + `},"required":` + string(names) + `,"additionalProperties":false}`
	if err := json.Compact(&schema, []byte(text)); err != nil {
		panic(fmt.Sprintf("the schema of %s: %v", name, err))
	}
	return llm.Tool{Name: name, Description: description, Schema: schema.Bytes()}
}

// decode reads an input strictly: a field that no tool has may be a misspelled one that matters.
func decode[T input](raw json.RawMessage) (input, error) {
	var in T
	reader := json.NewDecoder(bytes.NewReader(raw))
	reader.DisallowUnknownFields()
	err := reader.Decode(&in)
	if err == nil {
		if _, more := reader.Token(); more != io.EOF {
			err = errors.New("there is text after the object")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the input does not fit the tool's schema (%s). Call it again with a JSON object that does", strings.TrimPrefix(err.Error(), "json: "))
	}
	return in, nil
}
