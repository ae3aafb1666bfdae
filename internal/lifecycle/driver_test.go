package lifecycle_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/lifecycle"
)

// A discord has reactions. Each request takes as long as it says.
type discord struct {
	takes time.Duration

	mu       sync.Mutex
	on       map[chat.MessageID][]chat.Emoji
	requests []string
	fails    []error // of the next requests
}

func (d *discord) React(ctx context.Context, _ chat.ChannelID, m chat.MessageID, e chat.Emoji) error {
	return d.request(ctx, "+"+string(e), func() { d.on[m] = append(d.on[m], e) })
}

func (d *discord) Unreact(ctx context.Context, _ chat.ChannelID, m chat.MessageID, e chat.Emoji) error {
	return d.request(ctx, "-"+string(e), func() { d.on[m] = slices.DeleteFunc(d.on[m], e.Same) })
}

func (d *discord) request(ctx context.Context, what string, do func()) error {
	select {
	case <-time.After(d.takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, what)
	if len(d.fails) > 0 {
		err := d.fails[0]
		d.fails = d.fails[1:]
		if err != nil {
			return err
		}
	}
	do()
	return nil
}

func (d *discord) require(t *testing.T, requests string, shown ...chat.Emoji) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if got := strings.Join(d.requests, " "); got != requests {
		t.Errorf("requests: %s, want %s", got, requests)
	}
	if got := d.on["1"]; !slices.Equal(got, shown) {
		t.Errorf("the message has %s, want %s", got, shown)
	}
}

// A refusal is an error of Discord's.
type refusal struct{ permanent, gone bool }

func (refusal) Error() string     { return "refused" }
func (r refusal) Permanent() bool { return r.permanent }
func (r refusal) Gone() bool      { return r.gone }

var here = chat.Place{Guild: "9", Channel: "5", Message: "1"}

// drive runs a test with a driver and a Discord that takes a second for each request.
func drive(t *testing.T, m lifecycle.Mode, test func(t *testing.T, d *lifecycle.Driver, of *discord, log *bytes.Buffer)) {
	synctest.Test(t, func(t *testing.T) {
		emojis, problems := lifecycle.ParseEmojis(settings())
		if problems != nil {
			t.Fatal(problems)
		}
		var log bytes.Buffer
		of := &discord{takes: time.Second, on: map[chat.MessageID][]chat.Emoji{}}
		d := lifecycle.New(of, m, emojis, slog.New(slog.NewTextHandler(&log, nil)))
		test(t, d, of, &log)
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// pass lets requests end.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestFullShowsEveryPhase(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Full, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Received(here, false)
		pass(5 * time.Second)
		d.Begins(here)
		pass(5 * time.Second)
		d.Ends(here, lifecycle.Complete)
		pass(5 * time.Second)
		of.require(t, "+👀 +🤔 -👀 +🏆 -🤔", "🏆")
		d.Ends(here, lifecycle.Nothing)
	})
}

// TestAPlainTurnCostsNothingInQuiet: it shows only what the channel does not.
func TestAPlainTurnCostsNothingInQuiet(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Received(here, false)
		d.Begins(here)
		d.Ends(here, lifecycle.Complete)
		pass(5 * time.Second)
		of.require(t, "")
	})
}

func TestQuietShowsThatAMessageWaitsAndHowItFailed(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Received(here, true)
		pass(5 * time.Second)
		of.require(t, "+👀", "👀")
		d.Begins(here)
		pass(5 * time.Second)
		of.require(t, "+👀 -👀")
		d.Ends(here, lifecycle.Error)
		pass(5 * time.Second)
		of.require(t, "+👀 -👀 +😱", "😱")
	})
}

// TestAShortWaitIsNotShown: it is not worth two requests.
func TestAShortWaitIsNotShown(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Received(here, true)
		pass(900 * time.Millisecond)
		d.Begins(here)
		pass(5 * time.Second)
		of.require(t, "")
	})
}

func TestOffShowsNothing(t *testing.T) {
	t.Parallel()
	d := lifecycle.New(nil, lifecycle.Off, lifecycle.Emojis{}, nil)
	d.Received(here, true)
	d.Resumed(here)
	d.Begins(here)
	d.Ends(here, lifecycle.Error)
	d.Forget(here)
	if err := d.Close(t.Context()); err != nil || d != nil {
		t.Errorf("%v, %v", d, err)
	}
}

// TestTheLatestPhaseWins: while a request is under way, phases may be skipped, but never the last.
func TestTheLatestPhaseWins(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Full, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Received(here, false)
		pass(time.Millisecond)
		d.Begins(here)
		d.Ends(here, lifecycle.Success)
		pass(10 * time.Second)
		of.require(t, "+👀 +👍 -👀", "👍")
	})
}

// TestPhasesOnlyMoveForward, and a message that is over stays as it is.
func TestPhasesOnlyMoveForward(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Full, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Begins(here)
		d.Received(here, true)
		pass(5 * time.Second)
		of.require(t, "+🤔", "🤔")
		d.Ends(here, lifecycle.Error)
		d.Begins(here)
		d.Ends(here, lifecycle.Complete)
		pass(10 * time.Second)
		of.require(t, "+🤔 +😱 -🤔", "😱")
	})
}

func TestAnEndWithNothingToShowRemovesWhatIsThere(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Full, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Begins(here)
		pass(5 * time.Second)
		d.Ends(here, lifecycle.Nothing)
		pass(5 * time.Second)
		of.require(t, "+🤔 -🤔")
	})
}

// TestReactionsOfAnEarlierProcessAreRemoved, whichever it has left.
func TestReactionsOfAnEarlierProcessAreRemoved(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		of.on["1"] = []chat.Emoji{"👀"}
		d.Resumed(here)
		d.Begins(here)
		pass(5 * time.Second)
		of.require(t, "-👀")
	})
	drive(t, lifecycle.Full, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		of.on["1"] = []chat.Emoji{"🤔"}
		d.Resumed(here)
		d.Ends(here, lifecycle.Complete)
		pass(5 * time.Second)
		of.require(t, "+🏆 -👀 -🤔", "🏆")
	})
}

// TestAChannelThatRefusesIsLeftAlone for ten minutes, with one warning.
func TestAChannelThatRefusesIsLeftAlone(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Full, func(t *testing.T, d *lifecycle.Driver, of *discord, log *bytes.Buffer) {
		of.fails = []error{refusal{permanent: true}}
		d.Received(here, false)
		pass(5 * time.Second)
		d.Begins(here)
		d.Received(chat.Place{Channel: "5", Message: "2"}, false)
		pass(9 * time.Minute)
		of.require(t, "+👀")
		d.Received(chat.Place{Channel: "6", Message: "3"}, false)
		pass(2 * time.Minute)
		d.Ends(here, lifecycle.Complete)
		pass(5 * time.Second)
		of.require(t, "+👀 +👀 +🏆", "🏆")
		if n := strings.Count(log.String(), "WARN"); n != 1 {
			t.Errorf("%d warnings: %s", n, log)
		}
	})
}

func TestADeletedMessageIsNoTrouble(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Full, func(t *testing.T, d *lifecycle.Driver, of *discord, log *bytes.Buffer) {
		of.fails = []error{refusal{permanent: true, gone: true}}
		d.Received(here, false)
		pass(5 * time.Second)
		d.Received(chat.Place{Channel: "5", Message: "2"}, false)
		pass(5 * time.Second)
		of.require(t, "+👀 +👀")
		if log.Len() > 0 {
			t.Errorf("log: %s", log)
		}
	})
}

// TestAnOutagePasses: the last phase is shown when Discord works again.
func TestAnOutagePasses(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		of.fails = []error{errors.New("no answer"), errors.New("no answer")}
		d.Ends(here, lifecycle.Error)
		pass(3 * time.Minute)
		of.require(t, "+😱 +😱 +😱", "😱")
	})
}

// TestAnEndlessOutageEnds: a phase is tried five times.
func TestAnEndlessOutageEnds(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		of.fails = slices.Repeat([]error{errors.New("no answer")}, 10)
		d.Ends(here, lifecycle.Error)
		pass(time.Hour)
		of.require(t, "+😱 +😱 +😱 +😱 +😱")
	})
}

// TestManyMessagesTakeLimitedMemory: beyond a thousand that wait, nothing is shown.
func TestManyMessagesTakeLimitedMemory(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		for i := range 3000 {
			d.Received(chat.Place{Channel: "5", Message: chat.MessageID(strconv.Itoa(i))}, true)
		}
		pass(5 * time.Second)
		if n := len(of.on); n != 1000 {
			t.Errorf("%d messages have a reaction", n)
		}
		for i := range 3000 {
			d.Ends(chat.Place{Channel: "5", Message: chat.MessageID(strconv.Itoa(i))}, lifecycle.Complete)
		}
		pass(5 * time.Second)
		d.Received(chat.Place{Channel: "5", Message: "later"}, true)
		pass(5 * time.Second)
		if got := of.on["later"]; len(got) != 1 {
			t.Errorf("what came later has %s", got)
		}
	})
}

// TestForgettingADeletedMessageCostsNothing.
func TestForgettingADeletedMessageCostsNothing(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		d.Received(here, true)
		pass(5 * time.Second)
		d.Forget(here)
		pass(5 * time.Second)
		of.require(t, "+👀", "👀")
	})
}

// TestCloseDoesNotWaitForEver: a request without an answer is given up.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	drive(t, lifecycle.Quiet, func(t *testing.T, d *lifecycle.Driver, of *discord, _ *bytes.Buffer) {
		of.takes = time.Hour
		d.Ends(here, lifecycle.Error)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		if err := d.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2*time.Second {
			t.Errorf("Close = %v after %v", err, time.Since(began))
		}
		d.Ends(chat.Place{Channel: "5", Message: "2"}, lifecycle.Error) // does nothing any more
	})
}
