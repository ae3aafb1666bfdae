package worktree

import (
	"errors"
	"os/exec"
	"time"
)

// grace is the time that processes have to end when they are asked to; git uses it to remove its locks.
const grace = 2 * time.Second

// runGroup runs a command in a process group of its own. When the context of the command is done, all of the group
// is asked to end, and killed after a grace period. What the command itself has left in the background ends with it.
func runGroup(cmd *exec.Cmd) error {
	separate(cmd)
	cmd.WaitDelay = grace
	err := cmd.Run()
	killRest(cmd)
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // it has ended well, and something in the background kept its output open
	}
	return err
}
