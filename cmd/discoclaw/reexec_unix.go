//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// reexec puts the program in the place of this process, with the same arguments.
// Whoever watches the process sees no change. Files that are open are closed by that:
// Go opens all of them so.
func reexec(program string, environ []string) error {
	return fmt.Errorf("start the bot again: %w", syscall.Exec(program, os.Args, environ))
}
