package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"discoclaw/internal/chat"
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
