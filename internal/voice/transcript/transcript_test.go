package transcript_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
	"discoclaw/internal/voice/transcript"
)

const ada, bob chat.UserID = "1", "2"

func open(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func keep(t *testing.T, s *transcript.Store, x transcript.Exchange) {
	t.Helper()
	if err := s.Keep(t.Context(), x); err != nil {
		t.Fatal(err)
	}
}

// kept lists the turns that are stored, with their answers.
func kept(t *testing.T, db *store.DB) string {
	t.Helper()
	all, err := store.All(t.Context(), db, func(row store.Row) (line string, err error) {
		var turn, person, answered string
		err = row.Scan(&turn, &person, &answered)
		return fmt.Sprintf("%s %s: %s", turn, person, answered), err
	}, "SELECT turn, person, answered FROM transcripts ORDER BY turn")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

// TestATurnIsKeptOnce, as it was in the end, and long texts are cut.
func TestATurnIsKeptOnce(t *testing.T) {
	db := open(t)
	s := transcript.New(db)
	x := transcript.Exchange{Turn: "a", Place: chat.Place{Guild: "9"}, Person: ada, Said: "hi", Answered: "hello", At: time.Now()}
	keep(t, s, x)
	x.Answered = strings.Repeat("h", 501)
	keep(t, s, x)
	if got := kept(t, db); got != "a 1: "+x.Answered[:500]+"…" {
		t.Errorf("kept are %q", got)
	}
}

func TestTranscriptsAreKeptForAWeek(t *testing.T) {
	db := open(t)
	s := transcript.New(db)
	now := time.Now()
	for id, age := range map[chat.TurnID]time.Duration{"old": 7*24*time.Hour + time.Minute, "young": 7*24*time.Hour - time.Minute} {
		keep(t, s, transcript.Exchange{Turn: id, Place: chat.Place{Guild: "9"}, Person: ada, At: now.Add(-age)})
	}
	if err := db.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, db); got != "young 1: " {
		t.Errorf("kept are %q", got)
	}
}

// TestWhatIsErased: what somebody said and what they were answered, but not that they do not want to be heard.
func TestWhatIsErased(t *testing.T) {
	db := open(t)
	s := transcript.New(db)
	for id, who := range map[chat.TurnID]chat.UserID{"hers": ada, "his": bob} {
		keep(t, s, transcript.Exchange{Turn: id, Place: chat.Place{Guild: "9"}, Person: who, At: time.Now()})
	}
	if err := s.Ignore(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	found, err := db.Export(t.Context(), string(ada))
	if err != nil || len(found["transcripts"]) != 1 || len(found["unheard"]) != 1 {
		t.Errorf("exported are %v, %v", found, err)
	}
	if _, err := db.Erase(t.Context(), string(ada)); err != nil {
		t.Fatal(err)
	}
	after := transcript.New(db)
	if err := after.Load(t.Context()); err != nil || !after.Ignored(ada) {
		t.Errorf("who erased everything is heard again: %v", err)
	}
	if got := kept(t, db); got != "his 2: " {
		t.Errorf("kept are %q", got)
	}
}

func TestWhoIsNotHeard(t *testing.T) {
	db := open(t)
	s := transcript.New(db)
	if !s.Ignored(ada) {
		t.Error("somebody is heard before it is known who does not want to be")
	}
	check := func(when string, want bool) {
		t.Helper()
		restarted := transcript.New(db)
		for name, s := range map[string]*transcript.Store{"": s, " and a restart": restarted} {
			if err := restarted.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s.Ignored(ada) != want || s.Ignored(bob) {
				t.Errorf("%s%s: ignored are Ada %v, Bob %v", when, name, s.Ignored(ada), s.Ignored(bob))
			}
		}
	}
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("at first", false)
	for range 2 {
		if err := s.Ignore(t.Context(), ada); err != nil {
			t.Fatal(err)
		}
		check("after ignore me", true)
	}
	if err := s.Hear(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	check("after hear me", false)
	_ = db.Close()
	if err := s.Ignore(t.Context(), ada); err == nil || !s.Ignored(ada) {
		t.Errorf("what cannot be stored holds until the restart: %v", err)
	}
	if err := s.Hear(t.Context(), ada); err == nil || !s.Ignored(ada) {
		t.Errorf("who cannot be taken off the list is heard: %v", err)
	}
}
