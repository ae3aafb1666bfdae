package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sourceFile is the file in a folder of figures that names the tested commit.
const sourceFile = "source.txt"

// noteSource writes the tested commit. It is called before the tests, since there may be a
// commit while they run.
func noteSource(figures, checkout string, now time.Time) error {
	line := fmt.Sprintf("Run on %s, %s.\n", now.UTC().Format(time.DateOnly), source(checkout))
	return os.WriteFile(filepath.Join(figures, sourceFile), []byte(line), 0o600)
}

// source names the commit that is checked out in a folder.
func source(checkout string) string {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", checkout}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	// Sources without a repository may be in a folder of another project.
	_, err := git("ls-files", "--error-unmatch", "go.mod")
	if err != nil {
		return "on sources of which git knows no commit"
	}
	commit, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "on sources of which git knows no commit"
	}
	// The page itself is the output of the last run.
	switch changes, err := git("status", "--porcelain", "--", ".", ":!docs/dev/reliability.md"); {
	case err != nil:
		return fmt.Sprintf("on commit %s, perhaps with uncommitted changes", commit)
	case changes != "":
		return fmt.Sprintf("on commit %s with uncommitted changes", commit)
	}
	return "on commit " + commit
}
