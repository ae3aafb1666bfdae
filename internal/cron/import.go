package cron

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron/schedule"
)

const (
	// importFile is where the original of this bot has its jobs.
	importFile = "cron/cron-run-stats.json"
	// importVersion is the newest version of that file that is understood.
	importVersion = 10
	maxTags       = 10
)

// An Importing is what has to be known of this installation to take the jobs of another.
type Importing struct {
	Guild chat.GuildID
	Bot   chat.UserID // that of the other installation, too; empty if it is not known
	// Type returns the name of an action as it is written here, and whether it needs approval. An empty name means that
	// there is no such action.
	Type func(name string) (known string, destructive bool)
	// Model checks the name of a model.
	Model func(name string) error
}

// An Imported says what became of the jobs of another installation.
type Imported struct {
	Taken, Known int      // jobs that are new here, and jobs that were here already
	Mend         []string // what was changed in those that were taken, or has to be before they can run, a line each
	Left         []string // what was not taken, and why, a line each
}

// legacyJob is a job as the original stores it. It has no name there: that is the name of its thread.
type legacyJob struct {
	Schedule      string          `json:"schedule"`
	Timezone      string          `json:"timezone"`
	Channel       string          `json:"channel"`
	Prompt        string          `json:"prompt"`
	Author        string          `json:"authorId"`
	Trigger       Trigger         `json:"triggerType"`
	Model         string          `json:"model"`
	ModelOverride string          `json:"modelOverride"`
	Tags          []string        `json:"purposeTags"`
	Allowed       []string        `json:"allowedActions"`
	Chain         []string        `json:"chain"`
	State         json.RawMessage `json:"state"`
	Silent        bool            `json:"silent"`
	Routing       string          `json:"routingMode"`
	Runs          int             `json:"runCount"`
	LastRun       time.Time       `json:"lastRunAt"`
	Last          string          `json:"lastRunStatus"`
	Error         string          `json:"lastErrorMessage"`
}

// Import takes the jobs of the original, with their IDs. All of them are paused, so that neither bot runs what the other one runs, and
// none runs that has not been looked at. Jobs that were taken before stay as they are.
func (e *Engine) Import(ctx context.Context, here Importing, from fs.FS) (Imported, error) {
	i := &importer{Importing: here, engine: e, seen: map[string]bool{}}
	data, err := fs.ReadFile(from, importFile)
	if errors.Is(err, fs.ErrNotExist) {
		return i.done, nil
	}
	if err != nil {
		return i.done, err
	}
	var file struct {
		Version int                        `json:"version"`
		Jobs    map[string]json.RawMessage `json:"jobs"`
	}
	switch err := json.Unmarshal(data, &file); {
	case err != nil:
		return i.done, fmt.Errorf("read %s: %w", importFile, err)
	case file.Version > importVersion:
		return i.done, fmt.Errorf("read %s: its version is %d, and the newest that I understand is %d", importFile, file.Version, importVersion)
	case file.Version < 1 || file.Jobs == nil:
		return i.done, fmt.Errorf("read %s: it has no version or no jobs", importFile)
	}
	i.jobs = file.Jobs
	for _, id := range slices.Sorted(maps.Keys(i.jobs)) {
		if _, err := i.take(ctx, id); err != nil {
			return i.done, err
		}
	}
	return i.done, nil
}

// An importer takes jobs, each after those that follow it.
type importer struct {
	Importing
	engine *Engine
	jobs   map[string]json.RawMessage
	seen   map[string]bool // false while those are taken that follow it, then whether it is here
	done   Imported
}

var legacyID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^cron-[0-9a-f]{1,32}$`) })

// take takes a job unless that was tried before, and reports whether it is here now. The error is that of the database.
func (i *importer) take(ctx context.Context, id string) (here bool, err error) {
	if here, tried := i.seen[id]; tried {
		return here, nil
	}
	i.seen[id] = false
	known, err := i.engine.ByID(ctx, id)
	switch {
	case err == nil && known.Dedupe == "import/"+id && known.Guild == i.Guild:
		i.seen[id] = true
		i.done.Known++
		return true, nil
	case err == nil:
		i.leave(id, errors.New("another job has that ID here"))
		return false, nil
	case !errors.Is(err, ErrNotFound):
		return false, err
	}
	j, mend, err := i.read(id)
	if err != nil {
		i.leave(id, err)
		return false, nil
	}
	if j.Chain, err = i.following(ctx, j, &mend); err != nil {
		return false, err
	}
	_, err = i.engine.add(ctx, j, MaxJobs)
	if fault := (interface{ Permanent() bool })(nil); errors.As(err, &fault) {
		return false, err // of the database
	}
	if err != nil {
		i.leave(id, err)
		return false, nil
	}
	i.seen[id] = true
	i.done.Taken++
	for _, what := range mend {
		i.done.Mend = append(i.done.Mend, id+": "+what)
	}
	return true, nil
}

func (i *importer) leave(id string, why error) {
	i.done.Left = append(i.done.Left, fmt.Sprintf("%s: %v", chat.Clip(chat.OneLine(id), 40), why))
}

// read returns a job as it is stored here, without its chain, and what was changed in it or has to be.
func (i *importer) read(id string) (j Job, mend []string, err error) {
	var old legacyJob
	switch err := json.Unmarshal(i.jobs[id], &old); {
	case err != nil:
		return j, nil, errors.New("it is not written like a job")
	case !legacyID().MatchString(id):
		return j, nil, errors.New("that is no ID of a job")
	case !chat.IsID(old.Author) || chat.UserID(old.Author) == i.Bot:
		return j, nil, errors.New("no member is its author, and a job has the rights of its author; ask me for it again")
	case strings.TrimSpace(old.Prompt) == "":
		return j, nil, errors.New("its prompt stands only in its thread; ask me for it again")
	}
	j = Job{ID: id, Guild: i.Guild, Author: chat.UserID(old.Author), Paused: true, Dedupe: "import/" + id,
		Runs: old.Runs, LastRun: old.LastRun, Definition: Definition{
			Name: cmp.Or(NameOf(old.Prompt), id), Trigger: cmp.Or(old.Trigger,
				BySchedule), Schedule: old.Schedule, Zone: old.Timezone, Prompt: old.Prompt,
			Tags: old.Tags[:min(len(old.Tags), maxTags)], Chain: old.Chain, Routes: old.Routing == "json", Silent: old.Silent,
		}}
	if old.Last == string(Success) || old.Last == string(Failed) {
		j.Last, j.Error = Status(old.Last), shortened(old.Error)
	}
	say := func(format string, args ...any) { mend = append(mend, fmt.Sprintf(format, args...)) }
	i.readTimes(&j, say)
	if ref := strings.TrimPrefix(strings.TrimSpace(old.Channel), "#"); chat.IsID(ref) {
		j.Channel, j.ChannelName = chat.ChannelID(ref), ref
	} else if j.ChannelName = chat.Clip(chat.OneLine(ref), 100); ref == "" {
		say("it names no channel; give it one")
	}
	if j.Model = cmp.Or(old.ModelOverride, old.Model); j.Model != "" && i.Model(j.Model) != nil {
		say("I know no model %q, so it will use the usual one", chat.Clip(j.Model, 60))
		j.Model = ""
	}
	if state, err := object(old.State); err != nil {
		say("what it has kept was not taken: %v", err)
	} else {
		j.State = state
	}
	err = i.readAllowed(&j, old.Allowed, say)
	return j, mend, err
}

// readTimes mends the times of a job: one whose schedule cannot be understood is only triggered until it is given another.
func (i *importer) readTimes(j *Job, say func(string, ...any)) {
	if _, err := time.LoadLocation(j.Zone); err != nil {
		say("I don't know its time zone %q, so it has the usual one", chat.Clip(j.Zone, 60))
		j.Zone = ""
	}
	switch _, err := schedule.Parse(j.Schedule, i.engine.Now()); {
	case j.Trigger == BySchedule && err != nil:
		say("give it other times than %q: %v", chat.Clip(j.Schedule, 60), err)
		j.Trigger = ByHand
	case j.Trigger != BySchedule && j.Trigger != ByHand:
		say("it was begun by a %s, and is only triggered now", chat.Clip(string(j.Trigger), 20))
		j.Trigger = ByHand
	}
}

// readAllowed keeps those actions on the list of a job that are known here and need no approval: on this list they would be approved
// without a card. An empty list would mean all of them, so a job that loses its whole list is not taken.
func (i *importer) readAllowed(j *Job, list []string, say func(string, ...any)) error {
	for _, name := range list {
		switch known, destructive := i.Type(name); {
		case known == "":
			say("it may no longer run %q, which I don't know", chat.Clip(name, 40))
		case destructive:
			say("it may no longer run %s, which needs approval; change allowedActions to be asked for it", known)
		default:
			j.Allowed = append(j.Allowed, known)
		}
	}
	if len(list) > 0 && len(j.Allowed) == 0 {
		return errors.New("all actions that it may run need approval, or are unknown here; ask me for it again")
	}
	return nil
}

// object checks what a job has kept.
func object(raw json.RawMessage) (json.RawMessage, error) {
	var members map[string]any
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil || len(members) == 0 {
		return nil, err
	}
	if compact.Len() > MaxState {
		return nil, fmt.Errorf("it has %d bytes, and may have at most %d", compact.Len(), MaxState)
	}
	return compact.Bytes(), nil
}

// following takes the jobs that follow another one, and returns those that are here.
func (i *importer) following(ctx context.Context, j Job, mend *[]string) (chain []string, err error) {
	for _, id := range j.Chain {
		here := false
		if _, listed := i.jobs[id]; listed {
			if here, err = i.take(ctx, id); err != nil {
				return nil, err
			}
		}
		if here {
			chain = append(chain, id)
		} else {
			*mend = append(*mend, fmt.Sprintf("%s, which followed it, is not here or leads back to it", chat.Clip(chat.OneLine(id), 40)))
		}
	}
	return chain, nil
}
