// Package plan keeps plans: what is to be changed in a project, step by step, once a person has approved it.
//
// A plan is a Markdown file that people edit, and a row of the database, which alone says what its status is. [Engine] keeps
// both in step: what people write into a file is read back before anything else happens to its plan, and what changes in the
// database is then written into the file (file.go). A plan has a backing task, which changes in the same transaction
// (status.go). Work that models do on a plan holds a lease, which outlives the process (work.go).
package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

// A Plan is a plan as it is now.
type Plan struct {
	doc.Doc
	Status   doc.Status // as the database says
	Guild    chat.GuildID
	Channel  chat.ChannelID // where it was asked for
	Author   chat.UserID
	Task     string        // the ID of its backing task
	Approved string        // the hash of what was approved; empty for nothing
	Decider  chat.UserID   // who approved, cancelled or closed it; empty for nobody
	Outside  chat.Sources  // the outside texts that had been read when it was asked for
	Phases   phases.Record // none before it was divided
	File     string        // its name in the folder of plans
	Created  time.Time

	number  int64
	dedupe  string
	written string
}

// Number is the number in the plan's ID.
func (p Plan) Number() int { return int(p.number) }

// Branch is the branch of the project with the commits of the plan.
func (p Plan) Branch() string { return fmt.Sprintf("discoclaw/plan-%d", p.number) }

// Divided reports whether the plan has phases.
func (p Plan) Divided() bool { return len(p.Phases.Phases) > 0 }

// Badge says how far the work on the plan is verified.
func (p Plan) Badge() phases.Badge { return phases.BadgeOf(p.Phases.Phases) }

// Options are what an engine needs.
type Options struct {
	Folder string // of the files; made when it is needed
	Tasks  *tasks.Engine
	// Changed is called after a plan has another status or another text. It returns at once; nil for nobody.
	Changed func()
	Now     func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil discards
}

// An Engine keeps plans. It is safe for concurrent use, as soon as its database is open.
type Engine struct {
	Options
	db *store.DB
	mu sync.Mutex // held while a plan and its file are read or changed
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	db.Retain("plan_work", "began", workRetention, "over = 0")
	db.OnRestore("plans", afterRestore)
	return &Engine{Options: o, db: db}
}

// ErrNotFound means that a server has no such plan. It is a sentence for people.
var ErrNotFound = store.ForPeople(errors.New("there is no such plan; `!plan list` shows them"))

// A Draft is what a new plan begins with.
type Draft struct {
	Description string
	Context     string // the conversation that led to it
	Project     string // its name
	Guild       chat.GuildID
	Channel     chat.ChannelID
	Author      chat.UserID
	Outside     chat.Sources
	// Dedupe names the request: Create returns the plan that an earlier call with the same name made. Empty for none.
	Dedupe string
}

const maxTitle = 100

// Create adds a plan, its file and its backing task. An error is a sentence for people.
func (e *Engine) Create(ctx context.Context, d Draft) (Plan, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := Plan{Status: doc.Draft, Guild: d.Guild, Channel: d.Channel, Author: d.Author, Outside: d.Outside, Created: e.Now(), dedupe: d.Dedupe}
	known := false
	err := e.db.Tx(ctx, func(tx *store.Tx) error {
		if d.Dedupe != "" {
			old, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM plans WHERE dedupe = ?", d.Dedupe))
			if !errors.Is(err, ErrNotFound) {
				p, known = old, true
				return err
			}
		}
		return e.add(ctx, tx, &p, d)
	})
	if err != nil || known {
		return p, store.Plain(err)
	}
	e.Tasks.Wake()
	return p, e.putFile(ctx, &p)
}

// add inserts a plan under the next number, with its text and its task.
func (e *Engine) add(ctx context.Context, tx *store.Tx, p *Plan, d Draft) error {
	id, err := e.nextID(ctx, tx)
	if err != nil {
		return err
	}
	p.number = numberOf(id)
	title := chat.Clip(chat.OneLine(d.Description), maxTitle)
	if title == "" {
		return store.ForPeople(errors.New("say what is to be planned"))
	}
	if title != d.Description { // the whole of it must not be lost
		d.Context = d.Description + "\n\n" + d.Context
	}
	if p.Task, err = e.taskFor(ctx, tx, d, title); err != nil {
		return err
	}
	text, err := e.render(doc.Fields{Title: title, ID: id, Task: p.Task, Date: p.Created.Format(time.DateOnly),
		Project: d.Project, Context: d.Context})
	if err != nil {
		return store.ForPeople(err)
	}
	if p.Doc, err = doc.Parse(text); err != nil {
		return store.ForPeople(err)
	}
	p.File = doc.FileName(id, title)
	return insert(ctx, tx, *p)
}

// Find returns a plan of a server by its ID in any form, or by the ID of its task.
func (e *Engine) Find(ctx context.Context, g chat.GuildID, ref string) (Plan, error) {
	number, err := e.resolve(ctx, g, ref)
	if err != nil {
		return Plan{}, err
	}
	return e.change(ctx, number, nil)
}

func (e *Engine) resolve(ctx context.Context, g chat.GuildID, ref string) (number int64, err error) {
	where, arg := "number = ?", any(nil)
	if id, wrong := doc.ParseID(ref); wrong == nil {
		arg = numberOf(id)
	} else {
		t, err := e.Tasks.Get(ctx, g, ref)
		if errors.Is(err, tasks.ErrNotFound) {
			return 0, wrong
		}
		if err != nil {
			return 0, err
		}
		where, arg = "task = ?", t.ID
	}
	p, err := scan(e.db.QueryRowContext(ctx, "SELECT "+columns+" FROM plans WHERE guild = ? AND "+where+" ORDER BY number DESC", g, arg))
	return p.number, store.Plain(err)
}

// List returns the plans of a server in the order of their numbers: those with a status, or without one all of them.
func (e *Engine) List(ctx context.Context, g chat.GuildID, status doc.Status) ([]Plan, error) {
	list, err := store.All(ctx, e.db, scan, "SELECT "+columns+" FROM plans WHERE guild = ? AND (status = ? OR ? = '') ORDER BY number", g, status, status)
	return list, store.Plain(err)
}

// change does something to a plan: what people have edited is read first, and the file is written last. Do may be nil.
func (e *Engine) change(ctx context.Context, number int64, do func(*store.Tx, *Plan) error) (Plan, error) {
	return e.alter(ctx, number, true, do)
}

// alter is change. If the file need not be readable, one that is not stays as it is, for people to mend.
func (e *Engine) alter(ctx context.Context, number int64, readable bool, do func(*store.Tx, *Plan) error) (Plan, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := scan(e.db.QueryRowContext(ctx, "SELECT "+columns+" FROM plans WHERE number = ?", number))
	if err != nil {
		return p, store.Plain(err)
	}
	before := p
	edited, err := e.readBack(&p)
	broken := err != nil && !readable
	if err != nil && readable || do == nil && !edited && p.written != "" {
		return p, err
	}
	err = e.db.Tx(ctx, func(tx *store.Tx) error {
		if edited {
			if err := e.reconsider(ctx, tx, &p); err != nil {
				return err
			}
		}
		if do != nil {
			if err := do(tx, &p); err != nil {
				return err
			}
		}
		if err := e.retitle(ctx, tx, p, before.Title); err != nil {
			return err
		}
		p.written = ""
		if broken {
			p.written = "unreadable" // the hash of no text, so that it is read back when it is mended
		}
		return update(ctx, tx, p)
	})
	if err != nil {
		return p, store.Plain(err)
	}
	e.Tasks.Wake()
	if e.Changed != nil && (p.Status != before.Status || p.Hash() != before.Hash()) {
		e.Changed()
	}
	if broken {
		return p, nil
	}
	return p, e.putFile(ctx, &p)
}

// setText changes the text of a plan, whose status line is always that of the database.
func (p *Plan) setText(text string) error {
	d, err := doc.Parse(text)
	if err != nil {
		return err
	}
	if d.Status != p.Status {
		if d, err = doc.Parse(d.WithStatus(p.Status)); err != nil {
			return err
		}
	}
	p.Doc = d
	return nil
}

// Rewrite changes the text of a plan, for work that holds its lease, and keeps how far that has come, in one transaction. It returns an
// error of change as it is, and changes nothing then.
func (e *Engine) Rewrite(ctx context.Context, w Work, change func(doc.Doc) (text string, state []byte, err error)) (Plan, error) {
	return e.change(ctx, w.number, func(tx *store.Tx, p *Plan) error {
		text, state, err := change(p.Doc)
		if err == nil && len(text) > maxFile-statusRoom {
			err = errors.New("the plan has no room left in its file; take old reviews out of it")
		}
		if err == nil {
			err = p.setText(text)
		}
		if err != nil {
			return store.ForPeople(err)
		}
		w.State = state
		return w.advance(ctx, tx, true)
	})
}

// Divide changes the phases of a plan that nothing works on. An error of do is for people.
func (e *Engine) Divide(ctx context.Context, id doc.ID, do func(Plan) (phases.Record, error)) (Plan, error) {
	return e.change(ctx, numberOf(id), func(tx *store.Tx, p *Plan) error {
		if err := free(ctx, tx, *p); err != nil {
			return err
		}
		r, err := do(*p)
		if err != nil {
			return store.ForPeople(err)
		}
		p.Phases = r
		return nil
	})
}

// Keep changes the phases of a plan, for work that holds its lease. That has come further if more of them are over: a
// phase that only begins, once more, may be what ends the process.
func (e *Engine) Keep(ctx context.Context, w Work, r phases.Record) (Plan, error) {
	return e.change(ctx, w.number, func(tx *store.Tx, p *Plan) error {
		further := over(r) > over(p.Phases)
		p.Phases = r
		return w.advance(ctx, tx, further)
	})
}

// over counts the phases in which nothing more happens.
func over(r phases.Record) (n int) {
	for _, p := range r.Phases {
		if p.Status.Terminal() {
			n++
		}
	}
	return n
}

func numberOf(id doc.ID) int64 {
	var n int64
	_, _ = fmt.Sscanf(string(id), "plan-%d", &n) // it has this form
	return n
}
