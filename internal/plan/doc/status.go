package doc

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status is where a plan is in its life.
type Status string

const (
	Draft        Status = "DRAFT"
	Review       Status = "REVIEW"
	Approved     Status = "APPROVED"
	Implementing Status = "IMPLEMENTING"
	Cancelled    Status = "CANCELLED"
	Closed       Status = "CLOSED"
)

// transitions is what may become of a plan. A run sets IMPLEMENTING, and goes back to APPROVED if it stops early.
var transitions = map[Status][]Status{
	Draft:        {Review, Approved, Closed, Cancelled},
	Review:       {Review, Approved, Closed, Cancelled, Draft},
	Approved:     {Implementing, Review, Closed},
	Implementing: {Approved, Closed},
	Cancelled:    {Review, Closed},
	Closed:       {},
}

// words are the statuses as people read them.
var words = map[Status]string{Draft: "a draft", Review: "waiting for approval", Approved: "approved",
	Implementing: "being carried out", Cancelled: "set aside", Closed: "closed"}

// Words is a status as people read it.
func (s Status) Words() string { return words[s] }

// ParseStatus reads a status as people write it.
func ParseStatus(text string) (Status, bool) {
	text = strings.TrimSpace(text)
	for s, word := range words {
		if strings.EqualFold(text, string(s)) || strings.EqualFold(text, word) {
			return s, true
		}
	}
	return "", false
}

// Allowed reports whether a plan may go from one status to another.
func Allowed(from, to Status) bool { return slices.Contains(transitions[from], to) }

// AllowedByHand is Allowed for what people and models ask for. A run alone begins and ends IMPLEMENTING.
func AllowedByHand(from, to Status) bool {
	return Allowed(from, to) && from != Implementing && to != Implementing
}

// Refusal is the sentence for a change of status that is not allowed.
func Refusal(id ID, from, to Status) error {
	switch {
	case from == Closed:
		return errors.New("this plan is closed, and stays so; make a new one")
	case from == Implementing:
		return fmt.Errorf("this plan is being carried out; stop it first with `!plan cancel %s`", id)
	case from == to:
		return fmt.Errorf("this plan is %s already", from.Words())
	case from == Cancelled:
		return fmt.Errorf("this plan was set aside; take it up again with `!forge %s`, or close it for good with `!plan close %[1]s`", id)
	case to == Implementing:
		return fmt.Errorf("this plan is not approved, or was changed after it was; read it with `!plan show %s`, then approve it with `!plan approve %[1]s`", id)
	case from == Approved && to == Draft, from == Approved && to == Cancelled:
		return fmt.Errorf("this plan is approved; close it with `!plan close %s` if it is not to be carried out", id)
	}
	return fmt.Errorf("this plan is %s, which cannot become %s", from.Words(), to.Words())
}

const minHeartbeat = time.Second

// ParseHeartbeat reads how often a run shows that it is alive: 45s, 2m, a number of milliseconds, or off, which is 0. What
// it does not understand means the usual.
func ParseHeartbeat(text string, usual time.Duration) time.Duration {
	text = strings.ToLower(strings.Join(strings.Fields(text), ""))
	switch text {
	case "off", "none", "disable", "disabled", "false":
		return 0
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		text += "ms"
	}
	every, err := time.ParseDuration(text)
	switch {
	case err != nil || every < 0:
		return usual
	case every == 0:
		return 0
	}
	return max(every, minHeartbeat)
}
