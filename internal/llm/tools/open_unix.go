//go:build unix

package tools

import "syscall"

// nonBlocking keeps an open of a pipe that has just taken a file's place from waiting for its other end.
const nonBlocking = syscall.O_NONBLOCK
