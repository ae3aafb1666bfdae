// Package journal records every turn and every action: the requester, the gate's
// verdict, the outcome.
//
// A [Journal] records an action as soon as it has settled, before the next one runs, so
// that a crash in the middle of a turn loses no action; and a turn when it has ended.
// People read it with [Trace] and [Why], and it has the inverses of actions:
// [Journal.Batches] finds what was done last, and Claim makes sure that it is undone
// once.
//
// It has no secrets and no text of other people: results of queries are left out, and
// arguments of actions are redacted and cut.
package journal

import (
	"cmp"
	"log/slog"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// Retention is how long turns and actions are kept.
const Retention = 30 * 24 * time.Hour

// Options of a journal. With the zero value it knows no secrets and no categories, and logs
// nothing.
type Options struct {
	Hide     func(text string) string   // redacts the bot's secrets; see Hiding
	Category func(action string) string // of an action
	Log      *slog.Logger               // gets failed writes
}

// A Journal is kept in a database. It is safe for concurrent use.
type Journal struct {
	db *store.DB
	o  Options
}

// New returns a journal on a database, which must be open when the journal is used.
func New(db *store.DB, o Options) *Journal {
	if o.Hide == nil {
		o.Hide = func(text string) string { return text }
	}
	if o.Category == nil {
		o.Category = func(string) string { return "" }
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	db.Retain("turns", "began", Retention)
	return &Journal{db: db, o: o}
}

// A Turn is the record of one turn.
type Turn struct {
	ID            chat.TurnID
	Flow          actions.Flow
	Place         chat.Place // its Message is the one that began the turn; Parent is not stored
	Requester     chat.UserID
	RequesterName string
	Began         time.Time
	Took          time.Duration
	Model         string
	InputTokens   int
	OutputTokens  int
	Sections      []Section // of the prompt
	Requests      int       // to Discord
	Malformed     int       // malformed blocks
	Stripped      []Stripped
	Error         string           // empty for a turn that completed
	Answers       []chat.MessageID // the messages of the answer
	Batched       []chat.MessageID // the messages that it answers, if they are several; that of Place is one of them

	// Set when a turn is read.
	Over    bool // false while it runs, and for ever if the process ended before it
	Actions []Entry
}

// A Section is a part of a prompt.
type Section struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// A Stripped request is one that the gate took out of a reply.
type Stripped struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Remedy string `json:"remedy,omitempty"` // for operators
}

// An Entry is one action of a turn.
type Entry struct {
	Turn     chat.TurnID
	Number   int // in the order in which the actions of a turn settled, from 1
	Type     string
	Category string
	Args     string // redacted JSON, cut
	Verdict  string // of the gate
	Outcome  Outcome
	Line     string // as it was reported
	At       time.Time
	Took     time.Duration
	Inverses []actions.Inverse // that undo it; may be empty
	Undone   time.Time         // zero if it was not undone
	Approver chat.UserID       // who approved it on a card; empty if it needed no approval, or does not have it yet
}

// An Outcome is that of an action.
type Outcome string

const (
	Done           Outcome = "done"
	Found          Outcome = "found"    // a query that succeeded
	Answered       Outcome = "answered" // its text became a part of the answer, and that is all
	Undid          Outcome = "undid"    // it has undone another action
	Failed         Outcome = "failed"
	Refused        Outcome = "refused" // by the gate
	Pending        Outcome = "held"    // waits for approval
	ApprovedDone   Outcome = "approved-done"
	ApprovedFailed Outcome = "approved-failed"
	Dismissed      Outcome = "dismissed" // rejected, or expired
	// Interrupted means that it was approved, and the process ended before its outcome was
	// recorded.
	Interrupted Outcome = "interrupted"
)
