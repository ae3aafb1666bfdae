//go:build !unix

package datadir

import (
	"errors"
	"os"
)

var errHeld = errors.New("held by another process")

// lock does nothing: without flock, a lock that is held cannot be told from a stale one, so
// two processes are not kept apart here.
func lock(*os.File) error { return nil }

func probe(*os.File) error { return nil }

func unlock(*os.File) error { return nil }
