//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// reexec replaces this process with the program, with the same arguments and the same
// process ID. Open files are closed, since Go opens them with O_CLOEXEC.
func reexec(program string, environ []string) error {
	return fmt.Errorf("start the bot again: %w", syscall.Exec(program, os.Args, environ))
}
