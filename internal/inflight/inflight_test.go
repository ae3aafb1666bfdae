package inflight_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fulldisk"
	"discoclaw/internal/inflight"
	"discoclaw/internal/store"
)

// A server takes edits, or does not.
type server struct {
	mu    sync.Mutex
	texts map[chat.MessageID]string
	fails map[chat.MessageID]error
	whole map[chat.MessageID]bool // are finished
	blind error                   // why nobody may look at messages
}

func (s *server) Message(_ context.Context, _ chat.ChannelID, m chat.MessageID) (chat.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return chat.Message{ID: m, Buttons: !s.whole[m]}, s.blind
}

func (s *server) Edit(ctx context.Context, _ chat.ChannelID, m chat.MessageID, to chat.Outgoing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails[m]; err != nil {
		return err
	}
	if to.Buttons == nil {
		return errors.New("the button would stay")
	}
	s.texts[m] = to.Text
	return ctx.Err()
}

type gone struct{}

func (gone) Error() string   { return "there is no such message" }
func (gone) Permanent() bool { return true }

func open(t *testing.T, path string) *inflight.Replies {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return inflight.New(db)
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatAnEarlierProcessLeftIsMarked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	before := open(t, path)
	for _, m := range []chat.MessageID{"1", "2", "3", "4"} {
		do(t, before.Began(t.Context(), "7", m))
	}
	do(t, before.Over(t.Context(), "1"))

	now := open(t, path)
	do(t, now.Recall(t.Context()))
	do(t, now.Began(t.Context(), "7", "5")) // which is being written while others are marked
	s := &server{texts: map[chat.MessageID]string{}, fails: map[chat.MessageID]error{"3": gone{}, "4": errors.New("no answer")}}
	if n, err := now.Repair(t.Context(), s); n != 1 || err == nil {
		t.Errorf("%d were marked, %v", n, err)
	}
	s.fails = nil
	if n, err := now.Repair(t.Context(), s); n != 1 || err != nil {
		t.Errorf("in the second try %d were marked, %v", n, err)
	}
	if want := map[chat.MessageID]string{"2": inflight.Note, "4": inflight.Note}; !maps.Equal(s.texts, want) {
		t.Errorf("marked were %v", s.texts)
	}
	do(t, now.Over(t.Context(), "5"))
	last := open(t, path)
	do(t, last.Recall(t.Context()))
	if n, err := last.Repair(t.Context(), s); n != 0 || err != nil {
		t.Errorf("in the end %d were marked, %v", n, err)
	}
}

// TestAFinishedReplyIsNotMarked: the process may have ended between the last word of an
// answer and the note of it.
func TestAFinishedReplyIsNotMarked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	before := open(t, path)
	do(t, before.Began(t.Context(), "7", "1"))
	do(t, before.Began(t.Context(), "7", "2"))
	now := open(t, path)
	do(t, now.Recall(t.Context()))
	s := &server{texts: map[chat.MessageID]string{}, whole: map[chat.MessageID]bool{"1": true}, blind: errors.New("no answer")}
	if n, err := now.Repair(t.Context(), s); n != 0 || err == nil || len(s.texts) != 0 {
		t.Errorf("%d were marked without a look: %v", n, err)
	}
	s.blind = nil
	if n, err := now.Repair(t.Context(), s); n != 1 || err != nil || s.texts["2"] != inflight.Note || s.texts["1"] != "" {
		t.Errorf("%d were marked: %v, %v", n, s.texts, err)
	}
	last := open(t, path)
	do(t, last.Recall(t.Context()))
	s.texts = map[chat.MessageID]string{}
	if n, err := last.Repair(t.Context(), s); n != 0 || err != nil || len(s.texts) != 0 {
		t.Errorf("in the end %d were marked: %v, %v", n, s.texts, err)
	}
}

func TestWhatTheBotMayNotLookAtIsMarked(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), store.FileName))
	do(t, r.Began(t.Context(), "7", "1"))
	do(t, r.Recall(t.Context()))
	s := &server{texts: map[chat.MessageID]string{}, blind: gone{}}
	if n, err := r.Repair(t.Context(), s); n != 1 || err != nil || s.texts["1"] != inflight.Note {
		t.Errorf("%d were marked: %v, %v", n, s.texts, err)
	}
}

func TestWhatSomebodyGoesOnWithIsNotMarked(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), store.FileName))
	for _, m := range []chat.MessageID{"1", "2"} {
		do(t, r.Began(t.Context(), "7", m))
	}
	do(t, r.Recall(t.Context()))
	r.Spare("1", "3")
	s := &server{texts: map[chat.MessageID]string{}}
	if n, err := r.Repair(t.Context(), s); n != 1 || err != nil || s.texts["2"] == "" {
		t.Errorf("%d were marked: %v, %v", n, s.texts, err)
	}
}

// TestWhatAnEarlierProcessLeftIsFoundOnAFullDisk: only what is old cannot be forgotten there.
func TestWhatAnEarlierProcessLeftIsFoundOnAFullDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		disk := fulldisk.New(t, dir)
		r := open(t, filepath.Join(dir, store.FileName))
		do(t, r.Began(t.Context(), "1", "10"))
		time.Sleep(24 * time.Hour)
		do(t, r.Began(t.Context(), "1", "11"))
		disk.Become(fulldisk.Spent, 0)
		if err := r.Recall(t.Context()); !errors.Is(err, store.ErrFull) {
			t.Error(err)
		}
		s := &server{texts: map[chat.MessageID]string{}}
		if marked, err := r.Repair(t.Context(), s); marked != 1 || !errors.Is(err, store.ErrFull) || s.texts["11"] == "" {
			t.Errorf("%d are marked, %v: %v", marked, err, s.texts)
		}
	})
}

func TestWhatIsOlderThanADayIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, filepath.Join(t.TempDir(), store.FileName))
		do(t, r.Began(t.Context(), "7", "1"))
		time.Sleep(time.Hour)
		do(t, r.Began(t.Context(), "7", "2"))
		time.Sleep(23 * time.Hour)
		do(t, r.Recall(t.Context()))
		s := &server{texts: map[chat.MessageID]string{}}
		if n, err := r.Repair(t.Context(), s); n != 1 || err != nil || s.texts["2"] == "" {
			t.Errorf("%d were marked: %v, %v", n, s.texts, err)
		}
	})
}

func BenchmarkReply(b *testing.B) {
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), store.FileName))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	r := inflight.New(db)
	for b.Loop() {
		if err := errors.Join(r.Began(b.Context(), "7", "1"), r.Over(b.Context(), "1")); err != nil {
			b.Fatal(err)
		}
	}
}
