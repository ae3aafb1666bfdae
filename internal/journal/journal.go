// Package journal remembers every turn and every action: who asked, what was
// allowed, what was done and what came of it.
//
// A [Journal] is told of an action as soon as it has settled, before the next one
// runs, so that a crash in the middle of a turn loses nothing of what was done; and
// of a turn when it is over. People read it with [Trace] and [Why], and it knows the
// way back: [Journal.Undoable] finds what can be taken back, and Claim makes sure
// that it is taken back once.
//
// It keeps no secrets and nothing that other people wrote: what a query found is
// left out, what an action was given is searched for secrets and cut short.
package journal

import (
	"log/slog"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// Retention is how long the journal remembers.
const Retention = 30 * 24 * time.Hour

// Options of a journal. With the zero value it knows no secrets and no categories,
// and complains to nobody.
type Options struct {
	Hide     func(text string) string   // takes out the secrets that the bot knows; see Hiding
	Category func(action string) string // of an action
	Log      *slog.Logger               // hears of actions that could not be written down
}

// A Journal is kept in a database. It is safe for concurrent use.
type Journal struct {
	db *store.DB
	o  Options
}

// New returns a journal over a database that is open when it is used.
func New(db *store.DB, o Options) *Journal {
	if o.Hide == nil {
		o.Hide = func(text string) string { return text }
	}
	if o.Category == nil {
		o.Category = func(string) string { return "" }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db.Retain("turns", "began", Retention)
	return &Journal{db: db, o: o}
}

// A Turn is what is remembered about one turn.
type Turn struct {
	ID            chat.TurnID
	Flow          actions.Flow
	Place         chat.Place // its Message is the one that began the turn; Parent is not kept
	Requester     chat.UserID
	RequesterName string
	Began         time.Time
	Took          time.Duration
	Model         string
	InputTokens   int
	OutputTokens  int
	Sections      []Section // of the prompt
	Requests      int       // to Discord
	Malformed     int       // blocks that were no request
	Stripped      []Stripped
	Error         string           // empty if the turn came to its end
	Answers       []chat.MessageID // the messages that carry the answer

	// These are known when a turn is read.
	Over    bool // not so while it goes on, and for ever if the bot ended before it
	Actions []Entry
}

// A Section is a part of a prompt.
type Section struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// A Stripped request is one that was taken out of a reply and not tried.
type Stripped struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// An Entry is one action of a turn.
type Entry struct {
	Turn     chat.TurnID
	Number   int // in the order in which the actions of a turn settled, from 1
	Type     string
	Category string
	Args     string // JSON without secrets, cut short
	Verdict  string // of the gate
	Outcome  Outcome
	Line     string // as it was reported
	At       time.Time
	Took     time.Duration
	Inverses []actions.Inverse // what takes it back; none if nothing does
	Undone   time.Time         // zero if it was not taken back
}

// An Outcome is what became of an action.
type Outcome string

const (
	Done           Outcome = "done"
	Found          Outcome = "found" // a query that succeeded
	Failed         Outcome = "failed"
	Refused        Outcome = "refused" // by the gate
	Pending        Outcome = "held"    // a person was asked and has not answered yet
	ApprovedDone   Outcome = "approved-done"
	ApprovedFailed Outcome = "approved-failed"
	Dismissed      Outcome = "dismissed" // a person said no, or nothing
	// Interrupted means that a person agreed, and the process ended before it was
	// certain whether it was done.
	Interrupted Outcome = "interrupted"
)
