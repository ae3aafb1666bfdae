// Package atomicfile replaces files atomically. A reader of such a file, at any time, after a
// crash or a power cut too, sees the old one or the new one, and never a part of one.
//
// [Write] is for a file in a folder that no name may lead out of, [WritePath] for an arbitrary
// path. [Rename] is for a file that has been written already.
package atomicfile

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Kept is the mode for a file that should keep its own. A new file gets 0600.
const Kept fs.FileMode = 0

// Write replaces or creates the named file with the output of fill, and syncs it. After an
// error the file is as it was, and no draft is left; only if syncing the folder fails,
// the new file is in place but may be lost in a power cut.
//
// A symbolic link is replaced, not followed. Concurrent writes of the same file do not mix, but
// may return an error.
func Write(root *os.Root, name string, mode fs.FileMode, fill func(io.Writer) error) (err error) {
	if mode, err = modeOf(root, name, mode); err != nil {
		return err
	}
	sweep(root, name)
	draft, f, err := create(root, name, mode)
	if err != nil {
		return err
	}
	inPlace := false
	defer func() { // also if fill panics
		if !inPlace {
			_ = f.Close()          // closed already, unless write failed
			_ = root.Remove(draft) // the first error is the one to return
		}
	}()
	if err := write(f, fill); err != nil {
		return err
	}
	if err := root.Rename(draft, name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("its draft is gone; another process may be writing the same file: %w", err)
		}
		return err
	}
	inPlace = true
	return syncFolder(root, filepath.Dir(name))
}

// WritePath is Write for a path. It follows symbolic links.
func WritePath(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	path, err := Target(path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return Write(root, filepath.Base(path), mode, fill)
}

// Rename renames a file within its folder, replacing a file of the new name, and syncs the
// folder.
func Rename(from, to string) error {
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Rename(filepath.Base(from), filepath.Base(to)); err != nil {
		return err
	}
	return syncFolder(root, ".")
}

// Target resolves a path that is a symbolic link: replacing the link would leave its old file
// behind, with the secrets in it.
func Target(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil // using it returns the error
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("follow the link %s: %w", path, err)
	}
	return target, nil
}

// Text returns a fill function that writes a text.
func Text(text string) func(io.Writer) error {
	return func(to io.Writer) error {
		_, err := io.WriteString(to, text)
		return err
	}
}

// IsFull reports whether an error is that of a full disk or an exhausted quota.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// modeOf returns the mode for the new file. It refuses to replace a device, a pipe or a folder.
func modeOf(root *os.Root, name string, mode fs.FileMode) (fs.FileMode, error) {
	info, err := root.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = root.Stat(name)
	}
	switch {
	case err == nil && !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is not a file that can be replaced", name)
	case mode != Kept:
		return mode, nil
	case err == nil:
		return info.Mode().Perm(), nil
	default:
		return 0o600, nil // any other error comes up when it is written
	}
}

// Drafts have random names, so that no writer can put another one's unfinished draft in place.
const randomBytes = 4

func draftPrefix(name string) string { return "." + filepath.Base(name) + ".new-" }

// create creates an empty draft beside the file.
func create(root *os.Root, name string, mode fs.FileMode) (string, *os.File, error) {
	var random [randomBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	draft := filepath.Join(filepath.Dir(name), draftPrefix(name)+hex.EncodeToString(random[:]))
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", nil, err
	}
	// The umask may have cleared bits. Not every file system has modes.
	_ = f.Chmod(mode)
	return draft, f, nil
}

// sweep removes the drafts of processes that were killed. One that cannot be removed does no
// harm.
func sweep(root *os.Root, name string) {
	folder := filepath.Dir(name)
	entries, _ := fs.ReadDir(root.FS(), filepath.ToSlash(folder)) // a partial list will do
	for _, e := range entries {
		random, isDraft := strings.CutPrefix(e.Name(), draftPrefix(name))
		if _, err := hex.DecodeString(random); isDraft && err == nil && len(random) == 2*randomBytes {
			_ = root.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// write fills, syncs and closes the draft.
func write(f *os.File, fill func(io.Writer) error) error {
	buffered := bufio.NewWriter(f)
	if err := fill(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder makes a rename durable. Where the system cannot sync a folder, nothing better can be
// done.
func syncFolder(root *os.Root, name string) error {
	folder, err := root.Open(name)
	if err != nil {
		return nil // writable but not readable
	}
	defer folder.Close() // only read
	err = folder.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
