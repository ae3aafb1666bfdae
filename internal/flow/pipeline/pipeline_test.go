package pipeline

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
)

// live tells a source of live events.
func live(t *testing.T, in *Entry[toy], events ...toy) {
	for _, e := range events {
		in.Tell(t.Context(), e, Live)
		synctest.Wait()
	}
}

// pass lets time pass.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestQueuedNeighboursShareATurn(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		live(w.t, p.talk, toy{ID: "1", Text: "slow"}, toy{ID: "2", Text: "a"}, toy{ID: "3", Text: "b"}, toy{ID: "4", By: "bob", Text: "c"}, toy{ID: "5", Text: "d"})
		note := p.talk.source
		note.Kind = "note"
		live(w.t, Open(p.Pipeline, note), toy{ID: "6", Text: "e"}) // of the same person, but of another source
		w.saw("ask slow")
		pass(time.Hour)
		w.saw("answer re slow", "ask a+b", "answer re a+b", "ask c", "answer re c", "ask d", "answer re d", "ask e", "answer re e")
		p.requireLeft("")
	})
}

func TestAtOnceWorkDoesNotWaitForTheQueue(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		live(w.t, p.talk, toy{ID: "1", Text: "slow"})
		live(w.t, p.order, toy{ID: "2", Text: "x"}, toy{ID: "3", Text: "not started"})
		w.saw("ask slow", "do x", "reply did x")
		p.requireLeft("1 talk running 1")
	})
}

func TestTheFirstGuardThatObjectsDecides(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		live(w.t, p.talk, toy{ID: "1", Text: "dull and rude"}, toy{ID: "2", Text: "dull"})
		w.saw("ignored 1 rude", "ignored 2 dull")
		live(w.t, p.talk, toy{ID: "1", Text: "kind"}) // no duplicate: ignored events are not stored
		w.saw("ask kind", "answer re kind")
	})
}

func TestADuplicateIsNotAccepted(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second toy
		between       func(*playroom, *process) *process
		fresh         bool
	}{
		{"with the same ID", toy{ID: "1"}, toy{ID: "1"}, nil, false},
		{"with the same ID, after a restart", toy{ID: "1"}, toy{ID: "1"}, restarted, false},
		{"with the same key while the first is unfinished", toy{ID: "1", Text: "slow", Act: "k"}, toy{ID: "2", Act: "k", Repeat: true}, nil, false},
		{"with the same key after it", toy{ID: "1", Act: "k"}, toy{ID: "2", Act: "k"}, nil, true},
		{"replayed after a restart", toy{ID: "1", Act: "k"}, toy{ID: "2", Act: "k"}, restarted, false},
		{"that is certainly no replay", toy{ID: "1", Act: "k"}, toy{ID: "2", Act: "k", Repeat: true}, restarted, true},
		{"too late for a replay", toy{ID: "1", Act: "k"}, toy{ID: "2", Act: "k"}, func(w *playroom, p *process) *process {
			p = restarted(w, p)
			pass(inbox.ReplayTime)
			return p
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *playroom) {
				p := w.start()
				live(w.t, p.talk, tt.first)
				if tt.between != nil {
					p = tt.between(w, p)
				}
				if _, fresh := p.talk.accept(w.t.Context(), tt.second, Live); fresh != tt.fresh {
					t.Errorf("%+v after %+v: fresh is %v", tt.second, tt.first, fresh)
				}
			})
		})
	}
}

func talks(p *process) *Entry[toy]  { return p.talk }
func orders(p *process) *Entry[toy] { return p.order }

func restarted(w *playroom, p *process) *process {
	p.crash()
	return w.start()
}

func TestAnEventThatIsSettledWhenAcceptedHasNoTurn(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		live(w.t, p.talk, toy{ID: "1", Text: "ticket"}, toy{ID: "2", Text: "ticket"})
		w.saw("ask ticket", "answer re ticket")
		p.requireLeft("")
	})
}

func TestAClaimedEventIsAcceptedWhenItsTurnBegins(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		w.kept["2"], w.kept["4"] = true, true
		live(w.t, p.talk, toy{ID: "1", Text: "slow"})
		live(w.t, p.due, toy{ID: "2", Text: "slow due"}, toy{ID: "3", Text: "somebody else's"}, toy{ID: "4", Text: "last"})
		p.requireLeft("1 talk running 1")
		pass(time.Hour)
		w.saw("ask slow", "answer re slow", "ask slow due")
		p.requireLeft("2 due running 1")
		p = restarted(w, p) // 2 is not claimed again; 4 was not claimed yet, and is told again
		live(w.t, p.due, toy{ID: "4", Text: "last"})
		pass(time.Hour)
		w.saw("ask slow due", "answer re slow due", "ask last", "answer re last")
	})
}

func TestAQueuedEventCanBeReplaced(t *testing.T) {
	for _, tt := range []struct {
		name  string
		with  func(*process) *Entry[toy]
		event toy
		now   []string // seen at once
		later []string // seen when the turn before it is over
	}{
		{"by its own source", talks, toy{ID: "2", Text: "new"}, nil, []string{"ask new", "answer re new"}},
		{"by one that runs at once", orders, toy{ID: "2", Text: "new"}, []string{"do new", "reply did new"}, nil},
		{"but not by what a guard objects to", talks, toy{ID: "2", Text: "rude"}, nil, []string{"ask old", "answer re old"}},
		{"but not once it runs", talks, toy{ID: "1", Text: "new"}, nil, []string{"ask old", "answer re old"}},
	} {
		for name, crash := range map[string]bool{tt.name: false, tt.name + ", before a crash": true} {
			t.Run(name, func(t *testing.T) {
				play(t, func(w *playroom) {
					p := w.start()
					live(w.t, p.talk, toy{ID: "1", Text: "slow"}, toy{ID: "2", Text: "old"})
					w.saw("ask slow")
					tt.with(p).Replace(w.t.Context(), tt.event)
					w.saw(tt.now...)
					if crash {
						p = restarted(w, p)
						w.saw("ask slow")
					}
					pass(time.Hour)
					w.saw(append([]string{"answer re slow"}, tt.later...)...)
					p.requireLeft("")
				})
			})
		}
	}
}

// TestAnEventThatHadBegunIsNotReplaced: its turn may have had effects already, and may be shared with other events.
func TestAnEventThatHadBegunIsNotReplaced(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		live(w.t, p.talk, toy{ID: "1", Text: "slow"}, toy{ID: "2", Text: "slow a"}, toy{ID: "3", Text: "b"})
		pass(time.Hour)
		w.breaks("answer", passing{})
		pass(time.Hour)
		w.saw("ask slow", "answer re slow", "ask slow a+b") // whose answer cannot be delivered now
		w.breaks("answer", nil)
		live(w.t, p.talk, toy{ID: "4", By: "bob", Text: "slow, too"})
		pass(RetryDelay)
		if p.talk.Replace(w.t.Context(), toy{ID: "2", Text: "new"}) {
			t.Error("it was replaced while it waited again")
		}
		pass(time.Hour)
		w.saw("ask slow, too", "answer re slow, too", "answer re slow a+b")
		p.requireLeft("")
	})
}

func TestAnEventThatCannotBeWrittenIsRefused(t *testing.T) {
	const report = "report ⚠️ I cannot write down what people ask, so nothing new is started; the log has the details. What they write is answered when that works again."
	for _, tt := range []struct {
		name string
		room func(*playroom, *process)
		saw  []string
	}{
		{"and somebody finds out that there is room", func(*playroom, *process) { pass(time.Hour) }, []string{"recovered"}},
		{"and the next event does", func(w *playroom, p *process) {
			live(w.t, p.talk, toy{ID: "3", Text: "c"})
			pass(time.Hour)
		}, []string{"recovered", "ask c", "answer re c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *playroom) {
				p := w.start()
				w.disk.Become(fulldisk.Spent, 0)
				live(w.t, p.talk, toy{ID: "1", Text: "a"})
				live(w.t, p.order, toy{ID: "2", Text: "b"})
				pass(time.Hour)
				w.saw(report, "refused 1", "refused 2")
				w.disk.Become(fulldisk.Roomy, 0)
				tt.room(w, p)
				w.saw(tt.saw...)
				live(w.t, p.talk, toy{ID: "1", Text: "a"}) // no duplicate, since it was not stored
				w.saw("ask a", "answer re a")
			})
		})
	}
}

// TestEventsAreRefusedWhileTheDiskHangs: a write that never ends holds up the others only until they time out.
func TestEventsAreRefusedWhileTheDiskHangs(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		stuck := make(chan struct{})
		go func() { _ = p.db.Tx(w.t.Context(), func(*store.Tx) error { <-stuck; return nil }) }()
		synctest.Wait()
		live(w.t, p.talk, toy{ID: "1", Text: "a"})
		pass(2 * writeTimeout)
		close(stuck)
		synctest.Wait()
		w.saw("report ⚠️ I cannot write down what people ask, so nothing new is started; the log has the details. What they write is answered when that works again.", "refused 1", "because of accept talk 1: context deadline exceeded")
		live(w.t, p.talk, toy{ID: "1", Text: "a"}) // no duplicate, since it was not stored
		w.saw("recovered", "ask a", "answer re a")
	})
}

// TestACrashNeitherLosesNorRepeatsAnything: the next process does what the crashed one had left to do.
func TestACrashNeitherLosesNorRepeatsAnything(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(*playroom, *process)
		after  []string
	}{
		{"what waits joins again, but not what had begun", func(w *playroom, p *process) {
			live(w.t, p.talk, toy{ID: "1", Text: "slow"}, toy{ID: "2", Text: "slow b"}, toy{ID: "3", Text: "c"})
			pass(time.Hour)
			live(w.t, p.talk, toy{ID: "4", Text: "d"}, toy{ID: "5", Text: "e"})
			w.saw("ask slow", "answer re slow", "ask slow b+c")
		}, []string{"ask slow b+c", "answer re slow b+c", "ask d+e", "answer re d+e"}},
		{"an answer that is known is given without asking", func(w *playroom, p *process) {
			w.breaks("answer", passing{})
			live(w.t, p.talk, toy{ID: "1", Text: "a"})
			w.saw("ask a")
		}, []string{"answer re a"}},
		{"a command's answer is delivered, and it does not run again", func(w *playroom, p *process) {
			w.breaks("reply", passing{})
			live(w.t, p.order, toy{ID: "1", Text: "a"})
			w.saw("do a")
		}, []string{"reply did a"}},
		{"an answer that was given is not given again", func(w *playroom, p *process) {
			w.shown = func() { w.disk.Become(fulldisk.Spent, 0) } // so that it cannot be settled
			live(w.t, p.talk, toy{ID: "1", Text: "a"})
			w.saw("ask a", "answer re a")
		}, nil},
		{"nobody is served who is not on the list any more", func(w *playroom, p *process) {
			live(w.t, p.talk, toy{ID: "1", By: "eve", Text: "slow"})
			w.saw("ask slow")
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *playroom) {
				p := w.start()
				tt.before(w, p)
				p.crash()
				w.broken, w.shown = map[string]error{}, nil
				w.disk.Become(fulldisk.Roomy, 0)
				p = w.start()
				pass(2 * time.Hour)
				w.saw(tt.after...)
				p.requireLeft("")
			})
		})
	}
}

func TestATurnThatCrashesTheProcessEachTimeIsDropped(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		w.kept["1"] = true
		live(w.t, p.due, toy{ID: "1", Text: "slow"})
		for range MaxAttempts - 1 {
			p = restarted(w, p)
		}
		w.saw("ask slow", "ask slow", "ask slow")
		w.breaks("told", passing{})
		p = restarted(w, p)
		w.saw("report dropped slow")
		p.requireLeft("1 due running 3") // until people can be told
		w.breaks("told", nil)
		pass(RetryDelay)
		w.saw("told slow dropped: " + string(TooManyAttempts))
		restarted(w, p).requireLeft("")
		w.saw()
	})
}

func TestExpiredEventsAreDropped(t *testing.T) {
	reasons := func(e Event[toy], answered bool) Reason {
		switch {
		case answered:
			return ""
		case e.Begun:
			return Interrupted
		case e.Arrival == Missed:
			return "too old"
		}
		return ""
	}
	for _, tt := range []struct {
		name string
		tell func(*playroom, *process)
		saw  []string
	}{
		{"missed", func(w *playroom, p *process) { p.talk.Tell(w.t.Context(), toy{ID: "1", Text: "a"}, Missed) },
			[]string{"report dropped a", "reply a dropped: too old"}},
		{"begun", func(w *playroom, p *process) {
			live(w.t, p.order, toy{ID: "1", Text: "slow"})
			restarted(w, p)
		}, []string{"do slow", "report dropped slow", "reply slow dropped: " + string(Interrupted)}},
		{"answered", func(w *playroom, p *process) {
			w.breaks("reply", passing{})
			live(w.t, p.order, toy{ID: "1", Text: "a"})
			w.breaks("reply", nil)
			restarted(w, p)
		}, []string{"do a", "reply did a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *playroom) {
				w.expired = reasons
				p := w.start()
				tt.tell(w, p)
				w.saw(tt.saw...)
				restarted(w, p).requireLeft("")
				w.saw()
			})
		})
	}
}

// TestDeliveryIsRetried until it succeeds, without counting as an attempt. A permanent error ends the turn.
func TestDeliveryIsRetried(t *testing.T) {
	for _, tt := range []struct {
		name, what string
		err        error
		first, now []string
		left       string
	}{
		{"where no answer can be opened", "open", passing{}, nil, []string{"ask a", "answer re a"}, "1 talk received 0"},
		{"where the answer is known", "answer", passing{}, []string{"ask a"}, []string{"answer re a"}, "1 talk received 0"},
		{"unless it fails for good", "answer", errors.New("forbidden"), []string{"ask a"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *playroom) {
				p := w.start()
				w.breaks(tt.what, tt.err)
				live(w.t, p.talk, toy{ID: "1", Text: "a"})
				pass(10 * RetryDelay)
				w.saw(tt.first...)
				p.requireLeft(tt.left)
				w.breaks(tt.what, nil)
				pass(RetryDelay)
				w.saw(tt.now...)
				p.requireLeft("")
			})
		})
	}
}

func TestCancelledEventsDoNotBegin(t *testing.T) {
	for _, tt := range []struct {
		name    string
		resumed bool
		saw     []string
	}{
		{"in the process that accepted it", false, []string{"answer *(Stopped.)*"}},
		{"in the one that resumes it", true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *playroom) {
				p := w.start()
				live(w.t, p.talk, toy{ID: "1", Text: "slow"}, toy{ID: "2", Text: "a"})
				w.saw("ask slow")
				if tt.resumed {
					p = restarted(w, p)
					w.saw("ask slow")
				}
				if ok, err := p.o.Inbox.Cancel(w.t.Context(), "2"); !ok || err != nil {
					t.Fatal(ok, err)
				}
				pass(time.Hour)
				w.saw(append([]string{"answer re slow"}, tt.saw...)...)
			})
		})
	}
}

func TestAPanicEndsOnlyItsTurn(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		live(w.t, p.talk, toy{ID: "1", Text: "panic"}, toy{ID: "2", Text: "a"})
		w.saw("report ⚠️ There is a fault inside the bot, which ended a turn in <#2>; its log has the details.", "ask a", "answer re a")
		restarted(w, p).requireLeft("")
	})
}

// TestInterruptedTurnsAreResumedByTheNextProcess, however often: an interruption does not count as an attempt.
func TestInterruptedTurnsAreResumedByTheNextProcess(t *testing.T) {
	const interrupted = "answer *(Interrupted: the bot is going offline and will finish this when it is back.)*"
	for _, tt := range []struct {
		name   string
		source func(*process) *Entry[toy]
		left   string
		saw    []string
	}{
		{"a turn, and what waits for it", talks, "1 talk running 1, 2 talk received 0",
			[]string{"ask slow", interrupted, "ask slow", "ask slow", "ask slow", "ask slow", "answer re slow", "ask a", "answer re a"}},
		{"what runs at once", orders, "1 order running 1",
			[]string{"do slow", "do a", "reply did a", "do slow", "do slow", "do slow", "do slow", "reply did slow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *playroom) {
				p := w.start()
				live(w.t, tt.source(p), toy{ID: "1", Text: "slow"}, toy{ID: "2", Text: "a"})
				for range MaxAttempts + 1 {
					p.requireLeft(tt.left)
					p.quit()
					p = w.start()
				}
				pass(time.Hour)
				w.saw(tt.saw...)
				p.requireLeft("")
			})
		})
	}
}

// TestATurnInterruptedTwiceKeepsItsLedger: the second process ends while it opens the ledger.
func TestATurnInterruptedTwiceKeepsItsLedger(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		w.breaks("answer", passing{})
		live(w.t, p.talk, toy{ID: "1", Text: "a"})
		for _, what := range []string{"answer", "ledger"} {
			w.breaks(what, passing{})
			p.quit()
			p = w.start()
		}
		w.saw("ask a")
		p.quit()
		w.broken = map[string]error{}
		w.start().requireLeft("")
		w.saw("answer re a")
	})
}

// TestSettlingIsRetried: the answer is delivered, but that could not be recorded.
func TestSettlingIsRetried(t *testing.T) {
	play(t, func(w *playroom) {
		p := w.start()
		w.shown = func() { w.disk.Become(fulldisk.Spent, 0) }
		live(w.t, p.talk, toy{ID: "1", Text: "a"})
		pass(10 * RetryDelay)
		p.requireLeft("1 talk running 1")
		w.disk.Become(fulldisk.Roomy, 0)
		pass(RetryDelay)
		p.requireLeft("")
		w.saw("ask a", "answer re a")
	})
}
