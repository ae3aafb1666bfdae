package verdict

import (
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// Kinds and results of evidence.
const (
	Build = "build"
	Test  = "test"
	Audit = "audit"

	Pass = "pass"
	Fail = "fail"
)

// Evidence is one check of a phase's work.
type Evidence struct {
	Kind    string `json:"kind"`
	Status  string `json:"status"`
	Command string `json:"command,omitempty"`
	Summary string `json:"summary,omitempty"`
	Reason  string `json:"reason,omitempty"` // of a failure
}

const maxShown = 40

// Validate returns what is wrong with the evidence.
func (e Evidence) Validate() error {
	switch {
	case e.Kind != Build && e.Kind != Test && e.Kind != Audit:
		return fmt.Errorf("evidence of the kind %q: it is build, test or audit", chat.Clip(e.Kind, maxShown))
	case e.Status != Pass && e.Status != Fail:
		return fmt.Errorf("evidence with the status %q: it is pass or fail", chat.Clip(e.Status, maxShown))
	case e.Status == Fail && strings.TrimSpace(e.Reason) == "":
		return fmt.Errorf("a failed %s needs a reason", e.Kind)
	case e.Status == Pass && e.Reason != "":
		return fmt.Errorf("a %s that passed has no reason", e.Kind)
	}
	return nil
}
