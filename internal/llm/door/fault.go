package door

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"discoclaw/internal/llm"
)

// Fault returns an error with what a server says about it, for the log. A status of 0 means that it
// came inside a stream.
func (d *Door) Fault(kind llm.Kind, status int, told ...string) *llm.Error {
	told = slices.DeleteFunc(slices.Clone(told), func(s string) bool { return s == "" })
	if len(told) == 0 {
		told = []string{"the server does not say why"}
	}
	for i := range told {
		// It is hidden before it is clipped: half a key would not be found.
		told[i] = clip(d.hide(told[i]))
	}
	e := &llm.Error{Kind: kind, Status: status, Err: errors.New(strings.Join(told, ": "))}
	unknown := status == http.StatusNotFound || status == http.StatusMethodNotAllowed
	if kind == llm.Refused && (status/100 == 3 || unknown && !d.atHome()) {
		e.Remedy = d.checkPath()
	}
	return e
}

// NoAnswer is the error of a response that is not from a model.
func (d *Door) NoAnswer(why string) *llm.Error {
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
func (d *Door) atHome() bool { return d.Home != "" && d.BaseURL == d.Home }

func (d *Door) checkURL() string {
	if d.atHome() {
		return "check the network of this machine"
	}
	return "check " + d.Prefix + "_BASE_URL"
}

// checkPath is the remedy if a server answers, but not as one with this API.
func (d *Door) checkPath() string {
	check := d.checkURL()
	if !d.atHome() && d.Ending != "" && !strings.HasSuffix(strings.TrimRight(d.BaseURL, "/"), d.Ending) {
		check += ", which usually ends in " + d.Ending
	}
	return check
}

// remedy names the variable to check. Empty means that there is none.
func (d *Door) remedy(e *llm.Error, model string) string {
	key, models := d.Prefix+"_API_KEY", d.Prefix+"_MODEL or RUNTIME_MODEL"
	switch {
	case e.Kind == llm.Unauthorized:
		return "check " + key
	case e.Kind == llm.Forbidden && d.atHome():
		return fmt.Sprintf("check that the account of %s may use %q from here", key, clip(model))
	case e.Kind == llm.Forbidden:
		return fmt.Sprintf("check that the account of %s may use %q from here, and that %s_BASE_URL is the right address", key, clip(model), d.Prefix)
	case e.Kind == llm.NoCredit:
		return "add some to the account of " + key
	case model == "" && (e.Kind == llm.NoSuchModel || e.Kind == llm.Refused):
		return "name a model in " + models
	case e.Kind == llm.NoSuchModel:
		return fmt.Sprintf("choose another one than %q in %s", clip(model), models)
	}
	return ""
}

// clip shortens a server's text: it may quote the prompt.
func clip(text string) string {
	const most = 200
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}
