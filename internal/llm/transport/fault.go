package transport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// Fault returns an error with what a server says about it, for the log. A status of 0 means that it
// came inside a stream.
func (d *Transport) Fault(kind llm.Kind, status int, told ...string) *llm.Error {
	told = slices.DeleteFunc(slices.Clone(told), func(s string) bool { return s == "" })
	if len(told) == 0 {
		told = []string{"the server does not say why"}
	}
	for i := range told {
		// It is hidden before it is clipped: half a key would not be found.
		told[i] = chat.Clip(d.hide(told[i]), maxTold)
	}
	e := &llm.Error{Kind: kind, Status: status, Err: errors.New(strings.Join(told, ": "))}
	unknown := status == http.StatusNotFound || status == http.StatusMethodNotAllowed
	if kind == llm.Refused && (status/100 == 3 || unknown && !d.atHome()) {
		e.Remedy = d.checkPath()
	}
	return e
}

// NoAnswer is the error of a response that is not from a model.
func (d *Transport) NoAnswer(why string) *llm.Error {
	return &llm.Error{Kind: llm.Refused, Remedy: d.checkPath(), Err: errors.New(why)}
}

// ByStatus returns the kind that a status alone tells.
func ByStatus(status int) llm.Kind {
	switch status {
	case http.StatusUnauthorized:
		return llm.Unauthorized
	case http.StatusForbidden:
		return llm.Forbidden
	case http.StatusPaymentRequired:
		return llm.NoCredit
	case http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case http.StatusTooManyRequests:
		return llm.RateLimited
	case http.StatusRequestTimeout:
		return llm.Unavailable
	}
	if status >= 500 {
		return llm.Unavailable
	}
	return llm.Refused
}

// Mentions reports whether a message has one of the phrases, which are in lower case.
func Mentions(message string, phrases ...string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(message, p) })
}

// atHome reports whether the address is the vendor's own. Its variable is then no place to look for a mistake.
func (d *Transport) atHome() bool { return d.Home != "" && d.BaseURL == d.Home }

func (d *Transport) checkURL() string {
	if d.atHome() {
		return "check the network of this machine"
	}
	return "check " + d.Prefix + "_BASE_URL"
}

// checkPath is the remedy if a server answers, but not as one with this API.
func (d *Transport) checkPath() string {
	check := d.checkURL()
	if !d.atHome() && d.Ending != "" && !strings.HasSuffix(strings.TrimRight(d.BaseURL, "/"), d.Ending) {
		check += ", which usually ends in " + d.Ending
	}
	return check
}

// remedy names the variable to check. Empty means that there is none.
func (d *Transport) remedy(e *llm.Error, model string) string {
	key, models := d.Prefix+"_API_KEY", d.Prefix+"_MODEL or RUNTIME_MODEL"
	switch {
	case e.Kind == llm.Unauthorized:
		return "check " + key
	case e.Kind == llm.Forbidden && d.atHome():
		return fmt.Sprintf("check that the account of %s may use %q from here", key, chat.Clip(model, maxTold))
	case e.Kind == llm.Forbidden:
		return fmt.Sprintf("check that the account of %s may use %q from here, and that %s_BASE_URL is the right address", key, chat.Clip(model, maxTold), d.Prefix)
	case e.Kind == llm.NoCredit:
		return "add some to the account of " + key
	case model == "" && (e.Kind == llm.NoSuchModel || e.Kind == llm.Refused):
		return "name a model in " + models
	case e.Kind == llm.NoSuchModel:
		return fmt.Sprintf("choose another one than %q in %s", chat.Clip(model, maxTold), models)
	}
	return ""
}

// maxTold is how many characters of a server's text are kept: it may quote the prompt.
const maxTold = 200

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
