package history_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/history"
)

func said(l *history.Log, n int, m ...chat.MessageID) string {
	var texts []string
	for _, line := range l.Before("1", n, m...) {
		texts = append(texts, line.Text)
	}
	return strings.Join(texts, " ")
}

func TestBefore(t *testing.T) {
	var l history.Log
	for i, text := range []string{"a", "b", "c", "d"} {
		l.Add("1", history.Line{ID: chat.MessageID(fmt.Sprint(i)), Text: text})
	}
	l.Add("1", history.Line{ID: "9", Mine: true, Text: "answer"})
	l.Add("2", history.Line{ID: "8", Text: "elsewhere"})
	for _, tt := range []struct {
		name string
		m    []chat.MessageID
		n    int
		want string
	}{
		{"what came before, and the bot's own since", []chat.MessageID{"2"}, 10, "a b answer"},
		{"a message it has not seen", []chat.MessageID{"7"}, 10, "a b c d answer"},
		{"only the latest", []chat.MessageID{"3"}, 2, "c answer"},
		{"several, with somebody else's in between", []chat.MessageID{"1", "3"}, 10, "a c answer"},
		{"nothing is asked for", []chat.MessageID{"3"}, 0, ""},
	} {
		if got := said(&l, tt.n, tt.m...); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	l.Change("1", "1", history.Line{Text: "B"})
	l.Remove("1", "0")
	l.Change("3", "1", history.Line{Text: "nowhere"})
	if got := said(&l, 10, "7"); got != "B c d answer" {
		t.Errorf("after a change and a removal: %q", got)
	}
}

func TestTheLogIsBounded(t *testing.T) {
	var l history.Log
	for i := range 1000 {
		l.Add("1", history.Line{ID: chat.MessageID(fmt.Sprint(i)), Text: "x"})
	}
	if n := len(l.Before("1", 1000, "5000")); n != 60 {
		t.Errorf("%d lines are kept", n)
	}
	for i := range 1500 {
		l.Add(chat.ChannelID(fmt.Sprint("c", i)), history.Line{ID: "1"})
	}
	if len(l.Before("1", 1, "5000")) != 0 || len(l.Before("c1499", 1, "5000")) != 1 {
		t.Error("the least recently active channel was kept")
	}
}

// TestEarlierLinesAreNotCrowdedOut: a reaction may be to a message after which the bot
// has written a lot.
func TestEarlierLinesAreNotCrowdedOut(t *testing.T) {
	var l history.Log
	for i, text := range []string{"a", "b", "c", "d"} {
		l.Add("1", history.Line{ID: chat.MessageID(fmt.Sprint(10 + i)), Text: text})
	}
	for i, text := range []string{"v", "w", "x", "y", "z"} {
		l.Add("1", history.Line{ID: chat.MessageID(fmt.Sprint(20 + i)), Mine: true, Text: text})
	}
	for n, want := range map[int]string{1: "c", 2: "c z", 4: "b c y z", 6: "a b c x y z", 20: "a b c v w x y z"} {
		if got := said(&l, n, "13"); got != want {
			t.Errorf("%d lines about d: %q, want %q", n, got, want)
		}
	}
}

func TestAnAnswerIsSortedByItsFirstMessage(t *testing.T) {
	var l history.Log
	for _, line := range []history.Line{{ID: "10", Text: "question"}, {ID: "12", Text: "next"}, {ID: "11", Mine: true, Text: "answer"}} {
		if !l.Add("1", line) || l.Add("1", line) {
			t.Errorf("%q is not new, or is twice", line.Text)
		}
	}
	if got := said(&l, 10, "13"); got != "question answer next" {
		t.Errorf("%q", got)
	}
	if !l.Mine("1", "11") || l.Mine("1", "12") || l.Mine("1", "99") || l.Mine("2", "11") {
		t.Error("Mine is wrong")
	}
}

// A shelf has the messages from before the bot was connected.
type shelf struct {
	fetched int
	err     error
}

func (s *shelf) fetch() ([]history.Line, error) {
	s.fetched++
	if s.err != nil {
		return nil, s.err
	}
	return []history.Line{{ID: "5", Text: "newer"}, {ID: "4", Text: "older"}}, nil
}

func TestMissingLinesAreFetchedOnce(t *testing.T) {
	var l history.Log
	var s shelf
	l.Add("1", history.Line{ID: "9", Text: "heard"})
	for range 3 {
		if err := l.Fill("1", "5", s.fetch); err != nil {
			t.Fatal(err)
		}
	}
	if got := said(&l, 10, "10"); got != "older newer heard" || s.fetched != 1 {
		t.Errorf("%q after %d fetches", got, s.fetched)
	}
	for _, line := range l.Before("1", 10, "10") {
		if line.Old != (line.Text != "heard") {
			t.Errorf("%+v", line)
		}
	}
	if err := l.Fill("2", "", s.fetch); err != nil || s.fetched != 2 {
		t.Errorf("another channel: %v, %d fetches", err, s.fetched)
	}
}

func TestAfterAGapOnlyMissingLinesAreFetched(t *testing.T) {
	var l history.Log
	var s shelf
	fill := func(latest chat.MessageID, want int) {
		t.Helper()
		if err := l.Fill("1", latest, s.fetch); err != nil || s.fetched != want {
			t.Errorf("%v, %d fetches, want %d", err, s.fetched, want)
		}
	}
	l.Add("1", history.Line{ID: "5", Text: "newer"})
	l.Missed()
	fill("5", 1) // the latest is known, but the log was never whole
	l.Missed()
	fill("5", 1) // the latest is known
	l.Missed()
	fill("8", 2) // the latest is not known
	l.Missed()
	fill("", 3) // the latest is not given
	fill("", 3)
}

func TestAFailedFetchIsRetriedAfterABackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l history.Log
		s := shelf{err: errors.New("refused")}
		called := shelf{err: context.Canceled}
		if err := l.Fill("1", "5", called.fetch); err != called.err {
			t.Error(err)
		}
		if err := l.Fill("1", "5", s.fetch); err != s.err {
			t.Error(err)
		}
		time.Sleep(5*time.Minute - time.Nanosecond)
		s.err = nil
		if err := l.Fill("1", "5", s.fetch); err != nil || s.fetched != 1 {
			t.Errorf("%v, %d fetches", err, s.fetched)
		}
		time.Sleep(time.Nanosecond)
		if err := l.Fill("1", "5", s.fetch); err != nil || s.fetched != 2 {
			t.Errorf("%v, %d fetches", err, s.fetched)
		}
	})
}
