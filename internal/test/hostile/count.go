package hostile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"discoclaw/internal/test/hostile/work"
	"discoclaw/internal/test/skip"
)

// isCounted is set in a process with instrumented code.
const isCounted = "DISCOCLAW_WORK_IS_COUNTED"

// Counted runs the calling test once more, in a process of its own, with the named files instrumented so
// that package work counts their steps. In there it is true, and the test counts; out here it is false,
// and the test has to return. The tested code needs no hook for this.
func Counted(t *testing.T, files ...string) bool {
	t.Helper()
	if os.Getenv(isCounted) != "" {
		return true
	}
	skip.UnderRace(t, "steps are counted in another process, of one goroutine")
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := writeOverlay(overlay, files); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-overlay", overlay, "-run", "^"+t.Name()+"$", ".")
	cmd.Env = append(os.Environ(), isCounted+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("counted: %v\n%s", err, out)
	}
	return false
}

// writeOverlay instruments the files, given as patterns, and writes the overlay for the go command.
func writeOverlay(overlay string, patterns []string) error {
	written := 0
	replace, err := overlaid()
	if err != nil {
		return fmt.Errorf("instrument: %w", err)
	}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			return fmt.Errorf("instrument %s: no such file", pattern)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			if name, err = filepath.Abs(name); err != nil {
				return fmt.Errorf("instrument: %w", err)
			}
			source, err := instrumented(cmp.Or(replace[name], name))
			if err != nil {
				return fmt.Errorf("instrument %s: %w", name, err)
			}
			replace[name] = filepath.Join(filepath.Dir(overlay), strconv.Itoa(written)+".go")
			written++
			if err := os.WriteFile(replace[name], source, 0o600); err != nil {
				return fmt.Errorf("instrument: %w", err)
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return fmt.Errorf("instrument: %w", err)
	}
	return os.WriteFile(overlay, text, 0o600)
}

// overlaid returns the files that the tested source has in place of others, by an overlay in GOFLAGS. There can be one overlay only.
func overlaid() (map[string]string, error) {
	var given struct{ Replace map[string]string }
	for _, flag := range strings.Fields(os.Getenv("GOFLAGS")) {
		if file, ok := strings.CutPrefix(flag, "-overlay="); ok {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(text, &given); err != nil {
				return nil, err
			}
		}
	}
	if given.Replace == nil {
		given.Replace = map[string]string{}
	}
	return given.Replace, nil
}

// costly packages have functions that read more than one character. Those of slices mostly call a function for each element,
// which counts.
var costly = []string{"bytes", "encoding/json", "maps", "regexp", "sort", "strings", "unicode/utf8"}

// An edit replaces the bytes from start to end.
type edit struct {
	start, end token.Pos
	text       string
}

// instrumented is the source of a file that counts its steps.
func instrumented(name string) ([]byte, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	imported := map[string]bool{}
	for _, spec := range file.Imports {
		if imp, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(costly, imp) {
			imported[path.Base(imp)] = true
		}
	}
	edits := []edit{{file.Name.End(), file.Name.End(), `; import "discoclaw/internal/test/hostile/work"`}}
	edits = append(edits, edit{file.FileEnd, file.FileEnd, "\nvar _ = work.Step\n"})
	ast.Inspect(file, func(n ast.Node) bool {
		edits = append(edits, counting(n, imported, file.FileEnd)...)
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return int(a.start - b.start) })
	start := files.File(file.FileStart).Base()
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, source[at:int(e.start)-start]...), e.text...)
		at = int(e.end) - start
	}
	return append(out, source[at:]...), nil
}

// counting are the edits that count a node of the source.
func counting(n ast.Node, imported map[string]bool, end token.Pos) []edit {
	body := func(b *ast.BlockStmt) []edit {
		if b == nil {
			return nil
		}
		return []edit{{b.Lbrace + 1, b.Lbrace + 1, "work.Step();"}}
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		return body(n.Body)
	case *ast.FuncLit:
		return body(n.Body)
	case *ast.ForStmt:
		return body(n.Body)
	case *ast.RangeStmt:
		return body(n.Body)
	case *ast.CallExpr:
		fun, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		pkg, ok := fun.X.(*ast.Ident)
		switch {
		case ok && imported[pkg.Name]:
			// The last line keeps the import in use.
			return []edit{{pkg.Pos(), pkg.End(), "work"}, {end, end, fmt.Sprintf("var _ = %s.%s\n", pkg.Name, fun.Sel.Name)}}
		case fun.Sel.Name == "WriteString" || fun.Sel.Name == "Replace":
			return []edit{{n.Args[0].Pos(), n.Args[0].Pos(), "work.Text("}, {n.Args[0].End(), n.Args[0].End(), ")"}}
		}
	}
	return nil
}

// RequireLinear fails the test unless a byte costs about the same in a text with 5,000 pieces as in one with ten
// times as many. It counts steps and allocated bytes, which show copies. Quadratic work would cost ten times as
// much; a binary search, or a growing slice, does not double it.
func RequireLinear(t *testing.T, text Text, f func(string)) {
	t.Helper()
	const (
		growth = 2
		dear   = 400 // steps for a byte; quadratic work is stopped there
	)
	requireLinearMemory(t, text(2_000), text(20_000), f)
	short, long := text(5_000), text(50_000)
	few, finished := work.Of(dear*len(short), func() { f(short) })
	if !finished || few < len(short)/2 {
		t.Fatalf("for %d bytes %d steps are counted, want up to %d for a byte, and not next to none", len(short), few, dear)
	}
	times := growth * float64(len(long)) / float64(len(short))
	if many, finished := work.Of(int(times*float64(few)), func() { f(long) }); !finished {
		t.Fatalf("%d bytes take %d steps, but %d bytes more than %d", len(short), few, len(long), many-1)
	}
}

// requireLinearMemory comes first and has shorter texts, since it cannot stop early.
func requireLinearMemory(t *testing.T, short, long string, f func(string)) {
	t.Helper()
	const growth, noise = 2, 1 << 20
	few, many := allocated(func() { f(short) }), allocated(func() { f(long) })
	if float64(many) > growth*float64(few)*float64(len(long))/float64(len(short))+noise {
		t.Fatalf("for %d bytes %d are allocated, but for %d bytes %d", len(short), few, len(long), many)
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
