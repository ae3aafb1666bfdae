package llm

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Kind classifies errors by what to do about them.
type Kind string

const (
	Unauthorized Kind = "unauthorized"  // the key is missing or wrong
	Forbidden    Kind = "forbidden"     // the key is good, but not for this
	NoCredit     Kind = "no credit"     // the key is good, but its account is empty
	OverBudget   Kind = "over budget"   // nothing was asked, since it could cost more than the operator allows
	RateLimited  Kind = "rate limited"  // too many requests; later ones will be served
	TooLong      Kind = "too long"      // the conversation does not fit the model
	NoSuchModel  Kind = "no such model" // not known there, or not for this key
	Blocked      Kind = "blocked"       // refused for its content
	Cut          Kind = "cut off"       // the answer reached the limit of its length
	Timeout      Kind = "timed out"     // no complete answer within the time for one
	Stalled      Kind = "stalled"       // no sign of life for too long
	Unavailable  Kind = "unavailable"   // not reached, or failing
	Broken       Kind = "broken off"    // the stream ended early or made no sense
	NoFolder     Kind = "no folder"     // nothing was asked, since the folder for its tools cannot be opened
	Refused      Kind = "refused"       // any other request that was not accepted
)

// An Error is the reason why there is no complete answer. Its text is for operators: what happened
// and what to do about it, without a vendor's own text, which may hold keys and prompts. ForMembers is
// for everybody, and Details for the log.
type Error struct {
	Kind    Kind
	Runtime string // that failed, by its name in the settings
	Host    string // that was asked, as in the settings; may be empty
	Status  int    // of the HTTP response, if there was one

	// RetryAfter is the pause that the server asks for.
	RetryAfter time.Duration
	// Waited is how long a Timeout or a Stalled took.
	Waited time.Duration
	// Remedy completes the sentence "…; check OPENAI_API_KEY". Adapters set it if they know
	// a better one than the kind's own, above all which variable to check.
	Remedy string
	// Members is what members read instead of the kind's own words. It may be empty.
	Members string
	// Repeated means that a scheduled job was refused for the same reason before, and need not say it again.
	Repeated bool
	// Err is the cause. Of an OverBudget, it is the sentence for operators.
	Err error
}

// Error is one sentence with the remedy in it, without a full stop.
func (e *Error) Error() string { return Redact(e.what() + "; " + e.remedy()) }

// ForMembers is the same for people who cannot change the settings: what they can do about it.
func (e *Error) ForMembers() string {
	if e.Members != "" {
		return e.Members
	}
	return e.fill(cmp.Or(sentences[e.Kind].members, "I can't use my language model right now, and only the people who run me can change that"))
}

func (e *Error) later() string {
	if e.RetryAfter > 0 {
		return "try again in " + spell(e.RetryAfter)
	}
	return "try again a little later"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Details returns the text with the cause, for the log. Keys are redacted.
func (e *Error) Details() string {
	facts := []string{cmp.Or(string(e.Kind), "failed")}
	if e.Status != 0 {
		facts = append(facts, fmt.Sprintf("status %d", e.Status))
	}
	if e.RetryAfter > 0 {
		facts = append(facts, fmt.Sprintf("retry after %s", e.RetryAfter))
	}
	if e.Waited > 0 {
		facts = append(facts, fmt.Sprintf("waited %s", e.Waited))
	}
	text := strings.Join(facts, ", ")
	if e.Runtime != "" {
		text = e.Runtime + ": " + text
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return Redact(text)
}

// sentences say of each kind what happened, what to do about it, and what members read, unless that is the same for all kinds. In them,
// fill replaces what stands in braces.
var sentences = map[Kind]struct{ what, remedy, members string }{
	Unauthorized: {"{who} did not accept the key", "check the key in the settings", ""},
	Forbidden:    {"{who} does not allow this with the key{status}", "check what its account may use", ""},
	NoCredit:     {"the account at {who} has no credit left", "add some, then try again", ""},
	RateLimited:  {"{who} takes no more requests for now", "{later}", "my language model is busy; {later}"},
	TooLong: {"this conversation is too long for the model", "ask with less text, or in a new thread",
		"this conversation is too long for my language model; ask with less text, or in a new thread"},
	NoSuchModel: {"{who} does not have the model that was asked for", "choose another one", ""},
	Blocked: {"{who} declined to answer this", "put the request differently",
		"my language model declined to answer this; try rephrasing it"},
	Cut: {"the answer reached the length limit of the model and was cut off", "ask for less at a time",
		"the answer became too long and was cut off; ask for less at a time"},
	Timeout: {"there was no complete answer{ within }", "ask for less at a time",
		"my language model took too long{, more than }; ask for less at a time"},
	Stalled:     {"{who} sent nothing{ for }", "try again", "my language model stopped answering; try again"},
	Unavailable: {"{who} is not available{status}", "{later}", "I can't reach my language model right now; {later}"},
	Broken:      {"the answer from {who} broke off", "try again", "the answer broke off; try again"},
	NoFolder:    {"the folder of this work cannot be opened", "see that it exists, and that the bot may enter it", ""},
	Refused:     {"{who} refused the request{status}", "", ""},
}

// fill fills in a sentence. How long a Timeout or a Stalled took stands behind its preposition.
func (e *Error) fill(sentence string) string {
	waited := func(preposition string) []string {
		if e.Waited <= 0 {
			return []string{"{" + preposition + "}", ""}
		}
		return []string{"{" + preposition + "}", preposition + spell(e.Waited)}
	}
	status := ""
	if e.Status != 0 {
		status = fmt.Sprintf(" (status %d)", e.Status)
	}
	return strings.NewReplacer(slices.Concat([]string{"{who}", cmp.Or(e.Host, e.Runtime, "the model"), "{status}", status, "{later}", e.later()},
		waited(" within "), waited(" for "), waited(", more than "))...).Replace(sentence)
}

func (e *Error) what() string {
	if e.Kind == OverBudget {
		return e.Err.Error()
	}
	return e.fill(cmp.Or(sentences[e.Kind].what, "{who} failed"))
}

func (e *Error) remedy() string {
	switch {
	case e.Remedy != "":
		return e.Remedy
	case e.RetryAfter > 0:
		return e.later()
	}
	return e.fill(cmp.Or(sentences[e.Kind].remedy, "the log has the details"))
}

// spell formats a time span for people, rounded up so that waiting for it is enough.
func spell(d time.Duration) string {
	unit, name := time.Second, "second"
	switch {
	case d > 90*time.Minute:
		unit, name = time.Hour, "hour"
	case d > 90*time.Second:
		unit, name = time.Minute, "minute"
	}
	n := (d + unit - 1) / unit
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s", n, name)
}

const redacted = "[redacted]"

// A secret is the shape of a key, and what it is replaced with.
type secret struct {
	shape *regexp.Regexp
	with  string
}

// secrets are the shapes of keys in the texts of servers and libraries. A false positive does no
// harm; a false negative does.
var secrets = sync.OnceValue(func() []secret {
	return []secret{
		{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]+`), "${1} " + redacted},
		{regexp.MustCompile(`(?i)((?:key|token|secret|password|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;]+`), "${1}" + redacted},
		// Vendors' keys begin with a prefix. Servers that quote one put stars or dots in its middle
		// and leave its end readable.
		{regexp.MustCompile(`\b(?:sk|pk|rk|gsk|csk|xai|hf|pplx|nvapi|r8|tok|key)[-_][\w.*…-]{6,}`), redacted},
		{regexp.MustCompile(`\b(?:AIza|eyJ)[\w.-]{10,}`), redacted},
		{regexp.MustCompile(`//[^/@\s]+@`), "//" + redacted + "@"},
	}
})

// Redact replaces text that looks like a key or a password.
func Redact(text string) string {
	for _, s := range secrets() {
		text = s.shape.ReplaceAllString(text, s.with)
	}
	return text
}
