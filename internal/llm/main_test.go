package llm_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errStopped = errors.New("somebody pressed stop")

// collect reads a stream to its end.
func collect(ctx context.Context, r llm.Runtime) (text string, err error) {
	for event, err := range r.Invoke(ctx, llm.Request{}) {
		if err != nil {
			return text, err
		}
		if t, ok := event.(llm.TextDelta); ok {
			text += t.Text
		}
	}
	return text, nil
}

func kindOf(err error) llm.Kind {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Kind
	}
	return ""
}
