package tools

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// HideEnvironment keeps commands, which run in the bot's own account, from reading the environment and the memory of this
// process in /proc, with the keys in them. Call it at the start: it holds until the process ends or executes another
// program. Core dumps go with it.
//
// It returns an error where it does not help: root may read every process.
func HideEnvironment() error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("hide the environment from commands: %w", errno)
	}
	if os.Geteuid() == 0 {
		return errors.New("the bot runs as root, so commands of the model can read its keys; run it in an account of its own")
	}
	return nil
}
