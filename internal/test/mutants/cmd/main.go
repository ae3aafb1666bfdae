// Command cmd takes each defence in the table of mutants out and runs the tests that must notice. The source is not touched:
// the changed file is laid over it. It prints a line for each defence. With an expression it tries only the defences that
// match. A run that was stopped is continued. "make mutants" calls it in the root of the module.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/test/evidence"
	"discoclaw/internal/test/mutants"
)

func main() {
	only := flag.String("only", "", "expression that names the defences to try")
	flag.Parse()
	if err := run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(only string) error {
	which, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	table := slices.Clone(mutants.Table)
	table = slices.DeleteFunc(table, func(m mutants.Mutant) bool { return !which.MatchString(m.Promise + ": " + m.Defence) })
	r, err := evidence.Begin(".", "mutants", time.Now(), os.Stdout)
	if err != nil {
		return err
	}
	_, err = r.Step("no mutant "+only, func() (string, error) { return "", passes(table) })
	if err != nil {
		return err
	}
	survivors, faults := 0, 0
	for _, m := range table {
		killer, err := r.Step(m.Promise+" "+m.Defence, func() (string, error) { return try(m) })
		switch {
		case err != nil:
			faults++
			killer = "FAULT: " + err.Error()
		case killer == "":
			survivors++
			killer = "SURVIVED"
		}
		fmt.Printf("%s: %s (%s): %s\n", m.Promise, m.Defence, m.File, killer)
	}
	fmt.Printf("%d mutants, %d survived, %d could not be tried\n", len(table), survivors, faults)
	if survivors+faults > 0 {
		return errors.New("a survivor needs a test, and a mutant that cannot be tried a new text")
	}
	return nil
}

// passes returns an error if the tests fail with all defences in place: then they show nothing.
func passes(table []mutants.Mutant) error {
	patterns := map[string][]string{}
	for _, m := range table {
		if p := m.Pattern(); !slices.Contains(patterns[m.Package], p) {
			patterns[m.Package] = append(patterns[m.Package], p)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(patterns)) {
		if out, err := test(pkg, strings.Join(patterns[pkg], "|"), ""); err != nil {
			return fmt.Errorf("the tests of %s fail without any mutant: %w\n%s", pkg, err, out)
		}
	}
	return nil
}

// test runs tests, and returns their output. The overlay is in the environment, where builds inside of tests find it, too.
func test(pkg, pattern, overlay string) (string, error) {
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-timeout=10m", "-failfast", "-run", pattern, "./"+pkg)
	if overlay != "" {
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// try returns the test that failed first; none if the mutant has survived. A mutant that cannot be built is an error.
func try(m mutants.Mutant) (killer string, err error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := overlay(dir, m)
	if err != nil {
		return "", err
	}
	out, err := test(m.Package, m.Pattern(), overlay)
	return verdict(out, err)
}

// overlay writes the changed file of a mutant, and the file that tells the go command of it.
func overlay(dir string, m mutants.Mutant) (string, error) {
	text, err := m.Apply(".")
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(filepath.FromSlash(m.File))
	if err != nil {
		return "", err
	}
	changed, path := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	return path, errors.Join(err, os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(path, list, 0o600))
}

var failed = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// verdict reads the output of the tests. Only a test that failed has noticed something: not one that was not built, or not there.
func verdict(out string, err error) (killer string, _ error) {
	if err == nil {
		if strings.Contains(out, "[no tests to run]") {
			return "", errors.New("there is no such test")
		}
		return "", nil
	}
	names := failed.FindAllStringSubmatch(out, -1)
	if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") || len(names) == 0 {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	killer = names[0][1]
	for _, name := range names[1:] { // the subtest that failed, and not the whole
		if strings.HasPrefix(name[1], killer+"/") {
			killer = name[1]
		}
	}
	return killer, nil
}
