package reply_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
	"discoclaw/internal/turn"
)

const getMessage = "GET /channels/{channel}/messages/{message}"

// placeholders opens one for each of some turns.
func (b *bench) placeholders(t *testing.T, turns ...chat.TurnID) {
	t.Helper()
	for _, name := range turns {
		b.openAs(t, b.options("general", name), turn.First)
	}
}

// closes ends a turn.
func (b *bench) closes(t *testing.T, name chat.TurnID) {
	t.Helper()
	b.Must(b.db.Tx(t.Context(), func(tx *store.Tx) error { return b.outbox.Close(t.Context(), tx, name) }))
}

// restarts starts a new process.
func (b *bench) restarts(t *testing.T) {
	t.Helper()
	b.start(t)
	b.Must(b.replies.Recall(t.Context()))
}

// repairs expects some to be marked, and an error or none.
func (b *bench) repairs(t *testing.T, want int, fails bool, resumed ...chat.TurnID) {
	t.Helper()
	if n, err := b.replies.Repair(t.Context(), resumed...); n != want || (err != nil) != fails {
		t.Errorf("%d were marked, %v", n, err)
	}
}

// requireGeneral compares what stands in #general; an I is for interrupted, a T for thinking.
func (b *bench) requireGeneral(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, m := range b.Messages("#general") {
		switch {
		case m.Content == reply.Interrupted && len(m.Buttons()) == 0:
			got = append(got, "I")
		case m.Content == "**Thinking.**" && len(m.Buttons()) == 1:
			got = append(got, "T")
		default:
			got = append(got, m.Content)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlaceholdersOfAnEarlierProcessAreMarked(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		finished := b.openAs(t, b.options("general", "1"), turn.First)
		_, err := finished.Finish(t.Context(), turn.Body{Text: "the answer"})
		b.Must(err)
		b.closes(t, "1")
		b.placeholders(t, "2", "3")
		b.Must(b.DeleteAs("ada", b.id()))

		b.restarts(t)
		b.placeholders(t, "5") // which is in flight while others are marked
		b.Fail(fakediscord.Fault{Match: patchMessage})
		b.repairs(t, 0, true)
		b.requireGeneral(t, "the answer", "T", "T")
		b.Recover()
		b.repairs(t, 1, false)
		b.requireGeneral(t, "the answer", "I", "T")

		before := len(b.Requests())
		b.restarts(t)
		b.repairs(t, 0, false, "5")
		if n := len(b.Requests()) - before; n != 0 {
			t.Errorf("%d requests for settled placeholders", n)
		}
	})
}

// TestAFinishedAnswerIsNotMarked: the process may have ended between the last word of an answer
// and the end of its turn.
func TestAFinishedAnswerIsNotMarked(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		finished := b.openAs(t, b.options("general", "1"), turn.First)
		_, err := finished.Finish(t.Context(), turn.Body{Text: "the answer"})
		b.Must(err)
		b.placeholders(t, "2")
		b.restarts(t)
		b.Fail(fakediscord.Fault{Match: getMessage})
		b.repairs(t, 0, true)
		b.requireGeneral(t, "the answer", "T")
		b.Recover()
		b.repairs(t, 1, false)
		b.requireGeneral(t, "the answer", "I")
		b.restarts(t)
		b.repairs(t, 0, false)
	})
}

func TestAPlaceholderThatTheBotMayNotReadIsMarked(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.placeholders(t, "1")
		b.restarts(t)
		b.Fail(fakediscord.Fault{Match: getMessage, Kind: fakediscord.BadStatus, Status: 403})
		b.repairs(t, 1, false)
		b.requireGeneral(t, "I")
	})
}

// TestAnEarlierAnswerOfATurnIsNotMarked, not even if the bot may not read it: the next one has
// begun.
func TestAnEarlierAnswerOfATurnIsNotMarked(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		first := b.openAs(t, b.options("general", "1"), turn.First)
		_, err := first.Finish(t.Context(), turn.Body{Text: "the answer"})
		b.Must(err)
		b.openAs(t, b.options("general", "1"), "1")
		b.restarts(t)
		b.Fail(fakediscord.Fault{Match: getMessage, Kind: fakediscord.BadStatus, Status: 403})
		b.repairs(t, 1, false)
		b.requireGeneral(t, "the answer", "I")
	})
}

// TestAPlaceholderThatCouldNotBeEndedIsMarkedAtTheNextStart, though its turn was closed: by the
// process that could not end it, or by the next, which gives the turn up.
func TestAPlaceholderThatCouldNotBeEndedIsMarkedAtTheNextStart(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		r := b.openAs(t, b.options("general", "1"), turn.First)
		b.placeholders(t, "2")
		b.Fail(fakediscord.Fault{Match: patchMessage, Kind: fakediscord.BadStatus, Status: 403})
		b.Fail(fakediscord.Fault{Match: "DELETE /channels/{channel}/messages/{message}"})
		_, err := r.Finish(t.Context(), turn.Body{Text: "the answer"})
		if err == nil || r.Discard(t.Context()) == nil {
			t.Fatal("it could be ended")
		}
		b.closes(t, "1")
		b.Recover()
		b.start(t)
		b.closes(t, "2")
		b.restarts(t)
		b.repairs(t, 2, false)
		b.requireGeneral(t, "I", "I")
	})
}

func TestATurnThatIsResumedIsNotMarked(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.placeholders(t, "1", "2")
		b.restarts(t)
		b.repairs(t, 1, false, "1", "3")
		b.requireGeneral(t, "T", "I")
		b.repairs(t, 0, false)
		b.requireGeneral(t, "T", "I")
	})
}

// TestPlaceholdersAreMarkedOnAFullDisk: only their rows cannot be settled there.
func TestPlaceholdersAreMarkedOnAFullDisk(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		dir := t.TempDir()
		disk := fulldisk.New(t, dir)
		b.path = filepath.Join(dir, store.FileName)
		b.start(t)
		b.placeholders(t, "1")
		disk.Become(fulldisk.Spent, 0)
		b.Must(b.replies.Recall(t.Context()))
		if marked, err := b.replies.Repair(t.Context()); marked != 1 || !errors.Is(err, store.ErrFull) {
			t.Errorf("%d are marked, %v", marked, err)
		}
		b.requireGeneral(t, "I")
	})
}

func TestAPlaceholderOlderThanADayIsNotMarked(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.placeholders(t, "1")
		time.Sleep(time.Hour)
		b.placeholders(t, "2")
		time.Sleep(23 * time.Hour)
		b.restarts(t)
		b.repairs(t, 1, false)
		b.requireGeneral(t, "T", "I")
	})
}
