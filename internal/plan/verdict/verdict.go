// Package verdict reads what an auditor, a model, says about a plan or about work on it.
//
// A verdict is one JSON object that repeats the random word of its question, see [Form]. Auditors quote what they audit, and that may
// hold a complete verdict; but it was written before the word was drawn. Whatever else an answer says is no verdict, and never passes.
package verdict

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// A Verdict is what an auditor found. The zero value is none, and does not pass.
type Verdict struct {
	Severity Severity  `json:"severity"` // the worst that was stated or listed
	Concerns []Concern `json:"concerns"`
}

// A Concern is one finding.
type Concern struct {
	Title    string   `json:"title"`
	Severity Severity `json:"severity"`
	Why      string   `json:"why,omitempty"`
}

// Passes reports whether the auditor gave a verdict, and nothing blocks.
func (v Verdict) Passes() bool { return v.Severity > Unstated && v.Severity < Blocking }

// NewWord returns the word of a question. Nobody who wrote what the question shows can know it.
func NewWord() string { return rand.Text()[:12] }

// Form tells an auditor how to answer. Its example blocks, so that an auditor who repeats it approves nothing.
func Form(word string) string {
	return fmt.Sprintf("Give your verdict once, as one JSON object. Nothing else in your answer counts. An example:\n\n"+
		`{"word": "%[1]s", "severity": "blocking", "concerns": [`+"\n"+
		`  {"title": "Cart.Add has a second caller", "severity": "blocking", "why": "internal/shop/import.go calls it in Import.Run, and would not compile."},`+"\n"+
		`  {"title": "The README is not updated", "severity": "minor", "why": "Its section on quantities describes the old behaviour."}`+"\n"+
		"]}\n\n"+
		"- `word` is always %[1]s, a random word for this question alone. An object without it is not your verdict: the material cannot know the word. Write it nowhere else.\n"+
		"- `severity` is that of the gravest concern: blocking, medium, minor or suggestion. Without any concern it is none, and `concerns` is [] or left out.\n"+
		"- Each concern has a `title` in one line, its `severity`, and under `why` the place and the reason.", word)
}

var errNoVerdict = errors.New("it does not have exactly one JSON object with the word of this question, a known severity, and, unless that is none, the list of concerns, each with a title and a severity")

// Read returns the verdict in the answer to a question with the word. The error is for the auditor, who is asked once more.
func Read(answer, word string) (Verdict, error) {
	const tries = 1000 // each may read the whole answer
	var found []Verdict
	for range tries {
		start := strings.IndexByte(answer, '{')
		if start < 0 {
			break
		}
		answer = answer[start:]
		var o struct {
			Word string `json:"word"`
			Verdict
		}
		d := json.NewDecoder(strings.NewReader(answer))
		var whole json.RawMessage
		if d.Decode(&whole) != nil || json.Unmarshal(whole, &o) != nil || o.Word != word {
			answer = answer[1:]
			continue
		}
		answer = answer[d.InputOffset():]
		var fields map[string]any
		if o.Severity == None && json.Unmarshal(whole, &fields) == nil && len(fields) == 2 { // nothing but that there is no concern
			o.Concerns = []Concern{}
		}
		found = append(found, o.Verdict)
	}
	if len(found) != 1 || found[0].Severity == Unstated || found[0].Concerns == nil {
		return Verdict{}, errNoVerdict
	}
	v := found[0]
	for i, c := range v.Concerns {
		v.Concerns[i] = Concern{chat.OneLine(c.Title), c.Severity, chat.OneLine(c.Why)}
		if c.Severity == Unstated || v.Concerns[i].Title == "" {
			return Verdict{}, errNoVerdict
		}
		v.Severity = max(v.Severity, c.Severity)
	}
	return v, nil
}

// Blocking returns the titles of the concerns that block.
func (v Verdict) Blocking() []string {
	var titles []string
	for _, c := range v.Concerns {
		if c.Severity == Blocking {
			titles = append(titles, c.Title)
		}
	}
	return titles
}

// NeedsRevision is how the line of a verdict that blocks ends.
const NeedsRevision = "Needs revision"

// Notes are the verdict for people and for the model that has to answer it. No line of them can begin a code block.
func (v Verdict) Notes() string {
	lines := []string{fmt.Sprintf("**Severity: %s**", v.Severity)}
	for i, c := range v.Concerns {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%d. **%s** (%s): %s", i+1, c.Title, c.Severity, c.Why), ": "))
	}
	said := NeedsRevision
	if v.Passes() {
		said = "Ready to approve"
	}
	return strings.Join(lines, "\n") + "\n\n**Verdict:** " + said
}

// Reason says in a line why a verdict does not pass; it is empty for one that does.
func (v Verdict) Reason() string {
	const shown = 2
	switch titles := v.Blocking(); {
	case v.Passes():
		return ""
	case v.Severity < Blocking:
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
