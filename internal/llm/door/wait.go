package door

import (
	"net/http"
	"strconv"
	"time"
)

// retryAfter reads the pause that the server asks for. OpenAI also sends it in milliseconds.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return Span(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return Span(s, time.Second)
	}
	if t, err := http.ParseTime(value); err == nil {
		return Span(float64(time.Until(t)), 1)
	}
	return 0
}

// Span makes a duration of a number from outside, which may be negative, infinite or not a
// number.
func Span(n float64, unit time.Duration) time.Duration {
	const most = 24 * time.Hour
	switch n *= float64(unit); {
	case n >= float64(most):
		return most
	case n > 0:
		return time.Duration(n)
	default:
		return 0
	}
}
