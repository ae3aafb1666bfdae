package chat

import (
	"context"
	"sync"
)

// A round is one of actions, or of one approval.
type round struct {
	mu     sync.Mutex
	looked map[[2]string]bool
}

type roundKey struct{}

// InRound returns a context in which members are looked up afresh once, so that a role that was just taken away counts. Within
// another round it changes nothing.
func InRound(ctx context.Context) context.Context {
	if _, ok := ctx.Value(roundKey{}).(*round); ok {
		return ctx
	}
	return context.WithValue(ctx, roundKey{}, &round{looked: map[[2]string]bool{}})
}

// FirstLook reports whether a member is looked up for the first time in the context's round. Without a round it is false.
func FirstLook(ctx context.Context, g GuildID, u UserID) bool {
	r, ok := ctx.Value(roundKey{}).(*round)
	if !ok {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{string(g), string(u)}
	first := !r.looked[key]
	r.looked[key] = true
	return first
}
