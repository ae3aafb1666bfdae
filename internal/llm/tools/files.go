package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/atomicfile"
)

// maxPart is how much of a file is read at once, so that it comes whole within maxResult.
const maxPart = maxResult - 1<<10

type readFile struct {
	Path   string `json:"file_path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func (in readFile) about() string { return in.Path }

func (in readFile) run(_ context.Context, s *session) (result, error) {
	if in.Offset < 0 || in.Limit < 0 {
		return result{}, errors.New("offset and limit are counted from 1")
	}
	text, err := s.box.text(in.Path)
	switch {
	case err != nil:
		return result{}, err
	case text == "":
		return result{text: "(the file is empty)"}, nil
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	first := max(in.Offset, 1)
	if first > len(lines) {
		return result{}, fmt.Errorf("the file has only %s", chat.Counted(len(lines), "line", "lines"))
	}
	part, end := partOf(lines, first-1, in.Limit)
	r := result{text: part}
	if end < len(lines) {
		r.text += fmt.Sprintf("\n(These are lines %d to %d of %d. Read on with offset %d.)", first, end, len(lines), end+1)
	}
	return r, nil
}

// partOf joins lines from one on, at most limit of them, or as many as fit, and at least one.
func partOf(lines []string, from, limit int) (text string, end int) {
	var b strings.Builder
	for end = from; end < len(lines) && (limit == 0 || end-from < limit); end++ {
		if end > from && b.Len()+len(lines[end]) > maxPart {
			break
		}
		b.WriteString(lines[end])
	}
	return b.String(), end
}

type writeFile struct {
	Path    string  `json:"file_path"`
	Content *string `json:"content"`
}

func (in writeFile) about() string { return in.Path }

func (in writeFile) run(ctx context.Context, s *session) (result, error) {
	if in.Content == nil {
		return result{}, errors.New("the content is missing. Call it again with all of the file's text in content")
	}
	if err := s.box.write(ctx, in.Path, *in.Content); err != nil {
		return result{}, err
	}
	return result{text: fmt.Sprintf("Wrote %s.", chat.Counted(len(*in.Content), "byte", "bytes"))}, nil
}

// write replaces a file as a whole, or creates it with its folders.
func (b *box) write(ctx context.Context, name, text string) error {
	if len(text) > maxFileBytes {
		return errLarge
	}
	if rel, err := b.relative(name); err == nil && rel == "." {
		return errors.New("file_path is missing. Name the file to write")
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s, err := b.find(name, true)
	if err != nil {
		return err
	}
	defer s.close()
	mode := atomicfile.Kept
	switch {
	case s.info == nil:
		mode = 0o644
	case s.info.Mode()&fs.ModeSymlink != 0:
		return errors.New("this is a symbolic link. Write the file that it points to, by its own path")
	case s.info.IsDir():
		return errors.New("this is a folder. Name a file in it")
	case !s.info.Mode().IsRegular():
		return errSpecial
	case b.deny.file(s.info):
		return errDenied
	}
	if err := atomicfile.Write(s.dir, s.name, mode, atomicfile.Text(text)); err != nil {
		return plain(err)
	}
	return nil
}

type editFile struct {
	Path string  `json:"file_path"`
	Old  string  `json:"old_string"`
	New  *string `json:"new_string"`
	All  bool    `json:"replace_all"`
}

func (in editFile) about() string { return in.Path }

func (in editFile) run(ctx context.Context, s *session) (result, error) {
	switch {
	case in.Old == "":
		return result{}, errors.New("old_string is missing. To write a whole file, use write_file")
	case in.New == nil:
		return result{}, errors.New("new_string is missing. To delete the piece, give an empty one")
	case in.Old == *in.New:
		return result{}, errors.New("old_string and new_string are the same, so nothing would change")
	}
	text, err := s.box.text(in.Path)
	if err != nil {
		return result{}, err
	}
	n := strings.Count(text, in.Old)
	switch {
	case n == 0:
		return result{}, errors.New("old_string was not found in the file. Read the file again, and copy the piece with its spaces and line breaks")
	case n > 1 && !in.All:
		return result{}, fmt.Errorf("old_string was found %d times. Give more of the text around it, or set replace_all", n)
	case len(text)+n*(len(*in.New)-len(in.Old)) > maxFileBytes:
		return result{}, errLarge
	}
	if err := s.box.write(ctx, in.Path, strings.ReplaceAll(text, in.Old, *in.New)); err != nil {
		return result{}, err
	}
	return result{text: fmt.Sprintf("Replaced %s in %s.", chat.Counted(n, "piece", "pieces"), in.Path)}, nil
}

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
