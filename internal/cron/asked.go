package cron

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"discoclaw/internal/chat"
)

var (
	idInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bcron-[a-z0-9]+\b`) })
	// question finds the words with which people ask about jobs.
	question = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(crons?|prompts?|schedul(e|es|ed|ing)|automations?|jobs?|details?|shows?|describes?|runs?|what does|when does)\b`)
	})
)

// unspecific are words of a name by which people do not mean that job: those of every sentence, and those of many jobs.
var unspecific = strings.Fields(`a an and are at by do does for from in is it its me my of on or our the this that to what when with your
	automation cron crons daily hourly job jobs message monthly post prompt report run runs schedule scheduled task tasks update weekly`)

// MayAsk reports whether a text may be about a job. Of others there is no need to look for it.
func MayAsk(text string) bool {
	return idInText().MatchString(text) || question().MatchString(words(text))
}

// Asked returns the job that a text is about, out of those that sees accepts: the one whose ID it has, or, if it has words with which
// people ask about jobs, the one whose name fits best. It returns false if none does, or several do.
func Asked(text string, jobs []Job, sees func(Job) bool) (Job, bool) {
	ids := idInText().FindAllString(strings.ToLower(text), -1)
	named, found := best(jobs, sees, func(j Job) int {
		if slices.Contains(ids, strings.ToLower(j.ID)) {
			return 1
		}
		return 0
	})
	text = words(text)
	if found || !question().MatchString(text) {
		return named, found
	}
	there := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		there[word] = true
	}
	return best(jobs, sees, func(j Job) int { return score(words(j.Name), text, there) })
}

// best returns the job with the highest score above 0, unless several have it.
func best(jobs []Job, sees func(Job) bool, score func(Job) int) (top Job, found bool) {
	most := 0
	for _, j := range jobs {
		n := score(j)
		if n == 0 || n < most || !sees(j) {
			continue
		}
		top, found, most = j, n > most, n
	}
	return top, found
}

// score says how well a name fits a text, which has the words there.
func score(name, text string, there map[string]bool) int {
	specific := slices.DeleteFunc(strings.Fields(name), func(word string) bool { return slices.Contains(unspecific, word) })
	if (len(specific) > 0 || strings.Contains(name, " ")) && strings.Contains(" "+text+" ", " "+name+" ") {
		return 1000 + chat.Length(name)
	}
	for _, word := range specific {
		if !there[word] {
			return 0
		}
	}
	switch {
	case len(specific) > 1:
		return 500 + 10*len(specific)
	case len(specific) == 1 && chat.Length(specific[0]) >= 5:
		return 200 + chat.Length(specific[0])
	}
	return 0
}

// words is a text in small letters, with a blank for all that is neither a letter nor a digit.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}
