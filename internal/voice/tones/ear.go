package tones

import (
	"strings"
	"time"
)

const (
	earRate = 16000
	window  = earRate / 50 // in which a tone is looked for
	hop     = window / 2
	hopTime = 10 * time.Millisecond
	hold    = 2 // windows that a tone has to last
	pause   = 5 // silent windows that end a word
)

// An Ear reads words from sound.
type Ear struct {
	ratio int     // of its rate to earRate
	rest  []int16 // of the sound: less than ratio samples
	heard []int16 // at earRate: less than a window

	words   []Word
	inWord  bool
	symbol  int // of the last window
	run     int // how many windows it has lasted
	current int // the symbol of the last letter; -1 after a word
	quiet   int // silent windows
	at      time.Duration
}

// A Word is where in the sound it was heard.
type Word struct {
	Text     string
	From, To time.Duration
}

// NewEar returns an Ear for mono sound of a rate: 16,000 or a multiple.
func NewEar(rate int) *Ear { return &Ear{ratio: rate / earRate, symbol: -1, current: -1} }

// Understand is the text of a whole sound.
func Understand(pcm []int16, rate int) string {
	e := NewEar(rate)
	e.Hear(pcm)
	return Text(e.Words())
}

// Text is a text of these words.
func Text(words []Word) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.Text
	}
	return strings.Join(all, " ")
}

// Words are all that were heard so far. The last one may grow while Quiet is short.
func (e *Ear) Words() []Word { return e.words }

// Quiet is how long nothing was heard.
func (e *Ear) Quiet() time.Duration { return time.Duration(e.quiet) * hopTime }

// At is how much was listened to.
func (e *Ear) At() time.Duration { return e.at }

// Hear listens to what comes next.
func (e *Ear) Hear(pcm []int16) {
	e.rest = append(e.rest, pcm...)
	for ; len(e.rest) >= e.ratio; e.rest = e.rest[e.ratio:] {
		sum := 0
		for _, v := range e.rest[:e.ratio] {
			sum += int(v)
		}
		e.heard = append(e.heard, int16(sum/e.ratio))
	}
	for ; len(e.heard) >= window; e.heard = e.heard[hop:] {
		e.at += hopTime
		e.take(Symbol(e.heard[:window], earRate))
	}
}

func (e *Ear) take(symbol int) {
	if symbol != e.symbol {
		e.symbol, e.run = symbol, 0
	}
	e.run++
	if symbol < 0 {
		e.quiet++
		if e.quiet == pause {
			e.inWord, e.current = false, -1
		}
		return
	}
	e.quiet = 0
	if e.run >= hold && symbol != e.current {
		e.current = symbol
		e.write(symbol)
	}
	if e.inWord {
		e.words[len(e.words)-1].To = e.at + hopTime
	}
}

func (e *Ear) write(symbol int) {
	if !e.inWord {
		e.inWord = true
		e.words = append(e.words, Word{From: e.at - hold*hopTime})
	}
	w := &e.words[len(e.words)-1]
	switch {
	case symbol != again:
		w.Text += letters[symbol : symbol+1]
	case w.Text != "":
		w.Text += w.Text[len(w.Text)-1:]
	}
}
