package workspace

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

const (
	indexFile      = "discord/DISCORD.md"
	channelsFolder = "discord/channels"
	dm             = "dm.md" // the context file of all direct messages
	maxIndexBytes  = 4 << 20 // bytes; a server has at most 500 channels
)

// A row of the index names the file of a channel.
type row struct {
	id   chat.ChannelID
	file string
}

var channelID = regexp.MustCompile(`^[0-9]{15,20}$`)

// rows are those of an index. All other text is for people.
func rows(index string) []row {
	var list []row
	for _, line := range chat.Lines(index) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " \t`")
		}
		if len(cells) < 2 || !strings.HasPrefix(cells[0], "#") || !channelID.MatchString(cells[1]) {
			continue
		}
		r := row{id: chat.ChannelID(cells[1]), file: plainName(cells[0]) + ".md"}
		if len(cells) > 2 && strings.HasSuffix(cells[2], ".md") {
			r.file = path.Base(strings.ReplaceAll(cells[2], `\`, "/"))
		}
		list = append(list, r)
	}
	return list
}

var notPlain = regexp.MustCompile(`[^a-z0-9_-]+`)

// plainName is a channel's name as part of a file name.
func plainName(channel string) string {
	return strings.Trim(notPlain.ReplaceAllString(strings.ToLower(channel), "-"), "-")
}

// fileOf is the context file of a channel. A new channel gets one if AutoIndex is on.
func (w *Workspace) fileOf(ch chat.ChannelID, name string) (string, error) {
	w.indexing.Lock()
	defer w.indexing.Unlock()
	now, err := w.readIndex()
	if err != nil && (!isMissing(err) || w.AutoIndex) {
		return "", err
	}
	for _, r := range now.rows {
		if r.id == ch {
			return r.file, w.make(r.file)
		}
	}
	if !w.AutoIndex {
		return "", errNoFile
	}
	file := freeName(now.rows, ch, name)
	if err := w.make(file); err != nil {
		return "", err
	}
	return file, write(w.Content, indexFile, withRow(now.text, ch, name, file))
}

// An index is the content of the file with this time and size.
type index struct {
	changed time.Time
	size    int64
	text    string
	rows    []row
}

// readIndex returns the index, which is read again only if it has changed. A missing one is
// empty. The caller holds the lock.
func (w *Workspace) readIndex() (index, error) {
	root, err := os.OpenRoot(w.Content)
	if err != nil {
		return index{}, err
	}
	defer root.Close()
	info, err := root.Stat(indexFile)
	switch {
	case isMissing(err):
		return index{}, nil
	case err != nil:
		return index{}, err
	case info.ModTime().Equal(w.index.changed) && info.Size() == w.index.size:
		return w.index, nil
	}
	text, more, err := readUpTo(root, indexFile, maxIndexBytes)
	if err == nil && more {
		err = fmt.Errorf("%s is longer than %d MB", indexFile, maxIndexBytes>>20)
	}
	if err != nil {
		return index{}, err
	}
	w.index = index{changed: info.ModTime(), size: info.Size(), text: text, rows: rows(text)}
	return w.index, nil
}

// freeName is a file name that no other channel has: two names may have the same plain
// form, and a channel called dm must not read the file for direct messages.
func freeName(list []row, ch chat.ChannelID, name string) string {
	plain := plainName(name)
	taken := plain == "" || plain+".md" == dm
	for _, r := range list {
		taken = taken || strings.EqualFold(r.file, plain+".md")
	}
	if taken {
		plain = strings.TrimPrefix(plain+"-"+string(ch), "-")
	}
	return plain + ".md"
}

// withRow adds a row for a channel below the last one of the index.
func withRow(index string, ch chat.ChannelID, name, file string) string {
	if strings.TrimSpace(index) == "" {
		index = template("DISCORD.md")
	}
	lines := strings.Split(strings.TrimRight(index, "\n"), "\n")
	at := len(lines)
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "|") {
			at = i + 1
		}
	}
	added := fmt.Sprintf("| #%s | %s | %s |", strings.ReplaceAll(chat.Clip(chat.OneLine(name), 100), "|", "/"), ch, file)
	return strings.Join(slices.Insert(lines, at, added), "\n") + "\n"
}

// ensure makes a missing context file, if AutoIndex is on.
func (w *Workspace) ensure(file string) error {
	w.indexing.Lock()
	defer w.indexing.Unlock()
	return w.make(file)
}

// make is ensure with the lock held.
func (w *Workspace) make(file string) error {
	if !w.AutoIndex {
		return nil // reading it returns the error
	}
	return writeMissing(w.Content, map[string]string{channelsFolder + "/" + file: template("channel.md")})
}
