package flow

import (
	"maps"
	"sync"
	"time"
)

// A pace lets something happen so often in a time, each for itself. Its zero value has
// seen nothing happen.
type pace[K comparable] struct {
	mu   sync.Mutex
	last map[K][]time.Time
}

// allow says whether it may happen once more, and then takes it to have happened.
func (p *pace[K]) allow(k K, most int, per time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	recent := func(t time.Time) bool { return now.Sub(t) < per }
	maps.DeleteFunc(p.last, func(_ K, times []time.Time) bool { return !recent(times[len(times)-1]) })
	times := p.last[k]
	for len(times) > 0 && !recent(times[0]) {
		times = times[1:]
	}
	if len(times) >= most {
		return false
	}
	if p.last == nil {
		p.last = map[K][]time.Time{}
	}
	p.last[k] = append(times, now)
	return true
}
