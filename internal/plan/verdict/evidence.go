package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/markdown"
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

const (
	trailerMark = "**Phase Evidence:**"
	maxRows     = 20
	maxShown    = 40
	maxField    = 500
)

// Trailer takes the line "**Phase Evidence:** [json]" from the end of a phase's output. The rest is the output without it. The
// error says what is wrong with the evidence, which is then left out as a whole; an output without the line has none.
func Trailer(output string) (rest string, rows []Evidence, err error) {
	lines, _ := markdown.Lines(output)
	last := len(lines) - 1
	for last >= 0 && strings.TrimSpace(lines[last].Text) == "" {
		last--
	}
	if last < 0 || lines[last].Code {
		return output, nil, nil
	}
	content, ok := strings.CutPrefix(strings.TrimSpace(lines[last].Text), trailerMark)
	if !ok {
		return output, nil, nil
	}
	rest = strings.TrimRight(output[:lines[last].Start], " \t\r\n")
	if err := json.Unmarshal([]byte(strings.Trim(content, " \t`")), &rows); err != nil {
		return rest, nil, fmt.Errorf("the evidence is no JSON list: %w", err)
	}
	if err := validTrailer(rows); err != nil {
		return rest, nil, err
	}
	for i, e := range rows {
		rows[i].Command, rows[i].Summary, rows[i].Reason = field(e.Command), field(e.Summary), field(e.Reason)
	}
	return rest, rows, nil
}

func field(s string) string { return chat.Clip(chat.OneLine(s), maxField) }

// validTrailer checks the rows. An audit is never the implementer's to claim.
func validTrailer(rows []Evidence) error {
	if len(rows) > maxRows {
		return fmt.Errorf("%d rows of evidence, which is more than %d", len(rows), maxRows)
	}
	for _, e := range rows {
		if err := e.Validate(); err != nil {
			return err
		}
		if e.Kind == Audit {
			return errors.New("evidence of the kind audit: the one who implements can only give build and test")
		}
		if e.Status == Fail && chat.OneLine(e.Reason) == "" {
			return fmt.Errorf("a failed %s needs a reason", e.Kind)
		}
	}
	return nil
}
