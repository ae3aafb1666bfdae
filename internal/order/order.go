// Package order sorts slices of structs.
//
// It is there for its size: slices.SortFunc and its like are compiled once for every type of element, some 25 KB each, and a
// program of many types has more of them resident than of the code that calls them. Slices of pointers, strings and numbers
// share one, so these are sorted with package slices.
package order

import (
	"cmp"
	"slices"
)

// By sorts a list like slices.SortStableFunc.
func By[E any](list []E, compare func(a, b E) int) {
	sorted := make([]E, len(list))
	for i, from := range positions(len(list), func(i, j int) int { return compare(list[i], list[j]) }) {
		sorted[i] = list[from]
	}
	copy(list, sorted)
}

// positions returns the numbers below n in the order of what they stand for.
func positions(n int, compare func(i, j int) int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	slices.SortFunc(list, func(i, j int) int { return cmp.Or(compare(i, j), i-j) })
	return list
}
