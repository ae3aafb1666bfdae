package fakediscord

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"time"
)

// A rule lets n requests through in a stretch of time. The zero rule lets all
// through.
type rule struct {
	n   int
	per time.Duration
}

// defaultLimit holds for routes without a rule of their own. It is wider than
// Discord's, so that only those who ask for a limit meet one.
var defaultLimit = rule{n: 50, per: time.Second}

// A bucket counts the requests of the current stretch.
type bucket struct {
	used  int
	reset time.Time
}

// Limit lets n requests per stretch of time through on a route, written as in
// Exchange.Route. As on Discord, each channel, guild and webhook counts by itself.
func (w *World) Limit(route string, n int, per time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limits[route] = rule{n, per}
}

// LimitGlobal lets n requests per stretch of time through over all routes. There
// is no such limit until it is called.
func (w *World) LimitGlobal(n int, per time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.global = rule{n, per}
}

// take counts a request. It returns the headers that tell the client where it
// stands, and an answer if the request is one too many.
func (w *World) take(rt *route, vars map[string]string) (http.Header, *answer) {
	now := w.clock()
	if w.global.n > 0 {
		if b := w.bucket("global", w.global, now); b.used > w.global.n {
			over := limited(b.reset.Sub(now), true)
			return http.Header{}, &over
		}
	}
	limit, ok := w.limits[rt.name()]
	if !ok {
		limit = defaultLimit
	}
	b := w.bucket(rt.name()+"|"+majorOf(vars), limit, now)
	wait := b.reset.Sub(now)
	h := http.Header{}
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit.n))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, limit.n-b.used)))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(b.reset.UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", strconv.FormatFloat(wait.Seconds(), 'f', 3, 64))
	h.Set("X-RateLimit-Bucket", bucketName(rt.name()))
	if b.used > limit.n {
		over := limited(wait, false)
		return h, &over
	}
	return h, nil
}

func (w *World) bucket(key string, limit rule, now time.Time) *bucket {
	b := w.buckets[key]
	if b == nil || !now.Before(b.reset) {
		b = &bucket{reset: now.Add(limit.per)}
		w.buckets[key] = b
	}
	b.used++
	return b
}

// majorOf is the part of a path that has a limit of its own.
func majorOf(vars map[string]string) string {
	for _, name := range []string{"channel", "guild", "webhook"} {
		if id := vars[name]; id != "" {
			return id
		}
	}
	return ""
}

// bucketName is a word without meaning, as Discord's are.
func bucketName(route string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(route)) // never fails
	return fmt.Sprintf("%016x", h.Sum64())
}
