package order_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/order"
)

func TestByIsAStableSort(t *testing.T) {
	t.Parallel()
	type pair struct{ rank, number int }
	rapid.Check(t, func(t *rapid.T) {
		var list []pair
		for i, rank := range rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "ranks") {
			list = append(list, pair{rank, i})
		}
		compare := func(a, b pair) int { return cmp.Compare(a.rank, b.rank) }
		want := slices.Clone(list)
		slices.SortStableFunc(want, compare)
		if order.By(list, compare); !slices.Equal(list, want) {
			t.Errorf("sorted as %v, want %v", list, want)
		}
	})
}
