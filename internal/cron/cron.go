// Package cron keeps jobs that run again and again, or once, and says when a run is due.
//
// An [Engine] keeps [Job]s in the database. While [Engine.Run] runs, it delivers a [Fire] for each run that is due: a slot of a
// job's schedule, or one that a person or another job asked for. The receiver claims it with [Engine.Claim], which moves it to the
// inbox in the same transaction, and reports with [Engine.Ended] how it ended. A slot is claimed once, whatever
// crashes: the job's next slot and the row in the inbox change together. A job is running as long as the inbox has an unfinished row of it.
//
// How times are computed is the work of package schedule.
package cron

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	"discoclaw/internal/cron/schedule"
	"discoclaw/internal/due"
	"discoclaw/internal/store"
)

// Limits of a job, as Discord counts characters.
const (
	MaxName   = 80
	MaxPrompt = 4000
	MaxState  = 64 << 10 // bytes
	MaxChain  = 10       // jobs in a chain, one after the other
	MaxJobs   = 500      // on one server
	MaxOwn    = 25       // of one author there
)

// A Trigger is what begins the runs of a job.
type Trigger string

const (
	BySchedule Trigger = "schedule"
	ByHand     Trigger = "manual" // and by chains
	ByWebhook  Trigger = "webhook"
)

// A Missed policy says what becomes of slots that passed while the bot was away.
type Missed string

const (
	Skip Missed = "skip"
	Once Missed = "once" // one run for all of them; the default
	All  Missed = "all"  // one after the other, up to maxCatchUp
)

// A Definition is what people decide about a job.
type Definition struct {
	Name        string
	Trigger     Trigger
	Schedule    string `json:",omitempty"` // what schedule.Schedule.String returns; empty unless Trigger is BySchedule
	Zone        string // an IANA name
	Channel     chat.ChannelID
	ChannelName string // when it was chosen
	Prompt      string
	Model       string       `json:",omitempty"` // or a tier; empty for that of the role
	Tags        []string     `json:",omitempty"`
	Allowed     []string     `json:",omitempty"` // the types of actions that it may run; nil for all
	Chain       []string     `json:",omitempty"` // the jobs that run after it
	Routes      bool         `json:",omitempty"` // its answers are JSON, and say themselves in which channels they are posted
	Silent      bool         `json:",omitempty"` // short answers are not posted
	Missed      Missed       `json:",omitempty"`
	Prompters   chat.UserIDs `json:",omitempty"` // people besides the author who have changed what it does; their rights bound it as well
	Outside     chat.Sources `json:",omitempty"` // the outside texts that had been read when it was written
	Words       string       `json:",omitempty"` // what its author had asked for in their own words, if some had been; see Wished
	PausedBy    chat.UserID  `json:",omitempty"` // the operator who has paused it, so that its author cannot resume it; empty for others
}

// Wished returns the words with which what a run does is compared, if the run has read outside text: the prompt, unless outside text may
// have led to that.
func (d Definition) Wished() string {
	if d.Outside == "" {
		return d.Prompt
	}
	return d.Words
}

// Mark notes outside texts that had been read for what a definition has now, and what is Wished from now on.
func (d *Definition) Mark(of chat.Sources, wished string) {
	if of != "" {
		d.Words = strings.TrimSpace(wished)
		d.Outside.Add(of)
	}
}

// A Job is a definition with its record.
type Job struct {
	Definition
	ID       string // never reused
	Guild    chat.GuildID
	Author   chat.UserID     // with whose rights it runs
	State    json.RawMessage // what the model keeps from run to run, an object; nil for none
	Paused   bool            // by a request
	Archived bool            // a person has archived its post, which pauses it as well
	Next     time.Time       // its next slot; zero for none
	Runs     int
	LastRun  time.Time
	Last     Status // of the last run; empty before the first one
	Error    string // of the last run
	Created  time.Time
	Updated  time.Time

	// Dedupe names the request that makes the job: Create returns the job that an earlier call with the same name made. Empty for none.
	Dedupe string

	lastSlot  time.Time
	restsAt   time.Time // since when it is paused or archived
	again     *Fire
	triggered string // the last request that did so
}

// Rests reports whether a job is paused, by a request or by the archiving of its post.
func (j Job) Rests() bool { return j.Paused || j.Archived }

// Over reports whether a job was to run once, or until a date, and has no time left: it has run, or runs, or its time was left out.
func (j Job) Over() bool {
	s, _ := j.Plan()
	return j.Next.IsZero() && !j.Rests() && s.String() != ""
}

// RestsSince reports whether a job is paused, and has been since a moment that is later than t.
func (j Job) RestsSince(t time.Time) bool { return j.Rests() && j.restsAt.After(t) }

// ErrNotFound means that a server has no such job.
var ErrNotFound = store.ForPeople(errors.New("there is no such scheduled job"))

// Options configures an engine.
type Options struct {
	Zone   *time.Location // of jobs that name none; they are refused if it has no name, as that of a machine may. Nil means UTC
	ZoneOf clock.ZoneOf   // of new jobs, by their authors; nil means Zone
	// Running reports whether the inbox has an unfinished event whose ID begins with a prefix.
	Running func(ctx context.Context, tx *store.Tx, prefix string) (bool, error)
	Now     func() time.Time // nil means time.Now
	NewID   func() string    // returns the ID of a new job; nil means random ones
	// NewSecret returns the secret of a new webhook; nil means random ones.
	NewSecret func() string
	Log       *slog.Logger // nil discards
}

// An Engine keeps jobs. It is safe for concurrent use, as soon as its database is open.
type Engine struct {
	Options
	rows    rows
	loop    *due.Loop
	changed func(g chat.GuildID, id string) // see OnChange
	runner  atomic.Pointer[Runner]

	taken due.Taken[string] // jobs of which a run was delivered and not yet claimed or declined
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.Zone = cmp.Or(o.Zone, time.UTC)
	if o.ZoneOf == nil {
		o.ZoneOf = func(context.Context, chat.UserID) *time.Location { return o.Zone }
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	if o.NewSecret == nil {
		o.NewSecret = newSecret
	}
	e := &Engine{Options: o, rows: rows{db}, loop: due.NewLoop("scheduled jobs", o.Now, o.Log), changed: func(chat.GuildID, string) {}}
	db.Retain("cron_runs", "ended", runRetention)
	db.Retain("cron_calls", "received", replayWindow, "state <> 'over'")
	db.OnRestore("crons", e.afterRestore)
	return e
}

// OnChange has f called when a job was made, changed, run or deleted. It must return at once. The engine is not in use yet.
func (e *Engine) OnChange(f func(g chat.GuildID, id string)) { e.changed = f }

// Create adds a job. An error is a sentence for people.
func (e *Engine) Create(ctx context.Context, j Job) (Job, error) {
	j.ID = ""
	return e.add(ctx, j, MaxOwn)
}

// add adds a job, unless its author would have more than maxOwn. One without an ID gets one.
func (e *Engine) add(ctx context.Context, j Job, maxOwn int) (Job, error) {
	def, err := e.Checked(j.Definition)
	if err != nil {
		return Job{}, err
	}
	if j.Definition = def; j.ID == "" {
		j.ID = e.NewID()
	}
	j.Created = store.Rounded(e.Now())
	j.Updated, j.lastSlot, j.restsAt = j.Created, j.Created, j.Created
	j.Next = e.next(j, j.Created)
	j, err = e.rows.add(ctx, j, maxOwn, func(ctx context.Context, tx *store.Tx, j Job) error {
		if err := e.Ahead(j.Definition); err != nil {
			return err
		}
		if err := e.checkChain(ctx, tx, j); err != nil {
			return err
		}
		return e.hook(ctx, tx, "", j)
	}, e.makeRoom)
	e.changedNow(j.Guild, j.ID)
	return j, err
}

// makeRoom deletes the job that has been over for longest, if there is one: of an author, or of the whole server without one.
func (e *Engine) makeRoom(ctx context.Context, tx *store.Tx, g chat.GuildID, author chat.UserID) (bool, error) {
	list, err := listIn(ctx, tx, "guild = ? AND next = 0 AND paused = 0 AND archived = 0 AND again = '' ORDER BY last_slot, created, id", g)
	if err != nil {
		return false, err
	}
	for _, j := range list {
		if !j.Over() || author != "" && j.Author != author {
			continue
		}
		running, err := e.Running(ctx, tx, prefix(j.ID))
		if err != nil {
			return false, err
		}
		if running {
			continue
		}
		e.Log.InfoContext(ctx, "a scheduled job that is over makes room for a new one", "job", j.ID, "name", j.Name)
		e.changed(g, j.ID)
		return true, dropIn(ctx, tx, g, j.ID)
	}
	return false, nil
}

func (e *Engine) changedNow(g chat.GuildID, id string) {
	e.Wake()
	e.changed(g, id)
}

// NameOf names a job by the first words of its prompt; empty if it has none.
func NameOf(prompt string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return strings.TrimRight(chat.Clip(chat.OneLine(first), 40), " .")
}

func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return "cron-" + hex.EncodeToString(b[:])
}

// Checked returns a definition as it is stored, or why it is not one, as a sentence for people.
func (e *Engine) Checked(d Definition) (Definition, error) {
	d.Name, d.Prompt = chat.OneLine(d.Name), strings.TrimSpace(d.Prompt)
	d.Trigger, d.Missed = cmp.Or(d.Trigger, BySchedule), cmp.Or(d.Missed, Once)
	switch {
	case d.Name == "":
		return d, errors.New("a scheduled job needs a name")
	case chat.Length(d.Name) > MaxName:
		return d, fmt.Errorf("the name has %d characters, and a job's may have at most %d", chat.Length(d.Name), MaxName)
	case d.Prompt == "":
		return d, errors.New("a scheduled job needs a prompt: what is to be done each time")
	case chat.Length(d.Prompt) > MaxPrompt:
		return d, fmt.Errorf("the prompt has %d characters, and a job's may have at most %d", chat.Length(d.Prompt), MaxPrompt)
	}
	if d.Zone == "" || d.Zone == "Local" { // which would mean another one elsewhere
		d.Zone = e.Zone.String()
		if zone, err := time.LoadLocation(d.Zone); err != nil || zone == time.Local {
			return d, chat.WithRemedy(errors.New("I don't know what my own time zone is called; say which one the job has, such as Europe/Berlin"), "DEFAULT_TIMEZONE names mine")
		}
	}
	zone, err := time.LoadLocation(d.Zone)
	if err != nil {
		return d, fmt.Errorf("I don't know the time zone %s; use a name such as Europe/Berlin or America/New_York", chat.InCode(chat.Clip(d.Zone, 60)))
	}
	if d.Trigger != BySchedule {
		d.Schedule = ""
		return d, nil
	}
	s, err := schedule.Parse(d.Schedule, e.Now().In(zone))
	d.Schedule = s.In(zone).String()
	return d, err
}

// Ahead returns an error for people if all times of a definition have passed. Checked does not: a job whose times have passed stays, and
// may be changed in other ways.
func (e *Engine) Ahead(d Definition) error {
	s, zone := d.Plan()
	now := e.Now().In(zone)
	switch {
	case d.Trigger != BySchedule || !s.Next(now, zone).IsZero():
		return nil
	case s.Once():
		return fmt.Errorf("%s (%s) has passed, since it is %s there; name a later time", s, zone, now.Format("2006-01-02 15:04"))
	}
	return fmt.Errorf("it would not run any more, since it is %s there already (%s); name a later date until which it runs", now.Format(time.DateOnly), zone)
}

// Plan returns the schedule of a job and its time zone. The schedule is zero unless the job has one.
func (d Definition) Plan() (schedule.Schedule, *time.Location) {
	zone, err := time.LoadLocation(d.Zone)
	if err != nil {
		zone = time.UTC
	}
	if d.Trigger != BySchedule {
		return schedule.Schedule{}, zone
	}
	s, err := schedule.Parse(d.Schedule, time.Time{}) // of a stored definition, which was checked
	if err != nil {
		return schedule.Schedule{}, zone
	}
	return s, zone
}

// Times says when a job runs, as it is seen from now; the zero time is for what is read later. A time zone is named unless it is the
// usual one.
func (e *Engine) Times(d Definition, now time.Time) string {
	plan, zone := d.Plan()
	if !now.IsZero() {
		now = now.In(zone)
	}
	switch {
	case d.Trigger == ByWebhook:
		return "when its webhook is called"
	case plan.String() == "":
		return "when it is triggered"
	case d.Zone == "" || d.Zone == e.Zone.String():
		return plan.Words(now)
	}
	return plan.Words(now) + " (" + zone.String() + ")"
}

// next returns the first slot of a job after a moment, or zero if it has none.
func (e *Engine) next(j Job, after time.Time) time.Time {
	s, zone := j.Plan()
	if j.Rests() || s.String() == "" {
		return time.Time{}
	}
	return s.Next(after, zone)
}

// Get returns a job of a server by its ID.
func (e *Engine) Get(ctx context.Context, g chat.GuildID, id string) (Job, error) {
	return e.rows.get(ctx, "guild = ? AND id = ?", g, id)
}

// ByID returns a job of any server.
func (e *Engine) ByID(ctx context.Context, id string) (Job, error) {
	return e.rows.get(ctx, "id = ?", id)
}

// Made returns the job that a request has made.
func (e *Engine) Made(ctx context.Context, dedupe string) (Job, error) {
	return e.rows.get(ctx, "dedupe = ? AND dedupe <> ''", dedupe)
}

// List returns the jobs of a server in the order in which they were made.
func (e *Engine) List(ctx context.Context, g chat.GuildID) ([]Job, error) {
	return e.rows.list(ctx, "guild = ? ORDER BY created, id", g)
}

// RunningNow reports whether a job is running.
func (e *Engine) RunningNow(ctx context.Context, id string) (running bool, err error) {
	err = e.rows.db.Tx(ctx, func(tx *store.Tx) (err error) {
		running, err = e.Running(ctx, tx, prefix(id))
		return err
	})
	return running, store.Plain(err)
}

// Update changes the definition or state of a job, and returns it before and after. A new schedule counts from now on.
// An error of do is for people, and changes nothing.
func (e *Engine) Update(ctx context.Context, g chat.GuildID, id string, do func(*Job) error) (before, after Job, err error) {
	before, after, err = e.rows.change(ctx, g, id, func(tx *store.Tx, j *Job) error {
		was := *j
		if err := do(j); err != nil {
			return err
		}
		def, err := e.Checked(j.Definition)
		if err != nil {
			return err
		}
		j.Definition = def
		if len(j.State) > MaxState {
			return fmt.Errorf("the state has %d bytes, and a job's may have at most %d", len(j.State), MaxState)
		}
		if err := e.checkChain(ctx, tx, *j); err != nil {
			return err
		}
		now := store.Rounded(e.Now())
		j.Updated = now
		retimed := was.Schedule != j.Schedule || was.Zone != j.Zone || was.Trigger != j.Trigger
		if retimed {
			if err := e.Ahead(j.Definition); err != nil {
				return err
			}
		}
		if retimed || was.Rests() != j.Rests() {
			e.putOff(j, now)
		}
		if j.Rests() && !was.Rests() {
			j.again, j.restsAt = nil, now
		}
		return e.hook(ctx, tx, was.Trigger, *j)
	})
	e.changedNow(g, id)
	return before, after, err
}

// checkChain returns an error if a job leads to one that does not exist, or to itself.
func (e *Engine) checkChain(ctx context.Context, tx *store.Tx, j Job) error {
	type link struct {
		id    string
		depth int
	}
	seen := map[string]bool{}
	todo := []link{}
	for _, id := range j.Chain {
		todo = append(todo, link{id, 1})
	}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		switch {
		case at.id == j.ID:
			return errors.New("that would be a circle: the job would lead to itself")
		case at.depth > MaxChain:
			return fmt.Errorf("more than %d jobs would follow one another", MaxChain)
		case seen[at.id]:
			continue
		}
		seen[at.id] = true
		next, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE guild = ? AND id = ?", j.Guild, at.id))
		if errors.Is(err, ErrNotFound) {
			return fmt.Errorf("there is no scheduled job %s to run after this one", chat.InCode(chat.Clip(at.id, 40)))
		}
		if err != nil {
			return store.Plain(err)
		}
		for _, id := range next.Chain {
			todo = append(todo, link{id, at.depth + 1})
		}
	}
	return nil
}

// Delete removes a job, and takes it out of the chains of others.
func (e *Engine) Delete(ctx context.Context, g chat.GuildID, id string) (Job, error) {
	gone, err := e.rows.drop(ctx, g, id)
	e.changed(g, id)
	return gone, err
}

// DeleteOf removes the jobs of an author, and returns how many there were.
func (e *Engine) DeleteOf(ctx context.Context, author chat.UserID) (n int64, err error) {
	list, err := e.rows.list(ctx, "author = ?", author)
	for _, j := range list {
		if _, err := e.Delete(ctx, j.Guild, j.ID); err != nil && !errors.Is(err, ErrNotFound) {
			return n, err
		}
		n++
	}
	return n, err
}

// Trigger has a job run as soon as it does not run already. Of several triggers meanwhile, the last one counts. An error is a
// sentence for people.
// Request names the request: one that is repeated has no effect.
func (e *Engine) Trigger(ctx context.Context, g chat.GuildID, id string, by chat.UserID, request string) (Job, error) {
	_, after, err := e.rows.change(ctx, g, id, func(_ *store.Tx, j *Job) error {
		if j.triggered == request && request != "" {
			return nil
		}
		j.triggered = request
		j.again = &Fire{Why: Manual, Slot: store.Rounded(e.Now()), By: by}
		return nil
	})
	e.Wake()
	return after, err
}

// Wake makes Run look at once whether something is due, as when a run is not in the inbox any more.
func (e *Engine) Wake() { e.loop.Wake() }
