//go:build !unix

package doctor

import "io/fs"

func isOwn(fs.FileInfo) bool { return false }
