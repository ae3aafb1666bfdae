package link_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/test/skip"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/tones"
)

// A sentence is words of an alphabet of 32. A word is a symbol over 300 ms, and a pause of five frames of silence follows it.
const (
	symbols    = tones.Symbols
	wordFrames = 15
	understood = 3 // frames of a symbol in a row that make a word
)

// sentence is n words, none of which is the one before.
func sentence(n int) (words []int) {
	for i := range n {
		words = append(words, (i*7+i/symbols)%symbols)
	}
	return slices.Compact(words)
}

// utter says a sentence. A frame that the call holds is said again, as by somebody who waits until it can go out.
func (g *guest) utter(words []int) {
	g.Speaking(true)
	time.Sleep(frameTime)
	for _, w := range words {
		for range wordFrames {
			for g.Send([]byte{byte(w), 'w'}) != nil {
				time.Sleep(frameTime)
			}
			time.Sleep(frameTime)
		}
		for range 5 {
			_ = g.Send(link.Silence)
			time.Sleep(frameTime)
		}
	}
}

// understand is the sentence that was heard of a user.
func (g *guest) understand(of uint64) (words []int) {
	var last byte
	run := 0
	for _, f := range g.takeHeard(of) {
		switch {
		case f == "?": // concealed
			continue
		case f[0] != last:
			last, run = f[0], 0
		}
		if run++; run == understood && (len(words) == 0 || words[len(words)-1] != int(last)) {
			words = append(words, int(last))
		}
	}
	return words
}

// A network is how badly packets get through.
type network struct {
	name  string
	line  fakevoice.Line
	whole bool // all words get through
}

var networks = []network{
	{"1 % lost", fakevoice.Line{Loss: 0.01}, true},
	{"5 % lost", fakevoice.Line{Loss: 0.05}, true},
	{"20 % lost", fakevoice.Line{Loss: 0.2}, false},
	{"20 ms of jitter", fakevoice.Line{Jitter: 20 * time.Millisecond}, true},
	{"60 ms of jitter", fakevoice.Line{Jitter: 60 * time.Millisecond}, true},
	{"120 ms of jitter", fakevoice.Line{Jitter: 120 * time.Millisecond}, false},
	{"turned round", fakevoice.Line{Reorder: 0.1}, true},
	{"twice", fakevoice.Line{Duplicate: 0.3}, true},
	{"bursts of 300 ms", fakevoice.Line{Burst: 0.002, BurstFor: 300 * time.Millisecond}, false},
	{"5 % lost and 60 ms of jitter", fakevoice.Line{Loss: 0.05, Jitter: 60 * time.Millisecond, Reorder: 0.05, Duplicate: 0.1}, true},
}

func TestWordsGetThroughBadNetworks(t *testing.T) {
	skip.UnderRace(t, "frames go the way of those in the other tests, here some hundred thousand")
	for _, n := range networks {
		for _, what := range []string{"hearing", "speaking", "joining"} {
			t.Run(what+", "+n.name, func(t *testing.T) {
				inHall(t, fakevoice.Options{Seed: 1}, func(t *testing.T, h *hall) { n.try(t, h, what) })
			})
		}
	}
}

// try has one say a sentence to the other, the bot's network being bad, and then both talk on a good one.
func (n network) try(t *testing.T, h *hall, what string) {
	a := h.join(ada)
	direction := fakevoice.Down
	if what == "speaking" {
		direction = fakevoice.Up
	}
	if what == "joining" {
		h.SetLine(bot, fakevoice.Up, n.line)
	}
	h.SetLine(bot, direction, n.line)
	b := h.join(bot)
	speaker, listener := a, b
	if what == "speaking" {
		speaker, listener = b, a
	}
	words := sentence(500)
	var talking sync.WaitGroup
	talking.Go(func() { speaker.utter(words) })
	if what == "joining" {
		time.Sleep(10 * time.Second)
		h.join(cleo).leave()
	}
	talking.Wait()
	got := listener.understand(speaker.user)
	if n.whole && !slices.Equal(got, words) {
		t.Errorf("understood %v\nwant %v", got, words)
	}
	now, _ := listener.State()
	if !n.whole && (now.Counts.Lost == 0 || now.Loss == 0) {
		t.Errorf("the loss was not noticed: %+v", now)
	}
	if now.Counts.Unopened > 0 {
		t.Errorf("frames did not open: %+v", now.Counts)
	}

	h.SetLine(bot, fakevoice.Up, fakevoice.Line{})
	h.SetLine(bot, fakevoice.Down, fakevoice.Line{})
	a.say(strings.Fields("what was late is heard by now")...)
	a.takeHeard(bot)
	b.takeHeard(ada)
	h.requireTalk(a, b)
}
