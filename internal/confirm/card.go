package confirm

import (
	"fmt"
	"strings"

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

// head is the card without the instructions.
func (r record) head() string {
	title := "⚠️ " + r.asker() + " asked for something that cannot be undone:"
	if r.Undoes != "" {
		title = "↩️ " + r.asker() + " asked to undo this:"
	}
	lines := []string{title}
	for i, item := range r.Items {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, item.What))
	}
	return strings.Join(append(lines, r.Remarks...), "\n")
}

// asker names the requester, without a mention.
func (r record) asker() string {
	if r.Origin.Requester == "" {
		return "Somebody"
	}
	return "<@" + string(r.Origin.Requester) + ">"
}

// how are the instructions of a card.
func (r record) how() string {
	return fmt.Sprintf("**Approve or reject?** Press a button, or write `!confirm %s`. Without that nothing happens, and the question ends <t:%d:R>.",
		r.token, r.expires.Unix())
}

// chunks are the messages of an open card. The last one has the buttons.
func (r record) chunks() []string { return render.Chunks(r.head() + "\n" + r.how()) }

// ending is the card of a settled question. Of a long one, only the last message can be
// edited.
func (r record) ending() []string {
	all := r.chunks()
	kept := strings.TrimSuffix(all[len(all)-1], r.how())
	return render.Chunks(render.Report(kept, []string{r.verdict}, nil))
}

// Verdicts are the last lines of settled cards.
const (
	verdictExpired     = "⌛ Nobody answered within ten minutes. Nothing was done; ask again if it is still wanted."
	verdictInterrupted = "⚠️ The bot was restarted while this was being done. Please look how far it came before asking again."
)

func verdictRejected(by chat.User) string {
	return "❌ Rejected by <@" + string(by.ID) + ">. Nothing was done."
}

func verdictApproved(by chat.User, lines []string) string {
	return strings.Join(append([]string{"✅ Approved by <@" + string(by.ID) + ">."}, lines...), "\n")
}

// Replies to users who cannot answer, or too late.
const (
	tellUnknown = "There is no open question with this token. It may have been answered, or ten minutes have passed; ask for it again."
	tellOver    = "This has been answered already; the card says how."
	tellExpired = "Ten minutes have passed, so this is not asked any more. Nothing was done; ask for it again."
	tellUnasked = "This could not be asked properly, so nobody can answer it. Nothing was done; ask for it again."
	tellStopped = "The bot is going down. Please answer again when it is back."
)

func tellNotYours(why error) string {
	return fmt.Sprintf("Only who asked for this, or somebody who may do it too, can answer. %s.", chat.Capital(why.Error()))
}

// outcomeLines are the lines of all outcomes, quiet ones too, since there is no other
// reply.
func outcomeLines(outs []actions.Outcome) []string {
	var lines []string
	for _, o := range outs {
		lines = append(lines, chat.Cut(o.Line(), 600))
	}
	return lines
}
