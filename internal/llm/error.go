package llm

import (
	"cmp"
	"fmt"
	"strings"
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
	switch e.Kind {
	case RateLimited:
		return "my language model is busy; " + e.later()
	case TooLong:
		return "this conversation is too long for my language model; ask with less text, or in a new thread"
	case Blocked:
		return "my language model declined to answer this; try rephrasing it"
	case Cut:
		return "the answer became too long and was cut off; ask for less at a time"
	case Timeout:
		return "my language model took too long" + e.afterWaiting(", more than ") + "; ask for less at a time"
	case Stalled:
		return "my language model stopped answering; try again"
	case Unavailable:
		return "I can't reach my language model right now; " + e.later()
	case Broken:
		return "the answer broke off; try again"
	}
	return "I can't use my language model right now, and only the people who run me can change that"
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

func (e *Error) what() string {
	who := cmp.Or(e.Host, e.Runtime, "the model")
	switch e.Kind {
	case Unauthorized:
		return who + " did not accept the key"
	case Forbidden:
		return who + " does not allow this with the key" + e.withStatus()
	case NoCredit:
		return "the account at " + who + " has no credit left"
	case OverBudget:
		return e.Err.Error()
	case RateLimited:
		return who + " takes no more requests for now"
	case TooLong:
		return "this conversation is too long for the model"
	case NoSuchModel:
		return who + " does not have the model that was asked for"
	case Blocked:
		return who + " declined to answer this"
	case Cut:
		return "the answer reached the length limit of the model and was cut off"
	case Timeout:
		return "there was no complete answer" + e.afterWaiting(" within ")
	case Stalled:
		return who + " sent nothing" + e.afterWaiting(" for ")
	case Unavailable:
		return who + " is not available" + e.withStatus()
	case Broken:
		return "the answer from " + who + " broke off"
	case NoFolder:
		return "the folder of this work cannot be opened"
	case Refused:
		return who + " refused the request" + e.withStatus()
	default:
		return who + " failed"
	}
}

func (e *Error) withStatus() string {
	if e.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (status %d)", e.Status)
}

func (e *Error) afterWaiting(preposition string) string {
	if e.Waited <= 0 {
		return ""
	}
	return preposition + spell(e.Waited)
}

func (e *Error) remedy() string {
	switch {
	case e.Remedy != "":
		return e.Remedy
	case e.RetryAfter > 0:
		return e.later()
	}
	switch e.Kind {
	case Unauthorized:
		return "check the key in the settings"
	case Forbidden:
		return "check what its account may use"
	case NoCredit:
		return "add some, then try again"
	case TooLong:
		return "ask with less text, or in a new thread"
	case NoSuchModel:
		return "choose another one"
	case Blocked:
		return "put the request differently"
	case Cut, Timeout:
		return "ask for less at a time"
	case RateLimited, Unavailable:
		return e.later()
	case Stalled, Broken:
		return "try again"
	case NoFolder:
		return "see that it exists, and that the bot may enter it"
	default:
		return "the log has the details"
	}
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
