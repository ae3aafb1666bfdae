package status_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
)

// letters records the direct messages of a test, over several processes.
type letters struct {
	t     *testing.T
	db    *store.DB
	began time.Time

	mu    sync.Mutex
	sent  []string              // to whom, with the time since the start and the first line
	texts []string              // whole
	fails map[chat.UserID]error // of sending
	log   bytes.Buffer
}

// inOffice runs f in a bubble with a database.
func inOffice(t *testing.T, f func(l *letters)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		f(&letters{t: t, db: db, began: time.Now(), fails: map[chat.UserID]error{}})
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// board returns the board of a new process, which is not online. The operators are 1 and 2; the channel of each has
// their ID.
func (l *letters) board() *status.Board {
	return status.New(status.Options{
		Send: l.send, Hide: strings.TrimSpace, Log: slog.New(slog.NewTextHandler(&l.log, nil)),
		Direct: &status.Direct{
			Operators: func(context.Context) []chat.UserID { return []chat.UserID{"1", "2"} },
			Open: func(_ context.Context, u chat.UserID) (chat.Place, error) {
				return chat.Place{Channel: chat.ChannelID(u)}, nil
			},
			Told: store.NewCell(l.db, "reports to operators", map[status.Kind]status.Told{}),
		},
	})
}

func (l *letters) send(_ context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, _, _ := strings.Cut(m.Text, "\n")
	l.sent, l.texts = append(l.sent, fmt.Sprintf("%s %v %s", ch, time.Since(l.began), first)), append(l.texts, m.Text)
	return "8", l.fails[chat.UserID(ch)]
}

// require requires the direct messages so far.
func (l *letters) require(want ...string) {
	l.t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if diff := cmp.Diff(want, l.sent); diff != "" {
		l.t.Errorf("direct messages (-want +got):\n%s", diff)
	}
}

// logged requires how often a text is in the log.
func (l *letters) logged(want int, text string) {
	l.t.Helper()
	if n := strings.Count(l.log.String(), text); n != want {
		l.t.Errorf("%q is %d times in the log, want %d:\n%s", text, n, want, l.log.String())
	}
}

func (l *letters) close(b *status.Board) {
	l.t.Helper()
	if err := b.Close(l.t.Context()); err != nil {
		l.t.Error(err)
	}
}

func TestOperatorsGetOneDirectMessageAnHourOfEachKind(t *testing.T) {
	inOffice(t, func(l *letters) {
		b := l.board()
		b.Online()
		report := func(k status.Kind, what string) {
			b.Report(l.t.Context(), k, what)
			synctest.Wait()
		}
		report(status.News, "online")
		report(status.Replies, "one")
		report(status.Replies, "one")
		report(status.Storage, "full")
		time.Sleep(30 * time.Minute)
		l.close(b)
		b = l.board() // the next process
		b.Online()
		report(status.Replies, "one")
		time.Sleep(30 * time.Minute)
		report(status.Replies, "an hour later")
		l.close(b)
		l.require("1 0s one", "2 0s one", "1 0s full", "2 0s full", "1 1h0m0s an hour later", "2 1h0m0s an hour later")
		if last := l.texts[len(l.texts)-1]; !strings.Contains(last, "the log has 1 more report.") || !strings.Contains(last, "DISCOCLAW_OPERATOR_DMS=0") {
			t.Errorf("the message is %q", last)
		}
		l.logged(6, "msg=status")
	})
}

// TestOtherReportsWithinTheHourAreSentWhenItIsOver, once and together, also after a restart.
func TestOtherReportsWithinTheHourAreSentWhenItIsOver(t *testing.T) {
	inOffice(t, func(l *letters) {
		b := l.board()
		b.Online()
		for _, what := range []string{"x", "y", "x", "y"} {
			b.Report(l.t.Context(), status.Runs, what)
			synctest.Wait()
		}
		time.Sleep(30 * time.Minute)
		l.close(b)
		b = l.board()
		b.Online()
		b.Report(l.t.Context(), status.Runs, "z")
		time.Sleep(90 * time.Minute)
		b.Report(l.t.Context(), status.Runs, "later")
		time.Sleep(time.Hour)
		l.require("1 0s x", "2 0s x", "1 1h0m0s y", "2 1h0m0s y", "1 2h0m0s later", "2 2h0m0s later")
		b.Report(l.t.Context(), status.Runs, "again")
		synctest.Wait()
		b.Report(l.t.Context(), status.Runs, "and again")
		time.Sleep(2 * time.Hour)
		l.close(b)
		if n := len(l.texts); n != 10 || !strings.HasPrefix(l.texts[3], "y\nz\n-# ") || !strings.HasPrefix(l.texts[9], "and again\n-# ") {
			t.Errorf("the messages are %q", l.texts)
		}
	})
}

// TestReportsBeforeTheLoginAreSentAfterIt, or dropped if there is none.
func TestReportsBeforeTheLoginAreSentAfterIt(t *testing.T) {
	inOffice(t, func(l *letters) {
		b := l.board()
		b.Report(l.t.Context(), status.Storage, "full")
		l.require()
		b.Online()
		l.require("1 0s full", "2 0s full")
		l.close(b)
		b = l.board()
		b.Report(l.t.Context(), status.Faults, "broken")
		l.close(b)
		l.require("1 0s full", "2 0s full")
	})
}

// TestAnOperatorWhoTakesNoDirectMessagesIsTriedOnce by a process. Others are tried again.
func TestAnOperatorWhoTakesNoDirectMessagesIsTriedOnce(t *testing.T) {
	inOffice(t, func(l *letters) {
		l.fails["1"], l.fails["2"] = refusal{}, errors.New("no answer")
		b := l.board()
		b.Online()
		for range 3 {
			b.Report(l.t.Context(), status.Replies, "failed")
			time.Sleep(time.Hour)
		}
		l.close(b)
		l.require("1 0s failed", "2 0s failed", "2 1h0m0s failed", "2 2h0m0s failed")
		l.logged(1, "which is not tried again before the next start")
	})
}

// TestTheHourIsKeptOnAFullDisk, where it cannot be written.
func TestTheHourIsKeptOnAFullDisk(t *testing.T) {
	inOffice(t, func(l *letters) {
		if _, err := l.db.ExecContext(l.t.Context(), "CREATE TRIGGER refusing BEFORE INSERT ON cells BEGIN SELECT RAISE(FAIL, 'there is no room'); END"); err != nil {
			t.Fatal(err)
		}
		b := l.board()
		b.Online()
		for range 3 {
			b.Report(l.t.Context(), status.Storage, "full")
			synctest.Wait()
		}
		l.close(b)
		l.require("1 0s full", "2 0s full")
	})
}

// TestLongReportsFitIntoADirectMessage, with what is below them.
func TestLongReportsFitIntoADirectMessage(t *testing.T) {
	inOffice(t, func(l *letters) {
		b := l.board()
		b.Online()
		b.Report(l.t.Context(), status.Replies, strings.Repeat(strings.Repeat("😀", 200)+"\n", 20))
		synctest.Wait()
		l.close(b)
		if n := chat.Length(l.texts[0]); n > 2000 {
			t.Errorf("%d characters", n)
		}
	})
}
