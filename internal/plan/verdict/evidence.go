package verdict

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
