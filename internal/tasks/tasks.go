// Package tasks tracks work: what is to be done on a server, by whom and until when.
//
// An [Engine] keeps [Task]s in the database. On a server with a task forum each of them also has a post there,
// and what is changed on either side is changed on the other: see merge.go for how they are
// compared, and sync.go for how a change gets across once, whatever fails in the middle. Nothing of one server is shown on another.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// Limits of a task, as Discord counts characters.
const (
	MaxTitle       = 200
	MaxDescription = 1900
	MaxReason      = 500
	MaxLabels      = 20
	MaxLabel       = 50
	MaxPriority    = 4 // the least urgent

	DefaultPriority = 2
)

// A Status is how far the work on a task is. Any may follow any other.
type Status string

const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Blocked    Status = "blocked"
	Closed     Status = "closed"
)

// Statuses are all of them.
var Statuses = []Status{Open, InProgress, Blocked, Closed}

// Words is a status as people read it.
func (s Status) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// ParseStatus returns the status that people or models mean, or an error that lists them.
func ParseStatus(text string) (Status, error) {
	s := Status(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(chat.OneLine(text))))
	if !slices.Contains(Statuses, s) {
		return s, fmt.Errorf("I don't know the status %q; a task is open, in progress, blocked or closed", chat.Clip(chat.OneLine(text), 40))
	}
	return s, nil
}

// priorities are what people call the priorities.
var priorities = [MaxPriority + 1]string{"urgent", "high", "normal", "low", "some day"}

// PriorityWords is the priority of a task as people read it.
func (t Task) PriorityWords() string { return "priority " + priorityWords(t.Priority) }

// Importance is the priority of a task in a sentence about it.
func (t Task) Importance() string {
	return []string{"urgent", "high priority", "normal priority", "low priority", "for some day"}[t.Priority]
}

func priorityWords(p int) string { return fmt.Sprintf("%d (%s)", p, priorities[p]) }

// noThread is a label of tasks that get no post.
const noThread = "no-thread"

// A Task is a piece of work.
type Task struct {
	ID          string // such as ws-001; never reused
	Guild       chat.GuildID
	Title       string
	Description string
	Status      Status
	Priority    int // from 0, which is urgent, to MaxPriority
	Labels      []string
	Owner       chat.UserID // who is to do it; empty for nobody
	Due         time.Time   // zero for none
	DueBy       chat.UserID // who set that date
	Creator     chat.UserID
	Thread      chat.ChannelID // its post; empty for none
	Outside     chat.Sources   // the outside texts that had been read when it was written
	Created     time.Time
	Updated     time.Time
	Closed      time.Time // zero unless the status is Closed
	Reason      string    // why it was closed; empty if nobody said

	// Dedupe names the request that makes the task: Create returns the task that an earlier call with the same name made. Empty for none.
	Dedupe string
}

// A Change changes a task. Nil fields stay as they are.
type Change struct {
	Title, Description *string
	Status             *Status
	Priority           *int
	Labels             *[]string // all of them
	Owner              *chat.UserID
	Due                *time.Time // zero for none
	Reason             string     // why it is closed, if Status is Closed
	Note               string     // added to the description, unless that ends with it

	By      chat.UserID  // who asked for it; has set the date if there is a new one
	Outside chat.Sources // what had been read before; added to that of the task
}

// A Filter chooses tasks of a server. Its zero value means all that are not closed.
type Filter struct {
	Status Status // a status, All, or empty for all but Closed
	Label  string
	Owner  chat.UserID
	Until  time.Time // only those due by then; zero for any
	Marked bool      // only those written after reading outside text
	Limit  int       // how many at most; 0 for all
}

// All in a Filter means tasks of every status.
const All Status = "all"

// ErrNotFound means that a server has no such task.
var ErrNotFound = store.ForPeople(errors.New("there is no such task"))

// Create adds a task, and returns it with its ID. Without a status it is open. An error is a sentence for people.
func (e *Engine) Create(ctx context.Context, t Task) (Task, error) {
	r, err := requested(t)
	if err != nil {
		return Task{}, err
	}
	t, isNew, err := e.rows.add(ctx, e.Prefix, r)
	if err != nil {
		return Task{}, err
	}
	if isNew {
		e.suggestLabels(t)
	}
	e.Wake()
	return t, nil
}

// requested checks a task that is asked for, which gets its ID and its post later.
func requested(t Task) (record, error) {
	t, err := started(t)
	t.ID, t.Thread = "", ""
	return record{Task: t}, err
}

// started checks a new task, and returns it with its times.
func started(t Task) (Task, error) {
	if t.Status == "" {
		t.Status = Open
	}
	t, err := tidy(t)
	t.Created = store.Rounded(time.Now())
	t.Updated = t.Created
	if t.Status == Closed {
		t.Closed = t.Created
	}
	return t, err
}

// Update changes a task, and returns it as it was and as it is, which are equal if there was nothing to change.
func (e *Engine) Update(ctx context.Context, g chat.GuildID, id string, c Change) (before, after Task, err error) {
	before, after, err = e.rows.change(ctx, g, e.fullID(id), c.apply)
	if err == nil {
		e.Wake()
	}
	return before, after, err
}

// Close closes a task. Already means that it was closed before, which leaves its reason as it is.
func (e *Engine) Close(ctx context.Context, g chat.GuildID, id, reason string, by chat.UserID, outside chat.Sources) (t Task,
	already bool, err error) {
	before, after, err := e.Update(ctx, g, id, Change{Status: new(Closed), Reason: reason, By: by, Outside: outside})
	return after, before.Status == Closed, err
}

// Get returns a task of a server by its ID, which may lack the zeros and the prefix, or ErrNotFound.
func (e *Engine) Get(ctx context.Context, g chat.GuildID, id string) (Task, error) {
	r, err := e.rows.get(ctx, "guild = ? AND id = ?", g, e.fullID(id))
	return r.Task, err
}

// InThread returns the task of a post, or ErrNotFound.
func (e *Engine) InThread(ctx context.Context, thread chat.ChannelID) (Task, error) {
	if thread == "" {
		return Task{}, ErrNotFound
	}
	r, err := e.rows.get(ctx, byThread, thread)
	return r.Task, err
}

// Outside returns the outside texts in what the bot posts about a task in its post. If that cannot be looked up, it is
// such a text.
func (e *Engine) Outside(thread chat.ChannelID) chat.Sources {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	t, err := e.InThread(ctx, thread)
	if err != nil && !errors.Is(err, ErrNotFound) {
		e.Log.ErrorContext(ctx, "cannot look up what a task was written after", "channel", thread, "err", err)
		return "the post of a task"
	}
	return t.Outside
}

// lookupTime bounds a look into the database.
const lookupTime = 10 * time.Second

// List returns tasks of a server: those that are not closed first, the most urgent first among them, and of equally urgent ones the
// newest.
func (e *Engine) List(ctx context.Context, g chat.GuildID, f Filter) ([]Task, error) {
	return e.rows.list(ctx, g, f)
}

// Open returns the tasks of a server that are not closed, in the order of List, at most limit.
func (e *Engine) Open(ctx context.Context, g chat.GuildID, limit int) ([]Task, error) {
	return e.rows.list(ctx, g, Filter{Limit: limit})
}

// apply returns a task with a change. A closed task that stays closed keeps its time and reason.
func (c Change) apply(t Task) (Task, error) {
	was := t.Status
	set(&t.Title, c.Title)
	set(&t.Description, c.Description)
	if note := strings.TrimSpace(c.Note); !strings.HasSuffix(t.Description, note) { // or a change that is made again adds it twice
		t.Description += "\n\n" + note
	}
	set(&t.Status, c.Status)
	set(&t.Priority, c.Priority)
	set(&t.Labels, c.Labels)
	set(&t.Owner, c.Owner)
	if c.Due != nil && !c.Due.Equal(t.Due) {
		t.Due, t.DueBy = *c.Due, c.By
	}
	t, err := tidy(t)
	switch {
	case t.Status != Closed:
		t.Closed, t.Reason = time.Time{}, ""
	case was != Closed:
		t.Closed, t.Reason = store.Rounded(time.Now()), chat.Clip(strings.TrimSpace(c.Reason), MaxReason)
	}
	t.Outside.Add(c.Outside)
	return t, err
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// tidy checks a task, and returns it as it is stored.
func tidy(t Task) (Task, error) {
	t.Title = chat.OneLine(t.Title)
	t.Description = strings.TrimSpace(t.Description)
	t.Labels = tidyLabels(t.Labels)
	status, err := ParseStatus(string(t.Status))
	if err != nil {
		return t, err
	}
	t.Status = status
	if t.Due.IsZero() {
		t.DueBy = ""
	} else {
		t.Due = store.Rounded(t.Due)
	}
	if t.Status == Open && slices.ContainsFunc(t.Labels, waits) {
		t.Status = Blocked
	}
	switch {
	case t.Title == "":
		return t, errors.New("a task needs a title")
	case chat.Length(t.Title) > MaxTitle:
		return t, fmt.Errorf("the title has %d characters, and a task's may have at most %d; put the rest into the description", chat.Length(t.Title), MaxTitle)
	case chat.Length(t.Description) > MaxDescription:
		return t, fmt.Errorf("the description has %d characters, and a task's may have at most %d", chat.Length(t.Description), MaxDescription)
	case t.Priority < 0 || t.Priority > MaxPriority:
		return t, fmt.Errorf("a priority is from %s to %s, not %d", priorityWords(0), priorityWords(MaxPriority), t.Priority)
	case len(t.Labels) > MaxLabels:
		return t, fmt.Errorf("%d labels are too many for a task; it may have %d", len(t.Labels), MaxLabels)
	}
	for _, l := range t.Labels {
		if chat.Length(l) > MaxLabel {
			return t, fmt.Errorf("the label %q is too long; %d characters are the most", chat.Clip(l, 40), MaxLabel)
		}
	}
	return t, nil
}

// waits reports whether a label says that a task is blocked.
func waits(label string) bool {
	label = strings.ToLower(labelName(label))
	return strings.HasPrefix(label, "waiting-") || strings.HasPrefix(label, "blocked-")
}

// tidyLabels drops blank labels and all but the first of equal ones.
func tidyLabels(labels []string) []string {
	var kept []string
	for _, l := range labels {
		if l = chat.OneLine(l); l != "" && !slices.ContainsFunc(kept, func(k string) bool { return strings.EqualFold(k, l) }) {
			kept = append(kept, l)
		}
	}
	return kept
}

// labelName is a label without a prefix that only says that it is one.
func labelName(label string) string {
	for _, prefix := range []string{"tag:", "label:"} {
		if len(label) > len(prefix) && strings.EqualFold(label[:len(prefix)], prefix) {
			return label[len(prefix):]
		}
	}
	return label
}

var written = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:(.+)-)?0*(\d{1,15})$`) })

// fullID completes an ID that was written without its prefix or zeros.
func (e *Engine) fullID(id string) string {
	found := written().FindStringSubmatch(strings.ToLower(strings.Trim(strings.TrimSpace(id), "`[]#")))
	if found == nil {
		return id
	}
	n, err := strconv.ParseInt(found[2], 10, 64)
	if err != nil {
		return id
	}
	prefix := found[1]
	if prefix == "" {
		prefix = e.Prefix
	}
	return idOf(prefix, n)
}

// splitID is the opposite of idOf.
func splitID(id string) (prefix string, number int64) {
	at := strings.LastIndexByte(id, '-')
	number, _ = strconv.ParseInt(id[at+1:], 10, 64)
	return id[:max(at, 0)], number
}

func idOf(prefix string, number int64) string { return fmt.Sprintf("%s-%03d", prefix, number) }

// CreateIn is [Engine.Create] in a transaction of the caller, who calls Wake after the commit, so that the post follows.
// No labels are suggested.
func (e *Engine) CreateIn(ctx context.Context, tx *store.Tx, t Task) (Task, error) {
	r, err := requested(t)
	if err != nil {
		return Task{}, err
	}
	made, _, err := add(ctx, tx, e.Prefix, r)
	return made, store.Plain(err)
}

// UpdateIn is [Engine.Update] in a transaction of the caller, who calls Wake after the commit, so that the post follows.
func (e *Engine) UpdateIn(ctx context.Context, tx *store.Tx, g chat.GuildID, id string, c Change) (before, after Task, err error) {
	return change(ctx, tx, g, e.fullID(id), c.apply)
}

// FindOpen returns the task of a server that is not closed, and has a label and a title, in capitals or not; the first in the order of
// List if there are several. Without one it returns ErrNotFound. It sees what its transaction has changed.
func (e *Engine) FindOpen(ctx context.Context, tx *store.Tx, g chat.GuildID, label, title string) (Task, error) {
	statement, args := Filter{Label: label}.query(g)
	found, err := store.All(ctx, tx, scan, statement, args...)
	if err != nil {
		return Task{}, store.Plain(err)
	}
	for _, r := range found {
		if strings.EqualFold(r.Title, chat.OneLine(title)) {
			return r.Task, nil
		}
	}
	return Task{}, ErrNotFound
}
