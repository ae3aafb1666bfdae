package confirm

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

// Prefixes of the IDs of the two buttons, before the question's token.
const (
	approvePrefix = "approve:"
	rejectPrefix  = "reject:"
)

func buttons(token string) []chat.Button {
	return []chat.Button{
		{ID: approvePrefix + token, Label: "Approve", Danger: true},
		{ID: rejectPrefix + token, Label: "Reject"},
	}
}

// Button reads the ID of a button. ok says whether it is one of a card.
func Button(id string) (token string, approve, ok bool) {
	if token, ok := strings.CutPrefix(id, approvePrefix); ok {
		return token, true, true
	}
	token, ok = strings.CutPrefix(id, rejectPrefix)
	return token, false, ok
}

// head is a card without the instructions, if there is room for all of it: a question about one action, a list of several.
func (r record) head() string {
	lines := []string{r.title("do all of this?", "undo all of this?")}
	if len(r.Items) == 1 {
		lines = []string{r.title("", "") + question(r.Items[0].What)}
	} else {
		lines = append(lines, numbered(r.Items)...)
	}
	return strings.Join(append(lines, r.Remarks...), "\n")
}

// title is the first line of a card: who asks, and for what.
func (r record) title(do, undo string) string {
	if r.Undoes != "" {
		return "↩️ " + r.asker() + ": " + undo
	}
	return "⚠️ " + r.asker() + ": " + do
}

// question makes a question of a sentence that says what to do: "Kick zed." is "kick zed?"
func question(what string) string {
	first, size := utf8.DecodeRuneInString(what)
	return string(unicode.ToLower(first)) + strings.TrimSuffix(what[size:], ".") + "?"
}

// asker names the requester, without a mention.
func (r record) asker() string {
	if r.Origin.Requester == "" {
		return "somebody"
	}
	return "<@" + string(r.Origin.Requester) + ">"
}

// how are the instructions of a card.
func (r record) how() string {
	return fmt.Sprintf("-# Expires <t:%d:R> · without buttons: `!confirm %s`", r.expires.Unix(), r.token)
}

// opening is an open card. It is one message, so that no part of what gets approved stands in another one. What it has no
// room for is in the list, which goes into a file; the list is empty if all of it is shown.
func (r record) opening() (text, list string) {
	foot := "\n" + r.how()
	if whole := r.head() + foot; !r.mass() && chat.Length(whole) <= maxCard {
		return whole, ""
	}
	lines, cut := numbered(r.gravestFirst()), false
	for i, line := range lines {
		lines[i] = chat.Clip(line, maxLine)
		cut = cut || lines[i] != line
	}
	if cut {
		foot = "\n-# Cut short here, whole" + inFile + foot
	}
	for _, remark := range slices.Backward(r.Remarks) { // they are shown whatever else is not
		foot = "\n" + remark + foot
	}
	text, all := fitted(r.longTitle(), lines, foot)
	if all && !cut {
		return text, ""
	}
	return text, r.list()
}

// ending is the card of a settled question, and what it has no room for.
func (r record) ending() (text, list string) {
	whole := render.Report(r.head(), []string{r.verdict}, nil)
	if !r.mass() && chat.Length(whole) <= maxCard {
		return whole, ""
	}
	verdict, lines, _ := strings.Cut(r.verdict, "\n")
	text, all := fitted(r.longTitle()+"\n"+verdict, failedFirst(lines), "")
	if all {
		return text, ""
	}
	return text, r.list() + "\n" + chat.Unescaped(r.verdict) + "\n"
}

// Verdicts are the last lines of settled cards.
const (
	verdictExpired     = "⌛ Nobody answered within ten minutes, so nothing was done. Ask again if you still want it."
	verdictInterrupted = "⚠️ I was restarted in the middle of this. Please check how far it got before you ask again."
)

func verdictRejected(by chat.User) string {
	return "❌ Rejected by <@" + string(by.ID) + ">. Nothing was done."
}

func verdictWithdrawn(by chat.UserID) string {
	return "❌ " + by.Mention() + " withdrew the request. Nothing was done."
}

func verdictApproved(by chat.User, lines []string) string {
	return strings.Join(append([]string{"✅ Approved by <@" + string(by.ID) + ">."}, lines...), "\n")
}

// Replies to users who cannot answer, or too late.
const (
	tellUnknown = "I have no open question with that code in this channel. Type it where I asked, or ask for it again."
	tellOver    = "That was answered already. The card says how."
	tellExpired = "Its ten minutes are over, so nothing was done. Ask for it again."
	tellUnasked = "I could not post the card, so nothing was done. Ask for it again."
	tellStopped = "I am going offline. Please answer again when I am back."
)

func tellNotYours(why error) string {
	return fmt.Sprintf("You can't answer this one: %s.", why)
}

// outcomeLines are the lines of all outcomes, quiet ones too, since there is no other
// reply.
func outcomeLines(outs []actions.Outcome) []string {
	var lines []string
	for _, o := range outs {
		lines = append(lines, chat.Cut(o.Line(), 600))
	}
	return actions.Fold(lines)
}
