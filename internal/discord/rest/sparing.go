package rest

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
)

// sparingKey is the context key of a sparing.
type sparingKey struct{}

// A sparing is the state of a sparing context. A nil one spares nothing.
type sparing struct {
	over       atomic.Bool
	unanswered atomic.Pointer[Error] // the error of the request that Discord did not answer
}

// Sparing returns a context for another try of work that Discord did not answer. Each request is sent once, and after one that
// is not answered either, none. Once a POST succeeds, requests are sent as usual.
func Sparing(ctx context.Context) context.Context {
	return context.WithValue(ctx, sparingKey{}, new(sparing))
}

func sparingOf(ctx context.Context) *sparing {
	s, _ := ctx.Value(sparingKey{}).(*sparing)
	return s
}

func (s *sparing) active() bool { return s != nil && !s.over.Load() }

// refusal returns the error of all further requests, or nil.
func (s *sparing) refusal() error {
	if !s.active() {
		return nil
	}
	if e := s.unanswered.Load(); e != nil {
		return e
	}
	return nil
}

// learn takes the result of a request into account.
func (s *sparing) learn(q Request, err error) {
	if e := (*Error)(nil); !s.active() {
		return
	} else if errors.As(err, &e) && e.unclear {
		s.unanswered.Store(e)
	}
	if err == nil && q.Method == http.MethodPost {
		s.over.Store(true)
	}
}
