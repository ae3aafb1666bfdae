package standin

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// digest sums messages up without understanding them: who wrote, and what was said last.
func digest(found []message) string {
	var authors []string
	for _, m := range found {
		if !slices.Contains(authors, m.author) {
			authors = append(authors, m.author)
		}
	}
	if len(authors) > 4 {
		authors = append(authors[:3:3], fmt.Sprintf("%d others", len(authors)-3))
	}
	return fmt.Sprintf("%s by %s. Last: %s", chat.Counted(len(found), "message", "messages"), chat.And(authors), latest(found, 3))
}

// latest is what the people said last who wrote last, the newest at the end.
func latest(found []message, most int) string {
	var authors, said []string
	for _, m := range slices.Backward(found) {
		if len(said) < most && !slices.Contains(authors, m.author) {
			authors, said = append(authors, m.author), append(said, m.author+": "+quoted(m.text))
		}
	}
	slices.Reverse(said)
	return strings.Join(said, " ")
}

// smallWords say nothing about a subject.
var smallWords = wordsOf(`
	about after again also because been before being best between both called can't channel could does doing don't done
	down each every everybody everyone first from gets give going good have having here i'll into it's just know last
	later let's like look made make many maybe message more morning most much must need never next nice only open other
	over please read really right said same should show some somebody something soon still such sure take tell than
	thank thanks that that's their them then there these they thing think this those time today tomorrow until very
	want we're week well were what what's when where which while will with work would yesterday you're your yours`)

// contentWords are the words of a text that say something about its subject, in small letters.
func contentWords(text string) (list []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(quotes.Replace(text)), func(r rune) bool { return !isWord(r) }) {
		if len(w) > 3 && !slices.Contains(smallWords(), w) && strings.Trim(w, "0123456789") != "" {
			list = append(list, w)
		}
	}
	return list
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 || r == '\''
}
