package startup_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/startup"
	"discoclaw/internal/store"
)

func TestLast(t *testing.T) {
	t.Parallel()
	restart := startup.Restart{By: chat.User{ID: "4", Name: "ada"}, Asked: "5", Channel: "6", Notice: "7"}
	for _, tt := range []struct {
		name string
		then func(t *testing.T, s *startup.Store) error
		want startup.Start
	}{
		{"it never ran", nil, startup.Start{Kind: startup.First}},
		{"it crashed", func(t *testing.T, s *startup.Store) error { return s.Running(t.Context()) }, startup.Start{Kind: startup.Crashed}},
		{"it was stopped", func(t *testing.T, s *startup.Store) error {
			return errors.Join(s.Running(t.Context()), s.Stopped(t.Context()))
		}, startup.Start{Kind: startup.Stopped}},
		{"a restart was asked for", func(t *testing.T, s *startup.Store) error { return s.Restarting(t.Context(), restart) },
			startup.Start{Kind: startup.Restarted, Restart: restart}},
		{"it crashed after a restart", func(t *testing.T, s *startup.Store) error {
			return errors.Join(s.Restarting(t.Context(), restart), s.Running(t.Context()))
		}, startup.Start{Kind: startup.Crashed}},
		{"it was stopped for a restart", func(t *testing.T, s *startup.Store) error {
			return errors.Join(s.Restarting(t.Context(), restart), s.Stopped(t.Context()))
		}, startup.Start{Kind: startup.Restarted, Restart: restart}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				s := startup.NewStore(db)
				if tt.then != nil {
					tt.want.Ended = time.Now()
					if err := tt.then(t, s); err != nil {
						t.Fatal(err)
					}
				}
				got, err := s.Last(t.Context())
				if !got.Ended.Equal(tt.want.Ended) {
					t.Errorf("it ended at %v, want %v", got.Ended, tt.want.Ended)
				}
				got.Ended = tt.want.Ended
				if err != nil || got != tt.want {
					t.Errorf("%+v, %v; want %+v", got, err, tt.want)
				}
			})
		})
	}
}

// TestARestoredCopyReportsNoRestart: its requester has been told since the copy was made.
func TestARestoredCopyReportsNoRestart(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := startup.NewStore(db)
	restore := func() {
		t.Helper()
		if err := db.Adopt(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Last(t.Context()); err != nil || got.Kind != startup.Crashed || got.Restart != (startup.Restart{}) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	restore() // the copy was made before the bot was online for the first time
	if err := s.Restarting(t.Context(), startup.Restart{By: chat.User{ID: "1", Name: "ada"}, Channel: "2", Notice: "3"}); err != nil {
		t.Fatal(err)
	}
	restore()
}
