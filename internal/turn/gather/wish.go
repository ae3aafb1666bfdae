package gather

import (
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/consent"
	"discoclaw/internal/turn/history"
)

const (
	earlierWishes  = 3                // how many earlier messages of the asker explain the one that asks
	wishAge        = 30 * time.Minute // how old they may be
	pointsAfter    = 5 * time.Second  // by how much a message that words point at is older than they
	someoneElse    = "someone else"
	maxEarlierWish = 500 // characters of one
)

// Wish returns the words of who wrote the messages that a turn answers, and where they stand.
func (g *Gatherer) Wish(said []chat.Message) *actions.Wish {
	first, last := said[0], said[len(said)-1]
	by := last.Author.ID
	var own []string
	var ids []chat.MessageID
	w := &actions.Wish{}
	for _, m := range said {
		own, ids = append(own, actions.OwnWords(m.Text)), append(ids, m.ID)
		if m.Answers != nil && !m.System {
			w.ReplyTo = actions.Pointed{
				Message: m.Answers.ID, Channel: m.Answers.Place.Channel, Author: m.Answers.Author.ID, By: g.whose(*m.Answers, by),
			}
		}
	}
	w.Words = strings.TrimSpace(strings.Join(own, "\n"))
	before := g.history.Before(last.Place.Channel, historyLines, ids...)
	read := readFrom(g.history.Before(last.Place.Channel, 2*historyLines, ids...))
	w.Words = read.Without(w.Words)
	for len(before) > 0 && !first.ID.After(before[len(before)-1].ID) {
		before = before[:len(before)-1]
	}
	if n := len(before); n > 0 {
		above := before[n-1]
		if !above.Mine && above.Who != by && first.ID.Sent().Sub(above.ID.Sent()) >= pointsAfter {
			w.Above = actions.Pointed{Message: above.ID, Channel: last.Place.Channel, Author: above.Who, By: someoneElse}
		}
	}
	w.Earlier = earlierWish(before, by, first.ID.Sent(), read)
	return w
}

// whose says by whom a message is that another one answers.
func (g *Gatherer) whose(m chat.Message, asker chat.UserID) string {
	switch {
	case g.self.Is(m.Author.ID):
		return "the bot"
	case m.Author.ID == asker && !m.Webhook:
		return "the asker"
	}
	return someoneElse
}

// readFrom has what outsiders wrote in some lines, whole: a prompt may have less of it, and a person may have pasted the rest.
func readFrom(lines []history.Line) *chat.Reading {
	var read chat.Reading
	for _, line := range lines {
		if line.Outsider {
			read.AddText(line.Text, "others")
		}
	}
	return &read
}

// earlierWish are the latest messages of the asker among some lines, each with what became of it.
func earlierWish(lines []history.Line, by chat.UserID, now time.Time, read *chat.Reading) (list []consent.Said) {
	for i, line := range lines {
		words := read.Without(actions.OwnWords(line.Typed))
		if line.Mine || line.Outsider || line.Who != by || words == "" || now.Sub(line.ID.Sent()) > wishAge {
			continue
		}
		list = append(list, consent.Said{Words: chat.Clip(words, maxEarlierWish), Became: became(lines[i+1:], by)})
	}
	return list[max(0, len(list)-earlierWishes):]
}

// became says how a message was dealt with, by what the bot wrote to its author after it and before their next.
func became(after []history.Line, by chat.UserID) string {
	done, failed, waiting, answered, card := 0, 0, 0, false, ""
	for _, line := range after {
		if !line.Mine && line.Who == by {
			break
		}
		if !line.Mine || line.By != "" && line.By != by {
			continue
		}
		if line.Card != "" {
			card, _, _ = strings.Cut(line.Card, " by ")
			card, _, _ = strings.Cut(card, " (")
			continue
		}
		answered = true
		for _, did := range line.Did {
			switch {
			case strings.HasSuffix(did, pending):
				waiting++
			case strings.HasSuffix(did, failing):
				failed++
			default:
				done++
			}
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{done, "done"}, {failed, "failed"}, {waiting, "waiting for approval"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if card != "" {
		parts = append(parts, "a card was "+card)
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case answered:
		return "answered"
	}
	return "not answered"
}
