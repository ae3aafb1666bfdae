package app

import (
	"io"
	"log/slog"

	"discoclaw/internal/config"
)

// newLog writes to w as the settings say, or nowhere.
func newLog(o config.Operation, w io.Writer) *slog.Logger {
	if w == nil {
		return slog.New(slog.DiscardHandler)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.LogLevel)); err != nil {
		level = slog.LevelInfo // the settings could not be read, which is reported elsewhere
	}
	options := &slog.HandlerOptions{Level: level}
	if o.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
