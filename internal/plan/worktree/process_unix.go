//go:build unix

package worktree

import (
	"os/exec"
	"syscall"
)

func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killRest kills what is left of the group. It is called at once after the command was waited for, so the number
// of the group is not in use by another one.
func killRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly there is nothing left
	}
}

func shell(line string) (name string, args []string) { return "/bin/sh", []string{"-c", line} }
