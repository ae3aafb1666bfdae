package messaging

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/secretfile"
)

// folders are the only places that files are sent from. A model's request can be a
// stranger's, so a path is not trusted: links are followed first, the result is checked,
// and then exactly that is opened.
type folders []string

// fileTypes are the extensions of files that people send each other. Others, such as
// databases or keys, are more likely to be requested by mistake or by malice.
const fileTypes = `
	pdf doc docx odt rtf xls xlsx ods csv tsv ppt pptx odp epub
	png jpg jpeg gif webp bmp tif tiff svg heic avif
	mp3 wav ogg oga opus flac m4a aac
	mp4 m4v webm mov mkv avi
	txt md log json jsonl yaml yml toml xml html css diff patch
	go py js ts sh sql c h cpp java rs rb
	zip tar gz tgz bz2 xz zst 7z rar`

// A document is a file that may be sent. It stays open, so that every attempt to send it
// reads the checked file.
type document struct {
	*os.File
	folder, rel string // without links
	name        string
	size        int64
}

// content starts at the beginning, and ends at the size that was checked.
func (d document) content() io.ReadCloser {
	return io.NopCloser(io.NewSectionReader(d.File, 0, d.size))
}

// open opens the file at path, which is absolute or relative to one of the
// folders.
func (f folders) open(path string, maxSize int) (document, error) {
	if len(f) == 0 {
		return document{}, errors.New("no folder is set up to send files from")
	}
	path = filepath.FromSlash(strings.TrimSpace(path))
	asked := chat.Clip(path, 200)
	if err := checkType(path); err != nil {
		return document{}, err
	}
	folder, rel, err := f.locate(path)
	if err != nil {
		return document{}, err
	}
	if err := errors.Join(checkType(rel), checkVisible(rel), f.checkShared(filepath.Join(folder, rel))); err != nil {
		return document{}, err
	}
	file, info, err := openWithoutLinks(folder, rel)
	if err != nil {
		return document{}, fmt.Errorf("I can't open the file %s (%w)", chat.InCode(asked), err)
	}
	if info.Size() > int64(maxSize) {
		_ = file.Close() // nothing was written
		return document{}, fmt.Errorf("%s has %d bytes, and this server takes files of at most %d", asked, info.Size(), maxSize)
	}
	return document{File: file, folder: folder, rel: rel, name: filepath.Base(rel), size: info.Size()}, nil
}

func checkType(path string) error {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if ending == "" || !slices.Contains(strings.Fields(fileTypes), ending) {
		return fmt.Errorf("I don't send files like %s; I do send documents, images, audio, video, text and archives", chat.InCode(chat.Clip(filepath.Base(path), 60)))
	}
	return nil
}

// checkVisible refuses hidden files and files in hidden folders, where programs keep keys
// and settings.
func checkVisible(rel string) error {
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if strings.HasPrefix(name, ".") {
			return fmt.Errorf("%q is hidden, and hidden files are not sent", chat.Clip(name, 60))
		}
	}
	return nil
}

// private is what is not for everyone, below each of the folders, and for whom it is: the
// bot's memory, and plans. Files are sent to channels of servers only, so these never are.
var private = []struct{ name, whom string }{
	{"MEMORY.md", "for direct messages alone"}, {"memory", "for direct messages alone"}, {"plans", "for the people who run me"},
}

// checkShared refuses what is private and whatever is in it. It compares files, not names:
// there may be links, and some systems ignore case.
func (f folders) checkShared(path string) error {
	for _, folder := range f.real() {
		for _, p := range private {
			kept, err := os.Stat(filepath.Join(folder, p.name))
			if err == nil && isWithin(kept, path) {
				return fmt.Errorf("%s holds what is %s, and is not sent to a channel", p.name, p.whom)
			}
		}
	}
	return nil
}

// checkSecret refuses what the file tools of models do not reach either.
func (c *Category) checkSecret(doc document) error {
	secret := fmt.Errorf("%s may hold secrets, and is not sent", chat.InCode(chat.Clip(doc.name, 60)))
	if secretfile.May(strings.ToLower(filepath.ToSlash(doc.rel))) {
		return secret
	}
	path := filepath.Join(doc.folder, doc.rel)
	if out, err := os.Stat(c.Outbox); err == nil && isWithin(out, path) {
		return nil
	}
	for _, name := range c.Deny {
		if place, err := os.Stat(name); err == nil && isWithin(place, path) {
			return secret
		}
	}
	return nil
}

// isWithin reports whether a path is a file or a folder, or leads through it.
func isWithin(place fs.FileInfo, path string) bool {
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, place) {
			return true
		}
		above := filepath.Dir(path)
		if above == path {
			return false
		}
		path = above
	}
}

// locate follows all links in path and returns the folder in which it ends, and the rest.
func (f folders) locate(path string) (folder, rel string, err error) {
	asked := chat.Clip(path, 200)
	outside := fmt.Errorf("%s is not in a folder that I may send files from; these are %s", chat.InCode(asked), f.names())
	candidates := f.candidates(path)
	if len(candidates) == 0 {
		return "", "", outside
	}
	for _, candidate := range candidates {
		real, err := filepath.EvalSymlinks(candidate)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", "", fmt.Errorf("I can't look for the file %s (%w)", chat.InCode(asked), reason(err))
		}
		for _, folder := range f.real() {
			if rel, ok := below(folder, real); ok {
				return folder, rel, nil
			}
		}
		return "", "", outside
	}
	return "", "", fmt.Errorf("I can't find the file %s", chat.InCode(asked))
}

// names are the base names: the paths of the folders are private to the operator.
func (f folders) names() string {
	var names []string
	for _, folder := range f {
		names = append(names, filepath.Base(folder))
	}
	return strings.Join(names, ", ")
}

// candidates are the absolute paths that path can mean. There are none for a path outside
// the folders, and then nothing is looked up: whether a file exists elsewhere is private
// too.
func (f folders) candidates(path string) (paths []string) {
	if filepath.IsAbs(path) {
		for _, folder := range slices.Concat(f, f.real()) {
			if _, ok := below(folder, path); ok {
				return []string{path}
			}
		}
		return nil
	}
	for _, folder := range f {
		if filepath.IsLocal(path) {
			paths = append(paths, filepath.Join(folder, path))
		}
	}
	return paths
}

// real are the folders that exist, without links in their own paths.
func (f folders) real() (paths []string) {
	for _, folder := range f {
		if path, err := filepath.EvalSymlinks(folder); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// below is the relative path from a folder to path.
func below(folder, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// openWithoutLinks opens a regular file. Its path was checked after following links, so a
// link in it now was made in the meantime.
func openWithoutLinks(folder, rel string) (*os.File, fs.FileInfo, error) {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, reason(err)
	}
	names := strings.Split(rel, string(filepath.Separator))
	last := len(names) - 1
	for _, name := range names[:last] {
		inner, err := enter(dir, name)
		_ = dir.Close() // only looked at
		if err != nil {
			return nil, nil, err
		}
		dir = inner
	}
	defer dir.Close()
	return openRegular(dir, names[last])
}

// errChanged means that files were moved while they were being sent.
var errChanged = errors.New("the file was changed meanwhile; try again")

// enter opens a folder in a folder, but not through a link.
func enter(dir *os.Root, name string) (*os.Root, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, reason(err)
	}
	inner, err := dir.OpenRoot(name)
	if err != nil {
		return nil, reason(err)
	}
	if opened, err := inner.Stat("."); err != nil || !os.SameFile(seen, opened) {
		_ = inner.Close() // only looked at
		return nil, errChanged
	}
	return inner, nil
}

// openRegular opens a file in a folder, but not through a link. Opening a pipe could block
// and opening a device could have effects, so the file is checked before it is opened, and
// once more after.
func openRegular(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, reason(err)
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	file, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, reason(err)
	}
	opened, err := file.Stat()
	if err != nil || !os.SameFile(seen, opened) {
		_ = file.Close() // nothing was written
		return nil, nil, errChanged
	}
	return file, opened, nil
}

// reason is an error of the file system without the name of the operation and the
// path, which the sentence around it already has.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
