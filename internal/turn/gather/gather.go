// Package gather says how the parts of the bot tell prompts what they know.
package gather

import (
	"context"

	"discoclaw/internal/actions"
	"discoclaw/internal/turn/prompt"
)

// Asked is the turn whose prompt is gathered.
type Asked struct {
	Origin actions.Origin
	About  string // what the requester wrote
}

// An Informer is a category, or another part of the bot, that knows something which may matter in a turn, such as the open tasks of the
// server. Sections without text are left out. Without what an Informer fails to tell, the prompt is built all the same.
type Informer interface {
	Knows(ctx context.Context, asked Asked) ([]prompt.Known, error)
}

// Func is an Informer with a single section.
type Func func(ctx context.Context, o actions.Origin, about string) (prompt.Known, error)

// Knows implements [Informer].
func (f Func) Knows(ctx context.Context, asked Asked) ([]prompt.Known, error) {
	known, err := f(ctx, asked.Origin, asked.About)
	return []prompt.Known{known}, err
}
