//go:build linux || darwin

package store

import "syscall"

// freeRoom is how many bytes a folder's disk still has for this user; -1 if that is not known.
func freeRoom(folder string) int64 {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return -1
	}
	return int64(disk.Bavail) * int64(disk.Bsize)
}
