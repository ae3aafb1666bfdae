package llm

import (
	"context"
	"errors"
	"iter"
	"log/slog"
)

// DocumentsLeftOut takes documents out of requests to a runtime that reads none, and tells the model that there were
// some.
func DocumentsLeftOut(r Runtime) Runtime { return documentsLeftOut{r} }

type documentsLeftOut struct{ runtime Runtime }

const unread = "(There were documents with this message, but this model or its server cannot read them. Say so if they matter.)"

func (d documentsLeftOut) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	req, _ = req.WithoutDocuments(unread)
	return d.runtime.Invoke(ctx, req)
}

// FilesOptional retries a request with images or documents once, without them, if it was refused before the
// first event of an answer: many models, and many servers, accept none. The model is told that
// there were some. A refused request costs nothing, so no answer is paid for twice. Log may be
// nil.
func FilesOptional(r Runtime, log *slog.Logger) Runtime {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &filesOptional{runtime: r, log: log}
}

type filesOptional struct {
	runtime Runtime
	log     *slog.Logger
}

const unseen = "(There were pictures or documents with this message, but they could not be shown to you: this model or its server takes none. Say so if they matter.)"

func (o *filesOptional) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	blind, had := req.WithoutFiles(unseen)
	if !had {
		return o.runtime.Invoke(ctx, req)
	}
	return func(yield func(Event, error) bool) {
		heard := false
		for event, err := range o.runtime.Invoke(ctx, req) {
			if e, ok := errors.AsType[*Error](err); ok && !heard && e.declined() {
				o.log.WarnContext(ctx, "model request with files failed, retrying without them", "runtime", e.Runtime, "reason", string(e.Kind), "err", e.Details())
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
