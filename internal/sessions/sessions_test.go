package sessions_test

import (
	"path/filepath"
	"testing"

	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/sessions"
	"discoclaw/internal/store"
)

func open(t testing.TB, path string) (*sessions.Store, *store.DB) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return sessions.NewStore(db), db
}

func requireLoaded(t *testing.T, s *sessions.Store, owner string, want gateway.Session) {
	t.Helper()
	if got, err := s.Load(t.Context(), owner); err != nil || got != want {
		t.Errorf("Load(%s) = %+v, %v; want %+v", owner, got, err, want)
	}
}

func TestASessionOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	s, db := open(t, path)
	requireLoaded(t, s, "ada", gateway.Session{})
	session := gateway.Session{ID: "s1", ResumeURL: "wss://resume.test", Sequence: 41}
	for range 2 {
		session.Sequence++
		if err := s.Save(t.Context(), "ada", session); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ = open(t, path)
	requireLoaded(t, s, "ada", session)
	requireLoaded(t, s, "bob", gateway.Session{})
}

func TestThereIsOneSessionAtMost(t *testing.T) {
	t.Parallel()
	s, _ := open(t, filepath.Join(t.TempDir(), store.FileName))
	first, second := gateway.Session{ID: "s1", Sequence: 1}, gateway.Session{ID: "s2", Sequence: 1}
	if err := s.Save(t.Context(), "ada", first); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), "bob", second); err != nil {
		t.Fatal(err)
	}
	requireLoaded(t, s, "ada", gateway.Session{})
	requireLoaded(t, s, "bob", second)
	if err := s.Save(t.Context(), "bob", gateway.Session{}); err != nil {
		t.Fatal(err)
	}
	requireLoaded(t, s, "bob", gateway.Session{})
}

func TestAClosedDatabaseIsAnError(t *testing.T) {
	t.Parallel()
	s, db := open(t, filepath.Join(t.TempDir(), store.FileName))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), "ada"); err == nil {
		t.Error("Load returned no error")
	}
	if err := s.Save(t.Context(), "ada", gateway.Session{ID: "s1"}); err == nil {
		t.Error("Save returned no error")
	}
}

// BenchmarkSave measures the write that every message costs.
func BenchmarkSave(b *testing.B) {
	s, _ := open(b, filepath.Join(b.TempDir(), store.FileName))
	session := gateway.Session{ID: "s1", ResumeURL: "wss://gateway-us-east1-b.discord.gg"}
	for b.Loop() {
		session.Sequence++
		if err := s.Save(b.Context(), "ada", session); err != nil {
			b.Fatal(err)
		}
	}
}
