package flow

import (
	"fmt"
	"time"

	"discoclaw/internal/chat"
)

// lateAfter is from when on something that waited for the bot to come back is late.
const lateAfter = 2 * time.Minute

// isLate says whether a message was written so long ago, while the bot was away, that its
// author may not think of it any more.
func (f *Flows) isLate(m chat.Message) bool {
	return f.missed.has(m.ID) && f.Server.Now().Sub(m.Sent) > lateAfter
}

// askedLate is when the first of some messages was written that is late; zero if none is.
func (f *Flows) askedLate(said []chat.Message) time.Time {
	for _, m := range said {
		if f.isLate(m) {
			return m.Sent
		}
	}
	return time.Time{}
}

// lateRemark tells readers that they should have heard earlier, if they should.
func lateRemark(asked, now time.Time) string {
	if ago := now.Sub(asked); asked.IsZero() || ago <= lateAfter {
		return ""
	} else if ago > 12*time.Hour {
		return fmt.Sprintf("-# Late: asked on %s, while the bot was away.", asked.UTC().Format("2 January at 15:04 UTC"))
	}
	return fmt.Sprintf("-# Late: asked at %s, while the bot was away.", asked.UTC().Format("15:04 UTC"))
}
