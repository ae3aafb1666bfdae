// Package background runs work that nobody waits for at once, so that somebody waits
// for it in the end. A goroutine of a [Group] has a name, its panic is logged instead
// of ending the process, and closing the group waits for all of them.
package background

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// A Group is a set of goroutines that end together. It is safe for concurrent use.
type Group struct {
	log    *slog.Logger
	ctx    context.Context // of all that the group runs; ends when Close gives up
	cancel context.CancelFunc
	wg     sync.WaitGroup

	closing chan struct{} // closed when Close is called

	mu     sync.Mutex
	closed bool
}

// New returns a group without work.
func New(log *slog.Logger) *Group {
	ctx, cancel := context.WithCancel(context.Background())
	return &Group{log: log, ctx: ctx, cancel: cancel, closing: make(chan struct{})}
}

// Go runs work. It says whether it does: a closed group runs nothing any more.
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

// Pause lets time pass in work that somebody else goes on with if the group is closed first.
// Then it is false, at once, so that nobody waits for what only waits itself.
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

// Close waits for the work that runs. When ctx ends, it ends the work, waits for
// that, and returns why.
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
