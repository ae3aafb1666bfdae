package inbox_test

import (
	"fmt"
	"testing"

	"discoclaw/internal/fulldisk"
	"discoclaw/internal/inbox"
)

// waiting are the IDs of the messages that wait.
func waiting(t *testing.T, b *inbox.Inbox) (ids []string) {
	t.Helper()
	list, err := b.Waiting(t.Context(), inbox.Message)
	do(t, err)
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids
}

// TestWhatIsPutBackOnAFullDiskWaits, so that people see it, and can call it off as soon as that
// can be written down.
func TestWhatIsPutBackOnAFullDiskWaits(t *testing.T) {
	t.Parallel()
	_, disk, b := onDisk(t)
	for _, id := range []string{"10", "11", "12"} {
		accept(t, b, message(id))
		do(t, b.Begin(t.Context(), "turn-"+id, id))
	}
	disk.Become(fulldisk.Spent, 0)
	refused(t, b.PutBack(t.Context(), "10", "11"))
	if got := fmt.Sprint(waiting(t, b)); got != "[10 11]" {
		t.Errorf("there waits %s", got)
	}
	if ours, err := b.CallOff(t.Context(), "10"); ours || err == nil {
		t.Errorf("called off on a full disk: %v, %v", ours, err)
	}
	if ours, err := b.Resume(t.Context(), "11"); ours || err == nil {
		t.Errorf("resumed on a full disk: %v, %v", ours, err)
	}
	disk.Become(fulldisk.Roomy, 0)
	for id, want := range map[string]bool{"10": true, "12": false} {
		if ours, err := b.CallOff(t.Context(), id); ours != want || err != nil {
			t.Errorf("%s called off: %v, %v", id, ours, err)
		}
	}
	for id, want := range map[string]bool{"10": false, "11": true} {
		if ours, err := b.Resume(t.Context(), id); ours != want || err != nil {
			t.Errorf("%s resumed: %v, %v", id, ours, err)
		}
	}
	if ours, err := b.CallOff(t.Context(), "11"); ours || err != nil {
		t.Errorf("called off though it goes on: %v, %v", ours, err)
	}
	if got := left(t, b); got != "11 running turn-11 0; 12 running turn-12 1" {
		t.Errorf("there is left %s", got)
	}
}

// TestPuttingBackOnAFullDiskIsNoFailedAttempt: otherwise people are told that the bot ended in
// the middle of it.
func TestPuttingBackOnAFullDiskIsNoFailedAttempt(t *testing.T) {
	t.Parallel()
	_, disk, b := onDisk(t)
	accept(t, b, message("10"))
	for range 4 {
		do(t, b.Begin(t.Context(), "turn-10", "10"))
		disk.Become(fulldisk.Spent, 0)
		refused(t, b.PutBack(t.Context(), "10"))
		disk.Become(fulldisk.Roomy, 0)
	}
	if got := left(t, b); got != "10 running turn-10 1" {
		t.Errorf("there is left %s", got)
	}
	do(t, b.PutBack(t.Context(), "10"))
	if got := left(t, b); got != "10 received turn-10 0" {
		t.Errorf("with room, there is left %s", got)
	}
}
