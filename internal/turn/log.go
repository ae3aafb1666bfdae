package turn

import (
	"context"
	"log/slog"

	"discoclaw/internal/actions"
)

type logKey struct{}

// WithLog returns a context whose log lines belong to a turn: the log handler adds
// [LogAttrs] to each.
func WithLog(ctx context.Context, o actions.Origin) context.Context {
	return context.WithValue(ctx, logKey{}, []slog.Attr{
		slog.String("turn", string(o.Turn)), slog.String("flow", string(o.Flow)), slog.String("channel", string(o.Place.Channel)),
	})
}

// LogAttrs are the attributes of the turn in ctx; none outside of a turn.
func LogAttrs(ctx context.Context) []slog.Attr {
	attrs, _ := ctx.Value(logKey{}).([]slog.Attr)
	return attrs
}
