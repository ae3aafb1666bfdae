package actions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"

	"discoclaw/internal/chat"
)

// A Progress remembers how far the requests of one reply have come, so that another
// process can go on when this one is killed. A request goes by a name, which is the same
// whenever the reply is read.
type Progress interface {
	// Recall returns what is known of a request. It is false if it never began.
	Recall(name string) (Record, bool)
	// IdempotencyKey names a request among those of all replies of the turn.
	IdempotencyKey(name string) string
	// Begin writes down that a request may have been carried out from now on. After an
	// error it is not run. Queries begin without it: they can be run again.
	Begin(ctx context.Context, name string) error
	// Settle writes down what became of requests, all at once.
	Settle(ctx context.Context, records map[string]Record)
}

// A Record is what is kept of a request, to report it and to go on after it.
type Record struct {
	Settled bool `json:"-"` // otherwise it began, and nobody knows what became of it

	Summary string   `json:"summary,omitempty"`
	Reply   string   `json:"reply,omitempty"`
	Error   string   `json:"error,omitempty"`
	Misfit  bool     `json:"misfit,omitempty"` // the error is an *InputError
	Pending *Pending `json:"held,omitempty"`
	// Sent are the messages that the reply had sent by then.
	Sent map[chat.ChannelID]chat.MessageID `json:"sent,omitempty"`
}

// errInterrupted is the error of a request that had begun when the process was killed.
var errInterrupted = errors.New("the bot was restarted in the middle of it; look whether it was done before trying again")

// errForgotten is the error of a request whose action is gone since.
var errForgotten = errors.New("it was dealt with before the bot was restarted, and this version of the bot does not know it any more")

func recordOf(out Outcome, sent map[chat.ChannelID]chat.MessageID) Record {
	r := Record{Settled: true, Summary: out.Result.Summary, Reply: out.Result.Reply, Pending: out.Pending, Sent: maps.Clone(sent)}
	if out.Err != nil {
		r.Error, r.Misfit = out.Err.Error(), errors.As(out.Err, new(*InputError))
	}
	return r
}

// outcome is what the record says about a request. Messages that were sent are known
// again to the requests after it.
func (r Record) outcome(g Gate, req Request, sent map[chat.ChannelID]chat.MessageID) Outcome {
	out := Outcome{Request: req, Result: Result{Summary: r.Summary, Reply: r.Reply}, Pending: r.Pending, asked: r.Pending != nil}
	out.Action, out.Verdict = g.lookup(req.Type)
	maps.Copy(sent, r.Sent)
	switch {
	case r.Error != "":
		out.Err = errors.New(r.Error)
	case out.Action == nil:
		out.Err = errForgotten
	}
	if r.Misfit {
		out.Err = &InputError{Err: out.Err}
	}
	return out
}

// progress is that of the requests of one reply, by their numbers.
type progress struct {
	Progress // nil if nothing is remembered
	names    []string
}

// newProgress names the requests by what they say. Where they stand in the reply says
// less: what the gate takes out before may be something else after a restart.
func newProgress(p Progress, reqs []Request) progress {
	named := progress{Progress: p}
	if p == nil {
		return named
	}
	count := map[string]int{}
	for _, r := range reqs {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %s", r.Type, r.Args))
		name := hex.EncodeToString(sum[:12])
		count[name]++
		named.names = append(named.names, fmt.Sprintf("%s.%d", name, count[name]))
	}
	return named
}

func (p progress) recall(n int) (Record, bool) {
	if p.Progress == nil {
		return Record{}, false
	}
	return p.Recall(p.names[n])
}

// beginning is how a request is written down before it runs. Of one that runs again, it is
// written down already; to refuse that one would tell people that it was never run.
func (p progress) beginning(n int) func(context.Context) error {
	if _, known := p.recall(n); p.Progress == nil || known {
		return nil
	}
	return func(ctx context.Context) error { return p.Begin(ctx, p.names[n]) }
}

// runsAgain says whether a request that may have been carried out may be run once more.
func (g Gate) runsAgain(name string) bool {
	action, verdict := g.lookup(name)
	return action != nil && action.Idempotent && verdict.Decision == Allowed
}

// idempotencyKey names a request among those of its turn.
func (p progress) idempotencyKey(n int) string {
	if p.Progress == nil {
		return ""
	}
	return p.IdempotencyKey(p.names[n])
}

// settle writes down what became of requests. One that was not reached, or was cut off, is
// run when somebody goes on with the reply, unless it may have been carried out.
func (p progress) settle(ctx context.Context, sent map[chat.ChannelID]chat.MessageID, outs []Outcome, which ...int) {
	if p.Progress == nil {
		return
	}
	records := map[string]Record{}
	for _, n := range which {
		cutOff := outs[n].Err != nil && ctx.Err() != nil
		if !cutOff && !errors.Is(outs[n].Err, ErrNotRun) {
			records[p.names[n]] = recordOf(outs[n], sent)
		}
	}
	if len(records) > 0 {
		p.Settle(ctx, records)
	}
}
