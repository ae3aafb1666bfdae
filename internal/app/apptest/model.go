package apptest

import (
	"context"
	"iter"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// Indeed is the answer of [Talkative].
const Indeed = "Indeed."

// Talkative returns a model that answers everything with [Indeed].
func Talkative() llm.Runtime {
	return script.Func(func(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
		return func(yield func(llm.Event, error) bool) { yield(llm.TextDelta{Text: Indeed}, nil) }
	})
}

// Endless returns a model that begins each answer and does not end it.
func Endless() llm.Runtime {
	return script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
		return script.Answer{script.Text("Once upon a time"), script.Pause(24 * time.Hour)}.Stream(ctx)
	})
}
