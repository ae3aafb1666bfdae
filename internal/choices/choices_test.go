package choices_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/store"
)

// open opens the database of a test, which may exist already.
func open(t *testing.T, path string) (*choices.Store, *store.DB) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return choices.NewStore(db), db
}

func fresh(t *testing.T) *choices.Store {
	t.Helper()
	s, _ := open(t, filepath.Join(t.TempDir(), store.FileName))
	return s
}

func register(t *testing.T, s *choices.Store, m chat.MessageID, list ...chat.Emoji) choices.Question {
	t.Helper()
	q := choices.Question{Message: m, Channel: "2", Guild: "3", Requester: "4", Text: "Ship it?", Choices: list, Depth: 1}
	if err := s.Register(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return q
}

func matches(t *testing.T, s *choices.Store, m chat.MessageID, e chat.Emoji) bool {
	t.Helper()
	_, ok, err := s.Match(t.Context(), m, e)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func resolves(t *testing.T, s *choices.Store, m chat.MessageID) bool {
	t.Helper()
	ok, err := s.Resolve(t.Context(), m)
	if err != nil {
		t.Error(err)
	}
	return ok
}

func TestAReactionAnswersIfItIsAChoice(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	register(t, s, "1", "✅", "❤️", "✔", "party:123456789012345678")
	for _, tt := range []struct {
		name  string
		emoji chat.Emoji
		want  bool
	}{
		{"a choice", "✅", true},
		{"without its variation selector", "❤", true},
		{"with a variation selector more", "✔️", true},
		{"a server's own", "party:123456789012345678", true},
		{"renamed", "fiesta:123456789012345678", true},
		{"of the same name", "party:999999999999999999", false},
		{"no choice", "❌", false},
		{"nothing", "", false},
	} {
		if got := matches(t, s, "1", tt.emoji); got != tt.want {
			t.Errorf("%s: %s matches: %v, want %v", tt.name, tt.emoji, got, tt.want)
		}
	}
	if matches(t, s, "2", "✅") {
		t.Error("a reaction to another message matches")
	}
}

// TestSpellingsOfAServersOwnEmoji: models and Discord write the same emoji in many
// ways.
func TestSpellingsOfAServersOwnEmoji(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	var written chat.Emoji
	if err := written.UnmarshalText([]byte("<a:party:123456789012345678>")); err != nil {
		t.Fatal(err)
	}
	register(t, s, "1", written, "👍")
	if !matches(t, s, "1", "party:123456789012345678") {
		t.Error("an animated emoji does not match its own reaction")
	}
}

func TestAQuestionIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	register(t, s, "1", "👍", "👎")
	register(t, s, "2", "👍", "👎")
	if !matches(t, s, "1", "👍") || !matches(t, s, "1", "👎") {
		t.Error("a match takes the question away")
	}
	if !resolves(t, s, "1") || resolves(t, s, "1") || matches(t, s, "1", "👍") {
		t.Error("a question was not answered exactly once")
	}
	if !matches(t, s, "2", "👍") {
		t.Error("the other question is gone too")
	}
}

func TestLaterChoicesAreRecognised(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fresh(t)
		register(t, s, "1", "👍", "❤️")
		answered := func(m chat.MessageID, e chat.Emoji) bool {
			t.Helper()
			yes, err := s.Answered(t.Context(), m, e)
			if err != nil {
				t.Error(err)
			}
			return yes
		}
		if answered("1", "👍") {
			t.Error("a question that waits is answered")
		}
		resolves(t, s, "1")
		if !answered("1", "👍") || !answered("1", "❤") || answered("1", "👀") || answered("2", "👍") {
			t.Error("other reactions are choices of an answered question, or its own are not")
		}
		register(t, s, "2", "👍", "👎")
		resolves(t, s, "2")
		if err := s.Forget(t.Context(), "2"); err != nil || answered("2", "👍") {
			t.Errorf("a question whose message is gone is still known; %v", err)
		}
		time.Sleep(choices.Retention)
		if answered("1", "👍") {
			t.Error("a question is kept beyond its retention")
		}
	})
}

func TestOneOfManyConcurrentAnswersCounts(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	var all sync.WaitGroup
	var counted [20]atomic.Int32
	for i := range 100 {
		all.Go(func() {
			q := i % len(counted)
			id := chat.MessageID(fmt.Sprint(q + 1))
			// The first call registers the question; a second one for the same message fails.
			err := s.Register(t.Context(), choices.Question{Message: id, Text: "Ship it?", Choices: []chat.Emoji{"👍", "👎"}})
			if (err == nil) && !matches(t, s, id, "👍") {
				t.Errorf("the question %s is not there", id)
			}
		})
	}
	all.Wait()
	for i := range 100 {
		all.Go(func() {
			q := i % len(counted)
			if resolves(t, s, chat.MessageID(fmt.Sprint(q+1))) {
				counted[q].Add(1)
			}
		})
	}
	all.Wait()
	for q := range counted {
		if n := counted[q].Load(); n != 1 {
			t.Errorf("%d answers to question %d count, want 1", n, q+1)
		}
	}
}

func TestQuestionsSurviveARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), store.FileName)
		s, db := open(t, path)
		want := register(t, s, "1", "👍", "👎")
		want.Asked = time.Now().Local()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		s, _ = open(t, path)
		got, ok, err := s.Match(t.Context(), "1", "👎")
		if err != nil || !ok {
			t.Fatalf("the question is gone: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the question has changed (-before +after):\n%s", diff)
		}
	})
}

func TestAForgottenQuestionCannotBeAnswered(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	register(t, s, "1", "👍", "👎")
	for range 2 { // the second time it is not there
		if err := s.Forget(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
	}
	if matches(t, s, "1", "👍") || resolves(t, s, "1") {
		t.Error("it was answered all the same")
	}
}

func TestQuestionsAreDroppedAfterTheirRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, db := open(t, filepath.Join(t.TempDir(), store.FileName))
		register(t, s, "1", "👍", "👎")
		register(t, s, "0", "👍", "👎")
		register(t, s, "00", "👍", "👎")
		resolves(t, s, "00")
		time.Sleep(choices.Retention - time.Second)
		if !matches(t, s, "1", "👍") {
			t.Error("the question is forgotten too early")
		}
		time.Sleep(time.Second)
		if matches(t, s, "1", "👍") || resolves(t, s, "1") {
			t.Error("the question can still be answered")
		}
		register(t, s, "2", "👍", "👎")
		resolves(t, s, "2")
		register(t, s, "3", "👍", "👎")
		time.Sleep(time.Second)
		if err := db.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		var left string
		if err := db.QueryRowContext(t.Context(), "SELECT (SELECT group_concat(message) FROM choices) || (SELECT group_concat(message) FROM answered)").Scan(&left); err != nil || left != "32" {
			t.Errorf("the questions %s are kept, %v; want the new ones", left, err)
		}
	})
}

// TestAQuestionOpensAgain for everybody but who answered it, and not for longer than before.
func TestAQuestionOpensAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	synctest.Test(t, func(t *testing.T) {
		s, _ := open(t, path)
		q := register(t, s, "1", "✅", "❌")
		reopens := func(by chat.UserID) bool {
			t.Helper()
			ok, err := s.Reopen(t.Context(), q, by)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if reopens("zed") {
			t.Error("a question opens again that was not answered")
		}
		asked := time.Now()
		time.Sleep(time.Hour)
		if !resolves(t, s, "1") || !reopens("zed") || !reopens("zed") {
			t.Fatal("it does not open again")
		}
		got, ok, err := s.Match(t.Context(), "1", "✅")
		want := q
		want.Asked, want.Refused = asked.Truncate(time.Microsecond), []chat.UserID{"zed"}
		if diff := cmp.Diff(want, got, cmpTime); !ok || err != nil || diff != "" {
			t.Errorf("it has changed (-want +got): %v\n%s", err, diff)
		}
		if answered, err := s.Answered(t.Context(), "1", "✅"); answered || err != nil {
			t.Errorf("it is still answered: %v", err)
		}
		if !resolves(t, s, "1") || !reopens("zed") || matches(t, s, "1", "✅") {
			t.Error("who was refused before opens it again after the answer of somebody else")
		}
		if !reopens("bob") || !matches(t, s, "1", "✅") {
			t.Error("it does not open again for the second time")
		}
		time.Sleep(choices.Retention - time.Hour)
		if matches(t, s, "1", "✅") {
			t.Error("it lives longer than it would have")
		}
		if resolves(t, s, "1"); reopens("eve") {
			t.Error("it opens again though it is too old")
		}
	})
}

var cmpTime = cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
