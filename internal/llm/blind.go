package llm

import (
	"context"
	"errors"
	"iter"
	"log/slog"
)

// ImagesOptional retries a request with images once, without them, if it was refused before the
// first event of an answer: many models, and many servers, accept none. The model is told that
// there were some. A refused request costs nothing, so no answer is paid for twice. Log may be
// nil.
func ImagesOptional(r Runtime, log *slog.Logger) Runtime {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &imagesOptional{runtime: r, log: log}
}

type imagesOptional struct {
	runtime Runtime
	log     *slog.Logger
}

const unseen = "(There were pictures with this message, but they could not be shown to you: this model or its server takes none. Say so if they matter.)"

func (o *imagesOptional) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	blind, had := req.WithoutImages(unseen)
	if !had {
		return o.runtime.Invoke(ctx, req)
	}
	return func(yield func(Event, error) bool) {
		heard := false
		for event, err := range o.runtime.Invoke(ctx, req) {
			if e, ok := errors.AsType[*Error](err); ok && !heard && e.declined() {
				o.log.WarnContext(ctx, "model request with images failed, retrying without them", "runtime", e.Runtime, "reason", string(e.Kind), "err", e.Details())
				o.runtime.Invoke(ctx, blind)(yield)
				return
			}
			heard = true
			if !yield(event, err) {
				return
			}
		}
	}
}

// declined reports whether a server refused the request for a reason that may be its
// images.
func (e *Error) declined() bool {
	return e.Status >= 400 && (e.Kind == Refused || e.Kind == TooLong || e.Kind == NoSuchModel)
}
