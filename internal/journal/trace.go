package journal

import (
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Trace lists turns, a line for each: time, requester, kind, duration, model, tokens,
// outcomes of the actions, and link.
func Trace(turns []Turn, now time.Time) string {
	if len(turns) == 0 {
		return fmt.Sprintf("I have answered nobody in this channel in the last %d days.", int(Retention.Hours()/24))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The last %s in this channel, newest first. `!why` with one of the links tells more.", counted(len(turns), "turn"))
	for _, t := range turns {
		fmt.Fprintf(&b, "\n- %s: %s, %s, %s, %s", ago(now.Sub(t.Began)), who(t), kind(t.Flow), ending(t), tally(t.Actions))
		if cost := tokens(t); cost != "" {
			b.WriteString("; " + cost)
		}
		if at := t.Link(); at != "" {
			b.WriteString("; " + at)
		}
	}
	return b.String()
}

// ending is the duration of the turn, or why that is not known.
func ending(t Turn) string {
	switch {
	case !t.Over:
		return "not over"
	case t.Error != "":
		return "ended early, after " + took(t.Took) // by an error, or because it was stopped
	}
	return took(t.Took)
}

// tally counts outcomes.
func tally(entries []Entry) string {
	counts := map[string]int{}
	for _, e := range entries {
		counts[e.Outcome.word()]++
	}
	var parts []string
	for _, word := range []string{"done", "looked up", "failed", "refused", "waiting for approval", "not approved", "interrupted"} {
		if n := counts[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	if parts == nil {
		return "no actions"
	}
	return strings.Join(parts, ", ")
}

func (o Outcome) word() string {
	switch o {
	case Done, ApprovedDone:
		return "done"
	case Found:
		return "looked up"
	case Refused:
		return "refused"
	case Pending:
		return "waiting for approval"
	case Dismissed:
		return "not approved"
	case Interrupted:
		return "interrupted"
	}
	return "failed"
}

// tokens are the model's counts, if there are any.
func tokens(t Turn) string {
	if t.Model == "" {
		return ""
	}
	if t.InputTokens+t.OutputTokens == 0 {
		return chat.Literal(t.Model)
	}
	return fmt.Sprintf("%s, %d + %d tokens", chat.Literal(t.Model), t.InputTokens, t.OutputTokens)
}

func who(t Turn) string {
	switch {
	case t.RequesterName != "":
		return chat.Literal(t.RequesterName)
	case t.Requester != "":
		return "user " + string(t.Requester)
	}
	return "nobody known"
}

// kind is how a turn began, in words.
func kind(f actions.Flow) string {
	switch f {
	case actions.FlowMessage:
		return "a message"
	case actions.FlowReaction:
		return "a reaction"
	case actions.FlowCron:
		return "a scheduled job"
	case actions.FlowDefer:
		return "a reminder"
	case actions.FlowVoice:
		return "spoken words"
	case actions.FlowTrustedBot:
		return "a message of another bot"
	case actions.FlowDM:
		return "a direct message"
	case actions.FlowWebhook:
		return "a call from outside"
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

// ago is a time in the past, in words.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(max(d, 0).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// took is a duration in words.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
