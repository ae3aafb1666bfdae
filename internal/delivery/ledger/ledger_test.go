package ledger_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/llm"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
	"discoclaw/internal/turn"
)

var _ turn.Ledger = (*ledger.Turn)(nil)

func open(t *testing.T) (*ledger.Ledger, *store.DB) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return ledger.New(db, slog.New(slog.NewTextHandler(t.Output(), nil))), db
}

func mustOpen(t *testing.T, l *ledger.Ledger, id chat.TurnID) *ledger.Turn {
	t.Helper()
	one, err := l.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func TestRecordsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	l, _ := open(t)
	answer := turn.Answer{Text: "Sure.\x00<discord-action>{}", Pictures: 2, Calls: []llm.ToolCall{{ID: "1", Name: "ban", Input: []byte("{\"cut \xff"), Seal: []byte{0xff, 0}}, {ID: "2", Name: "ban", Input: []byte{}}}, Usage: llm.Usage{Input: 3, Output: 4}, Outside: "a message by <@1>\nan embed", Handles: map[string]chat.Place{"m2": {Guild: "1", Channel: "7", Message: "9"}}}
	receipt := chat.Receipt{Channel: "7", Messages: []chat.MessageID{"1", "2"}}
	done := actions.Record{
		Settled: true, Summary: "Sent", Outside: "the audit log", Reply: "a text", Sent: map[chat.ChannelID]chat.MessageID{"7": "3"},
		Pending: &actions.Pending{Request: actions.Request{Type: "ban", Args: []byte(`{"a":1}`)}, What: "Ban bob"},
	}
	failed := actions.Record{Settled: true, Error: "no such channel", Misfit: true}

	before := mustOpen(t, l, "turn")
	before.Answered(t.Context(), 0, answer)
	steps := before.Actions(0)
	for _, name := range []string{"a", "b"} {
		if err := steps.Begin(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	steps.Settle(t.Context(), map[string]actions.Record{"a": done, "c": failed})
	before.Delivered(t.Context(), 0, receipt)
	before.Answered(t.Context(), 1, turn.Answer{})

	now := mustOpen(t, l, "turn")
	if got, ok := now.Answer(0); !ok || !cmp.Equal(got, answer) {
		t.Errorf("the answer is %+v", got)
	}
	if got, ok := now.Receipt(0); !ok || !cmp.Equal(got, receipt) {
		t.Errorf("the receipt is %+v", got)
	}
	if _, ok := now.Receipt(1); ok {
		t.Error("an undelivered answer has a receipt")
	}
	if _, ok := now.Answer(2); ok {
		t.Error("a round without an answer has one")
	}
	for name, want := range map[string]actions.Record{"a": done, "b": {}, "c": failed} {
		if got, ok := now.Actions(0).Recall(name); !ok || !cmp.Equal(got, want) {
			t.Errorf("%s: %s", name, cmp.Diff(want, got))
		}
	}
	if _, ok := now.Actions(1).Recall("a"); ok {
		t.Error("an action of one round is known in another")
	}
	if _, ok := mustOpen(t, l, "other").Answer(0); ok {
		t.Error("an answer of one turn is known in another")
	}
}

func TestAClosedTurnIsDeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, db := open(t)
		fill := func(id chat.TurnID) {
			one := mustOpen(t, l, id)
			one.Answered(t.Context(), 0, turn.Answer{Text: "x"})
			if err := one.Actions(0).Begin(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
		}
		fill("over")
		fill("old")
		time.Sleep(time.Hour)
		fill("new")
		if err := db.Tx(t.Context(), func(tx *store.Tx) error { return l.Close(t.Context(), tx, "over") }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(ledger.Retention - time.Hour + time.Second)
		if err := db.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		var rounds, steps string
		err := db.QueryRowContext(t.Context(), "SELECT (SELECT group_concat(turn) FROM rounds), (SELECT group_concat(turn) FROM steps)").Scan(&rounds, &steps)
		if err != nil || rounds != "new" || steps != "new" {
			t.Errorf("left are %s and %s, %v", rounds, steps, err)
		}
		_ = db.Close()
	})
}

// TestNoActionBeginsAfterAnUnrecordedAnswer: a resumed turn would ask the model again.
func TestNoActionBeginsAfterAnUnrecordedAnswer(t *testing.T) {
	t.Parallel()
	l, db := open(t)
	one := mustOpen(t, l, "turn")
	_ = db.Close()
	one.Answered(t.Context(), 0, turn.Answer{Text: "x"})
	if err := one.Actions(0).Begin(t.Context(), "a"); err == nil {
		t.Error("an action began")
	}
	if _, err := l.Open(t.Context(), "turn"); err == nil {
		t.Error("a turn was opened though its records cannot be read")
	}
}

// TestNothingIsWrittenAfterAFailedWrite: the record that a resumed turn finds has no holes, and the
// turn gets the error for which it has to stop.
func TestNothingIsWrittenAfterAFailedWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := fulldisk.New(t, dir)
	db, err := store.Open(t.Context(), filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	l := ledger.New(db, slog.New(slog.NewTextHandler(t.Output(), nil)))
	one := mustOpen(t, l, "turn")
	disk.Become(fulldisk.Spent, 0)
	one.Answered(t.Context(), 0, turn.Answer{Text: "x"})
	if unwritten := (*turn.NotWritten)(nil); !errors.As(one.Err(), &unwritten) || !unwritten.Full {
		t.Errorf("the error is %v", one.Err())
	}
	disk.Become(fulldisk.Roomy, 0)
	if err := one.Actions(0).Begin(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("an action began: %v", err)
	}
	one.Actions(0).Settle(t.Context(), map[string]actions.Record{"a": {Settled: true, Error: "refused"}})
	if _, known := mustOpen(t, l, "turn").Answer(0); known {
		t.Error("an answer is known that was never written")
	}
}

// TestErrorsDoNotNameTheDatabaseFile: the error of an action that did not begin is shown in the channel.
// Paths are for the log.
func TestErrorsDoNotNameTheDatabaseFile(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	path := filepath.Join(t.TempDir(), store.FileName)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	one := mustOpen(t, ledger.New(db, slog.New(slog.NewTextHandler(&log, nil))), "turn")
	one.Answered(t.Context(), 0, turn.Answer{Text: "x"})
	if _, err := db.ExecContext(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	err = one.Actions(0).Begin(t.Context(), "a")
	if err == nil || strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "log") {
		t.Errorf("the requester is told: %v", err)
	}
	if !strings.Contains(log.String(), path) {
		t.Errorf("the log does not say why: %s", log.String())
	}
}

// TestAFailedReadIsTemporary: a turn whose record cannot be read is requeued. As a permanent failure it would be
// settled, and never answered.
func TestAFailedReadIsTemporary(t *testing.T) {
	t.Parallel()
	l, db := open(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := l.Open(t.Context(), "turn")
	var refusal interface{ Permanent() bool }
	if !errors.As(err, &refusal) || refusal.Permanent() {
		t.Errorf("the error %v is not temporary", err)
	}
}
