package inbox_test

import (
	"fmt"
	"testing"

	"discoclaw/internal/fulldisk"
	"discoclaw/internal/inbox"
)

// TestMoreIsSettledThanADatabaseTakesInOneStep: on a disk that is full for days, much is owed.
func TestMoreIsSettledThanADatabaseTakesInOneStep(t *testing.T) {
	t.Parallel()
	dir, disk, b := onDisk(t)
	accept(t, b, message("10"))
	ids := []string{"10"}
	for n := range 40_000 {
		ids = append(ids, fmt.Sprint(1_000_000+n))
	}
	disk.Become(fulldisk.Spent, 0)
	refused(t, b.Settle(t.Context(), inbox.Answered, ids...))
	disk.Become(fulldisk.Roomy, 0)
	do(t, b.Save(t.Context()))
	if got := left(t, open(t, dir)); got != "" {
		t.Errorf("there is left %s", got)
	}
}

// TestMuchIsWrittenDownAfterAFullDisk: some thousand events, in their order.
func TestMuchIsWrittenDownAfterAFullDisk(t *testing.T) {
	t.Parallel()
	dir, disk, b := onDisk(t)
	disk.Become(fulldisk.Spent, 0)
	const most = 2000
	for n := range most {
		_, err := b.Accept(t.Context(), message(fmt.Sprint(1_000_000+n)))
		refused(t, err)
	}
	refused(t, b.Save(t.Context()))
	disk.Become(fulldisk.Roomy, 0)
	do(t, b.Save(t.Context()))
	list, err := open(t, dir).Unfinished(t.Context())
	if do(t, err); len(list) != most {
		t.Fatalf("%d are left", len(list))
	}
	for i, e := range list {
		if want := fmt.Sprint(1_000_000 + i); e.ID != want {
			t.Fatalf("number %d is %s", i, e.ID)
		}
	}
}

// TestWhatIsAmendedOnAFullDiskIsWrittenWhenThereIsRoom, whether the event is written down or
// not.
func TestWhatIsAmendedOnAFullDiskIsWrittenWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	dir, disk, b := onDisk(t)
	accept(t, b, message("10"))
	accept(t, b, message("11"))
	disk.Become(fulldisk.Spent, 0)
	_, err := b.Accept(t.Context(), message("12"))
	refused(t, err)
	for _, id := range []string{"10", "11", "12"} {
		e := message(id)
		e.Body = []byte(`"amended"`)
		refused(t, b.Amend(t.Context(), e))
	}
	disk.Become(fulldisk.Roomy, 0)
	do(t, b.Begin(t.Context(), "turn-10", "10"))
	bodies := func() (all string) {
		list, err := open(t, dir).Unfinished(t.Context())
		do(t, err)
		for _, e := range list {
			all += string(e.Body)
		}
		return all
	}
	if got := bodies(); got != `"amended"{"ID":"11"}` {
		t.Errorf("with its turn, there is written %s", got)
	}
	do(t, b.Save(t.Context()))
	if got := bodies(); got != `"amended""amended""amended"` {
		t.Errorf("when all is written, there is %s", got)
	}
}

// TestAnActThatIsOverCanHappenAgainOnAFullDisk: whether it was written down, or that it is over
// was not.
func TestAnActThatIsOverCanHappenAgainOnAFullDisk(t *testing.T) {
	t.Parallel()
	_, disk, b := onDisk(t)
	thumb := func(id string) inbox.Event {
		e := message(id)
		e.Kind, e.Act, e.Anew = inbox.Reaction, "thumb", true
		return e
	}
	accept(t, b, thumb("10"))
	disk.Become(fulldisk.Spent, 0)
	for _, next := range []string{"11", "12"} {
		if fresh, _ := b.Accept(t.Context(), thumb(next)); fresh {
			t.Errorf("%s is new though the one before is not over", next)
		}
		before := map[string]string{"11": "10", "12": "11"}[next]
		refused(t, b.Settle(t.Context(), inbox.Answered, before))
		if fresh, _ := b.Accept(t.Context(), thumb(next)); !fresh {
			t.Errorf("%s is not new", next)
		}
	}
}
