// Package phases divides a plan into steps that are carried out one by one, and keeps how far they have come.
//
// A [Record] is what is stored. All functions take and return lists of phases and change nothing that they were given;
// who calls them writes the result.
package phases

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/verdict"
)

// Kind is what is done in a phase.
type Kind string

const (
	Implement Kind = "implement"
	Read      Kind = "read"
	Audit     Kind = "audit"
)

// Status is how far a phase has come.
type Status string

const (
	Pending    Status = "pending"
	InProgress Status = "in-progress"
	Done       Status = "done"
	Failed     Status = "failed"
	Skipped    Status = "skipped"
)

// Terminal reports whether nothing more happens in the phase.
func (s Status) Terminal() bool { return s == Done || s == Skipped }

// A Phase is one step of a plan.
type Phase struct {
	ID            string             `json:"id"` // phase-1
	Title         string             `json:"title"`
	Kind          Kind               `json:"kind"`
	Description   string             `json:"description"`
	Status        Status             `json:"status"`
	DependsOn     []string           `json:"dependsOn"`
	ContextFiles  []string           `json:"contextFiles"`
	ChangeSpec    string             `json:"changeSpec,omitempty"`
	Output        string             `json:"output,omitempty"`
	Error         string             `json:"error,omitempty"`
	Base          string             `json:"base,omitempty"`       // the commit from which the phase starts, also when it starts again
	PassedTree    string             `json:"passedTree,omitempty"` // in a phase that is in progress: the files that passed and are about to be committed
	GitCommit     string             `json:"gitCommit,omitempty"`
	ModifiedFiles []string           `json:"modifiedFiles,omitempty"`
	FailureHashes map[string]string  `json:"failureHashes,omitempty"` // by file, at the time of the failure
	Convergence   *Convergence       `json:"auditConvergence,omitempty"`
	Evidence      []verdict.Evidence `json:"evidence"`
}

// Fresh returns the phase without anything that came of it.
func (p Phase) Fresh() Phase {
	return Phase{
		ID: p.ID, Title: p.Title, Kind: p.Kind, Description: p.Description, Status: Pending,
		DependsOn: p.DependsOn, ContextFiles: p.ContextFiles, ChangeSpec: p.ChangeSpec,
	}
}

// A Record is the phases of a plan as they are stored.
type Record struct {
	Plan    doc.ID  `json:"planId"`
	File    string  `json:"planFile"`
	Hash    string  `json:"planContentHash"` // doc.Doc.Hash of the plan that was divided
	Created string  `json:"createdAt"`
	Updated string  `json:"updatedAt"`
	Phases  []Phase `json:"phases"`
}

const version = 2

// stored is a Record with its version.
type stored struct {
	Version int `json:"version"`
	Record
}

// MaxOutput is how many bytes of an output or an error are stored.
const MaxOutput = 16 << 10

// Encode returns the record as it is stored. Outputs and errors are capped.
func (r Record) Encode() ([]byte, error) {
	r.Phases = slices.Clone(r.Phases)
	for i := range r.Phases {
		p := &r.Phases[i]
		p.Output, p.Error = Capped(p.Output), Capped(p.Error)
	}
	return json.Marshal(stored{version, r})
}

// Decode reads a record. The error says how to get a new one.
func Decode(data []byte) (Record, error) {
	var s stored
	err := json.Unmarshal(data, &s)
	if err == nil && s.Version != version {
		err = fmt.Errorf("they have version %d, and only %d is known", s.Version, version)
	}
	if err != nil {
		return Record{}, fmt.Errorf("the stored phases cannot be read; `!plan phases --regenerate` makes new ones: %w", err)
	}
	return s.Record, nil
}

// Capped keeps the beginning and the end of a text that is too long to be stored; the end has more of it, since results are there.
func Capped(text string) string {
	if len(text) <= MaxOutput {
		return text
	}
	const first = MaxOutput / 4
	head := first
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	mark := fmt.Sprintf("\n… (%d bytes left out) …\n", len(text)-MaxOutput)
	tail := len(text) - (MaxOutput - head - 2*len(mark)) // the true number may have more digits
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + fmt.Sprintf("\n… (%d bytes left out) …\n", tail-head) + text[tail:]
}

// Stale returns why phases no longer fit their plan, or nil.
func (r Record) Stale(hash string) error {
	if r.Hash == hash {
		return nil
	}
	return fmt.Errorf("the plan has changed since its phases were made; make new ones with `!plan phases --regenerate --keep-done %s`", r.Plan)
}

const usualFiles = 5

// Decompose makes phases of the list in a plan, one after the other, and an audit of all. A phase with more files than maxFiles, 5 if it
// is not positive, is divided. The error is that of [doc.Doc.Phases].
func Decompose(d doc.Doc, maxFiles int) ([]Phase, error) {
	steps, err := d.Phases()
	if err != nil {
		return nil, err
	}
	var list []Phase
	for _, s := range steps {
		parts := slices.Collect(slices.Chunk(s.Files, cmp.Or(max(maxFiles, 0), usualFiles)))
		for i, files := range parts {
			p := Phase{
				Title: s.Title, Kind: Implement, Description: "Make the changes that the plan describes for these files: " + asCode(files) + ".",
				ContextFiles: slices.Clone(files), ChangeSpec: Capped(s.Change),
			}
			if len(parts) > 1 {
				p.Title += fmt.Sprintf(" (part %d of %d)", i+1, len(parts))
			}
			list = append(list, p)
		}
	}
	all, err := d.Files()
	list = append(list, Phase{
		Title: "Audit the changes", Kind: Audit, ContextFiles: all,
		Description: "Compare the changed files with the plan, and say what is missing, wrong or more than was asked for.",
	})
	return chained(list), err
}

// chained numbers phases and makes each depend on the one before, and an audit on all.
func chained(list []Phase) []Phase {
	var before []string
	for i := range list {
		p := &list[i]
		p.ID, p.Status = fmt.Sprintf("phase-%d", i+1), Pending
		switch {
		case p.Kind == Audit:
			p.DependsOn = slices.Clone(before)
		case i > 0:
			p.DependsOn = []string{list[i-1].ID}
		}
		before = append(before, p.ID)
	}
	return list
}

func asCode(files []string) string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = chat.InCode(f)
	}
	return strings.Join(list, ", ")
}
