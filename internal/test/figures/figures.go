// Command figures prints how large the project in a folder is: `make figures` runs it on a commit.
//
// Product is the code that people run. Test support is what only tests use: the fake Discord, packages whose names end in
// "test", and internal/test. The playground is counted with neither.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: figures FOLDER")
		os.Exit(2)
	}
	f, err := measure(os.DirFS(os.Args[1]))
	if err == nil {
		err = f.print(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// figures are those of one tree.
type figures struct {
	files    map[part]int
	lines    map[part]lines
	packages map[string]bool
	methods  map[string]int // of the product's types
	tests    int
	scenes   int
	app      struct{ files, lines int }
	long     int // lines of the product
}

// A part of the project is counted by itself.
type part string

const (
	product    part = "product"
	playground part = "playground"
	support    part = "test support"
	tests      part = "tests"
)

// partOf returns the part that a file belongs to.
func partOf(name string) part {
	dir := path.Dir(name)
	under := func(folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }
	inTestPackage := slices.ContainsFunc(strings.Split(dir, "/"), func(elem string) bool { return strings.HasSuffix(elem, "test") })
	switch {
	case strings.HasSuffix(name, "_test.go"):
		return tests
	case inTestPackage || under("internal/fakediscord"):
		return support
	case under("internal/play"):
		return playground
	}
	return product
}

const scenesFolder = "internal/test/scenario/testdata"

// measure reads every file of a tree.
func measure(tree fs.FS) (figures, error) {
	f := figures{files: map[part]int{}, lines: map[part]lines{}, packages: map[string]bool{}, methods: map[string]int{}}
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == scenesFolder:
			scenes, _ := fs.Glob(tree, scenesFolder+"/*.txtar") // the pattern is valid
			f.scenes = len(scenes)
			return fs.SkipDir
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == ".git"):
			return fs.SkipDir
		case e.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return f.add(name, text)
	})
	return f, err
}

// add counts one Go file.
func (f *figures) add(name string, text []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p, n := partOf(name), count(text)
	f.files[p]++
	f.lines[p] = f.lines[p].plus(n)
	f.packages[path.Dir(name)] = true
	for _, d := range file.Decls {
		d, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
		case p == tests && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test"):
			f.tests++
		case p == product && d.Recv != nil:
			f.methods[path.Base(path.Dir(name))+"."+receiver(d.Recv.List[0].Type)]++
		}
	}
	if p == product {
		f.long += len(longLines(text))
	}
	if p == product && path.Dir(name) == "internal/app" {
		f.app.files++
		f.app.lines += n.all
	}
	return nil
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// maxTypes is how many of the largest types are printed.
const maxTypes = 6

func (f *figures) print(w io.Writer) error {
	var b strings.Builder
	for _, p := range []part{product, playground, support, tests} {
		n := f.lines[p]
		fmt.Fprintf(&b, "%-13s %6d lines of code in %4d files, %4.1f %% of all lines are comments\n", p, n.code, f.files[p], 100*float64(n.comments)/float64(max(n.all, 1)))
	}
	fmt.Fprintf(&b, "%-13s %6d\n%-13s %6d\n%-13s %6d\n", "tests by name", f.tests, "scenes", f.scenes, "packages", len(f.packages))
	fmt.Fprintf(&b, "%-13s %6d lines in %d files; Bot and Core have %d methods\n", "app", f.app.lines, f.app.files, f.methods["app.Bot"]+f.methods["app.Core"])
	types := make([]string, 0, len(f.methods))
	for name := range f.methods {
		types = append(types, name)
	}
	slices.SortFunc(types, func(a, b string) int { return cmp.Or(f.methods[b]-f.methods[a], strings.Compare(a, b)) })
	fmt.Fprintf(&b, "most methods  ")
	for i, name := range types[:min(maxTypes, len(types))] {
		fmt.Fprintf(&b, "%s %s %d", strings.Repeat(",", min(i, 1)), name, f.methods[name])
	}
	fmt.Fprintf(&b, "\n%-13s %6d\n", "long lines", f.long)
	_, err := io.WriteString(w, b.String())
	return err
}
