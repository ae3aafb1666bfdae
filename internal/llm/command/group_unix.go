//go:build unix && !linux

package command

import (
	"os/exec"
	"syscall"
)

// group gives a process a group of its own, which the processes that it starts belong to.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
