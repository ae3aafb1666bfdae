// Package background gives goroutines an owner. A goroutine of a [Group] has a name, its
// panic is logged instead of ending the process, and closing the group waits for all of them.
package background

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// A Group is a set of goroutines that end together. It is safe for concurrent use.
type Group struct {
	log    *slog.Logger
	ctx    context.Context // of all work; cancelled when Close times out
	cancel context.CancelFunc
	wg     sync.WaitGroup

	closing chan struct{} // closed when Close is called

	mu     sync.Mutex
	closed bool
}

// New returns an empty group.
func New(log *slog.Logger) *Group {
	ctx, cancel := context.WithCancel(context.Background())
	return &Group{log: log, ctx: ctx, cancel: cancel, closing: make(chan struct{})}
}

// Go runs work in a goroutine. It returns false if the group is closed, which runs nothing.
func (g *Group) Go(name string, work func(ctx context.Context)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.wg.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.log.Error("background work panicked", "name", name, "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			}
		}()
		work(g.ctx)
	})
	return true
}

// Pause sleeps for d. It returns false at once if the group is closing, so that shutdown never
// waits for a sleeper.
func (g *Group) Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-g.closing:
	case <-ctx.Done():
	}
	return false
}

// Serve answers HTTP until ctx ends. Requests that are open then have a time to end in; those that take longer are cut off.
func Serve(ctx context.Context, server *http.Server, l net.Listener, endTime time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if server.Shutdown(ending) != nil {
		_ = server.Close()
	}
	<-ended
	return nil
}

// Close waits for all work. When ctx ends first, it cancels the work, waits for it, and returns
// ctx's error.
func (g *Group) Close(ctx context.Context) error {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		close(g.closing)
	}
	g.mu.Unlock()
	defer g.cancel()
	over := make(chan struct{})
	go func() {
		g.wg.Wait()
		close(over)
	}()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		g.cancel()
		<-over
		return ctx.Err()
	}
}
