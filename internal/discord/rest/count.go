package rest

import (
	"context"
	"sync/atomic"
)

// countKey is the context key of the count of requests.
type countKey struct{}

// Counting returns a context, and a function that counts the requests sent with it so far,
// retries included.
func Counting(ctx context.Context) (context.Context, func() int) {
	var n atomic.Int64
	return context.WithValue(ctx, countKey{}, &n), func() int { return int(n.Load()) }
}

// count counts a request.
func count(ctx context.Context) {
	if n, ok := ctx.Value(countKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
}
