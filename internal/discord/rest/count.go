package rest

import (
	"context"
	"sync/atomic"
)

// countKey is where a context carries the count of the requests sent with it.
type countKey struct{}

// Counting returns a context, and how many requests have been sent with it so far,
// those that were repeated included.
func Counting(ctx context.Context) (context.Context, func() int) {
	var n atomic.Int64
	return context.WithValue(ctx, countKey{}, &n), func() int { return int(n.Load()) }
}

// count notes that a request leaves.
func count(ctx context.Context) {
	if n, ok := ctx.Value(countKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
}
