package journal

import (
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// Why describes a turn: the requester, what was refused, what was done, its outcomes and
// its cost. The requester sees more than other readers.
func Why(t Turn, reader chat.UserID) string {
	done := whatWasDone(t, reader != "" && reader == t.Requester)
	parts := []string{opening(t), done}
	if t.Over { // the rest is known only then
		parts = []string{opening(t), notAllowed(t), done, cost(t)}
	}
	return strings.Join(parts, "\n\n")
}

func opening(t Turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**What happened** on %s\nIt began with %s", t.Began.UTC().Format("2 January 2006 at 15:04:05 UTC"), kind(t.Flow))
	if t.Requester != "" {
		b.WriteString(", for " + who(t))
	}
	if hasMessage(t) {
		b.WriteString(": " + linkTo(t, t.Place.Message))
	}
	switch {
	case !t.Over:
		b.WriteString("\nThe turn is not over. If it is not going on either, the bot ended before it did.")
	case t.Error != "":
		fmt.Fprintf(&b, "\nIt ended early, after %s: %s", took(t.Took), chat.InCode(t.Error))
	default:
		fmt.Fprintf(&b, "\nIt took %s.", took(t.Took))
	}
	for i, m := range t.Answers {
		if i == 0 {
			b.WriteString("\nThe answer: ")
		} else {
			b.WriteString(" ")
		}
		b.WriteString(linkTo(t, m))
	}
	return b.String()
}

// notAllowed lists the requests that the gate took out of the replies.
func notAllowed(t Turn) string {
	if len(t.Stripped) == 0 && t.Malformed == 0 {
		return "**What was not allowed**\nNothing that the model asked for was taken out."
	}
	var b strings.Builder
	b.WriteString("**What was not allowed**")
	for _, s := range t.Stripped {
		fmt.Fprintf(&b, "\n- %s was taken out: %s", chat.InCode(s.Type), chat.Literal(s.Reason))
	}
	if t.Malformed > 0 {
		fmt.Fprintf(&b, "\n- %s could not be read, and nothing was done about it.", counted(t.Malformed, "action block"))
	}
	return b.String()
}

// whatWasDone lists the actions, with arguments and results for the requester only: they may
// be about channels that others here do not see.
func whatWasDone(t Turn, all bool) string {
	if len(t.Actions) == 0 {
		return "**What was done**\nNo action was run."
	}
	var b strings.Builder
	b.WriteString("**What was done**")
	for _, e := range t.Actions {
		fmt.Fprintf(&b, "\n%d. %s: %s, %s", e.Number, called(e), chat.Literal(e.Verdict), status(e))
		if !all {
			continue
		}
		if line := report(e); line != "" {
			b.WriteString(": " + line)
		}
		if e.Args != "{}" {
			b.WriteString("\n   Given: " + chat.InCode(chat.Clip(e.Args, maxShown)))
		}
		if back := wayBack(e); back != "" {
			b.WriteString("\n   " + back)
		}
	}
	return b.String()
}

// maxShown is how much of an action's arguments is shown.
const maxShown = 300

func called(e Entry) string {
	if e.Category == "" {
		return chat.InCode(e.Type)
	}
	return chat.InCode(e.Type) + " (" + e.Category + ")"
}

// status is the outcome of an action in words.
func status(e Entry) string {
	switch e.Outcome {
	case Done:
		return "done in " + took(e.Took)
	case Found:
		return "looked up in " + took(e.Took)
	case ApprovedDone:
		return "approved by a person, done in " + took(e.Took)
	case ApprovedFailed:
		return "approved by a person, failed"
	case Refused:
		return "not run"
	case Pending:
		return "waiting for a person to approve it"
	case Dismissed:
		return "not approved"
	case Interrupted:
		return "approved by a person, and nobody knows how far it came"
	}
	return "failed"
}

// report is the line of an action without what its status says.
func report(e Entry) string {
	if e.Outcome == Refused || e.Outcome == Pending {
		return "" // verdict and status say it all
	}
	line := e.Line
	for _, head := range []string{"Done: ", "Failed: ", "Not done: "} {
		line = strings.TrimPrefix(line, head)
	}
	return line
}

// wayBack says how an action can be undone, or that it was.
func wayBack(e Entry) string {
	switch {
	case !e.changed():
		return ""
	case !e.Undone.IsZero():
		return "Taken back " + took(e.Undone.Sub(e.At)) + " later."
	case len(e.Inverses) == 0:
		return "It cannot be taken back."
	}
	var ways []string
	for _, inv := range e.Inverses {
		ways = append(ways, inv.Text) // it is Markdown already
	}
	return "`!undo` would " + strings.Join(ways, ", and ") + "."
}

func cost(t Turn) string {
	var b strings.Builder
	b.WriteString("**What it cost**\n")
	switch {
	case t.Model == "":
	case t.InputTokens+t.OutputTokens == 0:
		fmt.Fprintf(&b, "The model %s did not say how many tokens it used. ", chat.Literal(t.Model))
	default:
		fmt.Fprintf(&b, "The model %s read %s and wrote %d. ", chat.Literal(t.Model), counted(t.InputTokens, "token"), t.OutputTokens)
	}
	fmt.Fprintf(&b, "Discord was sent %s.", counted(t.Requests, "request"))
	total := 0
	var parts []string
	for _, s := range t.Sections {
		total += s.Bytes
		parts = append(parts, chat.Literal(s.Name)+" "+size(s.Bytes))
	}
	if total > 0 {
		fmt.Fprintf(&b, "\nThe prompt had %s: %s.", size(total), strings.Join(parts, ", "))
	}
	return b.String()
}

func size(bytes int) string {
	if bytes < 1000 {
		return counted(bytes, "byte")
	}
	return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
}
