package scenario

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// losses are the ways in which something was lost silently. Every scene looks for them; they hold while the bot is online and
// idle:
//
//	G1   a turn that keeps its answer back is gone on with, once
//	G1b  what was kept back is posted if its chain has nothing else to say
//	G2   an answer is posted, unless something was done instead
//	G3   a message is marked as complete only if its reply arrived
//	G4   no message is marked as one that waits or is being answered
func (st *stage) losses() (list []string) {
	if st.line.cut.Load() || st.away {
		return nil
	}
	st.mu.Lock()
	over := slices.Clone(st.reports)
	st.mu.Unlock()
	over = slices.DeleteFunc(over, func(r turn.Report) bool { return r.Requeued || r.Command != "" })
	list = append(lostChains(over), lostAnswers(over)...)
	return append(list, st.wrongMarks(over)...)
}

// lostChains are those of turns that kept their answers back.
func lostChains(over []turn.Report) (list []string) {
	for _, r := range over {
		if !r.GoesOn {
			continue
		}
		var next []turn.Report
		for _, later := range over {
			if later.ID == r.ID.Next() {
				next = append(next, later)
			}
		}
		if len(next) != 1 {
			list = append(list, fmt.Sprintf("G1: %d turns go on after %q", len(next), r.KeptBack+r.Text))
			continue
		}
		last := next[0]
		silent := last.KeptBack == "" && (last.Err != nil && !last.Undelivered || len(last.Receipts) == 0 || strings.Contains(last.Text, turn.NoOutput))
		if silent && !strings.Contains(last.Text, r.KeptBack) {
			list = append(list, fmt.Sprintf("G1b: %q was kept back, and its chain ends with %q", r.KeptBack, last.Text))
		}
	}
	return list
}

// lostAnswers are answers of which nothing is to be seen.
func lostAnswers(over []turn.Report) (list []string) {
	for _, r := range over {
		if r.Origin.Flow != "message" && r.Origin.Flow != "dm" || r.Err != nil || r.KeptBack != "" || len(r.Rounds) == 0 {
			continue
		}
		done, searched := r.Control.NoReply, false
		for _, o := range r.Outcomes() {
			done = done || o.Err == nil
			_, search := dialect.WebSearch(o.Request)
			searched = searched || search && o.Err == nil && o.Request.Dialect == "signals"
		}
		said := r.Rounds[len(r.Rounds)-1].Answer > 0
		switch {
		case said && r.Capsule.Text == "" && strings.Contains(r.Text, turn.NoOutput):
			list = append(list, fmt.Sprintf("G2: the answer to %q counts as empty", r.Message.Text))
		case searched && len(r.Receipts) == 0:
			list = append(list, fmt.Sprintf("G5: neither the words nor the results of the answer to %q are to be seen", r.Message.Text))
		case said && !done && !r.Due:
			list = append(list, fmt.Sprintf("G2: nothing is left of the answer to %q", r.Message.Text))
		}
	}
	return list
}

// wrongMarks are reactions of the bot that say something else than what has happened.
func (st *stage) wrongMarks(over []turn.Report) (list []string) {
	mark := func(name, usual string) chat.Emoji {
		if set := st.settings["DISCOCLAW_REACTION_"+name]; set != "" {
			return chat.Emoji(set)
		}
		return chat.Emoji(usual)
	}
	if slices.ContainsFunc(over, reacted) {
		return nil // the bot's reactions may be those that the model wanted
	}
	for _, ch := range st.Channels() {
		for _, m := range st.Messages(string(ch.ID)) {
			for _, r := range m.Reactions {
				switch {
				case m.Author == st.UserID("bot") || !slices.Contains(r.Users, st.UserID("bot")):
				case chat.Emoji(r.Emoji).Same(mark("RECEIVED", "👀")), chat.Emoji(r.Emoji).Same(mark("PROCESSING", "🤔")):
					list = append(list, fmt.Sprintf("G4: %q still has %s", m.Content, r.Emoji))
				case chat.Emoji(r.Emoji).Same(mark("COMPLETE", "🏆")) && !arrived(over, m.ID):
					list = append(list, fmt.Sprintf("G3: %q has %s, and its reply did not arrive", m.Content, r.Emoji))
				}
			}
		}
	}
	return list
}

// reacted reports whether a turn has added a reaction by an action.
func reacted(r turn.Report) bool {
	for _, o := range r.Outcomes() {
		if o.Err == nil && (o.Request.Type == "react" || o.Request.Type == "reactionPrompt") {
			return true
		}
	}
	return false
}

// arrived reports whether a turn about a message has posted anything.
func arrived(over []turn.Report, m chat.MessageID) bool {
	return slices.ContainsFunc(over, func(r turn.Report) bool { return r.Message.ID == m && len(r.Receipts) > 0 })
}
