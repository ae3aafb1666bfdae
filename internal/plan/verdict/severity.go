package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
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

var synonyms = map[string]string{"low": "minor", "high": "blocking"}

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
	word = strings.ToLower(word)
	i := slices.Index(severityNames[:], cmp.Or(synonyms[word], word))
	if i < 0 {
		return fmt.Errorf("%q is no severity", word)
	}
	*s = Severity(i)
	return nil
}
