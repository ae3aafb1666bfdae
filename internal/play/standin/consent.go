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
		"add": "react|add|put|give", "announce": "{make}|plan|schedule", "ban": "ban", "call": "cancel|call off", "cancel": "cancel", "change": `rename|change|give|assign|set|edit|update|turn|make|slow\w*|move|push|postpone|call|reopen|restore`, "edit": "edit|change|correct", "forget": "forget",
		"let": "resume|start|continue|restart|turn|unpause", "rename": "rename|archive|close|lock|tag|pin|unarchive",
		"close": "close|finish|complete|tick|done", "create": "{make}|give", "delete": "{delete}|clear|clean|purge|wipe", "end": "end|close|stop", "give": "give|add|assign|make",
		"have": "{make}|draw|paint", "keep": "remember|note", "kick": "kick", "lift": "lift", "make": "{make}|draw|paint", "move": "move|put|drag", "open": "{make}|task|todo", "pause": "pause|stop|halt|suspend|turn", "pin": "pin", "plan": "{make}|plan|schedule",
		"post": "{make}|poll|survey", "react": "react|add|put|give", "remember": "remember|note", "remind": "remind", "resume": "resume|start|continue|restart|turn", "run": "run|trigger",
		"schedule": "schedule|every|each|daily|weekly", "send": "say|tell|write|post|send|announce|share|greet|welcome", "set": "remind", "start": "{make}",
		"take": "take|remove|strip", "time": "time|timeout|mute", "unban": "unban", "unpin": "unpin",
	}
})

// objects are what people say for the object of a kind, which is the first of these that it names. Those that it does not have to say are left out.
var objects = onDemand(func() map[string]string {
	return map[string]string{
		"category": "category", "channel": `channels?|room|forum|slow ?mode|topic|#\S*|<#\d+>|in [\w-]+`, "event": "event|meeting|schedule|organi[sz]e|host|hold|arrange|" + eventWords, "invite": "invite|link", "job": "job|every|each|daily|weekly",
		"link": "invite|link", "messages": "messages?|posts?", "nickname": "nick(?:name)?", "out": "out|timeout|mute", "picture": "picture|draw|paint", "poll": "poll|survey|vote", "polls": "poll|survey|vote",
		"reminder": "remind", "reminders": "remind|reminder", "role": "roles?", "task": `tasks?|todo|ticket|[a-z]+-\d+`, "thread": "thread", "timeout": "timeout",
	}
})

var (
	aLookUp    = lazily(`^(?:list|show|read|search) `)
	comesLater = lazily(`\b(?:reminders|scheduled jobs|events|follow-ups)\b`)
	asksNow    = lazily(`(?m)^The message that asks now:\n"(.*)"$`)
	saidBefore = lazily(`(?m)^- "(.*)" \(([^()]*)\)$`)
	wantsNow   = lazily(`(?s)\nWanted actions:\n(.*)$`)
	doubtful   = lazily(`(?i)^(?:should|what|who|how|why|which|where|when|is|are|do|does|did|would|if)\b|\b(?:not|niet|nicht|never|keeps?|stays?|but|undo|except|whatever)\b|n't`)
	aName      = lazily(`"[^"]*"|<[@#][!&]?\d+>`)
	pointed    = lazily(`the (?:author of the )?message (?:directly above|it replies to)(?:, (?:by |of )?(?:someone else|the bot|the asker|their own))?`)
	points     = lazily(`(?i)\b(?:that|this|its?|above|him|her|them|one|both|these|those)\b|i'm replying to`)
	aTime      = lazily(`\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[+-]\d\d:\d\d|z)?)?|\b\d\d?:\d\d\b`)
	morning    = lazily(`\dt0\d:`)
	saidTime   = lazily(`(?i)\b(?:` + whenWords + `|` + oftenWords + `)\b`)
	number     = lazily(`(\d+) ?([smhdwu]?)[a-z]*`)
	saidCount  = lazily(`(?i)\b(` + countWords + `) ?([a-z]?)`)
	aNothing   = lazily(`\b\w+: none\b`)
	small      = lazily(`(?:a|the) [a-z]+ of \d+ characters|the channel where the request stands|, where the request stands|(?:a message by )?somebody (?:called|whose name is like)|(?:tags: )?some of those that the task forum has|the new one|the bot's latest message there|kind: text|priority: 2|duration hours: 24|auto archive minutes: 1440|#[\da-f]{6}|no permissions|deletes no messages|a note that the asker made|archived|` +
		`(?:an? [a-z]+ )?whose title is like the (?:request's|earlier messages') words|: yes|\b(?:the|for|from|with|name|title|text|content|type|parent|role|member|user|asker|channel|task|category|forum|event|job|plan|emoji|question|answers|` +
		`duration|place|location|color|topic|new|latest|and|due|start time|end time|schedule|reason|description|prompt|slowmode|limit|position)s?\b`)
)

// confirmed are the numbers of the wanted actions that the words ask for.
func confirmed(req llm.Request) string {
	said, wanted := asksNow().FindStringSubmatch(asking(req)), wantsNow().FindStringSubmatch(asking(req))
	asked, earlier, open := []int{}, "", ""
	for _, m := range saidBefore().FindAllStringSubmatch(asking(req), -1) {
		earlier += "\n" + m[1]
		open = map[bool]string{true: m[1]}[m[2] == "answered"]
	}
	if said != nil && wanted != nil {
		doubt := doubtful().MatchString(plain(said[1]))
		for i, line := range strings.Split(wanted[1], "\n") {
			_, what, _ := strings.Cut(strings.ToLower(line), ". ")
			kind, rest, _ := strings.Cut(what, ": ")
			kind, _, _ = strings.Cut(kind, ",") // the rest of the summary names other objects
			rest = inWordsOfPeople(rest, said[1])
			if aLookUp().MatchString(kind) && asksAbout(said[1], kind) && !strings.Contains(rest, "does not name") && saysNumbers(aName().ReplaceAllString(small().ReplaceAllString(rest, ""), ""), said[1]) ||
				!doubt && isSaid(kind, rest, said[1]) && follows(rest, strings.ToLower(said[1]+"\n"+plain(said[1]))) ||
				!doubt && earlier != "" && followsEarlier(kind, rest, said[1], earlier, open) {
				asked = append(asked, i+1)
			}
		}
	}
	return encoded(map[string][]int{"asked": asked})
}

// followsEarlier reports whether words ask for something of what the messages before them named: "make it blue", "and to kofi".
func followsEarlier(kind, rest, said, earlier, open string) bool {
	if whole := (situation{}).completed(open, said); whole != said {
		return isSaid(kind, rest, whole) && follows(rest, strings.ToLower(whole+earlier+"\n"+said)) // it answers a question about the last one
	}
	both := strings.ToLower(plain(said) + "\n" + said + earlier)
	verb, _, _ := strings.Cut(kind, " ")
	if !follows(rest, both) {
		return false
	}
	if points().MatchString(said) && deeds()[verb] != "" && hasWords(plain(said), deeds()[verb]) || verb == "change" && (onlyWhen().MatchString(plain(said)) || itIs().MatchString(plain(said))) {
		return isSaid(kind, rest, both) || aName().MatchString(rest)
	}
	named := func(name string) bool { return hasWords(said, regexp.QuoteMeta(strings.Trim(name, `"`))) }
	return saysMore().MatchString(said) && isSaid(kind, rest, both) && slices.ContainsFunc(aName().FindAllString(rest, -1), named)
}

// asksAbout reports whether words ask for what is remembered, or have another object of a look-up.
func asksAbout(said, kind string) bool {
	if strings.Contains(kind, "remember") {
		return hasWords(said, "remember|know|memory|memories|like|me|i|my")
	}
	if comesLater().MatchString(kind) && hasWords(said, "remind|reminders?|jobs?|events?|scheduled?|planned|cancel|{delete}|stop|move|reschedule") {
		return true // what is to be found by its name may be any of them
	}
	return slices.ContainsFunc(strings.Fields(kind), func(word string) bool {
		stem := strings.TrimSuffix(word, "s")
		return len(stem) > 3 && hasWords(said, regexp.QuoteMeta(stem)+"s?")
	})
}

// isSaid reports whether words have a verb and an object of a kind of action, such as "pin a message".
func isSaid(kind, rest, said string) bool {
	all := strings.Fields(kind)
	if len(all) == 0 || deeds()[all[0]] == "" || !hasWords(said, deeds()[all[0]]) {
		return false
	}
	for _, word := range all[1:] {
		if strings.Contains(rest, word+` "`) {
			return true // it is named, and by these words
		}
		if object := objects()[strings.TrimSuffix(word, "'s")]; object != "" {
			return hasWords(said, object)
		}
	}
	return true
}

// inWordsOfPeople is the rest of a summary without what nobody says.
func inWordsOfPeople(rest, said string) string {
	if hasWords(said, "for me|me|myself") {
		rest = strings.Replace(rest, "assignee: the asker", "", 1)
	}
	return strings.NewReplacer("priority: 0", "urgent", "assignee: the member", "the member", "assignee: somebody", "somebody", "status: open", "", "status: in_progress", "",
		"h0m0s", "h", "m0s", "m").Replace(aNothing().ReplaceAllString(rest, ""))
}

func hasWords(said, pattern string) bool {
	return regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}_-])(?:` + words.Replace(pattern) + `)(?:[^\p{L}\p{N}_-]|$)`).MatchString(said)
}

// saysNumbers reports whether words have the numbers that an action has.
func saysNumbers(rest, said string) bool {
	var counts []string
	for _, m := range saidCount().FindAllStringSubmatch(said, -1) {
		n := fmt.Sprint(count(m[1]))
		counts = append(counts, n, n+strings.ToLower(m[2]))
	}
	return !slices.ContainsFunc(number().FindAllStringSubmatch(rest, -1), func(n []string) bool { return !slices.Contains(counts, n[1]+n[2]) })
}

// follows reports whether words have all of what an action would do: names, numbers, and whatever else is said of it.
func follows(rest, said string) bool {
	if strings.Contains(rest, "does not name") || strings.Contains(rest, "the channel where the request stands") && strings.Contains(said, "#") ||
		pointed().MatchString(rest) && !points().MatchString(said) || aTime().MatchString(rest) && !saidTime().MatchString(said) ||
		hasWords(said, "pm") && morning().MatchString(rest) {
		return false
	}
	for _, name := range aName().FindAllString(rest, -1) {
		if !hasWords(said, regexp.QuoteMeta(strings.Trim(name, `"`))) {
			return false
		}
	}
	for _, done := range []*regexp.Regexp{aName(), pointed(), aTime(), small()} {
		rest = done.ReplaceAllString(rest, "")
	}
	if !saysNumbers(rest, said) {
		return false
	}
	for _, word := range strings.FieldsFunc(number().ReplaceAllString(rest, ""), func(r rune) bool { return !isWord(r) }) {
		if len(word) > 2 && !strings.Contains(said, stem(word)) {
			return false
		}
	}
	return true
}
