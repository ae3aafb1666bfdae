package llm

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// WithoutTools returns the request for a model that is offered no tools.
func (r Request) WithoutTools() Request {
	if p := r.Plain; p != nil {
		r.System, r.Stable, r.Messages, r.Sections = p.System, p.Stable, p.Messages, p.Sections
	}
	r.Tools, r.Plain = nil, nil
	return r
}

// InBoth returns the request with a change of its words, which is also made to those of Plain. The change must not write into the
// slices that it finds.
func (r Request) InBoth(change func(*Request)) Request {
	if r.Plain != nil {
		plain := *r.Plain
		change(&plain)
		r.Plain = &plain
	}
	change(&r)
	return r
}

// usesTools reports whether the model has called tools in the conversation.
func (r Request) usesTools() bool {
	return slices.ContainsFunc(r.Messages, func(m Message) bool { return len(m.Calls) > 0 })
}

// ToolsLeftOut asks a runtime that does not call the tools of requests. Those that have a Plain form are asked in it;
// others stay as they are.
func ToolsLeftOut(r Runtime) Runtime { return toolsLeftOut{r} }

type toolsLeftOut struct{ runtime Runtime }

func (o toolsLeftOut) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	if req.Plain == nil {
		return o.runtime.Invoke(ctx, req)
	}
	return plainly(o.runtime.Invoke(ctx, req.WithoutTools()))
}

// plainly says in front of an answer that it is one to the Plain form. An error that comes first stays first, as whoever asks again
// goes by that.
func plainly(answer iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		begun := false
		for event, err := range answer {
			if _, waits := event.(Queued); !begun && !waits && err == nil {
				begun = true
				if !yield(ToolsDropped{}, nil) {
					return
				}
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// ToolsOptional retries a request with tools once, without them, if it was refused before the first event of an answer: many
// models, and many servers, take none. A model that then answers is not offered any again. If the request was only too long, in which
// its tools have a share, they are offered again the next time. A request with a Root is not asked without its tools: it is about that
// folder. Neither is one in the middle of using them, unless it has a Plain form, in which the calls are words. Log may be nil.
func ToolsOptional(r Runtime, log *slog.Logger) Runtime {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	return &toolsOptional{runtime: r, log: log}
}

type toolsOptional struct {
	runtime Runtime
	log     *slog.Logger
	without sync.Map // models that take no tools
}

func (o *toolsOptional) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	bare := func() iter.Seq2[Event, error] {
		if req.Plain == nil {
			return o.runtime.Invoke(ctx, req.WithoutTools())
		}
		return plainly(o.runtime.Invoke(ctx, req.WithoutTools()))
	}
	switch _, known := o.without.Load(req.Model); {
	case len(req.Tools) == 0 || req.Workspace.Root != "" || req.Plain == nil && req.usesTools():
		return o.runtime.Invoke(ctx, req)
	case known:
		return bare()
	}
	return func(yield func(Event, error) bool) {
		begun, failure := attempt(o.runtime.Invoke(ctx, req), yield)
		e, ok := errors.AsType[*Error](failure)
		switch {
		case failure == nil:
		case ok && !begun && e.maybeForTools():
			o.learn(ctx, req.Model, e, bare(), yield)
		case ok && !begun && e.Kind == TooLong && req.Plain != nil:
			bare()(yield)
		default:
			yield(nil, failure)
		}
	}
}

// maybeForTools reports whether a request was refused for a reason that may be its tools.
func (e *Error) maybeForTools() bool {
	says := strings.Contains(strings.ToLower(e.Details()), "tool")
	return e.Kind == Refused && (says || e.Status >= 400) || e.Kind == NoSuchModel && says
}

// learn passes on the answer to a request without tools, and remembers the model that gives one.
func (o *toolsOptional) learn(ctx context.Context, model string, why *Error, answer iter.Seq2[Event, error],
	yield func(Event, error) bool) {
	_, failure := attempt(answer, func(event Event, err error) bool {
		if _, known := o.without.LoadOrStore(model, true); !known {
			o.log.WarnContext(ctx, "model takes no tools, asking it without them from now on", "runtime", why.Runtime, "model", model, "err", why.Details())
		}
		return yield(event, err)
	})
	if failure != nil {
		yield(nil, failure)
	}
}

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
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
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
		begun, failure := attempt(o.runtime.Invoke(ctx, req), yield)
		if e, ok := errors.AsType[*Error](failure); ok && !begun && e.declined() {
			o.log.WarnContext(ctx, "model request with files failed, retrying without them", "runtime", e.Runtime, "reason", string(e.Kind), "err", e.Details())
			o.runtime.Invoke(ctx, blind)(yield)
		} else if failure != nil {
			yield(nil, failure)
		}
	}
}

// declined reports whether a server refused the request for a reason that may be its
// images.
func (e *Error) declined() bool {
	return e.Status >= 400 && (e.Kind == Refused || e.Kind == TooLong || e.Kind == NoSuchModel)
}
