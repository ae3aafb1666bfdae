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
