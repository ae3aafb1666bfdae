package phases

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/verdict"
)

// A Badge says at a glance how far the work on a plan is verified.
type Badge string

const (
	BadgePending  Badge = "pending"
	BadgeFailed   Badge = "failed"
	BadgeSkipped  Badge = "skipped"
	BadgeAudited  Badge = "audited"
	BadgeVerified Badge = "verified"
)

// Words is the badge as people read it.
func (b Badge) Words() string {
	switch b {
	case BadgePending:
		return "not verified yet"
	case BadgeFailed:
		return "verification failed"
	case BadgeSkipped:
		return "phases were skipped"
	}
	return string(b)
}

// BadgeOf returns the badge of a plan with these phases.
func BadgeOf(list []Phase) Badge {
	skipped := 0
	passed := map[string]bool{}
	failed := false
	for _, p := range list {
		if p.Status == Skipped {
			skipped++
		}
		for _, e := range p.Evidence {
			passed[e.Kind] = passed[e.Kind] || e.Status == verdict.Pass
			failed = failed || e.Status == verdict.Fail
		}
	}
	switch {
	case failed:
		return BadgeFailed
	case !AllOver(list):
		return BadgePending
	case skipped == len(list):
		return BadgeSkipped
	case passed[verdict.Audit] && (passed[verdict.Build] || passed[verdict.Test]):
		return BadgeVerified
	case passed[verdict.Audit]:
		return BadgeAudited
	case skipped > 0:
		return BadgeSkipped
	}
	return BadgePending
}

// Convergence tells whether audits of a phase go round in circles.
type Convergence struct {
	Signature     string   `json:"signature"`
	Repeats       int      `json:"repeatCount"`
	ModifiedFiles []string `json:"modifiedFiles"`
	BlockedAt     string   `json:"blockedAt,omitempty"`
}

// maxRepeats is how often an audit may object to the same before a person has to look.
const maxRepeats = 2

// Converge counts another audit that blocks. It goes by the titles of what blocks and the files, since models rarely put a whole
// answer the same way twice. before is nil at first.
func Converge(before *Convergence, v verdict.Verdict, files []string) Convergence {
	sorted := slices.Sorted(slices.Values(files))
	c := Convergence{Signature: signatureOf(v, sorted), Repeats: 1, ModifiedFiles: sorted}
	if before != nil && before.Signature == c.Signature {
		c.Repeats = before.Repeats + 1
	}
	return c
}

// Blocked reports whether another try would only repeat the last ones.
func (c Convergence) Blocked() bool { return c.Repeats >= maxRepeats }

func signatureOf(v verdict.Verdict, files []string) string {
	var titles []string
	for _, title := range v.Blocking() {
		titles = append(titles, chat.Words(title))
	}
	slices.Sort(titles)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", slices.Compact(titles), files))
	return hex.EncodeToString(sum[:])[:16]
}

var marks = map[Status]string{Done: "[x]", Failed: "[!]", Skipped: "[-]", InProgress: "[~]", Pending: "[ ]"}

// Rollup tells in lines what became of the phases, and which files have changed, in at most so many characters as Discord
// counts them. What does not fit is counted.
func Rollup(list []Phase, budget int) string {
	var rows []string
	var files []string
	for _, p := range list {
		rows = append(rows, p.Row())
		files = append(files, p.ModifiedFiles...)
	}
	text, left := fitted("", rows, budget, func(n int) string { return "… and " + chat.Counted(n, "more phase", "more phases") })
	if left > 0 || len(files) == 0 {
		return text
	}
	slices.Sort(files)
	names := []string{"Changed files:"}
	for _, f := range slices.Compact(files) {
		names = append(names, chat.InCode(f))
	}
	whole, missing := fitted(text, names, budget, func(n int) string { return "… and " + chat.Counted(n, "more file", "more files") })
	if missing >= len(names)-1 {
		return text // a heading without a file says nothing
	}
	return whole
}

// fitted appends rows to a text as long as they fit, and then how many do not.
func fitted(text string, rows []string, budget int, more func(n int) string) (fit string, left int) {
	for i, row := range rows {
		next := joined(text, row)
		rest := len(rows) - i - 1
		room := next
		if rest > 0 {
			room = joined(next, more(rest))
		}
		if chat.Length(room) > budget {
			if with := joined(text, more(rest+1)); chat.Length(with) <= budget {
				text = with
			}
			return text, rest + 1
		}
		text = next
	}
	return text, 0
}

func joined(text, row string) string {
	if text == "" {
		return row
	}
	return text + "\n" + row
}

// Row tells in a line what became of the phase.
func (p Phase) Row() string {
	const longest = 100
	parts := []string{fmt.Sprintf("%s %s: %s", marks[p.Status], p.ID, chat.Literal(chat.Clip(p.Title, longest)))}
	if p.GitCommit != "" {
		parts = append(parts, "commit "+chat.InCode(p.GitCommit))
	}
	if n := len(p.ModifiedFiles); n > 0 {
		parts = append(parts, chat.Counted(n, "file", "files"))
	}
	for _, e := range p.Evidence {
		row := e.Kind + " " + e.Status
		if e.Reason != "" {
			row += " (" + chat.Clip(chat.OneLine(e.Reason), longest) + ")"
		}
		parts = append(parts, row)
	}
	return strings.Join(parts, " · ")
}
