//go:build !linux && !darwin

package store

// freeRoom: these systems do not agree on how to ask for that.
func freeRoom(string) int64 { return -1 }
