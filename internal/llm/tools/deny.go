package tools

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/secretfile"
)

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
