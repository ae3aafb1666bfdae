package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"discoclaw/internal/config"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/store"
)

// An Exposure is a file or folder with secrets of the bot that other users of this machine can read.
type Exposure struct {
	Path string
	info fs.FileInfo
	link string // that leads to it, if the bot was given one; its mode is then left to people
}

// mode is without the exposure.
func (e Exposure) mode() fs.FileMode { return e.info.Mode() &^ 0o077 }

func (e Exposure) String() string {
	if e.link != "" {
		return fmt.Sprintf("other users of this machine can read %s, where the link %s leads: chmod %o %s (discoclaw doctor --fix follows no links)",
			e.Path, e.link, e.mode().Perm(), e.Path)
	}
	return fmt.Sprintf("other users of this machine can read %s: chmod %o %s, or discoclaw doctor --fix", e.Path, e.mode().Perm(), e.Path)
}

// Files are those that may have secrets in them.
type Files struct {
	Settings string // as it was given; empty if there is none
	MCP      string // the file of MCP servers; empty if there is none
	DataDir  string

	Names   []string // of all settings
	Servers bool     // the file of MCP servers names some
}

// Exposed returns which of the files other users can read. Only what has the bot's data in it and belongs to its user is considered, and
// only the link of a settings file is followed: other programs may rely on the mode of anything else that a setting
// names. Windows decides by lists of its own, of which nothing is known.
func (f Files) Exposed() []Exposure {
	var list []Exposure
	add := func(path string, holdsData func(fs.FileInfo) bool) {
		if info, err := os.Lstat(path); err == nil && isOwn(info) && info.Mode().Perm()&0o077 != 0 && holdsData(info) {
			list = append(list, Exposure{Path: path, info: info})
		}
	}
	settings, link := f.Settings, ""
	if info, err := os.Lstat(settings); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, err := filepath.EvalSymlinks(settings); err == nil {
			link, settings = settings, target
		}
	}
	add(settings, func(info fs.FileInfo) bool {
		if !info.Mode().IsRegular() {
			return false
		}
		env, _ := config.Read(nil, settings) // lines that are wrong do not matter here
		return slices.ContainsFunc(f.Names, env.Has)
	})
	if len(list) > 0 {
		list[0].link = link
	}
	add(f.MCP, func(info fs.FileInfo) bool { return info.Mode().IsRegular() && f.Servers })
	add(f.DataDir, func(info fs.FileInfo) bool {
		return info.IsDir() && slices.ContainsFunc([]string{store.FileName, datadir.LockFile}, func(name string) bool {
			// Not opened: closing the database would drop the locks that this process may have on it.
			file, err := os.Lstat(filepath.Join(f.DataDir, name))
			return err == nil && file.Mode().IsRegular() && isOwn(file)
		})
	})
	return list
}

// Protect takes the rights of other users from what is exposed, and returns that. What a link leads to is left as it is.
func (f Files) Protect() ([]Exposure, error) {
	list := slices.DeleteFunc(f.Exposed(), func(e Exposure) bool { return e.link != "" })
	for _, e := range list {
		if err := e.protect(); err != nil {
			return nil, config.Mistakef("%v; give it to the user who runs the bot", err)
		}
	}
	return list, nil
}

// protect changes the mode of the file that was examined, also if a link has replaced it meanwhile.
func (e Exposure) protect() error {
	f, err := os.Open(e.Path)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	if info, err := f.Stat(); err != nil || !os.SameFile(info, e.info) {
		return errors.Join(err, fmt.Errorf("%s was replaced meanwhile", e.Path))
	}
	return f.Chmod(e.mode())
}
