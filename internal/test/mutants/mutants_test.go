package mutants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// TestEveryMutantApplies: the table follows the source. A mutant whose text or test has gone would show nothing.
func TestEveryMutantApplies(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, m := range Table {
		if known[m.Defence] || m.Promise == "" || m.Defence == "" || m.Tests == "" {
			t.Errorf("%s: it is listed twice, or not whole", m.Defence)
		}
		known[m.Defence] = true
		if _, err := m.Apply(root); err != nil {
			t.Errorf("%s: %v", m.Defence, err)
		}
		tests := source(t, m.Package)
		for _, name := range strings.Fields(m.Tests) {
			test, sub, _ := strings.Cut(name, "/")
			if !strings.Contains(tests, "\nfunc "+test+"(t *testing.T) {") {
				t.Errorf("%s: there is no %s in %s", m.Defence, test, m.Package)
			}
			if test != "TestScenes" {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, m.Package, "testdata", sub+".txtar")); err != nil {
				t.Errorf("%s: %v", m.Defence, err)
			}
		}
	}
}

// source is the text of all tests of a package.
func source(t *testing.T, pkg string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

func TestAMutantThatDoesNotApplyIsAFault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\nvar a, b = 1, 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]Mutant{
		"the text is gone":      {File: "a.go", Old: "var c", New: "var d"},
		"the text stands twice": {File: "a.go", Old: "1", New: "2"},
		"it is no Go":           {File: "a.go", Old: "var", New: "let"},
		"the file is gone":      {File: "b.go", Old: "a", New: "b"},
	} {
		if text, err := m.Apply(dir); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
	good := Mutant{File: "a.go", Old: "a, b", New: "a, c", Tests: "TestA TestB/c"}
	if text, err := good.Apply(dir); err != nil || text != "package a\n\nvar a, c = 1, 1\n" {
		t.Errorf("%s, %v", text, err)
	}
	if got, want := good.Pattern(), "^TestA$|^TestB$/^c$"; got != want {
		t.Errorf("%s", got)
	}
}
