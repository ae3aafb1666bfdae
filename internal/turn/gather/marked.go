package gather

import (
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/history"
)

// leftOut takes the place of an answer that is marked as having read outside text.
const leftOut = "(left out, since you had read outside text; fetchMessage shows it)"

// withoutOldMarks leaves outside texts out of the history for a requester, except in the exchange that a request most likely
// goes on from: the bot's last answer, if it was to the requester, and what was said since. Otherwise one file or one message of an
// outsider that the bot was asked about would have every change of everybody here held, as long as the history quotes the answer.
func (e earlier) withoutOldMarks(by chat.UserID) earlier {
	last, goesOn := -1, false
	for i, line := range e.lines {
		if line.Mine && line.Card == "" {
			last, goesOn = i, line.By == by || line.By == "" // it is not known after a restart
		}
	}
	lines := slices.Clone(e.lines)
	for i := range lines {
		line := &lines[i]
		fresh := i >= last && (goesOn || !line.Mine)
		if line.Outside == "" || fresh {
			continue
		}
		line.Outside, line.By = "", ""
		if line.Mine {
			line.Text = leftOut
			line.Card, _, _ = strings.Cut(line.Card, " (") // without the results, which may have words of the request
		} else {
			line.ID = ""
		}
	}
	e.lines = slices.DeleteFunc(lines, func(l history.Line) bool { return l.ID == "" })
	e.leftOut += len(lines) - len(e.lines)
	return e
}

// marked completes the marks of what the bot posted outside of answers, such as polls: Discord shows those to the bot before it can
// be recorded what they were written after.
func (g *Gatherer) marked(at chat.Place, lines []history.Line) []history.Line {
	for i, line := range lines {
		if line.Mine && line.Who != "" && line.Outside == "" && g.o.Source != nil { // answers and cards have no Who
			at.Message = line.ID
			lines[i].Outside = g.o.Source(chat.Message{ID: line.ID, Place: at, Author: chat.User{ID: line.Who}})
		}
	}
	return lines
}
