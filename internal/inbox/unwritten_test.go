package inbox_test

import (
	"errors"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fulldisk"
	"discoclaw/internal/inbox"
	"discoclaw/internal/store"
)

// onDisk is an inbox on a disk that can become full.
func onDisk(t *testing.T) (dir string, disk *fulldisk.Disk, b *inbox.Inbox) {
	t.Helper()
	dir = t.TempDir()
	disk = fulldisk.New(t, dir)
	return dir, disk, open(t, dir)
}

// refused requires that something could not be written down.
func refused(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("the error is %v", err)
	}
}

// TestWhatIsKnownIsNotNewOnAFullDisk: what was said is read again from a channel whose mark
// could not be written.
func TestWhatIsKnownIsNotNewOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir, disk, b := onDisk(t)
	require(t, gaps(b, latest("2", "5")), "")
	do(t, b.Save(t.Context()))
	b.Behind(pasts(latest("2", "8"))) // so that the mark stays where it is
	accept(t, b, message("10"))
	b = open(t, dir)
	disk.Become(fulldisk.Spent, 0)
	fresh, err := b.Accept(t.Context(), message("10"))
	if fresh {
		t.Error("it is new")
	}
	refused(t, err)
	if fresh, err := b.Accept(t.Context(), message("11")); !fresh {
		t.Errorf("what is new is not, %v", err)
	}
	if fresh, err := b.Accept(t.Context(), message("11")); fresh || err != nil {
		t.Errorf("told twice, it is new: %v, %v", fresh, err)
	}
}

// TestWhatCouldNotBeAcceptedIsWrittenWithItsTurn, or by itself as soon as there is room.
func TestWhatCouldNotBeAcceptedIsWrittenWithItsTurn(t *testing.T) {
	t.Parallel()
	dir, disk, b := onDisk(t)
	disk.Become(fulldisk.Spent, 0)
	for _, id := range []string{"10", "11", "12", "13"} {
		_, err := b.Accept(t.Context(), message(id))
		refused(t, err)
	}
	refused(t, b.Begin(t.Context(), "turn-11", "11"))
	do(t, b.Withdraw(t.Context(), chat.Place{Channel: "2", Message: "99"})) // changes nothing
	if got := left(t, b); got != "10 received turn-10 0; 11 running turn-11 0; 12 received turn-12 0; 13 received turn-13 0" {
		t.Errorf("this process has %s", got)
	}
	_ = b.Withdraw(t.Context(), chat.Place{Channel: "2", Message: "13"})
	refused(t, b.Holds(t.Context(), "turn-11"))
	disk.Become(fulldisk.Roomy, 0)
	do(t, b.Holds(t.Context(), "turn-11"))
	do(t, b.Begin(t.Context(), "turn-10", "10"))
	if got := left(t, open(t, dir)); got != "11 running turn-11 1; 10 running turn-10 1" {
		t.Errorf("the next one has %s", got)
	}
	do(t, b.Save(t.Context()))
	if got := left(t, open(t, dir)); got != "11 running turn-11 1; 10 running turn-10 1; 12 received turn-12 0" {
		t.Errorf("when all is written, it has %s", got)
	}
}

// TestWhatIsOverIsNotUnfinishedOnAFullDisk.
func TestWhatIsOverIsNotUnfinishedOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir, disk, b := onDisk(t)
	accept(t, b, message("10"))
	disk.Become(fulldisk.Spent, 0)
	_, err := b.Accept(t.Context(), message("11"))
	refused(t, err)
	refused(t, b.Settle(t.Context(), inbox.Answered, "10", "11"))
	if got := left(t, b); got != "" {
		t.Error(got)
	}
	if settled, err := b.IsSettled(t.Context(), "11"); !settled || err != nil {
		t.Errorf("%v, %v", settled, err)
	}
	disk.Become(fulldisk.Roomy, 0)
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	if accept(t, b, message("11")) || left(t, b) != "" {
		t.Error("the next process answers it again")
	}
}

// TestAMarkStaysBeforeWhatCouldNotBeAccepted, whatever is accepted and written after it, until
// it is over or written as well.
func TestAMarkStaysBeforeWhatCouldNotBeAccepted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		then func(t *testing.T, b *inbox.Inbox)
		want string
	}{
		{"it waits", func(*testing.T, *inbox.Inbox) {}, "2:9-12"},
		{"it is over", func(t *testing.T, b *inbox.Inbox) { do(t, b.Settle(t.Context(), inbox.Answered, "10")) }, ""},
		{"its turn has begun", func(t *testing.T, b *inbox.Inbox) { do(t, b.Begin(t.Context(), "turn-10", "10")) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, disk, b := onDisk(t)
			require(t, gaps(b, latest("2", "5")), "")
			do(t, b.Save(t.Context()))
			disk.Stumble(0)
			if _, err := b.Accept(t.Context(), message("10")); err == nil {
				t.Error("it was written")
			}
			accept(t, b, message("11"))
			b.Passed(latest("2", "12"))
			if tt.then(t, b); tt.want == "" {
				do(t, b.Save(t.Context()))
			}
			require(t, gaps(open(t, dir), latest("2", "12")), tt.want)
		})
	}
}

func TestAnEventIsAloneIfNothingElseIsAboutItsMessage(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	at := message("10").Place
	alone := func(want bool) {
		t.Helper()
		if got, err := b.IsAlone(t.Context(), "act/1", at); got != want || err != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
	accept(t, b, inbox.Event{ID: "act/1", Act: "act", Kind: inbox.Reaction, Place: at})
	alone(true)
	accept(t, b, message("10"))
	alone(false)
}
