package journal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// maxTraced is how many actions of a turn a trace lists.
const maxTraced = 5

// Trace lists turns, each with what was done in it and what came of it.
func Trace(turns []Turn) string {
	if len(turns) == 0 {
		return fmt.Sprintf("I have answered nobody in this channel in the last %d days.", int(Retention.Hours()/24))
	}
	var b strings.Builder
	b.WriteString("What I did last in this channel, newest first. `!why` with the link of a message tells more about it.")
	for _, t := range turns {
		fmt.Fprintf(&b, "\n- %s: %s%s", chat.FromNow(t.Began), beginning(t), ending(t))
		for i, e := range t.Actions {
			if i == maxTraced {
				fmt.Fprintf(&b, "\n  - and %d more", len(t.Actions)-i)
				break
			}
			b.WriteString("\n  - " + chat.Clip(line(e), maxShown))
			if e.Approver != "" && e.Approver != t.Requester {
				b.WriteString(", approved by " + e.Approver.Mention())
			}
		}
	}
	return b.String()
}

// beginning says what began a turn, and for whom, with a link.
func beginning(t Turn) string {
	text := Kind(t.Flow)
	if at := t.Link(); at != "" {
		text = "[" + text + "](" + at + ")"
	}
	if t.Requester != "" {
		text += " by <@" + string(t.Requester) + ">"
	}
	return text
}

// ending says how the turn ended, if that is worth a word.
func ending(t Turn) string {
	switch {
	case !t.Over:
		return ", still running"
	case t.Error != "":
		return ", ended early" // by an error, or because it was stopped
	case len(t.Actions) == 0:
		return ", only answered"
	}
	return ""
}

// line is what came of an action, as people were told. It is Markdown already.
func line(e Entry) string {
	text := chat.OneLine(e.Line)
	switch {
	case text == "":
		text = chat.Capital(status(e))
	case !e.Undone.IsZero():
		text += " (undone)"
	}
	return text
}

// Kind is how a turn of a flow begins, in words.
func Kind(f actions.Flow) string {
	switch f {
	case actions.FlowMessage:
		return "a message"
	case actions.FlowReaction:
		return "a reaction"
	case actions.FlowCron:
		return "a scheduled job"
	case actions.FlowDefer:
		return "a follow-up that was due"
	case actions.FlowVoice:
		return "something that was said in a voice channel"
	case actions.FlowTrustedBot:
		return "a message from another bot"
	case actions.FlowDM:
		return "a direct message"
	case actions.FlowCommand:
		return "a command"
	case actions.FlowMCP:
		return "an MCP client"
	}
	return chat.Literal(string(f))
}

// Link leads to the message that began the turn, or else to its first answer. It is empty
// if there is neither.
func (t Turn) Link() string {
	switch {
	case hasMessage(t):
		return linkTo(t, t.Place.Message)
	case len(t.Answers) > 0:
		return linkTo(t, t.Answers[0])
	}
	return ""
}

// hasMessage reports whether a message began the turn. That of a deferred run does not
// exist.
func hasMessage(t Turn) bool { return t.Place.Message != "" && t.Flow != actions.FlowDefer }

func linkTo(t Turn, m chat.MessageID) string {
	guild := string(t.Place.Guild)
	if guild == "" {
		guild = "@me" // in links to direct messages
	}
	return "https://discord.com/channels/" + guild + "/" + string(t.Place.Channel) + "/" + string(m)
}

// took is a duration in words.
func took(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d == 0:
		return "less than a second"
	case d < time.Minute:
		return chat.Counted(int(d.Seconds()), "second", "seconds")
	case d < time.Hour:
		return chat.Counted(int(d.Minutes()), "minute", "minutes")
	}
	return chat.Counted(int(d.Hours()), "hour", "hours")
}

// brief is a duration for operators.
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

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
			fmt.Fprintf(&b, "\n   %s: %s", chat.InCode(e.Type), status(e)) // others may read this, so without its fields
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

// approval says who approved an action, or that it needed no approval although outside text had been read.
func approval(e Entry) string {
	if e.Verdict == AskedFor {
		return "It was asked for in so many words, so what I had read before made no difference."
	}
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
