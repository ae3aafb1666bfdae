package evidence

import (
	"fmt"
	"os/exec"
	"strings"
)

// source names the commit that is checked out in a folder. Known is false if the sources are not those of a commit.
func source(checkout string) (name string, known bool) {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", checkout}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	// Sources without a repository may be in a folder of another project.
	_, err := git("ls-files", "--error-unmatch", "go.mod")
	if err != nil {
		return "on sources of which git knows no commit", false
	}
	commit, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "on sources of which git knows no commit", false
	}
	// The pages of figures are what runs write.
	switch changes, err := git("status", "--porcelain", "--", ".", ":!docs/dev", ":!.evidence"); {
	case err != nil:
		return fmt.Sprintf("on commit %s, perhaps with uncommitted changes", commit), false
	case changes != "":
		return fmt.Sprintf("on commit %s with uncommitted changes", commit), false
	}
	return "on commit " + commit, true
}
