package actions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"discoclaw/internal/chat"
)

// A Progress records the progress of the requests of one reply, so that another process can
// resume it after a crash. A request has a name that stays the same when the reply is parsed
// again.
type Progress interface {
	// Recall returns the record of a request, if it began.
	Recall(name string) (Record, bool)
	// IdempotencyKey names a request within the turn.
	IdempotencyKey(name string) string
	// Begin records that a request may have an effect from now on. After an error it is not
	// run. Queries run without it: they can be repeated.
	Begin(ctx context.Context, name string) error
	// Settle records the outcomes of requests, in one write.
	Settle(ctx context.Context, records map[string]Record)
}

// A Record is the stored outcome of a request, for its report and for the requests after it.
type Record struct {
	Settled bool `json:"-"` // otherwise it began, and its outcome is unknown

	Summary string           `json:"summary,omitempty"`
	ID      string           `json:"id,omitempty"`
	Seen    bool             `json:"seen,omitempty"`
	Found   string           `json:"found,omitempty"`
	From    []chat.ChannelID `json:"from,omitempty"`
	Open    bool             `json:"open,omitempty"`
	Shows   []chat.Place     `json:"shows,omitempty"`
	Outside chat.Sources     `json:"outside,omitempty"`
	Reply   string           `json:"reply,omitempty"`
	Error   string           `json:"error,omitempty"`
	Misfit  bool             `json:"misfit,omitempty"` // the error is an *InputError
	Lack    *Lack            `json:"lack,omitempty"`
	Pending *Pending         `json:"held,omitempty"`
	Ignored []string         `json:"ignored,omitempty"`
	Asked   bool             `json:"asked,omitempty"`
	// Consent is set in the record of what the clean reader said: the arguments of what was asked for.
	Consent map[string]json.RawMessage `json:"consent,omitempty"`
	// Sent are the messages that the reply had sent by then.
	Sent map[chat.ChannelID]chat.MessageID `json:"sent,omitempty"`
}

// interrupted is the error of a request that had begun when the process was killed. It says which: a
// reply may have several.
func interrupted(a *Action) error {
	which := ""
	if a != nil {
		short, _, _ := strings.Cut(strings.TrimSuffix(a.Summary, "."), ",")
		which = fmt.Sprintf(" (%s%s)", strings.ToLower(short[:1]), short[1:])
	}
	return fmt.Errorf("I was restarted in the middle of it%s; please check whether it was done before trying again", which)
}

// errForgotten is the error of a request whose action no longer exists.
var errForgotten = errors.New("it was dealt with before I was restarted, and this version of me does not know it any more")

func recordOf(out Outcome, sent map[chat.ChannelID]chat.MessageID) Record {
	res := out.Result
	r := Record{
		Settled: true, Summary: res.Summary, ID: res.ID, Seen: res.Seen, Found: res.Found, From: res.From, Open: res.Open,
		Shows: res.Shows, Outside: res.Outside, Reply: res.Reply,
		Lack: out.Lack, Pending: out.Pending, Ignored: out.Ignored, Asked: out.Asked, Sent: maps.Clone(sent),
	}
	if out.Err != nil {
		r.Error, r.Misfit = out.Err.Error(), out.Misfit()
	}
	return r
}

// outcome restores the outcome of a request. The messages that it sent are known again to
// the requests after it.
func (r Record) outcome(g Gate, req Request, sent map[chat.ChannelID]chat.MessageID) Outcome {
	res := Result{Summary: r.Summary, ID: r.ID, Seen: r.Seen, Found: r.Found, From: r.From, Open: r.Open, Shows: r.Shows,
		Outside: r.Outside, Reply: r.Reply}
	out := Outcome{Request: req, Result: res, Lack: r.Lack, Pending: r.Pending, Ignored: r.Ignored, Asked: r.Asked, asked: r.Pending != nil}
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

// progress is that of the requests of one reply, by index.
type progress struct {
	Progress // may be nil
	names    []string
}

// newProgress names the requests by their content, not by their position: after a restart
// the gate may take out other requests before them.
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

// consentName is the record of what the clean reader said about the requests of a reply, so that a resumed one does not ask again.
const consentName = "consent"

// recallConsent returns the arguments of the requests that were asked for, by their names. It is false if nobody was asked yet.
func (p progress) recallConsent() (asked map[string]json.RawMessage, known bool) {
	if p.Progress == nil {
		return nil, false
	}
	r, known := p.Recall(consentName)
	return r.Consent, known
}

// keepConsent records it, before anything runs.
func (p progress) keepConsent(ctx context.Context, list []*weighed) {
	r := Record{Consent: map[string]json.RawMessage{}}
	weighed := false
	for i, w := range list {
		weighed = weighed || w != nil
		if w != nil && w.asked && p.Progress != nil {
			r.Consent[p.names[i]] = w.request.Args
		}
	}
	if weighed && p.Progress != nil {
		p.Settle(ctx, map[string]Record{consentName: r})
	}
}

func (p progress) name(n int) string {
	if p.Progress == nil {
		return ""
	}
	return p.names[n]
}

func (p progress) recall(n int) (Record, bool) {
	if p.Progress == nil {
		return Record{}, false
	}
	return p.Recall(p.names[n])
}

// beginning returns the function that records a request before it runs. A repeated one is
// recorded already; an error for that one would report it as never run.
func (p progress) beginning(n int) func(context.Context) error {
	if _, known := p.recall(n); p.Progress == nil || known {
		return nil
	}
	return func(ctx context.Context) error { return p.Begin(ctx, p.names[n]) }
}

// runsAgain reports whether a request whose outcome is unknown may be repeated.
func (g Gate) runsAgain(name string) bool {
	action, verdict := g.lookup(name)
	return action != nil && action.Idempotent && verdict.Decision == Allowed
}

// idempotencyKey names a request within its turn.
func (p progress) idempotencyKey(n int) string {
	if p.Progress == nil {
		return ""
	}
	return p.IdempotencyKey(p.names[n])
}

// settle records outcomes. A request that was not reached or was cancelled is left out: a
// resumed reply runs it, unless it may have had an effect.
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

// keptTurns is how many turns are counted at a time, of which most are over. Many more than can run at once.
const keptTurns = 1000

// A PerTurn counts what each turn does that costs money, its follow-ups and the turns that go on with it included. The
// zero value has counted nothing.
type PerTurn struct {
	mu    sync.Mutex
	used  map[chat.TurnID]int
	turns []chat.TurnID // in used, the oldest first
}

// Take counts one more, unless the turn has had the most that it may.
func (p *PerTurn) Take(turn chat.TurnID, most int) bool {
	turn = turn.Request()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch n := p.used[turn]; {
	case turn == "": // outside of any turn there is nothing to count
		return true
	case n >= most:
		return false
	case n == 0:
		p.add(turn)
	}
	p.used[turn]++
	return true
}

func (p *PerTurn) add(turn chat.TurnID) {
	if p.used == nil {
		p.used = map[chat.TurnID]int{}
	}
	if p.turns = append(p.turns, turn); len(p.turns) > keptTurns {
		delete(p.used, p.turns[0])
		p.turns = p.turns[1:]
	}
}
