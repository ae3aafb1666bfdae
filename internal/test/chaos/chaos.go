// Package chaos passes the figures of the reliability tests to the page that shows them. It
// is for tests only.
//
// The tests that kill, disconnect and refuse the bot are spread over the packages they
// belong to. Each runs in a short version with all other tests, and in a long one under
// "make chaos", which [Full] reports. In the long one they pass their figures to [Publish],
// and the command in the folder page makes docs/dev/reliability.md of them.
package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// figuresIn is the variable that enables the long versions. It names a folder for the
// figures.
const figuresIn = "CHAOS_FIGURES"

// A Table has the figures of a test: a sentence, and rows, of which there may be none.
type Table struct {
	Summary string
	Head    []string
	Rows    [][]string
}

// The names of the tables, in the order of the page.
const (
	Kills        = "kills"
	Deferred     = "deferred"
	Crons        = "crons"
	Plans        = "plans"
	Outages      = "outages"
	Refusals     = "refusals"
	Floods       = "floods"
	BadDays      = "baddays"
	DiskFullRuns = "wetdays"
	Soak         = "soak"
)

// Full reports whether the long versions are asked for.
func Full() bool { return os.Getenv(figuresIn) != "" }

// Runs is the number of repetitions: few in the short version, many in the long one. A
// variable can set another number for the long one.
func Runs(short, long int) int {
	if !Full() {
		return short
	}
	var asked int
	if _, err := fmt.Sscan(os.Getenv("CHAOS_RUNS"), &asked); err == nil && asked > 0 {
		return min(asked, long)
	}
	return long
}

// Publish writes a table, in the long version.
func Publish(t testing.TB, name string, table Table) {
	t.Helper()
	if !Full() {
		return
	}
	text, err := json.Marshal(table)
	if err == nil {
		err = os.WriteFile(file(os.Getenv(figuresIn), name), text, 0o600)
	}
	if err != nil {
		t.Errorf("write the figures: %v", err)
	}
}

// Read returns a published table of a folder.
func Read(dir, name string) (Table, error) {
	var table Table
	text, err := os.ReadFile(file(dir, name))
	if err != nil {
		return table, fmt.Errorf("the test of %s has left no figures: %w", name, err)
	}
	return table, json.Unmarshal(text, &table)
}

func file(dir, name string) string { return filepath.Join(dir, name+".json") }

// String is the table in Markdown, below its summary.
func (t Table) String() string {
	if len(t.Rows) == 0 {
		return t.Summary + "\n"
	}
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---"
	}
	b.WriteString(t.Summary + "\n\n")
	line(t.Head)
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}
