package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/evidence"
)

func TestThePageHasEveryTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := render(dir); err == nil || !strings.Contains(err.Error(), "what was tested") {
		t.Errorf("without a source: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, evidence.SourceFile), []byte("Run today.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{chaos.Kills, chaos.Deferred, chaos.Crons, chaos.Plans, chaos.Outages, chaos.Refusals, chaos.Floods, chaos.BadDays, chaos.DiskFullRuns, chaos.Soak}
	for _, name := range names {
		if _, err := render(dir); err == nil || !strings.Contains(err.Error(), "no figures") {
			t.Errorf("without the figures of %s: %v", name, err)
		}
		table, err := json.Marshal(chaos.Table{Summary: "All of " + name + ".", Head: []string{"a", "b"}, Rows: [][]string{{"1", "2"}}})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".json"), table, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	page, err := render(dir)
	if err != nil || strings.Contains(page, "{{") || !strings.Contains(page, "\nRun today.\n") || strings.Count(page, "| a | b |\n| --- | --- |\n| 1 | 2 |\n") != len(names) {
		t.Errorf("%v\n%s", err, page)
	}
}

// TestTheWrittenPageIsThisOne: the figures differ from run to run, the text does not.
func TestTheWrittenPageIsThisOne(t *testing.T) {
	t.Parallel()
	written := read(t, "docs/dev/reliability.md")
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "{{") && !strings.Contains(written, line) {
			t.Errorf("docs/dev/reliability.md lacks %q; run make chaos", line)
		}
	}
}

// TestOperatorsReadTheFiguresOfThisPage: those of docs/reliability.md are copied by hand.
func TestOperatorsReadTheFiguresOfThisPage(t *testing.T) {
	t.Parallel()
	written, found := read(t, "docs/dev/reliability.md"), 0
	number := regexp.MustCompile(`\b\d[\d.]+\b`)
	for line := range strings.Lines(read(t, "docs/reliability.md")) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, figure := range number.FindAllString(line, -1) {
			if found++; !regexp.MustCompile(`\b` + regexp.QuoteMeta(figure) + `\b`).MatchString(written) {
				t.Errorf("docs/reliability.md has %s, which is not in docs/dev/reliability.md: %s", figure, line)
			}
		}
	}
	if found == 0 {
		t.Error("docs/reliability.md has no figures")
	}
}

// read returns a file of the module.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
