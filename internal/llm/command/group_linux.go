package command

import (
	"os/exec"
	"syscall"
)

// group gives a process a group of its own, which the processes that it starts belong to. When the bot is killed, the
// system asks the process to end: it would spend money on an answer without a reader.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
