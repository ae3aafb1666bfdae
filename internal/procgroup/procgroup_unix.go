//go:build unix

package procgroup

import (
	"os"
	"syscall"
)

// Terminate asks a process and those that it started to end.
func Terminate(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM) // fails if all of them have ended
}

// Kill ends them.
func Kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}
