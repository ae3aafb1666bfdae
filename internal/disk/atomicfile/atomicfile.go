// Package atomicfile puts files in their place whole. Whoever reads such a file, at any
// time, after a crash or a power cut too, finds the old one or the new one, and never a
// part of one.
//
// [Write] is for a file in a folder that no name may lead out of, [WritePath] for a path
// that somebody gave. [Rename] is for a file that somebody else has written.
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

// Kept is the mode for a file that should keep the one it has. A new file is then for its
// owner alone.
const Kept fs.FileMode = 0

// Write replaces the file with that name by what fill writes, or makes it. It returns when
// that is on the disk. After an error the file is as it was, and nothing is left beside
// it; only if the folder itself cannot be written to the disk, the new file is there but
// may be gone after a power cut.
//
// A symbolic link is replaced, not followed. Two who write the same file at once do not
// mix: one of them may get an error.
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
			_ = f.Close()          // is closed already, unless something went wrong
			_ = root.Remove(draft) // the first error is the one to tell
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

// WritePath is Write for the file that a path leads to, through a symbolic link too.
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

// Rename gives a file another name in the same folder, in the place of what has it. The
// new name is on the disk when it returns.
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

// Target is the file itself, where the path is a link to it: to replace the link would
// leave the old file behind, secrets and all.
func Target(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil // what is wrong with it shows when it is used
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("follow the link %s: %w", path, err)
	}
	return target, nil
}

// Text fills a file with a text.
func Text(text string) func(io.Writer) error {
	return func(to io.Writer) error {
		_, err := io.WriteString(to, text)
		return err
	}
}

// IsFull says whether an error is that of a full disk, or of one on which somebody has no
// more room.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// modeOf is the mode for the new file. What is there must be a file: nobody means a
// device or a pipe to be replaced.
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
		return 0o600, nil // if it cannot even be looked at, writing it will tell
	}
}

// Drafts have names of their own, so that nobody can put in place what somebody else is
// still writing.
const randomBytes = 4

func draftPrefix(name string) string { return "." + filepath.Base(name) + ".new-" }

// create makes an empty draft beside the file.
func create(root *os.Root, name string, mode fs.FileMode) (string, *os.File, error) {
	var random [randomBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	draft := filepath.Join(filepath.Dir(name), draftPrefix(name)+hex.EncodeToString(random[:]))
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", nil, err
	}
	// The process's mask may have taken something away. Not every file system has modes.
	_ = f.Chmod(mode)
	return draft, f, nil
}

// sweep removes the drafts of processes that were killed. One that cannot be removed is in
// nobody's way.
func sweep(root *os.Root, name string) {
	folder := filepath.Dir(name)
	entries, _ := fs.ReadDir(root.FS(), filepath.ToSlash(folder)) // those that could be read
	for _, e := range entries {
		random, isDraft := strings.CutPrefix(e.Name(), draftPrefix(name))
		if _, err := hex.DecodeString(random); isDraft && err == nil && len(random) == 2*randomBytes {
			_ = root.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// write fills the draft, and returns when it is on the disk.
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

// syncFolder makes the new name of a file last. Where the system cannot do that for a
// folder, there is nothing better to do.
func syncFolder(root *os.Root, name string) error {
	folder, err := root.Open(name)
	if err != nil {
		return nil // it can be written to but not be read
	}
	defer folder.Close() // only read
	err = folder.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
