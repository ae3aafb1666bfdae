package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/store"
)

// data checks the data directory, the database in it, and the free room on its disk.
func (d *Doctor) data(ctx context.Context) []Finding {
	if err := datadir.Check(d.DataDir); err != nil {
		return []Finding{{What: "data", State: err.Error(), Wrong: true}}
	}
	user := datadir.InUse(d.DataDir)
	list := []Finding{{What: "data", State: d.DataDir + usedBy(user)}}
	found, err := store.Examine(ctx, filepath.Join(d.DataDir, store.FileName))
	if err != nil {
		list = append(list, Finding{What: "database", State: err.Error(), Wrong: true})
	} else {
		list = append(list, d.database(found, user != nil))
	}
	if found.Aside > 0 {
		list = append(list, Finding{What: "database", State: fmt.Sprintf("%s set aside as %s.aside-*, %s in all; delete them when you no longer need them",
			chat.Counted(found.Aside, "file was", "files were"), store.FileName, megabytes(found.AsideBytes)), Note: true})
	}
	if found.Free >= 0 && found.Free < found.Wanted {
		list = append(list, Finding{What: "disk", State: fmt.Sprintf("only %s are free on the disk of the data directory; free up at least %s",
			megabytes(found.Free), megabytes(found.Wanted)), Note: true})
	}
	return list
}

// usedBy returns a suffix that names the other process that uses the data directory; empty if there
// is none.
func usedBy(user *datadir.InUseError) string {
	host, _ := os.Hostname() // without it, this process is reported as another one
	if user == nil || user.PID == os.Getpid() && user.Host == host {
		return ""
	}
	return "; a bot is running: " + user.Who() + " uses it"
}

// database describes a database that Open can open, or would set aside.
func (d *Doctor) database(c store.Condition, running bool) Finding {
	f := Finding{What: "database"}
	switch {
	case !c.Made:
		f.State = "none yet; the bot creates it when it starts"
	case c.Trouble != "":
		f.State, f.Note = fmt.Sprintf("%s cannot be used: %s; when the bot starts, it sets this file aside and continues with %s", store.FileName, c.Trouble, remainder(c)), true
	case c.Unread:
		f.State, f.Note = "it cannot be checked before the bot starts, because its log (-wal) is there without the index (-shm)", true
	case c.CopyTrouble != "":
		f.State, f.Note = "intact, but its copy cannot be used: "+c.CopyTrouble+"; the bot makes a new one when it starts", true
	case c.Copied.IsZero():
		f.State = "intact; there is no copy yet, and the bot makes one when it starts"
	case running && time.Since(c.Copied) > 2*d.CopyEvery:
		f.State, f.Note = fmt.Sprintf("intact, but its copy is %s old, although a running bot makes one every %d hours; its log says why it could not", age(c), int(d.CopyEvery.Hours())), true
	default:
		f.State = fmt.Sprintf("intact; its copy is %s old", age(c))
	}
	return f
}

// remainder describes what the bot would use instead of its database.
func remainder(c store.Condition) string {
	switch {
	case c.CopyTrouble != "":
		return "an empty database, because its copy cannot be used either (" + c.CopyTrouble + "); if you have a backup, put it there first"
	case c.Copied.IsZero():
		return "an empty database, because there is no copy; if you have a backup, put it there first"
	}
	return fmt.Sprintf("its copy, which is %s old", age(c))
}

func age(c store.Condition) string { return chat.Lasting(time.Since(c.Copied)) }

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

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
