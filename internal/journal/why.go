package journal

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// Why describes a turn: how it began, what was done and what was not. Operators also read the types of
// the actions, how long each took, what to change in the settings, and what the turn cost.
func Why(t Turn, operator bool) string {
	parts := []string{opening(t, operator), whatWasDone(t, operator)}
	if t.Over { // the rest is known only then
		parts = append(parts, notDone(t, operator))
	}
	if t.Over && operator {
		parts = append(parts, cost(t))
	}
	return chat.Visible(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n"))
}

func opening(t Turn, operator bool) string {
	var b strings.Builder
	kind, began := Kind(t.Flow), t.Batched
	if len(began) > 1 {
		kind = fmt.Sprintf("%d messages", len(began))
	} else if hasMessage(t) {
		began = []chat.MessageID{t.Place.Message}
	}
	fmt.Fprintf(&b, "**What happened** %s\nIt began with %s", chat.Clock(t.Began), kind)
	if t.Requester != "" {
		b.WriteString(" by <@" + string(t.Requester) + ">")
	}
	if len(began) > 0 {
		b.WriteString(": " + linksTo(t, began))
	}
	switch {
	case !t.Over:
		b.WriteString("\nI'm still on it. If nothing more happens, I was shut down in the middle of it.")
	case t.Error != "":
		fmt.Fprintf(&b, "\nIt ended early, after %s", took(t.Took))
		if operator {
			b.WriteString(": " + chat.InCode(t.Error))
		} else {
			b.WriteString(".")
		}
	default:
		fmt.Fprintf(&b, "\nIt took %s.", took(t.Took))
	}
	if len(t.Answers) > 0 {
		b.WriteString("\nThe answer: " + linksTo(t, t.Answers))
	}
	return b.String()
}

// maxLinks is how many messages are linked to in a row.
const maxLinks = 10

func linksTo(t Turn, messages []chat.MessageID) string {
	var links []string
	for i, m := range messages {
		if i == maxLinks {
			links = append(links, fmt.Sprintf("and %d more", len(messages)-i))
			break
		}
		links = append(links, linkTo(t, m))
	}
	return strings.Join(links, " ")
}

// notDone lists what the model asked for and was never tried.
func notDone(t Turn, operator bool) string {
	if len(t.Stripped) == 0 && t.Malformed == 0 {
		return ""
	}
	lines := []string{"**What was not done**"}
	for _, s := range t.Stripped {
		line := "- " + chat.Capital(chat.Literal(s.Reason))
		if operator {
			if s.Remedy != "" {
				line += "; " + chat.Literal(s.Remedy)
			}
			line += " (" + chat.InCode(s.Type) + ")"
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if t.Malformed > 0 {
		lines = append(lines, fmt.Sprintf("- I got the form of %s wrong.", chat.Counted(t.Malformed, "step", "steps")))
	}
	return strings.Join(lines, "\n")
}

// whatWasDone lists the actions, with their types for operators.
func whatWasDone(t Turn, operator bool) string {
	if len(t.Actions) == 0 {
		return "**What was done**\nNothing besides the answer."
	}
	var b strings.Builder
	b.WriteString("**What was done**")
	for _, e := range t.Actions {
		fmt.Fprintf(&b, "\n%d. %s", e.Number, line(e))
		if more := strings.TrimSpace(approval(e) + " " + wayBack(e)); more != "" {
			b.WriteString("\n   " + more)
		}
		if operator {
			fmt.Fprintf(&b, "\n   -# %s: %s", chat.InCode(e.Type), status(e)) // others may read this, so without its fields
		}
	}
	return b.String()
}

// maxShown is how much of a line and of an action's arguments is shown.
const maxShown = 300

// status is the outcome of an action in words.
func status(e Entry) string {
	switch e.Outcome {
	case Done:
		return "done in " + brief(e.Took)
	case Found:
		return "looked up in " + brief(e.Took)
	case Answered:
		return "became a part of the answer"
	case Undid:
		return "undid another action in " + brief(e.Took)
	case ApprovedDone:
		return "approved, done in " + brief(e.Took)
	case ApprovedFailed:
		return "approved, failed"
	case Refused:
		return "not run"
	case Pending:
		return "waiting for a person to approve it"
	case Dismissed:
		return "not approved"
	case Interrupted:
		return "approved, and interrupted; how far it got is not known"
	}
	return "failed"
}

// approval says who approved an action.
func approval(e Entry) string {
	if e.Approver == "" {
		return ""
	}
	return "Approved by " + e.Approver.Mention() + "."
}

// wayBack says how an action can be undone, or that it was.
func wayBack(e Entry) string {
	switch {
	case !e.changed():
		return ""
	case !e.Undone.IsZero():
		return "Undone " + took(e.Undone.Sub(e.At)) + " later."
	case len(e.Inverses) == 0:
		return "It can't be undone."
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
		fmt.Fprintf(&b, "The model %s read %s and wrote %d. ", chat.Literal(t.Model), chat.Counted(t.InputTokens, "token", "tokens"), t.OutputTokens)
	}
	fmt.Fprintf(&b, "Discord was sent %s.", chat.Counted(t.Requests, "request", "requests"))
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
		return chat.Counted(bytes, "byte", "bytes")
	}
	return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
}
