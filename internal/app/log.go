package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/turn"
)

// newLog returns a logger that writes to w as the settings say; nil discards everything.
func newLog(o config.Operation, w io.Writer) *slog.Logger {
	if w == nil {
		return slog.New(slog.DiscardHandler)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.LogLevel)); err != nil {
		level = slog.LevelInfo // config.Load reports the invalid level
	}
	if o.LogFormat == "json" {
		return slog.New(turnHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: visible})})
	}
	// it escapes what is hidden
	return slog.New(turnHandler{slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: inSeconds})})
}

// inSeconds writes every duration in the same unit, such as 83.457s.
func inSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(fmt.Sprintf("%vs", seconds(a.Value.Duration())))
	}
	return a
}

func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

// visible takes out of a value what nobody would see, and writes durations in seconds instead of nanoseconds.
func visible(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.Float64Value(seconds(a.Value.Duration()))
	}
	if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(err.Error())
	}
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(chat.Visible(a.Value.String()))
	}
	return a
}

// A turnHandler adds the attributes of the turn in the context to each line.
type turnHandler struct{ slog.Handler }

// Handle does not replace an attribute of the line itself, which may be about another channel than
// the turn's.
func (h turnHandler) Handle(ctx context.Context, r slog.Record) error {
	for _, attr := range turn.LogAttrs(ctx) {
		said := false
		r.Attrs(func(a slog.Attr) bool {
			said = said || a.Key == attr.Key
			return !said
		})
		if !said {
			r.AddAttrs(attr)
		}
	}
	return h.Handler.Handle(ctx, r)
}

func (h turnHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return turnHandler{h.Handler.WithAttrs(attrs)}
}

func (h turnHandler) WithGroup(name string) slog.Handler {
	return turnHandler{h.Handler.WithGroup(name)}
}
