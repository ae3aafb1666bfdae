//go:build unix

package command

import (
	"os"
	"syscall"
)

// terminate asks a process and those that it started to end.
func terminate(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM) // fails if all of them have ended
}

// kill ends them.
func kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}
