package confirm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/order"
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
		lines = []string{r.title("", "to undo that, ") + question(r.Items[0].What)}
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

// question makes a question of a sentence that says what to do: "Kick zed." is "kick zed?" Further lines stay as they are.
func question(what string) string {
	first, size := utf8.DecodeRuneInString(what)
	what, more, _ := strings.Cut(what[size:], "\n")
	return strings.TrimSuffix(string(unicode.ToLower(first))+strings.TrimSuffix(what, ".")+"?\n"+more, "\n")
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

// ending is the card of a settled question, and what it has no room for. It keeps no words of messages, which their authors may delete.
func (r record) ending() (text, list string) {
	r.Items = slices.Clone(r.Items)
	for i, item := range r.Items {
		r.Items[i].What = item.Record()
	}
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
	tellJoined  = "There is more to it now. Please answer the card below, which has all of it."
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

const (
	maxCard = 2000 // Discord's limit for a message
	maxLine = 200  // of an action on a card that has no room for all of it
)

// inFile says where the rest of a card is.
const inFile = " in the file"

// mass reports whether a question is about too many changes to make them without asking.
func (r record) mass() bool { return r.Undoes == "" && r.Items[0].Kind != "" }

// longTitle says how many actions a question is about, of which kinds if it is about many.
func (r record) longTitle() string {
	if !r.mass() {
		n := chat.Counted(len(r.Items), "thing", "things")
		return r.title("do this ("+n+")?", "undo this ("+n+")?")
	}
	count := r.kinds()
	var kinds []string
	for _, item := range r.Items {
		if !slices.Contains(kinds, item.Kind) {
			kinds = append(kinds, item.Kind)
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d × %s", count[kind], chat.Clip(kind, 90))
	}
	title := r.title("make these "+chat.Counted(len(r.Items), "change", "changes")+"?", "")
	return title + "\n**" + chat.Clip(strings.Join(kinds, ", "), 600) + "**"
}

// kinds counts the actions of each kind.
func (r record) kinds() map[string]int {
	count := map[string]int{}
	for _, item := range r.Items {
		count[item.Kind]++
	}
	return count
}

// grave are the types that take away channels, roles and people.
var grave = []string{"channelDelete", "roleDelete", "ban", "kick"}

// gravestFirst are the actions in the order of a card that may not show them all. After grave ones come rare kinds, so
// that nothing hides behind many harmless ones.
func (r record) gravestFirst() []actions.Pending {
	count := r.kinds()
	harmless := func(p actions.Pending) int {
		if slices.Contains(grave, p.Request.Type) {
			return 0
		}
		return 1
	}
	list := slices.Clone(r.Items)
	order.By(list, func(a, b actions.Pending) int {
		return cmp.Or(cmp.Compare(harmless(a), harmless(b)), cmp.Compare(count[a.Kind], count[b.Kind]))
	})
	return list
}

// numbered are the lines about actions.
func numbered(items []actions.Pending) (lines []string) {
	for i, item := range items {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, chat.OneLine(item.What)))
	}
	return lines
}

// list is all that a question is about, in the order in which it would be done. It is for a file, which shows backslashes.
func (r record) list() string {
	return chat.Unescaped(strings.Join(append(numbered(r.Items), r.Remarks...), "\n") + "\n")
}

// failedFirst are the lines of outcomes: what failed comes first, then what is rare.
func failedFirst(lines string) []string {
	if lines == "" {
		return nil
	}
	told := strings.Split(lines, "\n")
	count := map[string]int{}
	for _, line := range told {
		count[firstWords(line)]++
	}
	slices.SortStableFunc(told, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(count[firstWords(a)], count[firstWords(b)]))
	})
	return told
}

// firstWords are what a line has in common with others of its kind: "Done: sent".
func firstWords(line string) string {
	words := strings.Fields(line)
	return strings.Join(words[:min(2, len(words))], " ")
}

// rank orders the lines of an ending.
func rank(line string) int {
	if strings.HasPrefix(line, "Failed:") {
		return 0
	}
	return 1
}

// fitted joins a head, as many lines as there is room for, and a foot. All says that nothing is left out.
func fitted(head string, lines []string, foot string) (text string, all bool) {
	more := func(n int) string { return fmt.Sprintf("\n… and %d more,%s", n, inFile) }
	room := maxCard - chat.Length(head+foot+more(9999))
	for i, line := range lines {
		if room -= chat.Length(line) + 1; room < 0 {
			return head + more(len(lines)-i) + foot, false
		}
		head += "\n" + line
	}
	return head + foot, true
}
