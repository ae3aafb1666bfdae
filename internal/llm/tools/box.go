package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/secretfile"
)

const (
	maxLinks     = 40      // symbolic links on the way to a file, as in Linux
	maxFileBytes = 1 << 20 // of a file that is read or written
)

var (
	errOutside = errors.New("this path leads out of the workspace. Use one inside of it, such as notes/today.md")
	errDenied  = errors.New("this file is off limits, because it may hold secrets or change how programs run. Go on without it, or ask the person for what you need of it")
	errMissing = errors.New("there is no such file or folder. list_files shows what there is")
	errGits    = errors.New("files in .git and .gitmodules are git's own, and are not written here")
	errSpecial = errors.New("this is not a plain file, and only plain files can be used")
	errChanged = errors.New("this file was changed at the same moment. Try again")
	errLarge   = fmt.Errorf("this file has more than %d KiB, which is too large for this tool. search_content finds lines in smaller files", maxFileBytes>>10)
	errBinary  = errors.New("this file is not a text in UTF-8, so it cannot be shown or edited")
)

// A box is the workspace, or a project. Every file is reached through its root, which nothing can lead out of.
type box struct {
	root    *os.Root
	dirs    []string // its absolute path, as in the settings and without symbolic links
	deny    deny
	project bool
}

func openBox(dir string, denied []string) (*box, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, err
	}
	return &box{root: root, dirs: []string{dir, resolved}, deny: newDeny(resolved, denied)}, nil
}

func (b *box) close() { _ = b.root.Close() }

// relative returns a path as one from the root: clean, slashed, and not leading out of it.
func (b *box) relative(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", errOutside
	}
	if filepath.IsAbs(name) {
		within := ""
		for _, dir := range b.dirs {
			if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
				within = rel
			}
		}
		if within == "" {
			return "", errOutside
		}
		name = within
	}
	name = path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(name) {
		return "", errOutside
	}
	return name, nil
}

// A spot is the place of a file, which need not exist: a name in a folder that is held open.
type spot struct {
	dir  *os.Root
	name string
	path string      // from the root, without symbolic links
	info fs.FileInfo // nil if there is nothing
}

func (s *spot) close() { _ = s.dir.Close() }

// find looks up a path. Symbolic links are followed inside of the root. For writing, the folders on the way are created, and a link in the
// last place is not followed. The caller must close the result.
func (b *box) find(name string, writing bool) (*spot, error) {
	rel, err := b.relative(name)
	for range maxLinks {
		if err != nil {
			return nil, err
		}
		if writing && isGits(rel) {
			return nil, errGits
		}
		if b.deny.path(rel) {
			return nil, errDenied
		}
		s, link, err := b.descend(rel, writing)
		if err != nil || link == "" {
			return s, err
		}
		if rel, err = b.relative(link); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("this path has too many symbolic links")
}

// descend goes down a path, one folder at a time. It follows no symbolic link, but returns where the path leads by it:
// then that is checked like any other path.
func (b *box) descend(rel string, writing bool) (s *spot, link string, err error) {
	dir, err := b.root.OpenRoot(".")
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if s == nil {
			_ = dir.Close()
		}
	}()
	parts := strings.Split(rel, "/")
	for i, name := range parts {
		last := i == len(parts)-1
		info, err := dir.Lstat(name)
		if writing && !last && errors.Is(err, fs.ErrNotExist) {
			if err = dir.Mkdir(name, 0o755); err == nil {
				info, err = dir.Lstat(name)
			}
		}
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0 && (!writing || !last):
			link, err := leadsTo(dir, parts, i)
			return nil, link, err
		case last && errors.Is(err, fs.ErrNotExist):
			return &spot{dir, name, rel, nil}, "", nil
		case err != nil:
			return nil, "", plain(err)
		case last:
			return &spot{dir, name, rel, info}, "", nil
		}
		next, err := enter(dir, name, info)
		if err != nil {
			return nil, "", err
		}
		_ = dir.Close()
		dir = next
	}
	return nil, "", errMissing
}

// leadsTo returns the path that a symbolic link, which is part i of another path, makes of that.
func leadsTo(dir *os.Root, parts []string, i int) (string, error) {
	target, err := dir.Readlink(parts[i])
	if err != nil {
		return "", plain(err)
	}
	rest := filepath.Join(parts[i+1:]...)
	if filepath.IsAbs(target) {
		return filepath.Join(target, rest), nil
	}
	return filepath.Join(filepath.Join(parts[:i]...), target, rest), nil
}

// enter opens a folder, unless it has been replaced since info was read, by a symbolic link for example.
func enter(dir *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	if !info.IsDir() {
		return nil, errMissing
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, plain(err)
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
		_ = next.Close()
		return nil, errChanged
	}
	return next, nil
}

// text reads a whole text file.
func (b *box) text(name string) (string, error) {
	s, err := b.find(name, false)
	if err != nil {
		return "", err
	}
	defer s.close()
	switch {
	case s.info == nil:
		return "", errMissing
	case s.info.IsDir():
		return "", errors.New("this is a folder. list_files shows what is in it")
	case !s.info.Mode().IsRegular(): // opening a pipe would wait for its other end
		return "", errSpecial
	case s.info.Size() > maxFileBytes:
		return "", errLarge
	}
	f, err := s.dir.OpenFile(s.name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return "", plain(err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(s.info, now) {
		return "", errChanged
	}
	if b.deny.file(now) {
		return "", errDenied
	}
	return readText(f)
}

func readText(f io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	switch {
	case err != nil:
		return "", plain(err)
	case len(data) > maxFileBytes:
		return "", errLarge
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		return "", errBinary
	}
	return string(data), nil
}

// plain is a file system's error for a model, without paths of the machine.
func plain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errMissing
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("this does not work: %w", err)
}

// A deny knows the files inside the workspace that no file tool touches.
type deny struct {
	paths []string      // from the root, folded
	files []fs.FileInfo // that may have further names
	dots  bool          // also whatever has a dot in front of its name
	git   bool          // also all that is git's own
}

func newDeny(root string, absolute []string) deny {
	var d deny
	for _, name := range absolute {
		if name == "" {
			continue
		}
		name = resolved(name)
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			d.files = append(d.files, info)
		}
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			d.paths = append(d.paths, fold(filepath.ToSlash(rel)))
		}
	}
	return d
}

// resolved is a path without symbolic links, as far as it exists.
func resolved(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	if parent := filepath.Dir(name); parent != name {
		return filepath.Join(resolved(parent), filepath.Base(name))
	}
	return name
}

// path reports whether a clean path from the root, or a folder on it, is denied.
func (d deny) path(rel string) bool {
	rel = fold(rel)
	for _, p := range d.paths {
		if p == "." || rel == p || strings.HasPrefix(rel, p+"/") {
			return true
		}
	}
	if secretfile.May(rel) {
		return true
	}
	parts := strings.Split(rel, "/")
	git := slices.IndexFunc(parts, isGit)
	if d.git && git >= 0 {
		return true
	}
	for i, name := range parts {
		if d.dots && strings.HasPrefix(name, ".") && name != "." || git >= 0 && i > git && runsPrograms(name) {
			return true
		}
	}
	return false
}

// runsPrograms reports whether a file in .git names programs that git runs; a configuration also may hold passwords.
func runsPrograms(name string) bool {
	return name == "config" || name == "config.worktree" || name == "hooks"
}

// isGits reports whether a path is git's, which runs what some files there name. A file .git, as worktrees have one, says where git looks
// for them.
func isGits(rel string) bool {
	return slices.ContainsFunc(strings.Split(fold(rel), "/"), func(name string) bool { return isGit(name) || name == ".gitmodules" })
}

// modulePath is where .gitmodules says that a submodule is.
var modulePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)^\s*path\s*=\s*"?([^"#;\n]+)`) })

// submodules denies their folders: git commits nothing of what is written there, so nobody would see it.
func (d *deny) submodules(root *os.Root) {
	text, _ := root.ReadFile(".gitmodules") // mostly there is none
	for _, m := range modulePath().FindAllStringSubmatch(string(text), -1) {
		d.paths = append(d.paths, fold(path.Clean(strings.TrimSpace(m[1]))))
	}
}

// isGit reports whether a folded name is that of git's folder. The others are what it is called in file systems of Windows, as git itself
// has it.
func isGit(name string) bool {
	return name == ".git" || name == "git~1" || strings.HasPrefix(name, ".git:")
}

// file reports whether an open file is a denied one by another name.
func (d deny) file(info fs.FileInfo) bool {
	return slices.ContainsFunc(d.files, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
}

// fold makes names equal that some file system takes for the same.
func fold(rel string) string {
	parts := strings.Split(chat.Visible(rel), "/")
	for i, name := range parts {
		if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
			parts[i] = trimmed
		}
	}
	// In upper case first: the long s is an s only there.
	return strings.ToLower(strings.ToUpper(strings.Join(parts, "/")))
}
