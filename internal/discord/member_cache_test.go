package discord

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
)

func author(n int) memberKey { return memberKey{"1", chat.UserID(strconv.Itoa(n))} }

// TestTheMemberCacheHoldsOnlyTheLastSeconds, however many people write, and however often each does.
func TestTheMemberCacheHoldsOnlyTheLastSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perSecond = 100
		most := perSecond*int(memberTime/time.Second) + 2 // one at the limit, and one that was put twice
		m := newMembers()
		for n := range 60 * perSecond {
			time.Sleep(time.Second / perSecond)
			m.put(author(n), chat.Member{}, false)
			m.put(author(n-n%100), chat.Member{}, n%2 == 0)
			if size := len(m.known); size > most || size != m.byAge.Len() {
				t.Fatalf("%d people and %d in order after %d, want at most %d", size, m.byAge.Len(), n, most)
			}
		}
		if _, known := m.get(author(60*perSecond - 1)); !known {
			t.Error("a new entry is missing")
		}
		time.Sleep(memberTime)
		if _, known := m.guess(author(60*perSecond - 1)); known {
			t.Error("an expired entry is still there")
		}
		time.Sleep(time.Nanosecond)
		m.put(author(0), chat.Member{}, false)
		m.forget(author(0))
		if len(m.known)+m.byAge.Len() > 0 {
			t.Errorf("%d people and %d in order are left", len(m.known), m.byAge.Len())
		}
	})
}

// BenchmarkNewAuthor measures how much more a new entry costs when there are 100 times as many: 1 is the aim.
func BenchmarkNewAuthor(b *testing.B) {
	const few, many = 1_000, 100_000
	small, large := membersOf(few), membersOf(many)
	var took [2]time.Duration
	n := many
	for b.Loop() {
		n++
		for i, m := range []*members{small, large} {
			began := time.Now()
			m.put(author(n), chat.Member{}, false)
			took[i] += time.Since(began)
			m.forget(author(n))
		}
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "growth")
}

func membersOf(n int) *members {
	m := newMembers()
	for i := range n {
		m.put(author(i), chat.Member{}, false)
	}
	return m
}
