package standin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"discoclaw/internal/llm"
)

// Here the script plays the clean reader, see package consent. It confirms what follows from the plainest words, and in doubt does not.

// deeds are what people say for the verb of an action's kind. What is not here is not confirmed.
var deeds = onDemand(func() map[string]string {
	return map[string]string{
		"add": "react|add|put|give", "ban": "ban", "change": "rename|change|set|call|edit|update|turn|make|slow", "close": "close|finish|complete|tick",
		"create": "{make}", "delete": "{delete}|clear|clean|purge|wipe", "end": "end|close|stop", "give": "give|add|assign", "kick": "kick", "lift": "lift",
		"make": "{make}|draw|paint", "move": "move|put|drag", "pause": "pause", "pin": "pin", "post": "{make}|poll|survey", "remember": "remember|note",
		"resume": "resume", "run": "run|trigger", "schedule": "schedule|every|each|daily|weekly", "send": "say|tell|write|post|send|announce|share|greet",
		"set": "remind", "start": "{make}", "take": "take|remove|strip", "time": "time|timeout|mute", "unban": "unban", "unpin": "unpin",
	}
})

// objects are what people say for its object, which may be left out if it is empty.
var objects = onDemand(func() map[string]string {
	return map[string]string{
		"channel": `channels?|room|forum|slow ?mode|topic|#\S*`, "category": "category", "event": "event|meeting|party", "invite": "invite|link", "job": "job|every|each|daily|weekly",
		"messages": "messages?|posts?", "nickname": "nick(?:name)?|call", "now": "run|trigger", "picture": "picture|draw|paint", "poll": "poll|survey|vote",
		"reminder": "remind", "role": "roles?", "task": `tasks?|todo|ticket|[a-z]+-\d+`, "thread": "thread", "timeout": "timeout", "out": "out|timeout|mute",
		"message": "", "reaction": "", "asker": "", "member": "", "user": "",
	}
})

var (
	asksNow   = lazily(`(?m)^The message that asks now:\n"(.*)"$`)
	wantsNow  = lazily(`(?s)\nWanted actions:\n(.*)$`)
	doubtful  = lazily(`(?i)^(?:should|what|who|how|why|which|where|when|is|are|do|does|did|would|if)\b|\b(?:not|never|keeps?|stays?|but|undo|except|whatever)\b|n't`)
	aQuote    = lazily(`"[^"]*"`)
	pointed   = lazily(`the (?:author of the )?message (?:directly above|it replies to)(?:, (?:by someone else|someone else|of the bot|of their own))?`)
	points    = lazily(`(?i)\b(?:that|this|it|above|him|her|them|one)\b|i'm replying to`)
	aTime     = lazily(`\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\b\d\d:\d\d\b`)
	saidTime  = lazily(`(?i)\b(?:` + whenWords + `|` + oftenWords + `)\b`)
	number    = lazily(`(\d+(?: [smhdwu])?)[a-z]*`)
	saidCount = lazily(`(?i)\b(` + countWords + `) ?([a-z]?)`)
	small     = lazily(`(?:a|the) [a-z]+ of \d+ characters|the channel where the request stands|for the asker|kind: text|no permissions|deletes no messages|\b(?:the|for|from|with|name|title|text|` +
		`role|member|channel|task|category|forum|emoji|answers|place|color|topic|new|latest|and|due)s?\b`)
)

// confirmed are the numbers of the wanted actions that the words ask for.
func confirmed(req llm.Request) string {
	said, wanted := asksNow().FindStringSubmatch(asking(req)), wantsNow().FindStringSubmatch(asking(req))
	asked := []int{}
	if said != nil && wanted != nil && !doubtful().MatchString(plain(said[1])) {
		for i, line := range strings.Split(wanted[1], "\n") {
			_, what, _ := strings.Cut(strings.ToLower(line), ". ")
			kind, rest, _ := strings.Cut(what, ": ")
			if isSaid(kind, said[1]) && follows(rest, strings.ToLower(said[1]+"\n"+plain(said[1]))) {
				asked = append(asked, i+1)
			}
		}
	}
	return encoded(map[string][]int{"asked": asked})
}

// isSaid reports whether words have a verb and an object of a kind of action, such as "pin a message".
func isSaid(kind, said string) bool {
	verb, object, _ := strings.Cut(kind, " ")
	does, ok := deeds()[verb]
	to, known := objects()[object[strings.LastIndex(object, " ")+1:]]
	return ok && known && hasWords(said, does) && (to == "" || hasWords(said, to))
}

func hasWords(said, pattern string) bool {
	return regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}_-])(?:` + words.Replace(pattern) + `)(?:[^\p{L}\p{N}_-]|$)`).MatchString(said)
}

// follows reports whether words have all of what an action would do: names, numbers, and whatever else is said of it.
func follows(rest, said string) bool {
	if strings.Contains(rest, "does not name") || strings.Contains(rest, "where the request stands") && strings.Contains(said, "#") ||
		pointed().MatchString(rest) && !points().MatchString(said) || aTime().MatchString(rest) && !saidTime().MatchString(said) {
		return false
	}
	for _, name := range aQuote().FindAllString(rest, -1) {
		if !hasWords(said, regexp.QuoteMeta(strings.Trim(name, `"`))) {
			return false
		}
	}
	for _, done := range []*regexp.Regexp{aQuote(), pointed(), aTime(), small()} {
		rest = done.ReplaceAllString(rest, "")
	}
	var counts []string
	for _, m := range saidCount().FindAllStringSubmatch(said, -1) {
		n := fmt.Sprint(count(m[1]))
		counts = append(counts, n, n+" "+m[2])
	}
	for _, n := range number().FindAllStringSubmatch(rest, -1) {
		if !slices.Contains(counts, n[1]) {
			return false
		}
	}
	for _, word := range strings.FieldsFunc(number().ReplaceAllString(rest, ""), func(r rune) bool { return !isWord(r) }) {
		if len(word) > 2 && !strings.Contains(said, stem(word)) {
			return false
		}
	}
	return true
}
