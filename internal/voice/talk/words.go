package talk

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

const (
	// weight is how long somebody has to speak to interrupt the bot with one word.
	weight = 400 * time.Millisecond
	// denseWeight is how many letters do, where words are not set apart.
	denseWeight = 4
)

// weighty reports whether an utterance is more than a sound of attention, so that it interrupts the bot.
func weighty(u Utterance) bool {
	words := chat.Words(u.Text)
	return strings.Contains(words, " ") || u.Ended.Sub(u.Began) >= weight ||
		strings.ContainsFunc(words, chat.Dense) && utf8.RuneCountInString(words) >= denseWeight
}

// names reports whether a text has one of the names, as whole words. Recognisers write a name that they do not know as the words that they
// hear in it: DiscoClaw is also "disco claw".
func names(text string, all []string) bool {
	words := strings.Fields(chat.Words(text))
	return slices.ContainsFunc(all, func(name string) bool {
		if _, ok := chat.Spelled(text, name); ok {
			return true
		}
		want := chat.Letters(name)
		for i := range words {
			joined := ""
			for j := i; j < len(words) && len(joined) < len(want); j++ {
				joined += words[j]
			}
			if joined == want && want != "" {
				return true
			}
		}
		return false
	})
}

// A remembered sentence is one that an echo may come of.
type remembered struct {
	words        string
	began, ended time.Time // it is being said as long as ended is zero
}

const (
	echoes  = 8           // sentences that are remembered
	echoLag = time.Second // how long after a sentence its echo may begin
	alike   = 0.7         // how much of an utterance has to be in what was said
)

// remember notes that a sentence is said from now on.
func (r *Room) remember(text string) {
	r.said = append(r.said, remembered{words: chat.Words(text), began: time.Now()})
	r.said = r.said[max(0, len(r.said)-echoes):]
}

// forget notes that nothing is being said any more.
func (r *Room) forget() { r.said[len(r.said)-1].ended = time.Now() }

// isEcho reports whether an utterance is what the bot itself has just said, in somebody's microphone.
func (r *Room) isEcho(u Utterance) bool {
	var said strings.Builder
	for _, s := range r.said {
		if !s.began.After(u.Ended) && (s.ended.IsZero() || !s.ended.Add(echoLag).Before(u.Began)) {
			said.WriteString(" " + s.words)
		}
	}
	if said.Len() == 0 {
		return false
	}
	heard := " " + chat.Words(u.Text) + " "
	return 1-float64(slipsWithin(heard, said.String()+" "))/float64(utf8.RuneCountInString(heard)) > alike
}

// slipsWithin returns the edit distance of a text and the part of another one that is most like it (Sellers' algorithm).
func slipsWithin(part, whole string) int {
	from := []rune(whole)
	row := make([]int, len(from)+1) // it may begin anywhere
	for i, p := range []rune(part) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range from {
			cost := diagonal
			if from[j] != p {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return slices.Min(row) // and end anywhere
}
