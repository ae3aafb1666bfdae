package cron

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// runRetention is how long the runs of jobs are listed.
const runRetention = 30 * 24 * time.Hour

// A Status is how a run ended.
type Status string

const (
	Success  Status = "success"
	Failed   Status = "error"
	Canceled Status = "canceled"
	LeftOut  Status = "left out" // it did not run; its error says why
)

// maxError is how much of an error is kept.
const maxError = 200

// An Outcome is how a run ended.
type Outcome struct {
	Fire
	Status  Status
	Error   string
	State   json.RawMessage // the job's new state; nil leaves it
	People  chat.UserIDs    // whose words are in its state
	Outside chat.Sources    // the outside texts that it has read
	Input   int             // tokens
	Output  int
}

// FailedWith reports whether the last run of a job failed with an error.
func (j Job) FailedWith(text string) bool { return j.Last == Failed && j.Error == shortened(text) }

// shortened is an error as it is kept.
func shortened(text string) string { return chat.Clip(chat.OneLine(text), maxError) }

// A Past run is one that has ended, or that was left out.
type Past struct {
	Slot, Ended   time.Time
	Why           Why
	Status        Status
	Error         string
	Input, Output int // tokens
}

// Ended records how a run ended, and has the jobs run that follow it. It is idempotent.
func (e *Engine) Ended(ctx context.Context, o Outcome) error {
	err := e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		if err := endCall(ctx, tx, o.Fire); err != nil {
			return err
		}
		now := store.Rounded(e.Now())
		if first, err := addPast(ctx, tx, o.ID(), o, now); err != nil || !first {
			return err
		}
		j, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE id = ?", o.Job))
		if errors.Is(err, ErrNotFound) {
			return nil // it was deleted meanwhile
		}
		if err != nil {
			return err
		}
		j.Runs, j.LastRun, j.Last, j.Error = j.Runs+1, now, o.Status, shortened(o.Error)
		if o.State != nil && o.Channel == j.Channel { // what it keeps does not follow it to another channel
			j.State = o.State
			j.Mark(o.Outside, j.Wished())
			for _, who := range o.People.List() {
				if who != j.Author { // whose words later runs read
					j.Prompters = chat.Union(who, j.Prompters)
				}
			}
		}
		if err := update(ctx, tx, j); err != nil || o.Status != Success {
			return err
		}
		return e.follow(ctx, tx, j, o, now)
	})
	e.changedNow(o.Guild, o.Job)
	return store.Plain(err)
}

// addPast adds a run to the list of past ones. It returns false if that was done before.
func addPast(ctx context.Context, tx *store.Tx, event string, o Outcome, now time.Time) (bool, error) {
	n, err := store.Changed(tx.ExecContext(ctx, "INSERT INTO cron_runs (event, job, slot, why, ended, status, error, input, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		event, o.Job, store.Micro(o.Slot), o.Why, store.Micro(now), o.Status, shortened(o.Error), o.Input, o.Output))
	return n > 0, err
}

// follow has the jobs run that follow another one, except for those that are paused.
func (e *Engine) follow(ctx context.Context, tx *store.Tx, j Job, o Outcome, now time.Time) error {
	for i, id := range j.Chain {
		next, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE guild = ? AND id = ?", j.Guild, id))
		if errors.Is(err, ErrNotFound) || err == nil && (next.Rests() || o.Depth >= MaxChain) {
			e.Log.WarnContext(ctx, "a scheduled job does not lead to the next one", "job", j.ID, "next", id, "paused", next.Rests(), "depth", o.Depth)
			continue
		}
		if err != nil {
			return err
		}
		// A microsecond keeps them in their order.
		next.again = &Fire{Why: Chained, Slot: now.Add(time.Duration(i) * time.Microsecond), Depth: o.Depth + 1, From: &Upstream{
			Job: j.ID, Event: o.ID(), State: j.State, People: o.People, Outside: o.Outside,
		}}
		if err := update(ctx, tx, next); err != nil {
			return err
		}
	}
	return nil
}

// Past returns the latest runs of a job, the latest first.
func (e *Engine) Past(ctx context.Context, id string, limit int) ([]Past, error) {
	list, err := store.All(ctx, e.rows.db, func(row store.Row) (p Past, err error) {
		err = row.Scan(store.Time(&p.Slot), store.Time(&p.Ended), &p.Why, &p.Status, &p.Error, &p.Input, &p.Output)
		return p, err
	}, "SELECT slot, ended, why, status, error, input, output FROM cron_runs WHERE job = ? ORDER BY ended DESC LIMIT ?", id, limit)
	return list, store.Plain(err)
}

// The markers of a state in an answer.
const (
	StateOpen  = "<cron-state>"
	StateClose = "</cron-state>"
)

// upstreamKey is the member of a state that has what an earlier job of a chain handed on. It is not kept.
const upstreamKey = "__upstream"

// TakeState takes all states out of an answer, and returns the last one, unless that is bad: it is not a JSON object, or too large.
func TakeState(answer string) (text string, state json.RawMessage, bad bool) {
	var rest strings.Builder
	for {
		before, block, found := strings.Cut(answer, StateOpen)
		rest.WriteString(before)
		if !found {
			return strings.TrimSpace(rest.String()), state, bad
		}
		body, after, closed := strings.Cut(block, StateClose)
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(strings.TrimSpace(body)), &members); err != nil || members == nil || len(body) > MaxState {
			state, bad = nil, true
		} else {
			bad = false
			delete(members, upstreamKey)
			state, _ = json.Marshal(members) // cannot fail: it was JSON before
		}
		if answer = after; !closed {
			answer = ""
		}
	}
}

// StateOf returns the state that a run begins with: that of its job, and what an earlier job of its chain handed on.
func (f Fire) StateOf(j Job) json.RawMessage {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(j.State, &members) // empty for none
	if f.From != nil {
		handed := struct {
			From  string          `json:"fromCronId"`
			State json.RawMessage `json:"state"`
		}{f.From.Job, f.From.State}
		if handed.State == nil {
			handed.State = json.RawMessage("{}")
		}
		members[upstreamKey], _ = json.Marshal(handed) // cannot fail
	}
	if len(members) == 0 {
		return nil
	}
	all, _ := json.Marshal(members) // cannot fail
	return all
}

// Fill replaces the placeholders of a prompt, in one pass. More are pairs of a placeholder and its text.
func Fill(prompt, channelName string, channel chat.ChannelID, state json.RawMessage, more ...string) string {
	if len(state) == 0 {
		state = json.RawMessage("{}")
	}
	return strings.NewReplacer(append(more, "{{channel}}", channelName, "{{channelId}}", string(channel), "{{state}}", string(state))...).Replace(prompt)
}

// silentLength is up to which length the answers of a silent job are not posted.
const silentLength = 80

// IsDull reports whether an answer of a silent job is not posted.
func IsDull(text string) bool {
	return chat.Length(strings.Join(strings.Fields(text), " ")) <= silentLength
}

// A Route is a message of an answer that says itself where it goes.
type Route struct{ Channel, Content string }

// Routes reads an answer that is a JSON array of messages, maybe in a code block or between other words. It is false if
// it is none, or has no message at all although it is not empty; an empty one between other words may be a quotation,
// and would drop them.
func Routes(answer string) ([]Route, bool) {
	text := strings.TrimSpace(answer)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	var entries []json.RawMessage
	whole := json.Unmarshal([]byte(text), &entries) == nil
	if !whole {
		from, to := strings.IndexByte(text, '['), strings.LastIndexByte(text, ']')
		if from < 0 || to < from || json.Unmarshal([]byte(text[from:to+1]), &entries) != nil {
			return nil, false
		}
	}
	if entries == nil {
		return nil, false // null
	}
	var routes []Route
	for _, entry := range entries {
		var r struct{ Channel, Content *string }
		if bytes.HasPrefix(bytes.TrimSpace(entry), []byte("{")) && json.Unmarshal(entry, &r) == nil && r.Channel != nil && r.Content != nil {
			routes = append(routes, Route{*r.Channel, *r.Content})
		}
	}
	return routes, len(routes) > 0 || whole && len(entries) == 0
}
