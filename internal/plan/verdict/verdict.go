// Package verdict reads what an auditor, a model, says about a plan or about work on it.
//
// It fails closed. The auditor quotes what it audits, so a text that wants to be approved can put words into the auditor's
// answer; and models forget, contradict themselves and break off. Hence two rules:
//
// Approval counts in two places only: a JSON verdict with which the answer begins, and a verdict line with which it ends,
// outside code blocks and quotations. Whatever an auditor quotes stands in between.
//
// Objections count everywhere outside quotations, the worst wins, and what cannot be understood is no approval.
package verdict

import (
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// A Verdict is what an auditor found. The zero value does not pass.
type Verdict struct {
	Severity  Severity // the worst that was stated or listed
	Concerns  []Concern
	Malformed bool // neither an approval nor an objection that blocks could be read: ask again, then ask a person
}

// A Concern is one finding.
type Concern struct {
	Title    string   `json:"title"`
	Severity Severity `json:"severity"`
}

// Passes reports whether the auditor approved, in so many words, and nothing blocks.
func (v Verdict) Passes() bool {
	return !v.Malformed && v.Severity > Unstated && v.Severity < Blocking
}

// maxAnswer bounds the work of reading an answer, which no honest audit comes near.
const maxAnswer = 256 << 10

// Parse reads an auditor's answer.
func Parse(text string) Verdict {
	if len(text) > maxAnswer {
		return Verdict{Malformed: true}
	}
	a := newAnswer(text)
	a.readObjects()
	a.readMarkers()
	a.readStatements()

	v := Verdict{Severity: a.worst, Concerns: a.concerns()}
	if a.worst >= Blocking {
		return v
	}
	v.Malformed = a.unreadable || !a.approved()
	if !v.Malformed {
		v.Severity = max(v.Severity, a.least)
	}
	return v
}

// Blocking returns the titles of the concerns that block.
func (v Verdict) Blocking() []string {
	var titles []string
	for _, c := range v.Concerns {
		if c.Severity == Blocking && c.Title != "" {
			titles = append(titles, c.Title)
		}
	}
	return titles
}

// Reason says in a line why a verdict does not pass; it is empty for one that does.
func (v Verdict) Reason() string {
	const shown = 2
	switch titles := v.Blocking(); {
	case v.Passes():
		return ""
	case v.Malformed || v.Severity < Blocking:
		return "the audit has no verdict that can be read"
	case len(titles) == 0:
		return "the audit found a blocking concern"
	case len(titles) > shown:
		return fmt.Sprintf("%s; and %d more", joined(titles[:shown]), len(titles)-shown)
	default:
		return joined(titles)
	}
}

func joined(titles []string) string {
	const most = 120
	short := make([]string, len(titles))
	for i, title := range titles {
		short[i] = chat.Clip(title, most)
	}
	return strings.Join(short, "; ")
}

// Evidence is the row that stands for this audit.
func (v Verdict) Evidence() Evidence {
	if v.Passes() {
		return Evidence{Kind: Audit, Status: Pass}
	}
	return Evidence{Kind: Audit, Status: Fail, Reason: v.Reason()}
}
