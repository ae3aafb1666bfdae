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

// said lists the turns that a prompt of server 9 would show.
func said(t *testing.T, s *transcript.Store, joined time.Time) string {
	t.Helper()
	list, err := s.Latest(t.Context(), "9", joined)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, x := range list {
		all = append(all, fmt.Sprintf("%s %s: %s", x.Turn, x.Person, x.Answered))
	}
	return strings.Join(all, ", ")
}

func TestWhatAPromptShows(t *testing.T) {
	s := transcript.New(open(t))
	joined := time.Now().Add(-time.Minute)
	turn := func(id chat.TurnID, at time.Time, guild chat.GuildID) transcript.Exchange {
		return transcript.Exchange{Turn: id, Place: chat.Place{Guild: guild, Channel: "5"}, Person: ada, Said: "hi", Answered: "hello", At: at, Outside: "a page"}
	}
	keep(t, s, turn("before", joined.Add(-time.Second), "9"))
	keep(t, s, turn("elsewhere", joined, "8"))
	if got := said(t, s, joined); got != "" {
		t.Errorf("it shows %q of another call", got)
	}
	var want []string
	for i := range 12 {
		id := chat.TurnID(rune('a' + i))
		keep(t, s, turn(id, joined.Add(time.Duration(i)*time.Second), "9"))
		if i >= 2 {
			want = append(want, fmt.Sprintf("%s 1: hello", id))
		}
	}
	cut := turn("l", joined.Add(11*time.Second), "9")
	cut.Answered = strings.Repeat("h", 501)
	keep(t, s, cut)
	want[9] = "l 1: " + cut.Answered[:500] + "…"
	if got := said(t, s, joined); got != strings.Join(want, ", ") {
		t.Errorf("it shows %s\nwant %s", got, want)
	}
	list, _ := s.Latest(t.Context(), "9", joined)
	if x := list[0]; x.Said != "hi" || x.Place != (chat.Place{Guild: "9", Channel: "5"}) || x.Outside != "a page" || !x.At.Equal(store.Rounded(joined.Add(2*time.Second))) {
		t.Errorf("the first is %+v", x)
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
	if got := said(t, s, time.Unix(0, 0)); got != "young 1: " {
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
	if got := said(t, s, time.Unix(0, 0)); got != "his 2: " {
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

func TestEverybodyIsToldOnce(t *testing.T) {
	var n transcript.Notices
	if !n.First(ada) || n.First(ada) || !n.First(bob) {
		t.Error("somebody is told twice, or not at all")
	}
}
