package fakediscord

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"time"
)

// A rule allows n requests per period. The zero rule allows all.
type rule struct {
	n   int
	per time.Duration
}

// defaultLimit is that of routes without a rule of their own. It is wider than Discord's,
// so that tests meet a limit only if they set one.
var defaultLimit = rule{n: 50, per: time.Second}

// A bucket counts the requests of the current period.
type bucket struct {
	used  int
	reset time.Time
}

// Limit allows n requests per period on a route, written as in Exchange.Route. As on
// Discord, each channel, guild and webhook has its own bucket.
func (w *World) Limit(route string, n int, per time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limits[route] = rule{n, per}
}

// LimitGlobal allows n requests per period over all routes. There is no such limit until
// it is called.
func (w *World) LimitGlobal(n int, per time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.global = rule{n, per}
}

// take counts a request. It returns the rate limit headers, and an answer if the request
// is one too many.
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

// majorOf is the major parameter of a path, which has a bucket of its own.
func majorOf(vars map[string]string) string {
	for _, name := range []string{"channel", "guild", "webhook"} {
		if id := vars[name]; id != "" {
			return id
		}
	}
	return ""
}

// bucketName is an opaque name, like Discord's.
func bucketName(route string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(route)) // never fails
	return fmt.Sprintf("%016x", h.Sum64())
}
