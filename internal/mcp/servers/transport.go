package servers

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"discoclaw/internal/procgroup"
)

const (
	maxSent = 4 << 20 // bytes that a server may send for one call, notifications included
	grace   = 2 * time.Second
)

// transport returns the way to a server. All that comes over it passes the meter.
func (s *server) transport(m *meter) mcp.Transport {
	if s.spec.URL != "" {
		return &mcp.StreamableClientTransport{
			Endpoint: s.spec.URL, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: -1,
			HTTPClient: &http.Client{Transport: metered{m, s.spec.Headers},
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		}
	}
	return &program{server: s, meter: m}
}

// A meter bounds what a server may send until it is refilled.
type meter struct{ left atomic.Int64 }

var errFlood = errors.New("it sends too much")

func newMeter() *meter {
	m := &meter{}
	m.refill()
	return m
}

func (m *meter) refill()       { m.left.Store(maxSent) }
func (m *meter) isEmpty() bool { return m.left.Load() < 0 }

// of is a reader that fails when the meter is empty.
func (m *meter) of(r io.ReadCloser) io.ReadCloser { return meteredReader{r, m} }

type meteredReader struct {
	io.ReadCloser
	meter *meter
}

func (r meteredReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.meter.left.Add(-int64(n)) < 0 {
		return 0, errFlood
	}
	return n, err
}

// metered sends the headers of the file with each request. A redirect, which could lead them elsewhere, is not followed.
type metered struct {
	meter   *meter
	headers map[string]string
}

func (t metered) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		resp.Body = t.meter.of(resp.Body)
	}
	return resp, err
}

// A program is a server that runs on this machine as long as the connection lasts.
type program struct {
	server *server
	meter  *meter
}

// Connect starts the program.
func (p *program) Connect(ctx context.Context) (mcp.Connection, error) {
	spec := p.server.spec
	cmd := exec.Command(spec.Command, spec.Args...)
	cmd.Env = environment(spec.Env)
	procgroup.Set(cmd)
	c := &child{cmd: cmd, started: make(chan error, 1), reaped: make(chan struct{})}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, outside, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, c.in, c.out = outside, in, out
	if !p.server.group.Go("MCP server "+p.server.name, func(ctx context.Context) { c.run(ctx, outside) }) {
		return nil, errors.Join(errors.New("the bot is ending"), in.Close(), out.Close(), outside.Close())
	}
	if err := <-c.started; err != nil {
		return nil, err
	}
	return (&mcp.IOTransport{Reader: endsWith{p.meter.of(out), c}, Writer: in, MaxLineLength: -1}).Connect(ctx)
}

// environment has what every program needs, and what the file gives this one. Nothing else of ours is in it.
func environment(own map[string]string) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env = append(env, name+"="+own[name])
	}
	return env
}

// A child is the process of a program.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *os.File
	started chan error // has one
	reaped  chan struct{}
	ending  sync.Once
}

// run starts the process and stays on this thread until it is reaped; see package procgroup. It is killed when ctx ends.
func (c *child) run(ctx context.Context, outside *os.File) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	_ = outside.Close() // the process has its own
	if err != nil {
		_ = c.out.Close() // nothing was read
		c.started <- err
		return
	}
	c.started <- nil
	stop := context.AfterFunc(ctx, func() { procgroup.Kill(c.cmd.Process) })
	defer stop()
	_ = c.cmd.Wait() // how it ended does not matter
	close(c.reaped)
	procgroup.Kill(c.cmd.Process)                    // what it started and did not end goes with it
	_ = c.out.SetReadDeadline(time.Now().Add(grace)) // others may keep the pipe open
}

// end ends the process: it may do so itself when its input ends, is asked to, and is killed.
func (c *child) end() {
	c.ending.Do(func() {
		_ = c.in.Close() // fails if the process has ended
		for _, next := range []func(*os.Process){procgroup.Terminate, procgroup.Kill} {
			timer := time.NewTimer(grace)
			select {
			case <-c.reaped:
			case <-timer.C:
				next(c.cmd.Process)
			}
			timer.Stop()
		}
		<-c.reaped
		_ = c.out.Close() // nothing more is read
	})
}

// endsWith is the output of a process, which is ended when the connection is.
type endsWith struct {
	io.ReadCloser
	child *child
}

func (e endsWith) Close() error {
	e.child.end()
	return nil
}
