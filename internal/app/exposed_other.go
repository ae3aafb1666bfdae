//go:build !unix

package app

import "io/fs"

func isOwn(fs.FileInfo) bool { return false }
