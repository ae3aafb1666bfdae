package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/procgroup"
)

// grace is how long a process may take to end when it is asked to, before it is killed. Its pipes have as long to
// become empty after its end: what it has started may keep them open for ever.
const grace = 2 * time.Second

// A child is a process with its group, and a folder for its files.
type child struct {
	runtime *Runtime
	call    call
	folder  string
	cmd     *exec.Cmd
	out     output // its stdout
	errors  head   // of its stderr

	started chan error         // has one
	left    chan time.Duration // has one when the answer is over: how long the process may go on
	exited  chan struct{}      // closed when it is reaped
}

// start starts the program for a request.
func (r *Runtime) start(req llm.Request) (*child, error) {
	c := &child{runtime: r, started: make(chan error, 1), left: make(chan time.Duration, 1), exited: make(chan struct{})}
	if err := c.prepare(req); err != nil {
		c.tidy()
		return nil, c.describe(unprepared(err), req.Model)
	}
	if !r.reaper.Go(string(r.Kind), c.run) {
		c.tidy()
		return nil, c.describe(&fault{kind: llm.Unavailable, told: "the bot is shutting down"}, req.Model)
	}
	if err := <-c.started; err != nil {
		return nil, c.describe(c.notStarted(err), req.Model)
	}
	return c, nil
}

// prepare makes the command. Prompts go over stdin: every account of the machine can read a process's arguments.
func (c *child) prepare(req llm.Request) (err error) {
	if c.folder, err = os.MkdirTemp("", "discoclaw-"); err != nil {
		return err
	}
	if c.call, err = c.runtime.dialect.call(c.runtime.Options, req, c.folder); err != nil {
		return err
	}
	c.cmd = exec.Command(c.runtime.Program, c.call.args...)
	if c.cmd.Dir, err = c.place(req.Workspace); err != nil {
		return err
	}
	c.cmd.Env = c.environment()
	c.cmd.WaitDelay = grace
	procgroup.Set(c.cmd)
	c.cmd.Stdin, c.cmd.Stderr = bytes.NewReader(c.call.stdin), &c.errors
	if c.runtime.Home != "" {
		return os.MkdirAll(c.runtime.Home, 0o700)
	}
	return nil
}

// place returns the folder in which the program runs. Programs read instructions and settings from there, and from the folders around it:
// without tools it is an empty one. A folder that cannot be entered would look like a program that is missing.
func (c *child) place(w llm.Workspace) (string, error) {
	if w.Root != "" {
		if _, err := os.Stat(w.Root + "/."); err != nil {
			return "", errors.Join(errNoRoot, err)
		}
	}
	dir := cmp.Or(w.Root, c.runtime.Dir)
	if dir == "" || !w.Level.Allows(llm.ToolsRead) {
		return c.folder, nil
	}
	if _, err := os.Stat(dir); err != nil {
		return "", errors.Join(errNoWorkspace, err)
	}
	return dir, nil
}

// environment has nothing of the bot's but what every program needs, and the program's own key.
func (c *child) environment() []string {
	env := []string{"TERM=dumb", "NO_COLOR=1", "FORCE_COLOR=0", "HOME=" + cmp.Or(c.runtime.Home, os.Getenv("HOME"))}
	for _, name := range []string{"PATH", "LANG", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if c.runtime.Key != "" {
		for _, name := range c.runtime.dialect.traits().keys {
			env = append(env, name+"="+c.runtime.Key)
		}
	}
	return append(env, c.call.env...)
}

// run starts the process and stays with it until it is reaped. It keeps its thread: the system ends the process when
// the thread ends that has started it (see package procgroup), which must not be before the bot does.
func (c *child) run(ctx context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer c.tidy()
	defer close(c.exited)
	out, in, err := os.Pipe()
	if err != nil {
		c.started <- err
		return
	}
	c.out.file, c.cmd.Stdout = out, in
	err = c.cmd.Start()
	_ = in.Close() // the process has its own
	if err != nil {
		_ = out.Close() // nothing was read
		c.started <- err
		return
	}
	c.started <- nil
	reaped := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() { c.endWhenLeft(ctx, reaped) })
	_ = c.cmd.Wait() // its state is looked at; the rest is pipes that others kept open
	close(reaped)
	ended.Wait()
	// What it started and did not end goes with it. As long as one of them lives, their group's number is not given to
	// another.
	procgroup.Kill(c.cmd.Process)
	c.out.endsWithin(grace)
}

// endWhenLeft ends the process when its answer is over, or the runtime closes.
func (c *child) endWhenLeft(ctx context.Context, reaped <-chan struct{}) {
	var pause time.Duration
	select {
	case <-reaped:
		return
	case pause = <-c.left:
	case <-c.runtime.closing:
	case <-ctx.Done():
	}
	if pause > 0 && within(ctx, reaped, pause) {
		return
	}
	procgroup.Terminate(c.cmd.Process)
	if !within(ctx, reaped, grace) {
		procgroup.Kill(c.cmd.Process)
	}
}

// within reports whether a channel is closed before the time is up, or ctx ends.
func within(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// leave says that the answer is over. The process is ended in the background, after a pause in which it may end itself.
func (c *child) leave(pause time.Duration) {
	c.left <- pause
	_ = c.out.file.Close() // what it still says is not heard
}

// tidy removes the folder.
func (c *child) tidy() {
	if c.folder == "" {
		return
	}
	if err := os.RemoveAll(c.folder); err != nil {
		c.runtime.Log.Warn("removing files of a program", "runtime", string(c.runtime.Kind), "err", err)
	}
}

// obituary says why the output ended before the answer did. It waits for the process's end, for a moment and while ctx
// lasts.
func (c *child) obituary(ctx context.Context, in reader, err error) *fault {
	if errors.Is(err, errLongLine) {
		return &fault{kind: llm.Broken, told: err.Error()}
	}
	if !within(ctx, c.exited, 2*grace) {
		return &fault{kind: llm.Broken, told: "it closed its output and went on"}
	}
	state := c.cmd.ProcessState
	code, said := state.ExitCode(), c.diagnosis()
	if why := in.exited(code); why != nil {
		return why
	}
	if code > 0 {
		if kind := byText(said); kind != "" {
			return &fault{kind: kind, told: said}
		}
	}
	return &fault{kind: llm.Broken, told: fmt.Sprintf("it ended without an answer, %s: %s", state, cmp.Or(said, "it does not say why"))}
}

// An output is a process's stdout. Reading from it can be given up.
type output struct {
	file *os.File

	mu          sync.Mutex
	interrupted bool
	orphaned    bool // its process has ended
}

// interrupt makes a read return at once, now and later.
func (o *output) interrupt() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.interrupted = true
	_ = o.file.SetReadDeadline(time.Unix(1, 0)) // fails if it is closed, and nothing is read then
}

// endsWithin says that the process has ended. Another one may still have its stdout, and is not waited for.
func (o *output) endsWithin(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.orphaned = true
	o.limit(d)
}

func (o *output) limit(d time.Duration) {
	if !o.interrupted {
		_ = o.file.SetReadDeadline(time.Now().Add(d)) // as above
	}
}

func (o *output) Read(p []byte) (int, error) {
	n, err := o.file.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) && o.mayHoldMore() {
		return o.file.Read(p)
	}
	return n, err
}

// mayHoldMore gives a read a moment longer after the end of the process: the consumer may have been busy all the time
// in which there was something to read.
func (o *output) mayHoldMore() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.limit(100 * time.Millisecond)
	return o.orphaned && !o.interrupted
}

// maxErrors bounds what is kept of a program's stderr.
const maxErrors = 16 << 10

// A head keeps the beginning of what is written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

// Write always takes everything: a program must not wait until its complaints are read.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), maxErrors-len(h.text))]...)
	return len(p), nil
}

// lines returns what was kept, without blank lines.
func (h *head) lines() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for line := range strings.Lines(string(h.text)) {
		if line = chat.OneLine(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
