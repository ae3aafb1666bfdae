package confirm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// maxMassCard is Discord's limit for a message. A card about many changes is one message, so that who approves it
// has all of it before them, and its ending replaces it.
const maxMassCard = 2000

// mass reports whether a question is about too many changes to make them without asking.
func (r record) mass() bool { return r.Undoes == "" && r.Items[0].Kind != "" }

// massTitle says how many changes of which kinds a question is about.
func (r record) massTitle() string {
	count := map[string]int{}
	var kinds []string
	for _, item := range r.Items {
		if count[item.Kind]++; count[item.Kind] == 1 {
			kinds = append(kinds, item.Kind)
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d × %s", count[kind], chat.Clip(kind, 90))
	}
	title := fmt.Sprintf("⚠️ %s: make these %s?", r.asker(), chat.Counted(len(r.Items), "change", "changes"))
	return title + "\n**" + chat.Clip(strings.Join(kinds, ", "), 600) + "**"
}

// massCard is the open card: the first changes, and how many more there are.
func (r record) massCard() string {
	// Rare kinds come first, so that nothing grave hides behind many harmless ones.
	count := map[string]int{}
	for _, item := range r.Items {
		count[item.Kind]++
	}
	items := slices.SortedStableFunc(slices.Values(r.Items), func(a, b actions.Pending) int { return cmp.Compare(count[a.Kind], count[b.Kind]) })
	var lines []string
	for i, item := range items {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, chat.Clip(item.What, 200)))
	}
	return fitted(r.massTitle(), append(lines, r.Remarks...), "\n"+r.how())
}

// massEnding is the card of a settled question. What failed comes first, then what is rare.
func (r record) massEnding() string {
	verdict, lines, _ := strings.Cut(r.verdict, "\n")
	var told []string
	if lines != "" {
		told = strings.Split(lines, "\n")
	}
	count := map[string]int{}
	for _, line := range told {
		count[firstWords(line)]++
	}
	slices.SortStableFunc(told, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(count[firstWords(a)], count[firstWords(b)]))
	})
	return fitted(r.massTitle()+"\n"+verdict, told, "")
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

// fitted joins a head, as many lines as there is room for, and a foot.
func fitted(head string, lines []string, foot string) string {
	room := maxMassCard - chat.Length(head+foot) - len("\n… and 99 more")
	for i, line := range lines {
		if room -= chat.Length(line) + 1; room < 0 {
			head += fmt.Sprintf("\n… and %d more", len(lines)-i)
			break
		}
		head += "\n" + line
	}
	return head + foot
}
