//go:build linux || darwin

package store

import "syscall"

// freeRoom returns how many bytes of a folder's disk are free for this user; -1 if unknown.
func freeRoom(folder string) int64 {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return -1
	}
	return int64(disk.Bavail) * int64(disk.Bsize)
}
