package worktree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// ReadBudget is how many bytes of files a prompt may have.
const ReadBudget = 100 << 10

// A File is a file of a project for a prompt: its text, or a note about why that is not there.
type File struct {
	Path, Text, Note string
}

// ReadIn reads files of a folder, in their order and each once, as long as all of them have no more than budget bytes. One that is
// too large is left out, while smaller ones after it are read. Nothing outside of the folder is read, nor what
// looks like a secret.
func ReadIn(dir string, paths []string, budget int) ([]File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read files of the project: %w", err)
	}
	defer root.Close()
	var files []File
	seen := map[string]bool{}
	for _, name := range paths {
		if name = path.Clean(filepath.ToSlash(name)); seen[name] {
			continue
		}
		seen[name] = true
		f := File{Path: name}
		if f.Text, err = readText(root, name, budget); err != nil {
			f.Note = err.Error()
		}
		budget -= len(f.Text)
		files = append(files, f)
	}
	return files, nil
}

var (
	errOutside = errors.New("it is not read because it is outside of the project")
	errSecret  = errors.New("it is not read because it may have secrets in it")
)

// readText reads a file whose name a model may have chosen, or an error that is a note for the prompt.
func readText(root *os.Root, name string, budget int) (string, error) {
	if !filepath.IsLocal(name) {
		return "", errOutside
	}
	name, err := resolve(root, name)
	if err != nil {
		return "", err
	}
	// A pipe must not be opened, since that would wait for its other end.
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return "", unreadable(err)
	case info.IsDir():
		return "", errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return "", errors.New("it is not a regular file")
	case info.Size() > int64(budget):
		return "", fmt.Errorf("it is left out because it is too large: it has %d KB, and there is room for %d KB", (info.Size()+1023)>>10, max(0, budget)>>10)
	}
	f, err := root.Open(name)
	if err != nil {
		return "", unreadable(err)
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return "", errors.New("it was changed while it was read")
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(budget)))
	switch {
	case err != nil:
		return "", unreadable(err)
	case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
		return "", errors.New("it is not text")
	}
	return string(text), nil
}

// resolve follows the links of a path, so that a link cannot give a secret another name. The root lets no link lead out of it.
func resolve(root *os.Root, name string) (string, error) {
	if secret(name) {
		return "", errSecret
	}
	top, err := filepath.EvalSymlinks(root.Name())
	if err != nil {
		return "", unreadable(err)
	}
	resolved, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		return "", unreadable(err)
	}
	rel, err := filepath.Rel(top, resolved)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return "", errOutside
	case secret(filepath.ToSlash(rel)):
		return "", errSecret
	}
	return rel, nil
}

// secret is whether a path looks like that of a secret: settings, keys, and what git keeps.
func secret(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		ending := path.Ext(part)
		switch {
		case slices.Contains([]string{".git", ".ssh", ".claude", ".codex", ".gemini"}, part), slices.Contains([]string{".pem", ".key", ".p12", ".pfx", ".env"}, ending),
			strings.HasPrefix(part, ".env"), strings.HasPrefix(part, "credentials") && ending != ".go",
			strings.HasPrefix(part, "id_") && ending == "": // id_ed25519, but not id_test.go
			return true
		}
	}
	return false
}

// unreadable is the note for an error, without the full path that is in it.
func unreadable(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("it does not exist")
	case errors.Is(err, os.ErrPermission):
		return errors.New("it may not be read")
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("it cannot be read (%w)", err)
}
