//go:build !linux && !darwin

package store

// freeRoom returns -1: these systems do not agree on how to ask for it.
func freeRoom(string) int64 { return -1 }
