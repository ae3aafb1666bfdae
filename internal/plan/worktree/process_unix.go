//go:build unix

package worktree

func shell(line string) (name string, args []string) { return "/bin/sh", []string{"-c", line} }
