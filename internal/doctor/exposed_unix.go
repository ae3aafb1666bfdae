//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to the user of this process.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
