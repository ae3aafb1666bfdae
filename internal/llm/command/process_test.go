//go:build unix

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

var voices = []voice{&claudeVoice{}, &codexVoice{}, &geminiVoice{}}

// ask collects the text of an answer.
func ask(ctx context.Context, r *Runtime, req llm.Request) (text string, err error) {
	for event, failure := range r.Invoke(ctx, req) {
		if failure != nil {
			return text, failure
		}
		if t, ok := event.(llm.TextDelta); ok {
			text += t.Text
		}
	}
	return text, nil
}

func asking(text string) llm.Request {
	return llm.Request{System: "You are a bot.", Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func fake(t *testing.T, v voice, script func(x *run)) *program {
	t.Helper()
	p := newProgram(t, v)
	t.Cleanup(p.Close)
	p.Always(func(x llmtest.Response) { script(x.(*run)) })
	return p
}

func TestTextIsPassedOnAsItComes(t *testing.T) {
	t.Parallel()
	for _, v := range []voice{&claudeVoice{}, &geminiVoice{}} {
		heard := make(chan struct{})
		p := fake(t, v, func(x *run) {
			x.Say("one")
			<-heard
			x.Say("two")
			x.Done(llm.Usage{})
		})
		var all []string
		for event, err := range open(t, p, Options{}).Invoke(t.Context(), asking("Hello?")) {
			if err != nil {
				t.Fatal(err)
			}
			if all = append(all, event.(llm.TextDelta).Text); len(all) == 1 {
				close(heard)
			}
		}
		if !slices.Equal(all, []string{"one", "two"}) {
			t.Errorf("%s: %q", v.kind(), all)
		}
	}
}

var errStopped = errors.New("stop was pressed")

// TestACancelledRequestEndsAtOnce: the process does not end when it is asked to, and is killed behind the consumer's
// back. What it says until then is not heard.
func TestACancelledRequestEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, v := range voices {
		t.Run(string(v.kind()), func(t *testing.T) {
			t.Parallel()
			p := fake(t, v, func(x *run) {
				x.order(order{IgnoreTerm: true})
				x.order(order{Out: strings.Repeat(strings.Join(v.think("hm"), "\n")+"\n", 50)})
				x.Hang()
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var after int
			var last error
			for _, err := range open(t, p, Options{}).Invoke(ctx, asking("Hello?")) {
				if ctx.Err() != nil {
					after++
				}
				last = err
				cancel(errStopped)
			}
			if last != errStopped || after != 1 {
				t.Errorf("%d events came after the end of the request, and %v, want the cause alone", after, last)
			}
			select {
			case <-p.begun(0).gone:
				t.Error("the request ended after the process")
			default:
			}
			if n := p.Active(); n != 0 {
				t.Error("the process goes on")
			}
		})
	}
}

func TestACancelledSilenceEndsAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	p := fake(t, &claudeVoice{}, func(x *run) {
		cancel(errStopped)
		x.Hang()
	})
	if text, err := ask(ctx, open(t, p, Options{}), asking("Hello?")); text != "" || err != errStopped {
		t.Errorf("%q, %v", text, err)
	}
	if p.Active() != 0 {
		t.Error("the process goes on")
	}
}

func TestWhatTheProcessStartedEndsWithIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	p := newProgram(t, &claudeVoice{})
	t.Cleanup(p.Close)
	p.Next(func(x llmtest.Response) {
		x.(*run).order(order{Fork: true})
		<-p.young
		cancel(errStopped)
		x.Hang()
	})
	if _, err := ask(ctx, open(t, p, Options{}), asking("Hello?")); err != errStopped {
		t.Error(err)
	}
	if n := p.Active(); n != 0 || len(p.runs) != 2 {
		t.Errorf("%d of %d processes go on", n, len(p.runs))
	}
}

// TestPipesThatOthersKeepOpen: a process has died, and what it started has its stdout and stderr.
func TestPipesThatOthersKeepOpen(t *testing.T) {
	t.Parallel()
	p := newProgram(t, &claudeVoice{})
	t.Cleanup(p.Close)
	p.Next(func(x llmtest.Response) {
		x.(*run).order(order{Fork: true})
		<-p.young
		x.Die()
	})
	_, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?"))
	requireKind(t, err, llm.Broken)
	if n := p.Active(); n != 0 {
		t.Errorf("%d processes go on", n)
	}
}

// TestPipesInHandsThatCannotBeReached: what the process started has left its group, so it cannot be found.
func TestPipesInHandsThatCannotBeReached(t *testing.T) {
	t.Parallel()
	p := newProgram(t, &geminiVoice{})
	t.Cleanup(p.Close)
	p.Next(func(x llmtest.Response) {
		x.Say("Once upon")
		x.(*run).order(order{Fork: true, Setsid: true})
		<-p.young
		x.Die()
	})
	text, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?"))
	if requireKind(t, err, llm.Broken); text != "Once upon" {
		t.Errorf("the text is %q", text)
	}
	select {
	case <-p.begun(1).gone:
		t.Error("the request waited for the grandchild")
	default:
		_ = syscall.Kill(p.begun(1).hello.Pid, syscall.SIGKILL)
	}
}

// TestASlowConsumerGetsEverything: the process has ended long ago when the consumer comes back.
func TestASlowConsumerGetsEverything(t *testing.T) {
	t.Parallel()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close() // another process has it
	defer out.Close()
	if _, err := in.WriteString("one\ntwo"); err != nil {
		t.Fatal(err)
	}
	o := output{file: out}
	o.endsWithin(-time.Second)
	buffer, text := make([]byte, 2), ""
	for {
		n, err := o.Read(buffer)
		if text += string(buffer[:n]); err != nil {
			break
		}
	}
	if text != "one\ntwo" {
		t.Errorf("only %q was read", text)
	}
	o.interrupt()
	o.endsWithin(time.Hour) // which changes nothing any more
	if _, err := in.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	if n, err := o.Read(buffer); n > 0 || err == nil {
		t.Error("it was read after an interrupt")
	}
}

// TestAWholeAnswerDoesNotWaitForTheProcess: it may have things to put away, and is ended if that takes long.
func TestAWholeAnswerDoesNotWaitForTheProcess(t *testing.T) {
	t.Parallel()
	for _, v := range voices {
		t.Run(string(v.kind()), func(t *testing.T) {
			t.Parallel()
			p := fake(t, v, func(x *run) {
				x.Say("Yes.")
				x.Done(llm.Usage{})
				x.Hang()
			})
			if text, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?")); text != "Yes." || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			select {
			case <-p.begun(0).gone:
				t.Error("the answer ended after the process")
			default:
			}
			if p.Active() != 0 {
				t.Error("the process goes on")
			}
		})
	}
}

func TestCloseEndsProcesses(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	p := fake(t, &claudeVoice{}, func(x *run) {
		close(began)
		x.Hang()
	})
	r := open(t, p, Options{})
	failed := make(chan error)
	go func() {
		_, err := ask(t.Context(), r, asking("Hello?"))
		failed <- err
	}()
	<-began
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if p.Active() != 0 {
		t.Error("the process goes on")
	}
	requireKind(t, <-failed, llm.Broken)
	_, err := ask(t.Context(), r, asking("Hello?"))
	requireKind(t, err, llm.Unavailable)
	if len(p.called()) != 1 {
		t.Error("a closed runtime ran the program")
	}
}

func requireKind(t *testing.T, err error, want llm.Kind) *llm.Error {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		t.Fatalf("the error is %v, want an *llm.Error", err)
	}
	if e.Kind != want {
		t.Errorf("the error is of the kind %q, want %q: %s", e.Kind, want, e.Details())
	}
	return e
}

// TestTheChildGetsNothingOfOurs: neither the bot's variables, nor the prompt as an argument.
func TestTheChildGetsNothingOfOurs(t *testing.T) {
	const canary = "canary-6f1c"
	for _, name := range []string{"DISCORD_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY", "SOME_VARIABLE"} {
		t.Setenv(name, canary)
	}
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("TMPDIR", t.TempDir())
	home := filepath.Join(t.TempDir(), "home")
	own := []string{"FORCE_COLOR", "HOME", "LANG", "NO_COLOR", "PATH", "TERM", "TMPDIR"}
	further := map[Kind][]string{
		Claude: {"ANTHROPIC_API_KEY", "CLAUDE_CODE_DISABLE_ATTACHMENTS"},
		Codex:  {"CODEX_API_KEY", "OPENAI_API_KEY"},
		Gemini: {"GEMINI_API_KEY", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"},
	}
	for _, v := range voices {
		t.Run(string(v.kind()), func(t *testing.T) {
			p := fake(t, v, func(x *run) { x.Done(llm.Usage{}) })
			if _, err := ask(t.Context(), open(t, p, Options{Key: testKey, Home: home}), asking("the secret plan")); err != nil {
				t.Fatal(err)
			}
			h := p.called()[0]
			var names []string
			for _, v := range h.Env {
				name, value, _ := strings.Cut(v, "=")
				if !slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_", socketVar}, name) { // of the script's shell
					names = append(names, name)
				}
				if strings.Contains(value, canary) {
					t.Errorf("%s has a value of the bot's", name)
				}
			}
			slices.Sort(names)
			want := append(slices.Clone(own), further[v.kind()]...)
			slices.Sort(want)
			if !slices.Equal(names, want) {
				t.Errorf("the variables are %q, want %q", names, want)
			}
			if args := strings.Join(h.Args, " "); strings.Contains(args, "secret") || strings.Contains(args, "You are") || strings.Contains(args, testKey) || strings.Contains(args, canary) {
				t.Errorf("the arguments are %q", args)
			}
			if !slices.Contains(h.Env, "HOME="+home) || !strings.Contains(h.Stdin, "the secret plan") {
				t.Error("the home or the prompt is missing")
			}
		})
	}
}

func TestWithoutAKeyThereIsNone(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "the key of another runtime")
	for _, v := range voices {
		p := fake(t, v, func(x *run) { x.Done(llm.Usage{}) })
		if _, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?")); err != nil {
			t.Fatal(err)
		}
		if key := p.called()[0].key(); key != "" {
			t.Errorf("%s has the key %q", v.kind(), key)
		}
	}
}

// TestItRunsInTheWorkspace: but not without tools, so that it reads no instructions and settings there. Only operators have
// tools, and only in requests without outside text.
func TestItRunsInTheWorkspace(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	for _, v := range voices {
		p := fake(t, v, func(x *run) { x.Done(llm.Usage{}) })
		r := open(t, p, Options{Dir: workspace})
		for _, w := range []llm.Workspace{
			{}, {Level: llm.ToolsOff, Trusted: true}, {Level: llm.ToolsRead, Trusted: true},
			{Level: llm.ToolsRead}, {Level: llm.ToolsShell}, {Level: llm.ToolsShell, Trusted: true, Tainted: true},
		} {
			req := asking("Hello?")
			req.Workspace = w
			if _, err := ask(t.Context(), r, req); err != nil {
				t.Fatal(err)
			}
			calls := p.called()
			if got := calls[len(calls)-1].Dir; (got == workspace) != (w == llm.Workspace{Level: llm.ToolsRead, Trusted: true}) {
				t.Errorf("%s with %+v runs in %s", v.kind(), w, got)
			}
		}
	}
}

// TestItRunsInTheFolderOfARequest, unless it is asked without tools: because of who asked, or because the program would have more than the
// level gives.
func TestItRunsInTheFolderOfARequest(t *testing.T) {
	t.Parallel()
	plain, steered := t.TempDir(), t.TempDir()
	for _, name := range []string{".gemini", ".env"} {
		if err := os.Mkdir(filepath.Join(steered, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range voices {
		p := fake(t, v, func(x *run) { x.Done(llm.Usage{}) })
		r := open(t, p, Options{Dir: t.TempDir()})
		for _, tt := range []struct {
			w    llm.Workspace
			runs bool
		}{
			{llm.Workspace{Level: llm.ToolsRead, Trusted: true, Root: plain}, v.kind() != Codex},
			{llm.Workspace{Level: llm.ToolsWrite, Trusted: true, Root: plain}, true},
			{llm.Workspace{Level: llm.ToolsShell, Trusted: true, Root: plain}, true},
			{llm.Workspace{Level: llm.ToolsWrite, Trusted: true, Root: steered}, v.kind() != Gemini},
			{llm.Workspace{Level: llm.ToolsShell, Trusted: true, Root: steered}, true},
			{llm.Workspace{Level: llm.ToolsOff, Trusted: true, Root: plain}, false},
			{llm.Workspace{Level: llm.ToolsWrite, Root: plain}, false},
			{llm.Workspace{Level: llm.ToolsWrite, Trusted: true, Tainted: true, Root: plain}, false},
		} {
			req := asking("Hello?")
			req.Workspace = tt.w
			if _, err := ask(t.Context(), r, req); err != nil {
				t.Fatal(err)
			}
			calls := p.called()
			got := calls[len(calls)-1]
			if (got.Dir == tt.w.Root) != tt.runs || got.Dir == r.Dir {
				t.Errorf("%s with %+v runs in %s", v.kind(), tt.w, got.Dir)
			}
			if !tt.runs && !got.isWithoutTools() {
				t.Errorf("%s with %+v has tools: %q, %s", v.kind(), tt.w, got.Args, got.Files)
			}
		}
	}
}

// isWithoutTools reports whether a program was called as for the level off.
func (h hello) isWithoutTools() bool {
	for _, settings := range h.Files {
		if strings.Contains(string(settings), `"core":[]`) {
			return true
		}
	}
	return slices.Contains(h.Args, "--tools=") || slices.Contains(h.Args, "features.shell_tool=false") && slices.Contains(h.Args, `web_search="disabled"`)
}

func TestAMissingFolderOfARequest(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range voices {
		p := fake(t, v, func(x *run) { x.Done(llm.Usage{}) })
		for _, root := range []string{filepath.Join(t.TempDir(), "gone"), file} {
			for _, level := range []llm.ToolLevel{llm.ToolsOff, llm.ToolsRead, llm.ToolsWrite} {
				req := asking("Hello?")
				req.Workspace = llm.Workspace{Level: level, Trusted: true, Root: root}
				_, err := ask(t.Context(), open(t, p, Options{Dir: t.TempDir()}), req)
				if want := "the folder of this work cannot be opened; see that it exists, and that the bot may enter it"; requireKind(t, err, llm.NoFolder).Error() != want {
					t.Error(err)
				}
			}
		}
		if n := len(p.called()); n > 0 {
			t.Errorf("%s was run %d times", v.kind(), n)
		}
	}
}

func TestFilesOfARequestAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, v := range voices {
		p := fake(t, v, func(x *run) { x.Done(llm.Usage{}) })
		r := open(t, p, Options{})
		req := asking("What is this?")
		req.Messages[0].Images = []llm.Image{{Type: "image/png", Data: []byte("png")}}
		if _, err := ask(t.Context(), r, req); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 1 { // the fake's own folder is there
			t.Errorf("%s has left %v, %v", v.kind(), left, err)
		}
		p.Close()
		_ = os.RemoveAll(filepath.Dir(p.path))
	}
}

func TestAFloodOnStderrIsBounded(t *testing.T) {
	t.Parallel()
	p := fake(t, &claudeVoice{}, func(x *run) {
		x.order(order{Err: "Welcome!\n"})
		x.order(order{Err: "fatal: " + strings.Repeat("out of luck ", 100) + "\n", Repeat: 5000})
		x.Die()
	})
	_, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?"))
	e := requireKind(t, err, llm.Broken)
	if d := e.Details(); !strings.Contains(d, "exit status 1: fatal: out of luck") || len(d) > 300 {
		t.Errorf("the details are %q", d)
	}
	var h head
	for range 1000 {
		if n, err := h.Write(make([]byte, 1000)); n != 1000 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(h.text) != maxErrors {
		t.Errorf("%d bytes are kept", len(h.text))
	}
}

func TestAKilledProcess(t *testing.T) {
	t.Parallel()
	p := fake(t, &geminiVoice{}, func(x *run) {
		x.Say("Once upon")
		_ = syscall.Kill(x.hello.Pid, syscall.SIGKILL)
		x.Hang()
	})
	text, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?"))
	e := requireKind(t, err, llm.Broken)
	if text != "Once upon" || !strings.Contains(e.Details(), "signal: killed") {
		t.Errorf("%q, %s", text, e.Details())
	}
}

func TestAProcessThatClosesItsOutputAndStays(t *testing.T) {
	t.Parallel()
	p := fake(t, &claudeVoice{}, func(x *run) {
		x.order(order{CloseOut: true})
		x.Hang()
	})
	_, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?"))
	requireKind(t, err, llm.Broken)
	if p.Active() != 0 {
		t.Error("the process goes on")
	}
}

func TestAMissingProgram(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind]string{
		Claude: "claude is not available; install Claude Code, or set CLAUDE_BIN to the path of its program",
		Codex:  "codex is not available; install Codex, or set CODEX_BIN to the path of its program",
		Gemini: "gemini-cli is not available; install the Gemini CLI, or set GEMINI_BIN to the path of its program",
	} {
		for _, program := range []string{"no-such-program", filepath.Join(t.TempDir(), "no-such-program")} {
			r := New(Options{Kind: kind, Program: program})
			_, err := ask(t.Context(), r, asking("Hello?"))
			e := requireKind(t, err, llm.Unavailable)
			if e.Error() != want || e.ForMembers() != onlyOperators {
				t.Errorf("%q, and for members %q", e, e.ForMembers())
			}
			if err := r.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAProgramThatMayNotBeRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := New(Options{Kind: Claude, Program: path})
	_, err := ask(t.Context(), r, asking("Hello?"))
	if want := "claude is not available; see that CLAUDE_BIN names a program that the bot may run"; requireKind(t, err, llm.Unavailable).Error() != want {
		t.Error(err)
	}
}

func TestAMissingWorkspace(t *testing.T) {
	t.Parallel()
	p := fake(t, &claudeVoice{}, func(x *run) { x.Done(llm.Usage{}) })
	req := asking("Hello?")
	req.Workspace = llm.Workspace{Level: llm.ToolsRead, Trusted: true}
	_, err := ask(t.Context(), open(t, p, Options{Dir: filepath.Join(t.TempDir(), "gone")}), req)
	if want := "claude is not available; see that WORKSPACE_CWD names a folder that the bot may enter"; requireKind(t, err, llm.Unavailable).Error() != want {
		t.Error(err)
	}
}

// TestARelativePathOfAProgram: it is relative to the bot's folder.
func TestARelativePathOfAProgram(t *testing.T) {
	p := fake(t, &claudeVoice{}, func(x *run) { x.Done(llm.Usage{}) })
	t.Chdir(filepath.Dir(p.path))
	p.path = "./program"
	if _, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?")); err != nil {
		t.Error(err)
	}
}

// TestLinesThatAreNoEvents: programs, and what they run, write to stdout what is meant for people.
func TestLinesThatAreNoEvents(t *testing.T) {
	t.Parallel()
	for _, v := range voices {
		p := fake(t, v, func(x *run) {
			x.order(order{Out: "(node:7) Warning: something is old\n\n{\"type\":\"a.new.event\"}\r\n[1,2]\n\"text\"\nnull\n"})
			x.Say("Yes.")
			x.Done(llm.Usage{})
		})
		if text, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?")); text != "Yes." || err != nil {
			t.Errorf("%s: %q, %v", v.kind(), text, err)
		}
	}
}

func TestAHugeLine(t *testing.T) {
	t.Parallel()
	p := fake(t, &claudeVoice{}, func(x *run) {
		x.order(order{Out: strings.Repeat("x", 1<<20), Repeat: 9})
		x.Hang()
	})
	_, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?"))
	if e := requireKind(t, err, llm.Broken); !strings.Contains(e.Details(), "8 MiB") {
		t.Error(e.Details())
	}
	p.Always(func(x llmtest.Response) {
		x.Say(strings.Repeat("x", 7<<20))
		x.Done(llm.Usage{})
	})
	if text, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?")); len(text) != 7<<20 || err != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// TestErrorsDoNotShowThePrompt: some programs repeat it on stderr.
func TestErrorsDoNotShowThePrompt(t *testing.T) {
	t.Parallel()
	const secret = "the launch code of the rocket is 0000"
	for _, said := range []string{"error: cannot understand: " + secret, "user: " + secret + "\n", secret} {
		p := fake(t, &codexVoice{}, func(x *run) {
			x.order(order{Err: said + "\n"})
			x.Die()
		})
		_, err := ask(t.Context(), open(t, p, Options{}), asking("Do not tell: "+secret))
		if e := requireKind(t, err, llm.Broken); strings.Contains(e.Details(), "launch code") || strings.Contains(e.Err.Error(), "launch code") {
			t.Error(e.Details())
		}
	}
}

func TestAnOldVersionOfAProgram(t *testing.T) {
	t.Parallel()
	p := fake(t, &codexVoice{}, func(x *run) {
		x.order(order{Err: "error: unexpected argument '--ephemeral' found\n\nUsage: codex exec [OPTIONS]\n"})
		x.exit(2)
	})
	_, err := ask(t.Context(), open(t, p, Options{}), asking("Hello?"))
	if want := "codex refused the request; update Codex: it does not know an option that it is called with"; requireKind(t, err, llm.Refused).Error() != want {
		t.Error(err)
	}
}

func TestRemediesOfLogins(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind][2]string{
		Claude: {"run claude once on this machine and log in, or set ANTHROPIC_API_KEY", "check ANTHROPIC_API_KEY"},
		Codex:  {`run "codex login" once on this machine and log in, or set OPENAI_API_KEY`, "check OPENAI_API_KEY"},
		Gemini: {"run gemini once on this machine and log in, or set GEMINI_API_KEY", "check GEMINI_API_KEY"},
	} {
		v := voices[slices.IndexFunc(voices, func(v voice) bool { return v.kind() == kind })]
		p := fake(t, v, func(x *run) { x.Fail(llm.Error{Kind: llm.Unauthorized}) })
		for i, key := range []string{"", testKey} {
			_, err := ask(t.Context(), open(t, p, Options{Key: key}), asking("Hello?"))
			if e := requireKind(t, err, llm.Unauthorized); e.Remedy != want[i] {
				t.Errorf("%s: %s", kind, e)
			}
		}
	}
}

// TestAKilledBotLeavesNoProcess: an answer without a reader would cost money.
func TestAKilledBotLeavesNoProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with the one that started it")
	}
	p := newProgram(t, &claudeVoice{})
	t.Cleanup(p.Close)
	asked := make(chan struct{})
	p.Next(func(x llmtest.Response) {
		close(asked)
		x.Hang()
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bot := exec.Command(self)
	bot.Env = append(os.Environ(), botVar+"="+p.path)
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	_ = bot.Process.Kill()
	_ = bot.Wait()
	if p.Active() != 0 {
		t.Error("the process goes on")
	}
}

// beBot asks a program, and does not return.
func beBot(path string) {
	_, err := ask(context.Background(), New(Options{Kind: Claude, Program: path}), asking("Hello?"))
	fmt.Fprintln(os.Stderr, "the program did not wait:", err)
	os.Exit(1)
}
