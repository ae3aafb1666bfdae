package verdict

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Severity is how grave a concern is. The zero value says that none was stated.
type Severity int

const (
	Unstated Severity = iota
	None
	Suggestion
	Minor
	Medium
	Blocking
)

var severityNames = [...]string{"unstated", "none", "suggestion", "minor", "medium", "blocking"}

func (s Severity) String() string {
	if s < Unstated || s > Blocking {
		return fmt.Sprintf("severity %d", int(s))
	}
	return severityNames[s]
}

// MarshalJSON writes the word.
func (s Severity) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// UnmarshalJSON reads the word.
func (s *Severity) UnmarshalJSON(data []byte) error {
	var word string
	if err := json.Unmarshal(data, &word); err != nil {
		return err
	}
	known, ok := severityOf(word)
	if !ok && word != Unstated.String() {
		return fmt.Errorf("%q is no severity", word)
	}
	*s = known
	return nil
}

// words are what auditors call severities. Words for the gravest are taken generously, because a word that is missing
// here only leads to another audit, but never to a pass.
var words = map[string]Severity{
	"none": None, "suggestion": Suggestion, "suggestions": Suggestion, "nit": Suggestion, "info": Suggestion,
	"minor": Minor, "low": Minor, "medium": Medium, "moderate": Medium,
	"blocking": Blocking, "blocker": Blocking, "high": Blocking, "critical": Blocking, "severe": Blocking, "major": Blocking, "fatal": Blocking,
}

func severityOf(word string) (Severity, bool) {
	s, ok := words[strings.ToLower(strings.Trim(word, " \t*_`'\".!"))]
	return s, ok
}
