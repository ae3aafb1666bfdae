package play

import (
	"slices"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
)

// A cardRecord is a card that has ended, as the page shows it.
type cardRecord struct {
	Turn    chat.TurnID    `json:"turn"`
	Asked   chat.MessageID `json:"asked"`   // the message that led to it
	How     string         `json:"how"`     // such as: approved by ada
	Actions []actionRecord `json:"actions"` // what it asked about, and what came of it
}

// cardOf describes a card that has ended.
func cardOf(e confirm.Ending) cardRecord {
	c := cardRecord{Turn: e.Origin.Turn, Asked: e.Origin.Place.Message, How: e.How}
	for i, item := range e.Items {
		a := actionRecord{Type: item.Request.Type, Verdict: "dropped", End: e.How, Reason: item.What}
		switch {
		case i < len(e.Outcomes):
			a = came(a, e.Outcomes[i])
		case e.Approved:
			a.Verdict = "unclear"
		}
		c.Actions = append(c.Actions, a)
	}
	return c
}

// came says what came of an action that was approved.
func came(a actionRecord, o actions.Outcome) actionRecord {
	now := actionOf(o)
	a.Verdict, a.Line, a.Took = now.Verdict, now.Line, now.Took
	return a
}

// ended returns the record of a turn after one of its cards has ended. Those of commands wait in no round.
func (r record) ended(c cardRecord) record {
	r.Decided, r.Rounds = true, slices.Clone(r.Rounds)
	rest := slices.Clone(c.Actions)
	for i := range r.Rounds {
		acts := slices.Clone(r.Rounds[i].Actions)
		for j, a := range acts {
			at := slices.IndexFunc(rest, func(b actionRecord) bool { return b.Type == a.Type && b.Reason == a.Reason })
			if a.Verdict == "held" && at >= 0 {
				acts[j] = rest[at]
				rest = slices.Delete(rest, at, at+1)
			}
		}
		r.Rounds[i].Actions = acts
	}
	if len(rest) > 0 {
		r.Cards = append(slices.Clone(r.Cards), cardRecord{c.Turn, c.Asked, c.How, rest})
	}
	return r
}

// mostRecords is how many turns are remembered for cards that end later.
const mostRecords = 50

// records are the last turns.
type records struct {
	mu   sync.Mutex
	list []record
}

// add remembers a turn.
func (r *records) add(new record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, new)
	if over := len(r.list) - mostRecords; over > 0 {
		r.list = slices.Delete(r.list, 0, over)
	}
}

// ended returns the record of the turn that a card belongs to, after that has ended. It is false if the turn is not remembered.
func (r *records) ended(c cardRecord) (record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.list, func(one record) bool {
		return one.Turn == c.Turn || one.Command != "" && one.ID == string(c.Asked) // a command's card has a turn of its own
	})
	if at < 0 {
		return record{}, false
	}
	r.list[at] = r.list[at].ended(c)
	return r.list[at], true
}
