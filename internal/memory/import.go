package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// An Imported says what became of the memories of another installation.
type Imported struct {
	Taken, Known int      // items that are new here, and items that were here already
	Left         []string // what was not taken, and why, a line each
}

// storeFile is how the original of this bot stores the items of a person.
type storeFile struct {
	Version int `json:"version"`
	Items   []struct {
		Kind    string `json:"kind"`
		Text    string `json:"text"`
		Status  string `json:"status"`
		Created int64  `json:"createdAt"` // milliseconds
		Updated int64  `json:"updatedAt"`
		LastHit int64  `json:"lastHitAt"`
		Hits    int    `json:"hitCount"`
		Source  struct {
			Channel chat.ChannelID `json:"channelId"`
			Message chat.MessageID `json:"messageId"`
			Guild   chat.GuildID   `json:"guildId"`
		} `json:"source"`
	} `json:"items"`
}

// Import takes the items of people from the files of the original, memory/durable/<user ID>.json. Items that are here
// already stay as they are, so importing twice changes nothing.
func (e *Engine) Import(ctx context.Context, from fs.FS) (Imported, error) {
	var done Imported
	files, err := fs.Glob(from, "memory/durable/*.json")
	if err != nil {
		return done, err
	}
	for _, name := range files {
		who := chat.UserID(strings.TrimSuffix(path.Base(name), ".json"))
		if strings.Trim(string(who), "0123456789") != "" || len(who) < 15 {
			done.Left = append(done.Left, name+": its name is no user ID")
			continue
		}
		data, err := fs.ReadFile(from, name)
		var file storeFile
		if err == nil {
			err = json.Unmarshal(data, &file)
		}
		if err == nil && file.Version > 2 {
			err = fmt.Errorf("version %d is newer than what I know", file.Version)
		}
		if err != nil {
			done.Left = append(done.Left, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		if err := e.importFile(ctx, who, name, file, &done); err != nil {
			return done, fmt.Errorf("import %s: %w", name, err)
		}
	}
	return done, nil
}

func (e *Engine) importFile(ctx context.Context, who chat.UserID, name string, file storeFile, done *Imported) error {
	var fresh []Item
	for i, f := range file.Items {
		it := Item{
			Kind: f.Kind, Text: chat.Clip(chat.OneLine(f.Text), MaxText), Importance: Normal, Active: f.Status != "deprecated", Source: ByImport,
			Said:    chat.Place{Guild: f.Source.Guild, Channel: f.Source.Channel, Message: f.Source.Message},
			Created: time.UnixMilli(f.Created), Updated: time.UnixMilli(f.Updated), Hits: f.Hits, Hit: time.UnixMilli(f.LastHit),
		}
		if it.Text == "" || !slices.Contains(Kinds, it.Kind) {
			done.Left = append(done.Left, fmt.Sprintf("%s: item %d has no text, or is of no known kind", name, i+1))
			continue
		}
		it.ID = idOf(it.Kind, it.Text)
		fresh = append(fresh, it)
	}
	taken, known := 0, 0
	err := e.rows.change(ctx, who, func(all []Item) []Item {
		taken, known = 0, 0
		for _, it := range fresh {
			if slices.ContainsFunc(all, func(old Item) bool { return old.ID == it.ID }) {
				known++
				continue
			}
			all = append(all, it)
			taken++
		}
		return all
	})
	done.Taken, done.Known = done.Taken+taken, done.Known+known
	return err
}
