package fakediscord

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// A FaultKind is a way in which a valid request can fail.
type FaultKind int

const (
	// BadStatus answers with Fault.Status, 502 if there is none.
	BadStatus FaultKind = iota
	// RateLimited answers 429 as Discord does, with Fault.RetryAfter.
	RateLimited
	// Cloudflare answers 429 as the proxy in front of Discord does: a page, no JSON.
	Cloudflare
	// Page answers with Fault.Status as a proxy before Discord does: a page of HTML, no JSON. Fault.RetryAfter becomes
	// its header.
	Page
	// Reset cuts the connection instead of answering.
	Reset
	// Hang does not answer until the client gives up.
	Hang
	// Unindexed answers 202 to a search, as Discord does before its index is ready, with
	// Fault.RetryAfter.
	Unindexed
)

// A Fault makes requests fail on purpose.
type Fault struct {
	// Match is the route as in Exchange.Route, such as
	// "POST /channels/{channel}/messages". Empty matches every route.
	Match string
	// Skip lets this many matching requests through first.
	Skip int
	// Times is how many requests fail. 0 means every one from then on.
	Times int
	Kind  FaultKind
	// Accepted executes the request before it fails, so that its outcome is unknown to
	// the client.
	Accepted bool

	Status     int
	RetryAfter time.Duration
	Global     bool // of RateLimited: it holds for all routes

	spent bool
}

// Fail adds a fault. Of several that match, the oldest one acts.
func (w *World) Fail(f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, &f)
}

// Recover removes all faults.
func (w *World) Recover() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
}

// takeFault finds the fault for this request, and counts it.
func (w *World) takeFault(route string) *Fault {
	for _, f := range w.faults {
		if f.spent || f.Match != "" && f.Match != route {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.Times > 0 {
			f.Times--
			f.spent = f.Times == 0
		}
		return f
	}
	return nil
}

// answer is the client's response. Reset and Hang have none.
func (f *Fault) answer() answer {
	switch f.Kind {
	case RateLimited:
		return limited(f.RetryAfter, f.Global)
	case Cloudflare:
		return f.page(http.StatusTooManyRequests, "error code: 1015")
	case Page:
		return f.page(f.Status, fmt.Sprintf("<html><head><title>%d %s</title></head></html>", f.Status, http.StatusText(f.Status)))
	case Unindexed:
		return jsonAnswer(http.StatusAccepted, object{
			"message": "Index not yet available. Try again later", "code": 110000, "documents_indexed": 0, "retry_after": int(f.RetryAfter.Seconds()),
		})
	case Reset, Hang:
		return answer{}
	}
	status := f.Status
	if status == 0 {
		status = http.StatusBadGateway
	}
	if status == http.StatusBadGateway {
		return f.page(status, "<html><head><title>502 Bad Gateway</title></head></html>")
	}
	a := jsonAnswer(status, object{"message": fmt.Sprintf("%d: %s", status, http.StatusText(status)), "code": 0})
	f.setRetryAfter(a)
	return a
}

// page is the answer of a proxy.
func (f *Fault) page(status int, body string) answer {
	a := answer{status: status, header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}, body: []byte(body)}
	f.setRetryAfter(a)
	return a
}

func (f *Fault) setRetryAfter(a answer) {
	if f.RetryAfter > 0 {
		a.header.Set("Retry-After", wholeSeconds(f.RetryAfter))
	}
}

// limited is Discord's own 429.
// https://discord.com/developers/docs/topics/rate-limits
func limited(wait time.Duration, global bool) answer {
	a := jsonAnswer(http.StatusTooManyRequests, object{
		"message": "You are being rate limited.", "retry_after": wait.Seconds(), "global": global, "code": 0,
	})
	a.header.Set("Retry-After", wholeSeconds(wait))
	a.header.Set("Via", "1.1 google") // without it a 429 is Cloudflare's
	a.header.Set("X-RateLimit-Scope", "user")
	if global {
		a.header.Set("X-RateLimit-Global", "true")
		a.header.Set("X-RateLimit-Scope", "global")
	}
	return a
}

func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
