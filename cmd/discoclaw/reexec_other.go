//go:build !unix

package main

import (
	"fmt"
	"os"
	"os/exec"
)

// reexec starts the program beside this process, which ends then.
func reexec(program string, environ []string) error {
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the bot again: %w", err)
	}
	return nil
}
