//go:build unix && !linux

package procgroup

import (
	"os/exec"
	"syscall"
)

// Set gives a process a group of its own, which the processes that it starts belong to.
func Set(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// Guard is [Set] here: a process that leaves the group of its command outlives it.
func Guard(cmd *exec.Cmd) { Set(cmd) }
