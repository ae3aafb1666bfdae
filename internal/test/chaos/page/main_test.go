package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/test/chaos"
)

func TestThePageHasEveryTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := render(dir); err == nil || !strings.Contains(err.Error(), "what was tested") {
		t.Errorf("without a source: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, sourceFile), []byte("Run today.\n"), 0o600); err != nil {
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
	written, err := os.ReadFile("../../../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "{{") && !strings.Contains(string(written), line) {
			t.Errorf("docs/reliability.md lacks %q; run make chaos", line)
		}
	}
}
