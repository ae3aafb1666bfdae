package talk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/talk"
)

// stranger never names the bot, and nobody answers them.
const stranger chat.UserID = "3"

// TestRandomTalks has people talk at random while answers come and go. In all of them:
//   - two sentences never sound at once, and all sounds are closed (the call sees to that);
//   - sentences sound in the order in which they were written, and none of them twice;
//   - after an interruption, nothing more of the answer is synthesised, and no answer is interrupted twice;
//   - nothing reaches the bot that was not for it.
func TestRandomTalks(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomTalk(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

// A walk is a talk at random.
type walk struct {
	*call
	*rand.Rand
	open        []*open
	numbers     int
	interrupted map[int]bool
}

type open struct {
	*talk.Answer
	number, sentences int
}

func randomTalk(t *testing.T, r *rand.Rand) {
	w := &walk{call: join(t, talk.Options{Addressing: talk.Wake}), Rand: r, interrupted: map[int]bool{}}
	w.people = 3
	steps := []func(){w.speak, w.speak, w.speak, w.overhear, w.answer, w.answer, w.write, w.write, w.write, w.write, w.end, w.fail, w.seldom}
	for range 40 + w.IntN(60) {
		steps[w.IntN(len(steps))]()
		time.Sleep(time.Duration(w.IntN(1500)) * time.Millisecond)
	}
	if w.IntN(2) == 0 {
		time.Sleep(time.Minute)
	}
	w.leave()
	w.check()
}

func (w *walk) pick(from ...string) string { return from[w.IntN(len(from))] }

// speak has one of those say something who are answered.
func (w *walk) speak() {
	who := []chat.UserID{ada, bob}[w.IntN(2)]
	text := w.pick("", "DiscoClaw, ", "disco claw ") + w.pick("mhm", "wait a moment", "and then?", "…", "what is next", "Sentence of answer")
	w.hears(who, string(who)+" "+text, w.IntN(2) == 0, time.Duration(w.IntN(3000))*time.Millisecond)
}

func (w *walk) overhear() {
	w.hears(stranger, "my claw is not your disco", w.IntN(2) == 0, time.Second)
}

func (w *walk) answer() {
	number := w.numbers
	w.numbers++
	a := w.Answer([]chat.UserID{ada, bob}[w.IntN(2)], func(chat.UserID) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.interrupted[number] {
			w.t.Errorf("answer %d was interrupted twice", number)
		}
		w.interrupted[number] = true
		w.synthesised = append(w.synthesised, fmt.Sprintf("interrupted %d", number))
	})
	w.open = append(w.open, &open{Answer: a, number: number})
}

func (w *walk) some() (*open, bool) {
	if len(w.open) == 0 {
		return nil, false
	}
	return w.open[w.IntN(len(w.open))], true
}

func (w *walk) write() {
	if a, ok := w.some(); ok {
		a.sentences++
		a.Say(fmt.Sprintf("Sentence %d of answer %d.", a.sentences, a.number))
	}
}

func (w *walk) end() {
	if a, ok := w.some(); ok {
		a.End()
	}
}

func (w *walk) fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken = nil; w.IntN(3) == 0 {
		w.broken = errors.New("no voice")
	}
}

func (w *walk) seldom() {
	switch a, ok := w.some(); w.IntN(6) {
	case 0:
		if ok {
			a.End()
		}
	case 1:
		w.Mute(true)
	case 2:
		w.Mute(false)
	case 3:
		if ok {
			a.Drop()
		}
	case 4:
		time.Sleep(2 * time.Second)
	case 5:
		time.Sleep(29 * time.Second)
	}
}

var numbers = regexp.MustCompile(`^Sentence (\d+) of answer (\d+)\.`)

func (w *walk) check() {
	t := w.t
	for _, text := range w.begun {
		if strings.HasPrefix(text, "my claw") {
			t.Errorf("the bot was told %q", text)
		}
	}
	latest := [2]int{}
	for _, text := range w.played {
		m := numbers.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		var at [2]int // answer, sentence
		_, _ = fmt.Sscan(m[2], &at[0])
		_, _ = fmt.Sscan(m[1], &at[1])
		if slices.Compare(at[:], latest[:]) <= 0 {
			t.Errorf("%q sounds after answer %d, sentence %d", text, latest[0], latest[1])
		}
		latest = at
	}
	dead := map[string]bool{}
	for _, text := range w.synthesised {
		if number, ok := strings.CutPrefix(text, "interrupted "); ok {
			dead[number] = true
		} else if m := numbers.FindStringSubmatch(text); m != nil && dead[m[2]] {
			t.Errorf("%q was synthesised after it was interrupted", text)
		}
	}
	for _, a := range w.open {
		a.Wait(t.Context()) // or the bubble is deadlocked
	}
}
