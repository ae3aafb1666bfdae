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
		if known[m.Defence] || m.Against == "" || m.Defence == "" || len(m.Edits) == 0 || m.Tests == "" {
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
	for name, edits := range map[string][]Edit{
		"the text is gone":      {{"a.go", "var c", "var d"}},
		"the text stands twice": {{"a.go", "1", "2"}},
		"an earlier edit":       {{"a.go", "a, b", "a, c"}, {"a.go", "a, b", "a, d"}},
		"it is no Go":           {{"a.go", "var", "let"}},
		"the file is gone":      {{"b.go", "a", "b"}},
	} {
		if files, err := (Mutant{Edits: edits}).Apply(dir); err == nil {
			t.Errorf("%s: %v", name, files)
		}
	}
	both := Mutant{Edits: []Edit{{"a.go", "a, b", "a, c"}, {"a.go", "= 1,", "= 2,"}}, Tests: "TestA TestB/c"}
	if files, err := both.Apply(dir); err != nil || files["a.go"] != "package a\n\nvar a, c = 2, 1\n" {
		t.Errorf("%v, %v", files, err)
	}
	if got, want := both.Pattern(), "^TestA$|^TestB$/^c$"; got != want {
		t.Errorf("%s", got)
	}
}
