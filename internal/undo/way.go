package undo

import (
	"cmp"
	"fmt"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/journal"
)

// A way is a way back from a batch: the question about what can be undone, and what cannot. Without items there is none.
type way struct {
	confirm.Question
	turn journal.Turn
	stay []stay
}

// A stay is an action that cannot be undone.
type stay struct {
	journal.Entry
	why string // empty if it has no inverse
}

// what is what was done, in one line.
func (s stay) what() string {
	return chat.Clip(chat.OneLine(strings.TrimPrefix(s.Line, "Done: ")), 200)
}

// String is what was done, and a sentence on why it stays so.
func (s stay) String() string {
	return s.what() + ". " + chat.Capital(cmp.Or(s.why, "there is no way back from that")) + "."
}

// remark is the same for a card about other actions.
func (s stay) remark() string {
	if s.why == "" {
		return "-# Can't be undone: " + s.what()
	}
	return fmt.Sprintf("-# Can't be undone: %s (%s)", s.what(), s.why)
}

// maxNamed is how many actions a reply names.
const maxNamed = 5

// refusal names what cannot be undone, and says why.
func (w way) refusal(reader chat.UserID) string {
	whose := ""
	if who := w.turn.Requester; who != "" && who != reader {
		whose = " for " + who.Mention()
	}
	if len(w.stay) == 1 {
		return fmt.Sprintf("You can't undo the last thing that I did here%s: %s", whose, w.stay[0])
	}
	var lines []string
	for _, s := range w.stay {
		lines = append(lines, s.String())
	}
	return fmt.Sprintf("You can't undo the last things that I did here%s:\n%s", whose, named(lines))
}

// offer names what an earlier undo would do.
func (w way) offer() string {
	var lines []string
	for _, item := range w.Items {
		lines = append(lines, item.What)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\nBefore that I did something that can be undone. `!undo earlier` asks you about this:\n" + named(lines)
}

// named is a list of the first few of some lines.
func named(lines []string) string {
	more := len(lines) - maxNamed
	if more > 0 {
		lines = append(lines[:maxNamed:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return "- " + strings.Join(lines, "\n- ")
}
