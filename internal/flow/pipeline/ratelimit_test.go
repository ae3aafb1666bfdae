package pipeline

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestRateLimitsArePerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p RateLimiter[string]
		for range 5 {
			if !p.Allow("a", 5, time.Minute) || !p.Allow("b", 5, time.Minute) {
				t.Error("too early")
			}
			time.Sleep(10 * time.Second)
		}
		if p.Allow("a", 5, time.Minute) {
			t.Error("a sixth within a minute")
		}
		time.Sleep(10 * time.Second)
		if !p.Allow("a", 5, time.Minute) || p.Allow("a", 5, time.Minute) {
			t.Error("the first is a minute ago, and no other")
		}
		time.Sleep(time.Hour)
		if !p.Allow("c", 1, time.Hour) || len(p.last) != 1 {
			t.Errorf("%d are remembered", len(p.last))
		}
	})
}

func TestARecentSetForgetsTheOldest(t *testing.T) {
	var s RecentSet[int]
	for i := range maxRecent + 10 {
		if !s.Add(i) || s.Add(i) {
			t.Fatalf("%d", i)
		}
	}
	if s.Has(3) || !s.Has(maxRecent) || len(s.known) != maxRecent || len(s.order) != maxRecent {
		t.Errorf("%d known, %d in order", len(s.known), len(s.order))
	}
}

func TestStopsAreForgottenWithTheirWork(t *testing.T) {
	var a stops
	a.over("none")
	a.add("1", "x")
	a.add("2", "x")
	a.add("3", "y")
	a.over("x")
	if _, ok := a.work("1"); ok {
		t.Error("an answer is still known")
	}
	if work, ok := a.work("3"); !ok || work != "y" {
		t.Errorf("the other is %q", work)
	}
}
