package gather

import (
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/history"
)

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
