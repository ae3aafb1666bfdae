package forum_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/forum"
	"discoclaw/internal/store"
)

// TestAChangeDuringAStepIsSeen: a step that has read a record before it was changed succeeds with the old one.
func TestAChangeDuringAStepIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := forum.NewKeeper(&store.DB{}, forum.Options{Name: "jobs", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
		k.RetryAfter("a", 0)
		k.Step(t.Context(), "a", &forum.Report{}, func(context.Context) error {
			k.RetryAfter("a", 0)
			return nil
		})
		if _, waits := k.Resting()["a"]; !waits {
			t.Error("the change is forgotten")
		}
		time.Sleep(time.Second)
		k.Step(t.Context(), "a", &forum.Report{}, func(context.Context) error { return nil })
		if _, waits := k.Resting()["a"]; waits {
			t.Error("a record without a change is looked at again")
		}
	})
}
