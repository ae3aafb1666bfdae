package confirm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/order"
)

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
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, item.What))
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
