package procgroup

import (
	"os/exec"
	"syscall"
)

// Set gives a process a group of its own, which the processes that it starts belong to. When the bot is killed, the
// system asks the process to end: it would spend money on an answer without a reader.
func Set(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
