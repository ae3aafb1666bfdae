//go:build !unix

package worktree

import "os/exec"

// Without process groups, only the command itself is stopped.
func separate(*exec.Cmd) {}

func killRest(*exec.Cmd) {}

func shell(line string) (name string, args []string) { return "cmd", []string{"/C", line} }
