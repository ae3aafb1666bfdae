package app

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// seedsAsked is the variable that chooses the days: "12,99" for exactly these, or "5000+20" for 20
// days from 5000 on in addition to the known ones. "5000+" has the usual number of days.
const seedsAsked = "DISCOCLAW_SEEDS"

// seedsOf returns the seeds of the days: the known ones and fresh ones, unless the variable says
// otherwise.
func seedsOf(t *testing.T, known []uint64, fresh int) []uint64 {
	t.Helper()
	seeds, err := chooseSeeds(os.Getenv(seedsAsked), known, fresh)
	if err != nil {
		t.Fatalf("%s: %v", seedsAsked, err)
	}
	t.Logf("seeds: %s", spans(seeds))
	return seeds
}

func chooseSeeds(asked string, known []uint64, fresh int) (seeds []uint64, err error) {
	first := uint64(rand.Uint32())
	if from, count, isRange := strings.Cut(asked, "+"); isRange {
		if first, err = strconv.ParseUint(from, 10, 64); err == nil && count != "" {
			fresh, err = strconv.Atoi(count)
		}
	} else if asked != "" {
		for one := range strings.SplitSeq(asked, ",") {
			seed, err := strconv.ParseUint(strings.TrimSpace(one), 10, 64)
			if err != nil {
				return nil, err
			}
			seeds = append(seeds, seed)
		}
		return seeds, nil
	}
	seeds = append(seeds, known...)
	for n := range max(fresh, 0) {
		seeds = append(seeds, first+uint64(n))
	}
	return seeds, err
}

// list formats seeds for the variable.
func list(seeds []uint64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(seeds), "[]"), " ", ",")
}

// spans formats seeds for people, consecutive ones as a range.
func spans(seeds []uint64) string {
	var parts []string
	for len(seeds) > 0 {
		n := 1
		for n < len(seeds) && seeds[n] == seeds[n-1]+1 {
			n++
		}
		part := fmt.Sprint(seeds[0])
		if n > 1 {
			part += fmt.Sprint(" to ", seeds[n-1])
		}
		parts, seeds = append(parts, part), seeds[n:]
	}
	return strings.Join(parts, ", ")
}

func TestSeedsCanBeChosen(t *testing.T) {
	t.Parallel()
	known := []uint64{7, 3}
	for _, tt := range []struct{ name, asked, want string }{
		{"one", "99", "[99]"},
		{"some", "12, 99", "[12 99]"},
		{"as many as usual, besides the known", "5000+", "[7 3 5000 5001]"},
		{"a number, besides the known", "5000+3", "[7 3 5000 5001 5002]"},
		{"only the known", "0+0", "[7 3]"},
	} {
		seeds, err := chooseSeeds(tt.asked, known, 2)
		if got := fmt.Sprint(seeds); got != tt.want || err != nil {
			t.Errorf("%s: %s gives %s, %v; want %s", tt.name, tt.asked, got, err, tt.want)
		}
	}
	for _, wrong := range []string{"x", "5,", "5+x", "+"} {
		if seeds, err := chooseSeeds(wrong, known, 2); err == nil {
			t.Errorf("%q gives %d", wrong, seeds)
		}
	}
	if got, want := spans([]uint64{7, 3, 5000, 5001, 5002}), "7, 3, 5000 to 5002"; got != want {
		t.Errorf("seeds are written as %s, want %s", got, want)
	}
	one, _ := chooseSeeds("", known, 2)
	other, _ := chooseSeeds("", known, 2)
	if len(one) != 4 || fmt.Sprint(one) == fmt.Sprint(other) {
		t.Errorf("fresh days are %d and %d", one, other)
	}
}
