package worktree

import (
	"errors"
	"os/exec"
	"runtime"
	"time"

	"discoclaw/internal/procgroup"
)

// grace is the time that processes have to end when they are asked to; git uses it to remove its locks.
const grace = 2 * time.Second

// runGroup runs a command that was given a process group. When the context of the command is done, all of the group
// is asked to end, and killed after a grace period. What the command itself has left in the background ends with it.
func runGroup(cmd *exec.Cmd) error {
	runtime.LockOSThread() // see package procgroup
	defer runtime.UnlockOSThread()
	cmd.Cancel = func() error { procgroup.Terminate(cmd.Process); return nil }
	cmd.WaitDelay = grace
	err := cmd.Run()
	if cmd.Process != nil {
		procgroup.Kill(cmd.Process) // mostly there is nothing left
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // it has ended well, and something in the background kept its output open
	}
	return err
}
