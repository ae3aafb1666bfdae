package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/journal"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
	"discoclaw/internal/turn"
)

// A toy is an event of the sources in these tests. Its text controls what happens with it: if it begins with "slow", it
// takes an hour, also for those that share its turn. Where talk can be steered, the last of them counts.
type toy struct {
	ID, By, Text string
	Act          string // the dedupe key
	Repeat       bool
}

func (e toy) key() Key {
	return Key{
		ID: inbox.EventID(e.ID), DedupeKey: e.Act, Repeat: e.Repeat, Joins: cmp.Or(e.By, "ada"),
		Place: chat.Place{Guild: "1", Channel: "2", Message: chat.MessageID(e.ID)}, By: chat.User{ID: chat.UserID(cmp.Or(e.By, "ada"))},
	}
}

// A playroom is what outlives a process: the disk, and what people have seen.
type playroom struct {
	t       *testing.T
	dir     string
	disk    *fulldisk.Disk
	expired func(e Event[toy], answered bool) Reason // nil for never
	shown   func()                                   // called when people have seen something; nil for nothing
	steered bool                                     // talk can be steered

	mu     sync.Mutex
	diary  []string
	broken map[string]error // the errors of operations that fail
	posted map[string]bool  // keys of replies that were posted, for idempotency
	kept   map[string]bool  // events that can be claimed
	used   map[string]bool  // tickets that were used up
}

// play runs a test in a playroom of its own.
func play(t *testing.T, test func(*playroom)) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		test(&playroom{t: t, dir: dir, disk: fulldisk.New(t, dir), broken: map[string]error{}, posted: map[string]bool{}, kept: map[string]bool{}, used: map[string]bool{}})
	})
}

func (w *playroom) breaks(what string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken[what] = err
}

func (w *playroom) isBroken(what string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken[what] != nil
}

// saw requires that exactly this happened since the last call.
func (w *playroom) saw(want ...string) {
	w.t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.diary, want) {
		w.t.Errorf("\n got %q\nwant %q", w.diary, want)
	}
	w.diary = nil
}

// passing is a temporary error.
type passing struct{}

func (passing) Error() string   { return "not now" }
func (passing) Permanent() bool { return false }

// A process is a pipeline over the database of a playroom, with a source of each kind.
type process struct {
	*Pipeline
	*playroom
	db   *store.DB
	dead atomic.Bool

	talk  *Entry[toy] // is queued in its conversation and has a turn
	order *Entry[toy] // runs at once
	due   *Entry[toy] // is claimed when its turn begins
}

// start starts a process, which resumes the unfinished events of the one before.
func (w *playroom) start() *process {
	w.t.Helper()
	db, err := store.Open(w.t.Context(), filepath.Join(w.dir, store.FileName))
	if err != nil {
		w.t.Fatal(err)
	}
	p := &process{playroom: w, db: db}
	w.t.Cleanup(p.crash) // the databases must be closed inside the bubble
	p.Pipeline = New(p.options())
	if err := p.o.Inbox.Recall(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	toys := Source[toy]{
		Way:     func(Event[toy]) *access.Way { return access.ByMessage },
		Key:     toy.key,
		Guards:  []Guard[toy]{{"rude", objectsTo("rude")}, {"dull", objectsTo("dull")}},
		Ignored: func(_ context.Context, e toy, why access.Refusal) { p.note("ignored", e.ID, string(why)) },
		Refused: func(_ context.Context, e Event[toy], err error) {
			if p.note("refused", e.Body.ID); !errors.Is(err, store.ErrFull) {
				p.note("because of", err.Error())
			}
		},
		Expired: func(_ context.Context, e Event[toy], answered bool) (Reason, error) {
			if w.expired == nil {
				return "", nil
			}
			return w.expired(e, answered), nil
		},
		Notices: func(e Event[toy], why Reason) DropNotices {
			return DropNotices{Text: e.Body.Text + " dropped: " + string(why), Report: "dropped " + e.Body.Text}
		},
	}
	talk, order, due := toys, toys, toys
	talk.Kind, talk.Turn, talk.Accepted, talk.Steered, talk.Limited = "talk", p.turn, p.useUp, w.steered, true
	order.Kind, order.Do, order.AtOnce, order.Start = "order", p.do, true, p.mayStart
	due.Kind, due.Turn, due.Claim, due.TellDropped = "due", p.turn, p.claim, p.tellApart
	due.Key = func(e toy) Key {
		k := e.key()
		k.Joins = "" // each is claimed alone
		return k
	}
	p.talk, p.order, p.due = Open(p.Pipeline, talk), Open(p.Pipeline, order), Open(p.Pipeline, due)
	p.Resume()
	synctest.Wait()
	return p
}

func (p *process) options() Options {
	log := slog.New(slog.NewTextHandler(p.t.Output(), nil))
	book := ledger.New(p.db, log)
	runner := &turn.Runner{Runtime: script.Func(p.model), Dispatcher: actions.NewDispatcher(actions.DispatcherOptions{}), Log: log}
	runner.Remember = func(ctx context.Context, id chat.TurnID) (turn.Ledger, error) {
		if p.isBroken("ledger") {
			<-ctx.Done() // loading the ledger takes until the process ends
			return nil, ctx.Err()
		}
		return book.Open(ctx, id)
	}
	var turns atomic.Int32
	return Options{
		Inbox: inbox.New(p.db), Ledger: book, Outbox: outbox.New(p.db, channel{p}, log), Journal: journal.New(p.db, journal.Options{}), Discord: quiet{}, Runner: runner, Log: log, Access: access.Policy{Users: []chat.UserID{"ada", "bob"}},
		NewTurn: func() chat.TurnID { return chat.TurnID(time.Now().Format(time.TimeOnly) + string('a'+turns.Add(1))) },
		Settled: func(context.Context, *store.Tx, turn.Report) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.broken["settle"]
		},
		Over:      func(context.Context, turn.Report) {},
		Recovered: func() { p.note("recovered") },
		Report:    func(_ context.Context, _ status.Kind, what string) { p.note("report", what) },
	}
}

// A channel is where the outbox posts.
type channel struct{ *process }

func (c channel) Send(_ context.Context, _ chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return chat.MessageID(m.Nonce), c.post("reply", m.Nonce, m.Text)
}

func (channel) FindOwn(context.Context, chat.ChannelID, time.Time, chat.Outgoing) ([]chat.MessageID, error) {
	return nil, nil
}

func (channel) Now() time.Time                                               { return time.Now() }
func (channel) Delete(context.Context, chat.ChannelID, chat.MessageID) error { return nil }

// quiet is a Discord of which nothing is counted.
type quiet struct{}

func (quiet) Counting(ctx context.Context) (context.Context, func() int) {
	return ctx, func() int { return 0 }
}
func (quiet) Sparing(ctx context.Context) context.Context { return ctx }
func (quiet) Succeeded() (all, posts int)                 { return 0, 0 }
func (quiet) GuildPending(chat.GuildID) bool              { return false }

func objectsTo(word string) func(context.Context, Event[toy]) access.Refusal {
	return func(_ context.Context, e Event[toy]) access.Refusal {
		if strings.Contains(e.Body.Text, word) {
			return access.Refusal(word)
		}
		return access.Admitted
	}
}

// crash ends a process as SIGKILL would: at once it reaches neither the database nor people any more.
func (p *process) crash() {
	if p.dead.Load() {
		return
	}
	// The database goes first: it must not learn that nothing reaches people any more.
	_ = p.db.Close() // a process that is killed would not check this error
	p.dead.Store(true)
	over, end := context.WithCancel(context.Background())
	end()
	_ = p.Pipeline.Close(over)
	synctest.Wait()
}

// quit shuts a process down gracefully.
func (p *process) quit() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Second)
	defer cancel()
	_ = p.Pipeline.Close(ctx) // fails if it interrupts an order that takes an hour
	p.crash()
}

// note writes to the diary what a process does, unless it is dead.
func (p *process) note(words ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dead.Load() {
		p.diary = append(p.diary, strings.Join(words, " "))
	}
}

// post shows people a text, unless posting is broken or a text was posted with the same key.
func (p *process) post(how, key, text string) error {
	p.mu.Lock()
	err, again := p.broken[how], p.posted[key]
	if p.dead.Load() {
		err = passing{} // a process that is killed settles nothing because of that
	}
	p.posted[key] = again || err == nil
	p.mu.Unlock()
	if err == nil && !again {
		p.note(how, text)
	}
	if err == nil && p.shown != nil {
		p.shown()
	}
	return err
}

func texts(r Run[toy]) string {
	var list []string
	for _, e := range r.Bodies() {
		list = append(list, e.Text)
	}
	return strings.Join(list, "+")
}

func (p *process) turn(_ context.Context, r Run[toy]) (chat.Message, turn.Turn, error) {
	if texts(r) == "panic" {
		panic("a toy that is broken")
	}
	reg := actionstest.Registry(p.t)
	return chat.Message{ID: r.Last().Place.Message}, turn.Turn{
		Origin: actions.Origin{Turn: r.Turn, Place: r.Last().Place}, Gate: reg.Gate(actionstest.Open(reg)),
		Prompt: words(texts(r)), Venue: venue{p, string(r.Turn)},
	}, nil
}

// words is a prompt.
type words string

func (w words) First(context.Context) (llm.Request, error) {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: string(w)}}}, nil
}

func (words) Next(req llm.Request, _ llm.Message, _ actions.Reason, _ actions.Round, _ bool) llm.Request {
	return req
}

// model answers "re" and the text of the request.
func (p *process) model(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	text := req.Messages[0].Text
	p.note("ask", text)
	counts := text
	if p.steered {
		counts = text[strings.LastIndex(text, "+")+1:]
	}
	if strings.HasPrefix(counts, "slow") {
		return script.Answer{script.Pause(time.Hour), script.Text("re " + text)}.Stream(ctx)
	}
	return script.Say("re " + text).Stream(ctx)
}

// A venue is the destination of a turn's answer. It is idempotent across processes.
type venue struct {
	*process
	turn string
}

func (v venue) Open(context.Context, string, string) (turn.Reply, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v, v.broken["open"]
}

func (venue) Preview(context.Context, string) error { return nil }
func (venue) Leave(context.Context, string)         {}

func (v venue) Discard(context.Context) error {
	if v.steered {
		v.note("discard")
	}
	return nil
}

func (v venue) Finish(_ context.Context, body turn.Body) (chat.Receipt, error) {
	text := strings.TrimSpace(body.Text + " " + strings.Join(body.Notices, " "))
	if err := v.post("answer", v.turn+"/"+text, text); err != nil {
		return chat.Receipt{}, err
	}
	return chat.Receipt{Channel: "2", Messages: []chat.MessageID{"9"}}, nil
}

func (p *process) do(ctx context.Context, r Run[toy]) (Done, error) {
	text := texts(r)
	p.note("do", text)
	if strings.HasPrefix(text, "slow") {
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done():
		}
	}
	return Done{Command: "toy", Reply: "did " + text}, nil
}

// mayStart keeps an order with the text "not started" from beginning.
func (p *process) mayStart(ctx context.Context, e Event[toy]) bool {
	if e.Body.Text != "not started" {
		return true
	}
	p.settle(ctx, inbox.Failed, e.Turn, turn.Report{}, e.ID)
	return false
}

// useUp uses up a ticket, which is good for one turn.
func (p *process) useUp(ctx context.Context, e Event[toy]) bool {
	if !strings.HasPrefix(e.Body.Text, "ticket") {
		return true
	}
	p.mu.Lock()
	gone := p.used[e.Body.Text]
	p.used[e.Body.Text] = true
	p.mu.Unlock()
	if gone {
		p.settle(ctx, inbox.Failed, e.Turn, turn.Report{}, e.ID)
	}
	return !gone
}

// claim moves an event from kept into the inbox.
func (p *process) claim(ctx context.Context, e Event[toy], row inbox.Event) bool {
	p.mu.Lock()
	ours := p.kept[e.Body.ID]
	delete(p.kept, e.Body.ID)
	p.mu.Unlock()
	return ours && p.o.Inbox.Tx(ctx, func(tx *store.Tx) error { return p.o.Inbox.Entry(row)(ctx, tx) }) == nil
}

func (p *process) tellApart(_ context.Context, e Event[toy], text string) error {
	return p.post("told", e.Body.ID, text)
}

// requireLeft requires that these events are not settled: ID, kind, state and attempts of each.
func (p *process) requireLeft(want string) {
	p.t.Helper()
	synctest.Wait()
	list, err := p.o.Inbox.Unfinished(p.t.Context())
	var parts []string
	for _, e := range list {
		parts = append(parts, fmt.Sprintf("%s %s %s %d", e.ID, e.Kind, e.State, e.Attempts))
	}
	if got := strings.Join(parts, ", "); got != want || err != nil {
		p.t.Errorf("left %q, want %q (%v)", got, want, err)
	}
}
