package tasks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// An Imported says what became of the tasks of another installation.
type Imported struct {
	Taken, Known int      // tasks that are new here, and tasks that were here already
	Left         []string // what was not taken, and why, a line each
}

// importFiles are where the original of this bot has its tasks; the second name is an older one.
var importFiles = []string{"tasks/tasks.jsonl", "beads/tasks.jsonl"}

// legacyTask is a task as the original stores it, one on each line.
type legacyTask struct {
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Status      Status            `json:"status"`
	Description string            `json:"description"`
	Priority    *int              `json:"priority"`
	Owner       string            `json:"owner"`
	Labels      []string          `json:"labels"`
	Comments    []json.RawMessage `json:"comments"`
	Created     time.Time         `json:"created_at"`
	Updated     time.Time         `json:"updated_at"`
	Closed      time.Time         `json:"closed_at"`
	Reason      string            `json:"close_reason"`
}

var legacyID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]{1,10}-\d{3,9}$`) })

// Import takes the tasks of the original for a server, with their IDs. Tasks that were taken before stay as they are, so
// importing twice changes nothing. Their posts are found by their names at the next sync.
func (e *Engine) Import(ctx context.Context, g chat.GuildID, from fs.FS) (Imported, error) {
	var done Imported
	for _, name := range importFiles {
		file, err := from.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return done, err
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if strings.TrimSpace(lines.Text()) == "" {
				continue
			}
			if err := e.importTask(ctx, g, lines.Bytes(), &done); err != nil {
				done.Left = append(done.Left, fmt.Sprintf("%s, line %d: %v", name, n, err))
			}
		}
		return done, lines.Err()
	}
	return done, nil
}

func (e *Engine) importTask(ctx context.Context, g chat.GuildID, line []byte, done *Imported) error {
	var old legacyTask
	if err := json.Unmarshal(line, &old); err != nil {
		return err
	}
	if !legacyID().MatchString(old.ID) {
		return fmt.Errorf("%q is no ID of a task", chat.Clip(old.ID, 40))
	}
	t := Task{
		ID: old.ID, Guild: g, Title: old.Title, Description: old.Description, Status: old.Status, Priority: DefaultPriority, Labels: old.Labels,
		Created: old.Created, Updated: old.Updated, Closed: old.Closed, Reason: chat.Clip(old.Reason, MaxReason), Dedupe: "import/" + old.ID,
	}
	if old.Priority != nil {
		t.Priority = *old.Priority
	}
	if id := strings.Trim(old.Owner, "<@!>"); len(id) >= 15 && strings.Trim(id, "0123456789") == "" {
		t.Owner = chat.UserID(id)
	}
	t, err := tidy(t)
	if err != nil {
		return err
	}
	r := record{Task: t}
	if t.Status != Closed {
		r.Begun = t.Created // it may have a post already
	}
	_, isNew, err := e.rows.add(ctx, e.Prefix, r)
	switch {
	case err != nil:
		return fmt.Errorf("%s could not be stored; perhaps that ID is taken here", old.ID)
	case !isNew:
		done.Known++
		return nil
	}
	done.Taken++
	if old.Owner != "" && t.Owner == "" {
		done.Left = append(done.Left, old.ID+": its owner, who is no user ID")
	}
	if len(old.Comments) > 0 {
		done.Left = append(done.Left, fmt.Sprintf("%s: %s", old.ID, chat.Counted(len(old.Comments), "comment", "comments")))
	}
	return nil
}
