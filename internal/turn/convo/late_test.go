package convo_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/convo"
)

// TestWorkAddedDuringCloseStillRuns: work may be added while Close waits, and Close may
// be called twice.
func TestWorkAddedDuringCloseStillRuns(t *testing.T) {
	t.Parallel()
	for range 300 {
		c := convo.New(convo.Options{})
		var had atomic.Int32
		var wg sync.WaitGroup
		for i := range 10 {
			work := convo.Work{ID: strconv.Itoa(i), Channel: chat.ChannelID(strconv.Itoa(i % 3)), Run: func(context.Context, []any) { had.Add(1) }}
			wg.Go(func() { c.Add(work) })
		}
		for range 2 {
			wg.Go(func() { _ = c.Close(context.Background(), errors.New("leaving")) })
		}
		wg.Wait()
		if err := c.Close(context.Background(), errors.New("leaving")); err != nil || had.Load() != 10 {
			t.Fatalf("%d turns ran, %v", had.Load(), err)
		}
	}
}
