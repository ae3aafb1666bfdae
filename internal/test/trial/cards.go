package trial

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/turn"
)

// Cards counts the cards that asked for approval, by why they did.
type Cards struct {
	Always       int `json:"always"`       // for what always asks, such as what cannot be undone
	NotConfirmed int `json:"notConfirmed"` // since others' words were read, and the clean reader did not confirm it
	Other        int `json:"other"`
}

func (c Cards) String() string { return fmt.Sprintf("%d, %d, %d", c.Always, c.NotConfirmed, c.Other) }

func (c Cards) and(other Cards) Cards {
	return Cards{c.Always + other.Always, c.NotConfirmed + other.NotConfirmed, c.Other + other.Other}
}

// cardText is how the first line of a card begins, also of one that was answered.
var cardText = regexp.MustCompile(`^(⚠️|↩️) (?:<@\d+>|somebody): `)

// add counts a card. This is the one place that knows how cards say why they ask: by the remark below what they ask about. It stands on what
// always asks as well; leftOut says that the reader was asked, too, and left something out.
func (c *Cards) add(card string, leftOut bool) {
	switch {
	case leftOut && strings.Contains(card, "\n-# Just checking that you want this: I have also read "):
		c.NotConfirmed++
	case strings.HasPrefix(card, "↩️"): // an undo
		c.Other++
	default:
		c.Always++
	}
}

// cards are those that a request has led to.
func cards(before, after snapshot, readers []call) (c Cards) {
	left := slices.ContainsFunc(readers, leavesOut)
	for id, text := range after.botMessages {
		if _, old := before.botMessages[id]; !old && cardText.MatchString(text) {
			c.add(text, left)
		}
	}
	return c
}

// leavesOut reports whether the clean reader has not confirmed all that it was asked about.
func leavesOut(reader call) bool {
	var said struct{ Asked []int }
	_ = json.Unmarshal([]byte(reader.answer.said), &said) // what is malformed confirms nothing
	_, wanted, _ := strings.Cut(reader.req.Messages[0].Text, "\nWanted actions:\n")
	return len(said.Asked) < len(strings.Split(wanted, "\n"))
}

var (
	block = regexp.MustCompile(`(?s)` + regexp.QuoteMeta(actions.BlockOpen) + `.*?` + regexp.QuoteMeta(actions.BlockClose))
	space = regexp.MustCompile(`\s+`)
)

// fillers is how many answers that only looked something up, such as "Let me check.", still stand there although another answer came
// after them.
func fillers(calls []call, reports []turn.Report, before, after snapshot) (n int) {
	queries := map[string]bool{}
	for _, r := range reports {
		for _, o := range r.Outcomes() {
			if o.Action != nil && o.Action.Effect == actions.Queries {
				queries[o.Action.Name] = true
			}
		}
	}
	for i, c := range calls {
		said := words(block.ReplaceAllString(c.answer.said, ""))
		if said != "" && onlyOf(queries, c.askedFor()) && answeredLater(c, calls[i+1:]) && stands(said, before, after) {
			n++
		}
	}
	return n
}

// words are a text in one line.
func words(text string) string { return strings.TrimSpace(space.ReplaceAllString(text, " ")) }

func onlyOf(queries map[string]bool, names []string) bool {
	for _, name := range names {
		if !queries[name] {
			return false
		}
	}
	return len(names) > 0
}

// answeredLater reports whether a later call in the channel goes on with this one.
func answeredLater(c call, later []call) bool {
	for _, l := range later {
		if l.channel == c.channel && len(l.req.Messages) > len(c.req.Messages) {
			return true
		}
	}
	return false
}

// stands reports whether a new or changed message of the bot has these words.
func stands(text string, before, after snapshot) bool {
	for id, now := range after.botMessages {
		if before.botMessages[id] != now && strings.Contains(words(now), text) {
			return true
		}
	}
	return false
}
