package turn_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// remember opens ledgers in the database at path.
func remember(t *testing.T, path string) func(context.Context, chat.TurnID) (turn.Ledger, error) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	l := ledger.New(db, slog.New(slog.NewTextHandler(t.Output(), nil)))
	return func(ctx context.Context, id chat.TurnID) (turn.Ledger, error) { return l.Open(ctx, id) }
}

// undelivered is a wall.failing that delivers nothing.
func undelivered(int, string) (string, error) { return "", errors.New("no answer") }

func TestAResumedTurnDoesNotAskTheModelAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		answers []script.Answer
		want    []string
	}{
		{"an answer", []script.Answer{script.Say("Hello.")}, []string{"Hello."}},
		{"an action", []script.Answer{script.Say("Sure." + block("act"))}, []string{"Sure.\n\nDone: act"}},
		{"a picture", []script.Answer{draws("Look:", 3)},
			[]string{"Look:\n\n(The pictures that belong here were lost when the bot was restarted. Please ask for them again.)"}},
		{"usage", []script.Answer{{script.Text("Hello."), script.Usage(3, 4)}}, []string{"Hello."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), store.FileName)
			first := scene{model: script.New(tt.answers...), ledger: path, wall: wall{failing: undelivered}}
			first.play(t)
			if first.err == nil {
				t.Fatal("the first run did not fail")
			}
			again := scene{model: script.New(), ledger: path}
			again.play(t)
			if diff := cmp.Diff(tt.want, again.wall.shown()); diff != "" || again.err != nil {
				t.Errorf("error %v, on the wall (-want +got):\n%s", again.err, diff)
			}
			if len(again.ran) > 0 {
				t.Errorf("%v ran again", again.ran)
			}
			if a, b := usage(first), usage(again); a != b {
				t.Errorf("rounds of the first run %+v, of the resumed one %+v", a, b)
			}
		})
	}
}

func usage(s scene) (all llm.Usage) {
	for _, r := range s.outcome.Rounds {
		all.Input += r.Usage.Input
		all.Output += r.Usage.Output
	}
	return all
}

// TestADeliveredRoundIsNotDeliveredAgain: the second round fails, and only that is retried.
func TestADeliveredRoundIsNotDeliveredAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	failing := func(n int, text string) (string, error) {
		if n == 0 {
			return text, nil
		}
		return "", errors.New("no answer")
	}
	first := scene{model: says("Looking."+block("act")+block("look"), "Found it."), ledger: path, wall: wall{failing: failing}}
	first.play(t)
	again := scene{model: script.New(), ledger: path, remark: "Late."} // a remark, which only an undelivered round shows
	again.play(t)
	if diff := cmp.Diff([]string{"Late.\nFound it."}, again.wall.shown()); diff != "" || again.err != nil || len(again.ran) > 0 {
		t.Errorf("error %v, ran %v, on the wall (-want +got):\n%s", again.err, again.ran, diff)
	}
	if got := again.outcome.Text; got != "Looking.\n\nDone: act\n-# Done: looked it up\n\nFound it." || len(again.outcome.Receipts) != 2 {
		t.Errorf("the result is %q with %d receipts", got, len(again.outcome.Receipts))
	}
}

// TestALookUpIsResumedInItsPlace: the answer that replaces it is neither asked for nor posted again, nor hidden by a preview of it.
func TestALookUpIsResumedInItsPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		answers []string
		failing int // the delivery that fails in the first process
		again   []string
	}{
		{"before its answer is posted", []string{"Looking." + block("look"), "Found it."}, 0, []string{"Found it.\n\n-# Done: looked it up"}},
		{"after its answer, with a change, is posted", []string{"Looking." + block("look"), "Found it." + block("act") + block("look"), "Well."}, 1, []string{"Well."}},
		{"between two of them", []string{"Looking." + block("look"), "Further." + block("look"), "Found it."}, 0, []string{"Found it.\n\n-# Done: looked it up"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), store.FileName)
			first := scene{model: says(tt.answers...), ledger: path, wall: wall{failing: func(n int, text string) (string, error) {
				if n >= tt.failing {
					return "", errors.New("no answer")
				}
				return text, nil
			}}}
			first.play(t)
			again := scene{model: script.New(), ledger: path}
			again.play(t)
			if diff := cmp.Diff(tt.again, again.wall.shown()); diff != "" || first.err == nil || again.err != nil || len(again.ran) > 0 {
				t.Errorf("first %v, then %v, ran %v, on the wall (-want +got):\n%s", first.err, again.err, again.ran, diff)
			}
		})
	}
}

// TestALookUpThatWasPostedStaysWhereItIs: an earlier version posted it.
func TestALookUpThatWasPostedStaysWhereItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	known, err := remember(t, path)(t.Context(), "turn-1")
	if err != nil {
		t.Fatal(err)
	}
	known.Answered(t.Context(), 0, turn.Answer{Text: "Looking." + block("look")})
	known.Delivered(t.Context(), 0, chat.Receipt{Channel: "1", Messages: []chat.MessageID{"9"}})
	s := scene{model: says("Found it."), ledger: path}
	s.play(t)
	if diff := cmp.Diff([]string{"Found it."}, s.wall.shown()); diff != "" || s.err != nil || len(s.outcome.Receipts) != 2 {
		t.Errorf("%v, receipts %v, on the wall (-want +got):\n%s", s.err, s.outcome.Receipts, diff)
	}
}
