package standin

import (
	"cmp"
	"slices"
	"strings"
)

// mostIdeas is how many ideas an answer suggests.
const mostIdeas = 3

// nearest are the ideas that have the most in common with a text. Without anything in common they are the first ones.
func nearest(text string, direct bool) []string {
	var texts []string
	for _, i := range Ideas {
		if i.As == "" && (i.Where == Direct) == direct {
			texts = append(texts, i.Text)
		}
	}
	if !direct {
		texts = append(texts, further...)
	}
	near := map[string]int{}
	for _, i := range texts {
		near[i] = likeness(text+" "+kinds(text), i)
	}
	slices.SortStableFunc(texts, func(a, b string) int { return cmp.Compare(near[b], near[a]) })
	return texts[:min(len(texts), mostIdeas)]
}

// further are requests that are suggested only to who asked for something like them.
var further = []string{
	"rename random to off-topic", "delete #random", "move #food to Work", "set the topic of #ops to Tools and tides", "make #attic private", "slow down #random",
	"which channels are quiet?", "make a blue role called skippers", "who has the role crew?", "what roles are there?", "who is here?", "who is ada?",
	"what events are there?", "move the skippers' meeting to Sunday", "who leads in the poll?", "close task 2", "assign task 3 to tom", "which tasks are urgent?",
	"what are my tasks?", "what are my reminders?", "remind tom tomorrow at 8 to bring the ropes", "pause the job regatta tasks", "pin the last message in #ops",
	"pin mia's message about the buoys", "what is pinned?", "what did ben say about the mast?", "what was said in #boats?", "say good morning in #general",
	"close the thread about the red dinghy", "what do you know about me?", "make a plan to greet people by name", "make an invite link", "what is 342 * 15?",
	"what can you do?",
}

// related are other words for what the suggestions are about.
var related = onDemand(func() map[string]string {
	return map[string]string{
		"room": "channel", "chat": "channel", "meeting": "event", "party": "event", "meetup": "event", "calendar": "event", "vote": "poll", "survey": "poll",
		"todo": "task", "chore": "task", "ticket": "task", "alarm": "remind", "ping": "remind", "notify": "remind", "people": "who here", "member": "who here",
		"user": "who here", "schedule": "job scheduled every", "automat": "job scheduled every", "cron": "job scheduled every", "message": "message pin said",
		"nick": "who", "permission": "role private", "right": "role private", "summar": "what was said", "search": "what did say about", "memory": "remember know",
		"invite": "invite link", "project": "plan", "code": "plan", "program": "plan", "note": "remember task",
	}
})

// kinds are what a text is about, in the words of the suggestions.
func kinds(text string) (list string) {
	for _, w := range strings.Fields(strings.ToLower(text)) {
		for begin, kind := range related() {
			if strings.HasPrefix(w, begin) {
				list += " " + kind
			}
		}
	}
	return list
}

// likeness is how much two texts have in common: words count most, and parts of words a little.
func likeness(a, b string) int {
	n := 10 * shared(a, b)
	parts := trigrams(b)
	for part := range trigrams(a) {
		if parts[part] {
			n++
		}
	}
	return n
}

// shared is how many words two texts have in common, by their first letters, so that "delete" and "deleting" are the same.
func shared(a, b string) (n int) {
	stems := map[string]bool{}
	for _, w := range contentWords(b) {
		stems[stem(w)] = true
	}
	for _, w := range contentWords(a) {
		if stems[stem(w)] {
			n++
			delete(stems, stem(w))
		}
	}
	return n
}

// nearness is how well words fit a title: best if they stand in it as they are.
func nearness(words, title string) int {
	const whole = 100
	if strings.Contains(strings.ToLower(title), strings.ToLower(words)) {
		return whole
	}
	return shared(words, title)
}

const stemLength = 5

func stem(w string) string { return w[:min(len(w), stemLength)] }

func trigrams(text string) map[string]bool {
	parts := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		letters := []rune(w)
		for i := 0; i+3 <= len(letters); i++ {
			parts[string(letters[i:i+3])] = true
		}
	}
	return parts
}
