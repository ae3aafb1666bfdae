package journal

import (
	"fmt"
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
