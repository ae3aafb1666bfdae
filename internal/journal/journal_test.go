package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/journal"
	"discoclaw/internal/store"
)

// A rig is a journal with a small bot that writes into it.
type rig struct {
	*journal.Journal
	t    testing.TB
	db   *store.DB
	path string
	log  bytes.Buffer
	gate actions.Gate
	do   *actions.Dispatcher
	held []actions.Request // waiting for approval
}

// key is a secret of the bot.
const key = "sk-very-secret-0123456789"

// withRig runs a test in a bubble, whose time begins with the year 2000.
func withRig(t *testing.T, test func(t *testing.T, d *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &rig{t: t, path: filepath.Join(t.TempDir(), store.FileName)}
		d.open()
		reg := actionstest.Registry(t, office(t))
		d.gate = reg.Gate(actionstest.Open(reg))
		test(t, d)
	})
}

// open opens the database with a new journal, as a start of the bot does.
func (d *rig) open() {
	d.t.Helper()
	db, err := store.Open(d.t.Context(), d.path)
	if err != nil {
		d.t.Fatal(err)
	}
	d.db = db
	d.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			d.t.Errorf("close: %v", err)
		}
	})
	d.Journal = journal.New(db, journal.Options{
		Hide:     journal.Hiding("", "x", key),
		Category: func(string) string { return "office" },
		Log:      slog.New(slog.NewTextHandler(&d.log, nil)),
	})
	d.do = actions.NewDispatcher(actions.DispatcherOptions{}, actionstest.Permit)
	d.do.Record, d.do.Hold = d.Journal, holder{d}
}

type holder struct{ d *rig }

func (h holder) Hold(_ context.Context, _ actions.Origin, held []actions.Pending) error {
	for _, one := range held {
		h.d.held = append(h.d.held, one.Request)
	}
	return nil
}

// A Note is the input of the office's actions.
type Note struct {
	Text   string   `json:"text,omitempty" doc:"What it says."`
	Token  string   `json:"webhookToken,omitempty" doc:"A secret."`
	Copies []string `json:"copies,omitempty" doc:"Who gets one."`
}

// office is a category with an action of every kind.
func office(t testing.TB) actions.Category {
	t.Helper()
	do := func(res actions.Result, err error) func(context.Context, actions.Call, Note) (actions.Result, error) {
		return func(context.Context, actions.Call, Note) (actions.Result, error) {
			time.Sleep(340 * time.Millisecond)
			return res, err
		}
	}
	back := []actions.Inverse{actions.Reverse("tear the note up", "shred", Note{Text: "n1"})}
	define := func(name string, change func(*actions.Spec[Note])) *actions.Action {
		s := actions.Spec[Note]{Name: name, Summary: "Stand in for " + name + ".", Examples: []Note{{}}}
		change(&s)
		return actions.Define(s)
	}
	return actionstest.Category{Called: "office", List: []*actions.Action{
		define("write", func(s *actions.Spec[Note]) {
			s.Do = do(actions.Result{Summary: "Wrote the note", Undo: back}, nil)
		}),
		define("post", func(s *actions.Spec[Note]) { s.Do = do(actions.Result{Summary: "Posted the note"}, nil) }),
		define("read", func(s *actions.Spec[Note]) {
			s.Effect = actions.Queries
			s.Do = do(actions.Result{Summary: "bob: I am in love\ncarol: so am I"}, nil)
		}),
		define("lose", func(s *actions.Spec[Note]) {
			s.Do = do(actions.Result{}, errors.New("the note "+key+" is gone; write it again"))
		}),
		define("leak", func(s *actions.Spec[Note]) {
			s.Do = do(actions.Result{Summary: "Leaked", Undo: []actions.Inverse{actions.Reverse("say it", "write", Note{Text: key})}}, nil)
		}),
		define("shred", func(s *actions.Spec[Note]) {
			s.Destructive = true
			s.Ask = func(_ context.Context, _ actions.Call, in Note) (Note, string, error) {
				in.Text = "note 7"
				return in, "Shreds a note.", nil
			}
			s.Do = do(actions.Result{Summary: "Shredded the note"}, nil)
		}),
	}}
}

// origin is a turn of a message of ada's.
func origin(turn chat.TurnID) actions.Origin {
	return actions.Origin{
		Flow:      actions.FlowMessage,
		Place:     chat.Place{Guild: "1", Channel: "22", Message: chat.MessageID("3" + strings.TrimPrefix(string(turn), "turn"))},
		Requester: "4",
		Turn:      turn,
	}
}

// run executes requests of one turn.
func (d *rig) run(turn chat.TurnID, payloads ...string) {
	d.t.Helper()
	d.do.Execute(d.t.Context(), origin(turn), d.gate, requests(payloads))
}

func requests(payloads []string) []actions.Request {
	var reqs []actions.Request
	for _, p := range payloads {
		typ, _, _ := strings.Cut(strings.TrimPrefix(p, `{"type":"`), `"`)
		reqs = append(reqs, actions.Request{Type: typ, Args: []byte(p)})
	}
	return reqs
}

// over records the end of a turn.
func (d *rig) over(turn chat.TurnID, change func(*journal.Turn)) {
	d.t.Helper()
	o := origin(turn)
	t := journal.Turn{
		ID: turn, Flow: o.Flow, Place: o.Place, Requester: o.Requester, RequesterName: "ada", Model: "gpt-5-mini",
		Began: time.Now(), Took: 3200 * time.Millisecond,
	}
	if change != nil {
		change(&t)
	}
	if err := d.Record(d.t.Context(), t); err != nil {
		d.t.Fatal(err)
	}
}

func (d *rig) recent(n int) []journal.Turn {
	d.t.Helper()
	turns, err := d.Recent(d.t.Context(), "22", n)
	if err != nil {
		d.t.Fatal(err)
	}
	return turns
}

// only is the single turn in the journal.
func (d *rig) only() journal.Turn {
	d.t.Helper()
	turns := d.recent(10)
	if len(turns) != 1 {
		d.t.Fatalf("%d turns are there, want 1", len(turns))
	}
	return turns[0]
}

// outcomes are those of a turn's actions.
func outcomes(t journal.Turn) string {
	var all []string
	for _, e := range t.Actions {
		all = append(all, fmt.Sprintf("%d %s %s", e.Number, e.Type, e.Outcome))
	}
	return strings.Join(all, ", ")
}

func TestActionsAreRecordedBeforeTheirTurnEnds(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"write"}`, `{"type":"read"}`, `{"type":"lose"}`, `{"type":"sing"}`)
		d.run("turn1", `{"type":"post"}`) // in a follow-up
		if err := d.db.Close(); err != nil {
			t.Fatal(err)
		}
		d.open()
		turn := d.only()
		if got, want := outcomes(turn), "1 write done, 2 read found, 3 lose failed, 4 sing refused, 5 post done"; got != want {
			t.Errorf("the actions are %s\nwant %s", got, want)
		}
		if turn.Over || turn.Requester != "4" || turn.Flow != actions.FlowMessage || turn.Place != origin("turn1").Place {
			t.Errorf("the turn is %+v", turn)
		}
	})
}

func TestAFinishedTurnIsRecordedWhole(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"write"}`)
		d.over("turn1", func(turn *journal.Turn) {
			turn.InputTokens, turn.OutputTokens, turn.Requests, turn.Malformed = 1204, 96, 4, 2
			turn.Sections = []journal.Section{{Name: "policy", Bytes: 2100}, {Name: "history", Bytes: 512}}
			turn.Stripped = []journal.Stripped{{Type: "ban", Reason: "moderation is off"}}
			turn.Answers = []chat.MessageID{"1000", "999"}
			turn.Error = "the model hung up on " + key
		})
		turn := d.only()
		got := fmt.Sprintf("%v %s %v %d+%d %d %d %v %v %v %s", turn.Over, turn.RequesterName, turn.Took, turn.InputTokens, turn.OutputTokens,
			turn.Requests, turn.Malformed, turn.Sections, turn.Stripped, turn.Answers, turn.Error)
		want := "true ada 3.2s 1204+96 4 2 [{policy 2100} {history 512}] [{ban moderation is off }] [999 1000] the model hung up on ***"
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if len(turn.Actions) != 1 {
			t.Errorf("its actions are %v", turn.Actions)
		}
	})
}

func TestAStoppedTurnIsRecordedToo(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		d.do.Execute(ctx, origin("turn1"), d.gate, requests([]string{`{"type":"write"}`}))
		if err := d.Record(ctx, journal.Turn{ID: "turn1", Place: origin("turn1").Place, Began: time.Now()}); err != nil {
			t.Error(err)
		}
		if turn := d.only(); !turn.Over || outcomes(turn) != "1 write failed" {
			t.Errorf("the turn is %+v", turn)
		}
	})
}

func TestActionsOutsideOfATurnAreNotRecorded(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("", `{"type":"write"}`)
		if turns := d.recent(10); len(turns) != 0 {
			t.Errorf("%v was written down", turns)
		}
	})
}

func TestFailedWritesAreLogged(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		if err := d.db.Close(); err != nil {
			t.Fatal(err)
		}
		d.run("turn1", `{"type":"write"}`)
		if log := d.log.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "action=write outcome=done") {
			t.Errorf("the log says %q", log)
		}
	})
}

func TestAnActionWithApprovalIsOneEntry(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		shred := `{"type":"shred","text":"last","copies":["bob"]}`
		d.run("turn1", shred, `{"type":"shred","text":"last"}`, `{"type":"shred","text":"last","copies":[]}`)
		if got, want := outcomes(d.only()), "1 shred held, 2 shred held, 3 shred held"; got != want {
			t.Fatalf("asked about, they are %s\nwant %s", got, want)
		}
		d.over("turn1", nil)
		time.Sleep(5 * time.Minute)
		d.do.ExecuteApproved(t.Context(), origin("turn1"), d.gate, d.held[:1])
		if err := d.Dismiss(t.Context(), "turn1", d.held[1], "rejected by bob"); err != nil {
			t.Error(err)
		}
		turn := d.only()
		if got, want := outcomes(turn), "1 shred approved-done, 2 shred dismissed, 3 shred held"; got != want {
			t.Errorf("in the end they are %s\nwant %s", got, want)
		}
		if e := turn.Actions[0]; e.Args != `{"copies":["bob"],"text":"note 7"}` || e.Line != "Done: Shredded the note" {
			t.Errorf("the approved one is %+v", e)
		}
		if e := turn.Actions[1]; e.Line != "Not done, rejected by bob: Shreds a note." {
			t.Errorf("the dismissed one is %+v", e)
		}
	})
}

// TestAnApproverIsErased: the action stays, since it is another person's.
func TestAnApproverIsErased(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"post"}`)
		if err := d.ApproveAll(t.Context(), "turn1", "5"); err != nil {
			t.Fatal(err)
		}
		d.over("turn1", nil)
		if rows, err := d.db.Export(t.Context(), "5"); err != nil || len(rows["actions"]) != 1 {
			t.Errorf("exported %v, %v", rows, err)
		}
		if n, err := d.db.Erase(t.Context(), "5"); err != nil || n != 1 {
			t.Errorf("erased %d rows: %v", n, err)
		}
		if left := d.only(); outcomes(left) != "1 post done" || left.Actions[0].Approver != "" {
			t.Errorf("left is %+v", left.Actions)
		}
		if _, err := d.db.Erase(t.Context(), "4"); err != nil || len(d.recent(1)) != 0 {
			t.Errorf("the turn of the requester is there still (%v)", err)
		}
	})
}

func TestSecretsAndTextsOfOthersAreLeftOut(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		long := strings.Repeat("long ", 100)
		d.run("turn1",
			`{"type":"write","text":"the key is `+key+`"}`,
			`{"type":"write","webhookToken":"abc"}`,
			`{"type":"write","copies":["x","`+key+`","https://discord.com/api/webhooks/123/abc-DEF"]}`,
			`{"type":"write","text":"`+long+`"}`,
			`{"type":"sing","apiKey":1,"API_KEY":"a","Authorization":{"a":"b"},"id":123456789012345678,"deep":{"my password":"x","ok":"y"}}`,
			`{"type":"lose"}`, `{"type":"read"}`, `{"type":"leak"}`)
		d.over("turn1", nil)
		turn := d.only()
		for i, want := range []string{
			`{"text":"***"}`, `{"webhookToken":"***"}`, `{"copies":["x","***","***"]}`, `{"text":"` + long[:200] + `…"}`,
			`{"API_KEY":"***","Authorization":"***","apiKey":"***","deep":{"my password":"***","ok":"y"},"id":123456789012345678}`,
			`{}`, `{}`, `{}`,
		} {
			if got := turn.Actions[i].Args; got != want {
				t.Errorf("the arguments of action %d are %s\nwant %s", i+1, got, want)
			}
		}
		if got, want := turn.Actions[5].Line, "Failed: the note *** is gone; write it again"; got != want {
			t.Errorf("a line is %q, want %q", got, want)
		}
		if got, want := turn.Actions[6].Line, "Done: looked it up"; got != want {
			t.Errorf("the line of a query is %q, want %q", got, want)
		}
		if n := len(turn.Actions[7].Inverses); n != 0 {
			t.Error("an inverse with a secret in it was kept")
		}
		if all := journal.Why(turn, true) + journal.Trace([]journal.Turn{turn}); strings.Contains(all, key) || strings.Contains(all, "love") {
			t.Errorf("people are told %s", all)
		}
	})
}

func TestRecentTurnsAreOfOneChannelNewestFirst(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		for i := range 12 {
			d.over(chat.TurnID(fmt.Sprint("turn", i)), func(turn *journal.Turn) {
				if i == 5 {
					turn.Place.Channel = "33"
				}
			})
			time.Sleep(time.Minute)
		}
		var ids []string
		for _, turn := range d.recent(10) {
			ids = append(ids, strings.TrimPrefix(string(turn.ID), "turn"))
		}
		if got := strings.Join(ids, " "); got != "11 10 9 8 7 6 4 3 2 1" {
			t.Errorf("the turns are %s", got)
		}
	})
}

func TestATurnIsFoundByItsMessages(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.over("turn1", func(turn *journal.Turn) { turn.Answers = []chat.MessageID{"101", "102"} })
		time.Sleep(time.Minute)
		d.over("turn2", func(turn *journal.Turn) { turn.Answers = []chat.MessageID{"201"} })
		for _, tt := range []struct {
			channel chat.ChannelID
			message chat.MessageID
			want    string
		}{
			{"22", "31", "turn1"}, {"22", "102", "turn1"}, {"22", "32", "turn2"}, {"22", "201", "turn2"},
			{"22", "999", ""}, {"33", "31", ""}, {"33", "201", ""},
		} {
			turn, ok, err := d.About(t.Context(), tt.channel, tt.message)
			if err != nil || string(turn.ID) != tt.want || ok != (tt.want != "") {
				t.Errorf("message %s in channel %s: turn %q, %v, %v; want %q", tt.message, tt.channel, turn.ID, ok, err, tt.want)
			}
		}
	})
}

func TestOldTurnsAreDeletedWithTheirActions(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"write"}`)
		d.over("turn1", func(turn *journal.Turn) { turn.Answers = []chat.MessageID{"101"} })
		time.Sleep(journal.Retention)
		d.run("turn2", `{"type":"write"}`)
		if err := d.db.Prune(t.Context()); err != nil {
			t.Error(err)
		}
		if turn := d.only(); turn.ID != "turn2" || len(turn.Actions) != 1 {
			t.Errorf("what is left is %+v", turn)
		}
		var left int
		if err := d.db.QueryRowContext(t.Context(), "SELECT (SELECT COUNT(*) FROM actions) + (SELECT COUNT(*) FROM answers)").Scan(&left); err != nil || left != 1 {
			t.Errorf("%d rows are left, %v; want the action of the second turn", left, err)
		}
	})
}

func TestUndoFindsWhatWasDoneLast(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"write","text":"a"}`, `{"type":"post"}`, `{"type":"read"}`, `{"type":"lose"}`, `{"type":"write","text":"b"}`)
		d.over("turn1", nil)
		batch, ok, err := first(d.Batches(t.Context(), "22"))
		if err != nil || !ok || batch.Turn.ID != "turn1" {
			t.Fatalf("found %q, %v, %v; want turn1", batch.Turn.ID, ok, err)
		}
		if got := entries(batch.Undo) + " / " + entries(batch.Stay); got != "5 write, 1 write / 2 post" {
			t.Errorf("to take back and to stay are %s", got)
		}
		inverse := batch.Undo[0].Inverses[0]
		if string(inverse.Request.Args) != `{"type":"shred","text":"n1"}` || inverse.Request.Type != "shred" || inverse.Text != "tear the note up" {
			t.Errorf("the inverse is %+v", inverse)
		}
		if _, ok, err := first(d.Batches(t.Context(), "33")); ok || err != nil {
			t.Errorf("in another channel: %v, %v", ok, err)
		}

		for _, e := range batch.Undo {
			if mine, err := d.Claim(t.Context(), e.Turn, e.Number); !mine || err != nil {
				t.Errorf("claim %d: %v, %v", e.Number, mine, err)
			}
		}
		if batch, _, err := first(d.Batches(t.Context(), "22")); entries(batch.Undo)+" / "+entries(batch.Stay) != " / 2 post" || err != nil {
			t.Errorf("after all was taken back that can be: %+v, %v", batch, err)
		}
		if err := d.Release(t.Context(), "turn1", 5); err != nil {
			t.Fatal(err)
		}
		if batch, _, _ = first(d.Batches(t.Context(), "22")); entries(batch.Undo) != "5 write" {
			t.Errorf("after one could not be taken back, there are %s", entries(batch.Undo))
		}
	})
}

func entries(list []journal.Entry) string {
	var all []string
	for _, e := range list {
		all = append(all, fmt.Sprint(e.Number, " ", e.Type))
	}
	return strings.Join(all, ", ")
}

// TestABatchIsInARow: what was approved late is later than what another turn has done since.
func TestABatchIsInARow(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"write","text":"a"}`)
		time.Sleep(time.Second)
		d.run("turn2", `{"type":"post"}`, `{"type":"read"}`)
		time.Sleep(time.Second)
		d.run("turn1", `{"type":"post"}`)
		batches, err := d.Batches(t.Context(), "22")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range batches {
			got = append(got, string(b.Turn.ID)+": "+entries(b.Undo)+" / "+entries(b.Stay))
		}
		if want := []string{"turn1:  / 2 post", "turn2:  / 1 post", "turn1: 1 write / "}; !slices.Equal(got, want) {
			t.Errorf("the batches are %q, want %q", got, want)
		}
	})
}

func TestActionsWithoutInversesCannotBeClaimed(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"post"}`)
		for _, number := range []int{1, 2} {
			if mine, err := d.Claim(t.Context(), "turn1", number); mine || err != nil {
				t.Errorf("claim %d: %v, %v", number, mine, err)
			}
		}
	})
}

func TestAnActionIsClaimedOnce(t *testing.T) {
	t.Parallel()
	withRig(t, func(t *testing.T, d *rig) {
		d.run("turn1", `{"type":"write"}`)
		var mine atomic.Int32
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				ok, err := d.Claim(t.Context(), "turn1", 1)
				if err != nil {
					t.Error(err)
				}
				if ok {
					mine.Add(1)
				}
			})
		}
		all.Wait()
		if n := mine.Load(); n != 1 {
			t.Errorf("%d callers may take it back, want 1", n)
		}
	})
}

// first is the batch that !undo would offer.
func first(list []journal.Batch, err error) (journal.Batch, bool, error) {
	if err != nil || len(list) == 0 {
		return journal.Batch{}, false, err
	}
	return list[0], true, nil
}
