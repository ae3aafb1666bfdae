package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"discoclaw/internal/chat"
)

const (
	maxListed  = 1000
	maxScanned = 20_000
)

var errEnough = errors.New("enough was seen")

// walk visits what is below a folder, in order, with paths from the root; or a single file. Denied files, symbolic
// links, hidden folders and node_modules are left out, but of a project hidden folders are named: there may be work in
// them. It reports whether it stopped early, as visit can have it do with errEnough.
func (b *box) walk(ctx context.Context, start string, visit func(name string, isDir bool) error) (stopped bool, err error) {
	s, err := b.find(start, false)
	if err != nil {
		return false, err
	}
	defer s.close()
	switch {
	case s.info == nil:
		return false, errMissing
	case s.info.Mode().IsRegular():
		return ended(visit(s.path, false))
	}
	folder, err := enter(s.dir, s.name, s.info)
	if err != nil {
		return false, err
	}
	defer folder.Close()
	scanned := 0
	err = fs.WalkDir(folder.FS(), ".", func(below string, d fs.DirEntry, err error) error {
		name := path.Join(s.path, below)
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case below == ".":
			return err
		case scanned == maxScanned:
			return errEnough
		}
		scanned++
		hidden := strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"
		switch {
		case d.IsDir() && (err != nil || b.deny.path(name)):
			return fs.SkipDir
		case d.IsDir() && hidden:
			return b.pass(name, visit)
		case err != nil || b.deny.path(name) || !d.IsDir() && !d.Type().IsRegular():
			return nil
		}
		return visit(name, d.IsDir())
	})
	return ended(err)
}

// pass goes by a hidden folder.
func (b *box) pass(name string, visit func(name string, isDir bool) error) error {
	if b.project {
		if err := visit(name, true); err != nil {
			return err
		}
	}
	return fs.SkipDir
}

// ended tells a walk that was stopped from one that failed.
func ended(err error) (stopped bool, _ error) {
	if errors.Is(err, errEnough) {
		return true, nil
	}
	return false, err
}

type listFiles struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func (in listFiles) about() string { return path.Join(in.Path, in.Pattern) }

func (in listFiles) run(ctx context.Context, s *session) (result, error) {
	if in.Pattern == "" || strings.HasPrefix(in.Pattern, "/") {
		return result{}, errPattern
	}
	folders, rest := literalFolders(in.Pattern)
	start := path.Join(in.Path, folders)
	if !path.IsAbs(in.Path) && strings.HasPrefix(path.Clean(in.Pattern), "..") {
		return result{}, errOutside
	}
	match, err := glob(rest)
	if err != nil {
		return result{}, err
	}
	top, err := s.box.top(start)
	if err != nil {
		return result{}, err
	}
	var found []string
	stopped, err := s.box.walk(ctx, start, func(name string, isDir bool) error {
		if !match.MatchString(below(top, name)) {
			return nil
		}
		if len(found) == maxListed {
			return errEnough
		}
		if isDir {
			name += "/"
		}
		found = append(found, name)
		return nil
	})
	return listing(found, stopped), plainWalk(err)
}

func listing(found []string, stopped bool) result {
	text := strings.Join(found, "\n")
	if len(found) == 0 {
		text = "No files match."
	}
	if stopped {
		text += fmt.Sprintf("\n(This is not all: it ends after %s, or %d that were looked at. Narrow it down.)", chat.Counted(maxListed, "name", "names"), maxScanned)
	}
	return result{text: text}
}

// top is the path of a folder from the root, without symbolic links.
func (b *box) top(start string) (string, error) {
	s, err := b.find(start, false)
	if err != nil {
		return "", err
	}
	s.close()
	return s.path, nil
}

// below is a path from the root as one from the folder top.
func below(top, name string) string {
	if top == "." {
		return name
	}
	return strings.TrimPrefix(name, top+"/")
}

// plainWalk is the error of a walk for a model.
func plainWalk(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return plain(err)
	}
	return err
}
