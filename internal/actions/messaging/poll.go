package messaging

import (
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// maxListedQuestion is how much of a poll's question a list shows.
const maxListedQuestion = 100

// pollText is a poll with what has become of it: "[Poll “Lunch?”: Tacos (2 votes) / Pizza (0 votes); open until …]". Its
// texts cannot end the brackets.
func pollText(p chat.Poll, maxQuestion int) string {
	answers := make([]string, len(p.Answers))
	all := 0
	for i, answer := range p.Answers {
		answers[i] = chat.InBrackets(answer)
		if i < len(p.Votes) {
			all += p.Votes[i]
		}
	}
	state := []string{}
	switch {
	case p.Votes == nil:
		state = append(state, "Discord does not say how people voted")
	case all == 0 && p.Over:
		state = append(state, "no votes")
	case all == 0:
		state = append(state, "no votes yet")
	default:
		for i, n := range p.Votes {
			answers[i] += fmt.Sprintf(" (%s)", chat.Counted(n, "vote", "votes"))
		}
	}
	state = append(state, pollTime(p))
	return fmt.Sprintf("[Poll “%s”: %s; %s]", chat.Clip(chat.InBrackets(p.Question), maxQuestion), strings.Join(answers, " / "), strings.Join(state, "; "))
}

// pollTime says whether people can still vote: "open until 2026-03-03 12:00 UTC".
func pollTime(p chat.Poll) string {
	at := ""
	if !p.Ends.IsZero() {
		at = " " + p.Ends.UTC().Format("2006-01-02 15:04 UTC")
	}
	switch {
	case p.Over:
		return "ended" + at
	case at != "":
		return "open until" + at
	}
	return "open"
}
