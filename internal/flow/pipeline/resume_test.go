package pipeline

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/delivery/inbox"
)

func TestResumedTurnsKeepTheirEvents(t *testing.T) {
	t.Parallel()
	var got []string
	for _, events := range byTurn([]inbox.Event{
		{ID: "1", Turn: "b", Begun: true}, {ID: "2", Turn: "x"}, {ID: "3", Turn: "b", Begun: true}, {ID: "4", Turn: "y"}, {ID: "5"}, {ID: "6"},
	}) {
		got = append(got, strings.Join(names(events), "+"))
	}
	if want := []string{"1+3", "2", "4", "5", "6"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func names(events []inbox.Event) (list []string) {
	for _, id := range idsOf(events) {
		list = append(list, string(id))
	}
	return list
}
