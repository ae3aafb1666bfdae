package standin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// digest sums messages up without understanding them: who wrote, which words come again, and the latest one.
func digest(found []message) string {
	authors, said := []string{}, []string{}
	for _, m := range found {
		if !slices.Contains(authors, m.author) {
			authors = append(authors, m.author)
		}
		said = append(said, m.text)
	}
	if len(authors) > 4 {
		authors = append(authors[:3:3], fmt.Sprintf("%d others", len(authors)-3))
	}
	text := fmt.Sprintf("%s by %s", chat.Counted(len(found), "message", "messages"), chat.And(authors))
	if about := frequent(said, 3); len(about) > 0 {
		text += ", about " + chat.And(about)
	}
	text += "."
	last := found[len(found)-1]
	if question, ok := lastQuestion(found[:len(found)-1]); ok {
		text += fmt.Sprintf(" %s asked: %s", question.author, quoted(question.text))
	}
	return text + fmt.Sprintf(" The latest, by %s: %s", last.author, quoted(last.text))
}

func lastQuestion(found []message) (message, bool) {
	for _, m := range slices.Backward(found) {
		if strings.HasSuffix(m.text, "?") {
			return m, true
		}
	}
	return message{}, false
}

// frequent are the words that occur in most of the texts, if they occur in more than one.
func frequent(texts []string, most int) []string {
	in := map[string]int{}
	for _, text := range texts {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(contentWords(text)))) {
			in[w]++
		}
	}
	list := slices.DeleteFunc(slices.Collect(maps.Keys(in)), func(w string) bool { return in[w] < 2 })
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(in[b]-in[a], strings.Compare(a, b)) })
	return list[:min(len(list), most)]
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
