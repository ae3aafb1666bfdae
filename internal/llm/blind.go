package llm

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
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

// ToolsOptional retries a request with tools once, without them, if it was refused before the first event of an answer: many
// models, and many servers, take none. A model that then answers is not offered any again. A request with a Root is not asked
// without its tools: it is about that folder. Log may be nil.
func ToolsOptional(r Runtime, log *slog.Logger) Runtime {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &toolsOptional{runtime: r, log: log}
}

type toolsOptional struct {
	runtime Runtime
	log     *slog.Logger
	without sync.Map // models that take no tools
}

func (o *toolsOptional) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	bare := req
	bare.Tools = nil
	switch _, known := o.without.Load(req.Model); {
	case len(req.Tools) == 0 || req.Workspace.Root != "" || slices.ContainsFunc(req.Messages, func(m Message) bool { return len(m.Calls) > 0 }):
		return o.runtime.Invoke(ctx, req)
	case known:
		return o.runtime.Invoke(ctx, bare)
	}
	return func(yield func(Event, error) bool) {
		heard := false
		for event, err := range o.runtime.Invoke(ctx, req) {
			if e, ok := errors.AsType[*Error](err); ok && !heard && e.maybeForTools() {
				o.retry(ctx, bare, e, yield)
				return
			}
			heard = true
			if !yield(event, err) {
				return
			}
		}
	}
}

// maybeForTools reports whether a request was refused for a reason that may be its tools.
func (e *Error) maybeForTools() bool {
	says := strings.Contains(strings.ToLower(e.Details()), "tool")
	return e.Kind == Refused && (says || e.Status >= 400) || e.Kind == NoSuchModel && says
}

func (o *toolsOptional) retry(ctx context.Context, bare Request, why *Error, yield func(Event, error) bool) {
	heard := false
	for event, err := range o.runtime.Invoke(ctx, bare) {
		if err == nil && !heard {
			heard = true
			o.without.Store(bare.Model, true)
			o.log.WarnContext(ctx, "model takes no tools, asking it without them from now on", "runtime", why.Runtime, "model", bare.Model, "err", why.Details())
		}
		if !yield(event, err) {
			return
		}
	}
}
