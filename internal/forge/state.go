package forge

import (
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/verdict"
)

// A Step is what is done next.
type Step string

// The steps.
const (
	Draft  Step = "draft"
	Audit  Step = "audit"
	Revise Step = "revise"
	Done   Step = "done"
)

// A State is how far forge has come with a plan. It is stored as JSON; the zero value is for new work.
type State struct {
	Step     Step             `json:"step,omitempty"`
	Round    int              `json:"round,omitempty"`   // audits that are over
	Last     int              `json:"last,omitempty"`    // how many there may be
	Severity verdict.Severity `json:"severity,omitzero"` // of the last audit, for a revision
	Notes    string           `json:"notes,omitempty"`   // what the revision has to answer
	Outcome  Outcome          `json:"outcome,omitzero"`  // when done
}

// A Reason is why forge ended.
type Reason string

// The reasons. After all of them but Clean a person has to decide.
const (
	Clean      Reason = "clean"       // the auditor approved
	Blocked    Reason = "blocked"     // a single audit found something that blocks
	CapReached Reason = "cap reached" // something still blocks, and no rounds are left
	Malformed  Reason = "malformed"   // the auditor gave no verdict of its own, twice
	Undrafted  Reason = "undrafted"   // the drafter gave no plan, twice
	Edited     Reason = "edited"      // people changed the plan while a model worked on it
)

// An Outcome is what became of the work on a plan.
type Outcome struct {
	Reason   Reason            `json:"reason"`
	Severity verdict.Severity  `json:"severity,omitzero"` // of the last audit
	Concerns []verdict.Concern `json:"concerns,omitempty"`
	Rounds   int               `json:"rounds,omitempty"` // audits
	// Warning is what is wrong with the form of a plan, which can be clean nevertheless.
	Warning string `json:"warning,omitempty"`
}

// String is the outcome in a few sentences for people.
func (o Outcome) String() string {
	switch audits := chat.Counted(o.Rounds, "audit", "audits"); o.Reason {
	case Clean:
		return o.passed(audits)
	case Blocked:
		return fmt.Sprintf("The plan needs revision: %s.", o.blocking())
	case CapReached:
		return fmt.Sprintf("The plan still needs revision after %s, and no rounds are left: %s. Say what to change, or decide yourself.", audits, o.blocking())
	case Malformed:
		return "I could not get a clear verdict, so treat the plan as unaudited: read it carefully, or have it audited again with `!plan audit`."
	case Undrafted:
		return "The model's draft was not a plan. Try again, or use a stronger model."
	case Edited:
		return "The plan was changed while a model worked on it, so that work was not used. Start forge again for the plan as it is now."
	}
	return string(o.Reason)
}

func (o Outcome) passed(audits string) string {
	text := fmt.Sprintf("The plan passed after %s; the gravest concern is %s.", audits, o.Severity)
	if o.Severity <= verdict.None {
		text = fmt.Sprintf("The plan passed after %s, without concerns.", audits)
	}
	if o.Warning != "" {
		text += " Its form is wrong, though: " + o.Warning
	}
	return text
}

func (o Outcome) blocking() string {
	return verdict.Verdict{Severity: verdict.Blocking, Concerns: o.Concerns}.Reason()
}

// Progress is what forge is doing.
type Progress struct {
	Step        Step
	Round, Last int              // of an audit
	Severity    verdict.Severity // that a revision is for
	Retrying    bool             // the first answer could not be used, or never came
	Outcome     Outcome          // when done
}

// String is the progress in a line for people.
func (p Progress) String() string {
	text := ""
	switch p.Step {
	case Draft:
		text = "📝 Drafting"
	case Audit:
		text = fmt.Sprintf("🔍 Auditing, round %d of %d", p.Round, p.Last)
	case Revise:
		text = "✏️ Revising"
		if p.Severity > verdict.Unstated {
			text += fmt.Sprintf(" (%s)", p.Severity)
		}
	case Done:
		return p.Outcome.String()
	}
	if p.Retrying {
		text += " 🔄 once more"
	}
	return text
}
