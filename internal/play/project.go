package play

import (
	"context"
	_ "embed" // the club's program
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// tides are the files of the club's program, which the plans of a layout may change.
//
//go:embed tides.txtar
var tides string

// makeProject puts the club's program into the bot's data directory, as the project of plans, unless there are projects. Without git
// there is none: plans can be read then, and the bot says why they cannot be run.
func makeProject(ctx context.Context, data string) error {
	list := filepath.Join(data, "projects.json")
	if _, err := os.Stat(list); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil
	}
	dir, err := filepath.Abs(filepath.Join(data, "tides"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, text := range filesIn(tides) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"},
		{"-c", "user.name=noor", "-c", "user.email=noor@localhost", "-c", "commit.gpgsign=false", "commit", "--quiet", "--no-verify", "--message=tides: say how far the tide has come"},
	} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	verify := "go test ./..."
	if _, err := exec.LookPath("go"); err != nil {
		verify = "git diff --check" // all that can be checked here
	}
	text, err := json.Marshal(map[string]map[string]string{"tides": {"dir": dir, "verify": verify}})
	if err != nil {
		return err
	}
	return os.WriteFile(list, text, 0o600)
}

// filesIn are the files of a text archive, by name.
func filesIn(archive string) map[string]string {
	files, name := map[string]string{}, ""
	for line := range strings.Lines(archive) {
		if next, ok := strings.CutPrefix(line, "-- "); ok {
			name = strings.TrimSuffix(strings.TrimSpace(next), " --")
		} else if name != "" {
			files[name] += line
		}
	}
	return files
}

// fillPlan writes the text of a plan into the file of the newest one, as a person does.
func fillPlan(data, text string) error {
	files, err := filepath.Glob(filepath.Join(data, "workspace", "plans", "plan-*.md"))
	if err != nil || len(files) == 0 {
		return errors.Join(errors.New("the plan has no file"), err)
	}
	file := files[len(files)-1]
	made, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, _, found := strings.Cut(string(made), "\n---\n")
	if !found {
		return errors.New("the plan has another form than expected")
	}
	return os.WriteFile(file, []byte(head+"\n---\n\n"+text+"\n"), 0o600)
}

// projectTime is how long git may take.
const projectTime = 20 * time.Second
