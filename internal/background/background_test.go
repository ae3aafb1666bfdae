package background_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/background"
)

func TestCloseWaitsForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := background.New(slog.New(slog.DiscardHandler))
		done := false
		g.Go("slow", func(context.Context) {
			time.Sleep(time.Second)
			done = true
		})
		if err := g.Close(t.Context()); err != nil || !done {
			t.Errorf("%v, done: %v", err, done)
		}
		if g.Go("late", func(context.Context) { t.Error("it ran") }) {
			t.Error("a closed group takes work")
		}
	})
}

func TestCloseDoesNotWaitForAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := background.New(slog.New(slog.DiscardHandler))
		var paused []bool
		g.Go("patient", func(ctx context.Context) {
			paused = append(paused, g.Pause(ctx, time.Second), g.Pause(ctx, time.Hour))
		})
		time.Sleep(time.Minute)
		began := time.Now()
		if err := g.Close(t.Context()); err != nil || time.Since(began) > 0 || !slices.Equal(paused, []bool{true, false}) {
			t.Errorf("%v after %v, %v", err, time.Since(began), paused)
		}
	})
}

func TestCloseEndsWorkThatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := background.New(slog.New(slog.DiscardHandler))
		g.Go("endless", func(ctx context.Context) { <-ctx.Done() })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestAPanicIsLogged(t *testing.T) {
	var log strings.Builder
	g := background.New(slog.New(slog.NewTextHandler(&log, nil)))
	g.Go("clumsy", func(context.Context) { panic("ouch") })
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "name=clumsy") || !strings.Contains(got, "ouch") {
		t.Error(got)
	}
}
