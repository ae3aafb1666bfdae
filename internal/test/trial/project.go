package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"discoclaw/internal/disk/atomicfile"
)

// cloneProject gives the bot a project: a clone in the folder of the trial. So plans of every trial begin with the same, and those of people
// are left alone.
func cloneProject(ctx context.Context, o Options, data string) error {
	if strings.TrimSpace(o.Verify) == "" {
		return errors.New(`a project needs a command that tests it, such as "go test ./..."`)
	}
	source, err := filepath.Abs(o.Project)
	if err != nil {
		return fmt.Errorf("find the project: %w", err)
	}
	dir, err := filepath.Abs(filepath.Join(o.Dir, "project"))
	if err != nil {
		return fmt.Errorf("find the folder of the trial: %w", err)
	}
	if said, err := exec.CommandContext(ctx, "git", "clone", "--quiet", "--", source, dir).CombinedOutput(); err != nil {
		return fmt.Errorf("clone the project: %w: %s", err, strings.TrimSpace(string(said)))
	}
	type project struct {
		Dir    string `json:"dir"`
		Verify string `json:"verify"`
	}
	list, err := json.Marshal(map[string]project{filepath.Base(source): {dir, o.Verify}})
	if err != nil {
		return err
	}
	if err := atomicfile.WritePath(filepath.Join(data, "projects.json"), os.FileMode(0o600), atomicfile.Text(string(list))); err != nil {
		return fmt.Errorf("name the project: %w", err)
	}
	return nil
}
