package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// steered runs a test with a process in which talk can be steered. It has been asked "slow".
func steered(t *testing.T, test func(w *playroom, p *process)) {
	t.Helper()
	play(t, func(w *playroom) {
		w.steered = true
		p := w.start()
		live(w.t, p.talk, toy{ID: "1", Text: "slow"})
		w.saw("ask slow")
		test(w, p)
	})
}

func TestAFurtherMessageStopsTheAnswer(t *testing.T) {
	steered(t, func(w *playroom, p *process) {
		pass(time.Minute)
		live(w.t, p.talk, toy{ID: "2", Text: "a"})
		w.saw("discard", "ask slow+a", "answer re slow+a")
		p.requireLeft("")
	})
}

// TestMessagesThatStopAnAnswerTogether: while an answer is being stopped, further messages are answered with it. Those that are
// too many wait, and so do all later ones, also while the next answer is written.
func TestMessagesThatStopAnAnswerTogether(t *testing.T) {
	t.Parallel()
	stops := 0
	stop := func() bool { stops++; return true }
	w := &window[toy]{left: maxSteers}
	w.next(stop)
	for n := range maxMore + 2 {
		if got, want := w.steer(Event[toy]{}), n < maxMore; got != want {
			t.Errorf("message %d steers: %v", n+1, got)
		}
	}
	if err := w.commit(); !errors.Is(err, turn.ErrSteered) || stops != 1 {
		t.Errorf("commit returns %v after %d stops", err, stops)
	}
	if more := w.next(stop); len(more) != maxMore {
		t.Errorf("%d messages steer", len(more))
	}
	if w.steer(Event[toy]{}) || w.commit() != nil {
		t.Error("a message has overtaken one that waits")
	}
}

func TestWhatDoesNotStopAnAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		event func(w *playroom, p *process)
		then  []string
	}{
		{"another person", func(w *playroom, p *process) { live(w.t, p.talk, toy{ID: "2", By: "bob", Text: "a"}) }, []string{"answer re slow", "ask a", "answer re a"}},
		{"another source", func(w *playroom, p *process) {
			w.kept["2"] = true
			live(w.t, p.due, toy{ID: "2", Text: "a"})
		}, []string{"answer re slow", "ask a", "answer re a"}},
		{"what was missed", func(w *playroom, p *process) { p.talk.Tell(w.t.Context(), toy{ID: "2", Text: "a"}, Missed) }, []string{"answer re slow", "ask a", "answer re a"}},
		{"a bot", func(w *playroom, p *process) {
			bots := p.talk.source
			bots.Kind = "bots"
			bots.Key = func(e toy) Key {
				k := e.key()
				k.By.Bot = true
				return k
			}
			in := Open(p.Pipeline, bots)
			live(w.t, in, toy{ID: "2", Text: "slow too"})
			pass(time.Hour)
			w.saw("answer re slow", "ask slow too")
			live(w.t, in, toy{ID: "3", Text: "a"})
		}, []string{"answer re slow too", "ask a", "answer re a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			steered(t, func(w *playroom, p *process) {
				tt.event(w, p)
				w.saw()
				pass(time.Hour)
				w.saw(tt.then...)
				p.requireLeft("")
			})
		})
	}
}

// TestAResumedTurnIsNotSteered, since what it has done before is not known.
func TestAResumedTurnIsNotSteered(t *testing.T) {
	steered(t, func(w *playroom, p *process) {
		p = restarted(w, p)
		w.saw("ask slow")
		live(w.t, p.talk, toy{ID: "2", Text: "a"})
		w.saw()
		pass(time.Hour)
		w.saw("answer re slow", "ask a", "answer re a")
	})
}

// TestAMessageNeverOvertakesOneThatWaits: the second message finds that its author has had all turns, and the third one would not.
func TestAMessageNeverOvertakesOneThatWaits(t *testing.T) {
	play(t, func(w *playroom) {
		w.steered = true
		p := w.start()
		p.o.UserTurns = 2
		live(w.t, p.talk, toy{ID: "0", Text: "hello"})
		pass(9 * time.Minute)
		live(w.t, p.talk, toy{ID: "1", Text: "slow"}, toy{ID: "2", Text: "a"})
		w.saw("ask hello", "answer re hello", "ask slow")
		pass(2 * time.Minute)
		live(w.t, p.talk, toy{ID: "3", Text: "b"})
		w.saw()
		pass(time.Hour)
		w.saw("answer re slow", "ask a+b", "answer re a+b")
	})
}

// TestStoppingAndSteering: what was stopped stays so, whatever its author writes then; and a stop reaches what was steered before.
const stoppedTurn = "answer *(Stopped by <@ada>.)*"

func TestStoppingAndSteering(t *testing.T) {
	t.Parallel()
	stop := func(p *process) { p.convo.CancelAll(&turn.Stopped{By: "ada"}) }
	t.Run("stopped first", func(t *testing.T) {
		steered(t, func(w *playroom, p *process) {
			e, _ := p.talk.accept(w.t.Context(), toy{ID: "2", Text: "a"}, Live)
			stop(p)
			p.talk.enqueue(w.t.Context(), e)
			w.saw(stoppedTurn, "ask a", "answer re a")
			p.requireLeft("")
		})
	})
	t.Run("steered first", func(t *testing.T) {
		steered(t, func(w *playroom, p *process) {
			e, _ := p.talk.accept(w.t.Context(), toy{ID: "2", Text: "a"}, Live)
			p.talk.enqueue(w.t.Context(), e)
			stop(p)
			p.requireLeft("")
			w.requireNoAnswer()
		})
	})
}

// TestAShutdownWhileSteering leaves both for the next process, which answers them together.
func TestAShutdownWhileSteering(t *testing.T) {
	steered(t, func(w *playroom, p *process) {
		e, _ := p.talk.accept(w.t.Context(), toy{ID: "2", Text: "a"}, Live)
		p.talk.enqueue(w.t.Context(), e)
		p.quit()
		w.requireNoAnswer()
		w.start()
		w.saw("ask slow+a", "answer re slow+a")
	})
}

// TestEventsThatCannotBeJoined are resumed later, each with its turn.
func TestEventsThatCannotBeJoined(t *testing.T) {
	steered(t, func(w *playroom, p *process) {
		w.breaks("settle", errors.New("the disk does not work"))
		live(w.t, p.talk, toy{ID: "2", Text: "a"})
		w.saw("discard")
		w.breaks("settle", nil)
		p.requireLeft("1 talk received 0, 2 talk received 0")
		pass(RetryDelay)
		w.saw("ask slow")
		pass(time.Hour)
		w.saw("answer re slow", "ask a", "answer re a")
		p.requireLeft("")
	})
}

// TestSteeringDoesNotCountAsAnAttempt: an event is dropped after three of them.
func TestSteeringDoesNotCountAsAnAttempt(t *testing.T) {
	steered(t, func(w *playroom, p *process) {
		live(w.t, p.talk, toy{ID: "2", Text: "slow a"}, toy{ID: "3", Text: "slow b"}, toy{ID: "4", Text: "slow c"})
		w.saw("discard", "ask slow+slow a", "discard", "ask slow+slow a+slow b", "discard", "ask slow+slow a+slow b+slow c")
		p.requireLeft("1 talk running 1, 2 talk running 1, 3 talk running 1, 4 talk running 1")
	})
}

// TestAPanicLosesNoFurtherMessage that has come meanwhile.
func TestAPanicLosesNoFurtherMessage(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		source := p.talk.source
		source.Kind, source.Steered = "odd", true
		source.Turn = func(ctx context.Context, r Run[toy]) (chat.Message, turn.Turn, error) {
			if r.Last().Body.ID == "1" {
				time.Sleep(time.Minute)
				panic("a toy that is broken")
			}
			return p.turn(ctx, r)
		}
		in := Open(p.Pipeline, source)
		live(w.t, in, toy{ID: "1", Text: "x"}, toy{ID: "2", Text: "a"})
		w.saw()
		pass(time.Minute)
		w.saw("report ⚠️ There is a fault inside the bot, which ended a turn in <#2>; its log has the details.", "ask a", "answer re a")
		p.requireLeft("")
	})
}

// TestAMessageAtTheVeryEndOfAnAnswer either stops it or waits: nothing is lost, and nothing is told twice.
func TestAMessageAtTheVeryEndOfAnAnswer(t *testing.T) {
	ways := map[string]int{}
	for range 30 {
		steered(t, func(w *playroom, p *process) {
			e, _ := p.talk.accept(w.t.Context(), toy{ID: "2", Text: "a"}, Live)
			time.Sleep(time.Hour)
			p.talk.enqueue(w.t.Context(), e)
			synctest.Wait()
			p.requireLeft("")
			w.mu.Lock()
			defer w.mu.Unlock()
			way := strings.Join(w.diary, ", ")
			ways[way]++
			if way != "discard, ask slow+a, answer re slow+a" && way != "answer re slow, ask a, answer re a" {
				w.t.Error(way)
			}
		})
	}
	t.Log(ways)
}

// TestMessagesAtAnyMomentAreAnsweredOnce: two people write at random moments, and the process is killed at random moments. What is
// asked has an effect only with its answer.
func TestMessagesAtAnyMomentAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	for range 12 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			play(t, func(w *playroom) {
				w.steered = true
				r, p := rand.New(rand.NewPCG(seed, 0)), w.start()
				for n := range 30 {
					e := toy{ID: fmt.Sprint(1000 + n), By: []string{"ada", "ada", "bob"}[r.IntN(3)], Text: []string{"slow", "fast"}[r.IntN(2)] + fmt.Sprint(1000+n)}
					p.talk.Tell(w.t.Context(), e, Live)
					if r.IntN(3) == 0 {
						synctest.Wait()
					}
					switch r.IntN(8) {
					case 0:
						p = restarted(w, p)
						pass(2 * time.Hour) // more kills would have it given up
					case 1:
						time.Sleep(time.Hour)
					case 2, 3, 4:
						time.Sleep(time.Duration(r.IntN(60)) * time.Minute)
					}
				}
				pass(100 * time.Hour)
				p.requireLeft("")
				w.requireAnsweredOnce(1000, 30)
			})
		})
	}
}

// requireAnsweredOnce requires one answer to each of some events, alone or with others.
func (w *playroom) requireAnsweredOnce(first, count int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := first; n < first+count; n++ {
		answers := slices.DeleteFunc(slices.Clone(w.diary), func(line string) bool {
			return !strings.HasPrefix(line, "answer re ") || !strings.Contains(line, fmt.Sprint(n))
		})
		if len(answers) != 1 {
			w.t.Errorf("%d has the answers %q\n%s", n, answers, strings.Join(w.diary, "\n"))
		}
	}
}

// requireNoAnswer requires that the model's answers have not been told, and forgets the diary.
func (w *playroom) requireNoAnswer() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.diary, func(line string) bool { return strings.HasPrefix(line, "answer re ") }) {
		w.t.Errorf("it was answered: %q", w.diary)
	}
	w.diary = nil
}
