package standin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Here is what says only how it differs from an earlier request, such as "and one for photos", "same for #random" or "no, to mia": that
// request is read again with another part.

// An exchange is an earlier request of the member, in the whole words that it was understood as, and what the script did.
type exchange struct {
	asked string
	parts match
	did   []deed
}

// A deed is an action in the script's notes.
type deed struct {
	kind   string
	fields map[string]any
	made   int  // the number of a reminder
	waits  bool // for approval, as it was noted
}

// deeds are the actions that a remark notes, in their order.
func (r remark) deeds() (list []deed) {
	if !r.mine {
		return nil
	}
	for _, at := range didOne().FindAllStringSubmatchIndex(r.text, -1) {
		d := deed{kind: r.text[at[2]:at[3]], fields: map[string]any{}}
		notes := json.NewDecoder(strings.NewReader(r.text[at[3]:]))
		if notes.Decode(&d.fields) == nil {
			_, _ = fmt.Sscanf(r.text[at[3]+int(notes.InputOffset()):], `, made {"id":%d}`, &d.made) // others have none
			rest := r.text[at[3]+int(notes.InputOffset()):]
			if d.waits = strings.HasPrefix(rest, " waits for approval"); !strings.HasPrefix(rest, ", which failed") {
				list = append(list, d)
			}
		}
	}
	return list
}

// paused reports whether a job was paused.
func (r remark) paused() bool {
	return slices.ContainsFunc(r.deeds(), func(d deed) bool { return d.kind == "cronPause" })
}

// mostExchanges is how many requests a follow-up may lean on.
const mostExchanges = 8

// exchanges are the latest requests that were understood, the latest first.
func (s situation) exchanges() (list []exchange) {
	for i, r := range slices.Backward(s.earlier) {
		if r.mine || r.by != s.who || len(list) == mostExchanges {
			continue
		}
		e, known := s.read[i]
		if !known {
			e = s.exchange(i)
			s.read[i] = e
		}
		if e.asked != "" {
			list = append(list, e)
		}
	}
	return list
}

func (s situation) exchange(i int) (e exchange) {
	then := s
	then.earlier, then.asked = s.earlier[:i], s.earlier[i].text
	then.asked = meant(then)
	if k, m, ok := then.understood(then.asked); ok && (!k.talk || len(m) > 1) {
		e = exchange{asked: cmp.Or(m[""], plain(then.asked)), parts: m}
	}
	for _, r := range s.earlier[i+1:] {
		if !r.mine {
			break
		}
		e.did = append(e.did, r.deeds()...)
	}
	return e
}

var (
	saysMore = lazily(`(?i)^(?:and|also|plus|same|then)\b|\b(?:too|as well|another|one|same|(?:what|how) about|instead|rather|I mean|I meant|no|not|actually)\b`)
	followUp = lazily(`(?i)^(?:(?:(?:do |make |create )?(?:the )?same(?: thing)?|ditto|do (?:it|that|the same)(?: thing)?|(?:what|how) about|(?:make|add|create|do|run|open|start|I need|I want|we need)(?: me| us)? (?:one|another)|one|another|` +
		`a (?:second|third)|(?:make|give|put|post|do) (?:it|that)(?: one)?|I mean|I meant|also|and|add|include|(?P<back>remove|take out)|but|only|rather)\b|not (?P<not>[^\s,]+)(?:,? but\b|,))?(?: (?:one|more))*[,:]?(?: ?\b(?P<prep>it's|it is|for|to|in|at|on|from|with|by|about|called|named|of|into|saying)\b)? ?(?P<other>.+)$`)
	dayPart   = lazily(`(?i)` + dateWords)
	clockPart = lazily(`(?i)\b` + clockWords + `$`)
	timeIn    = lazily(`(?i)\b(?:` + oftenWords + `|` + whenWords + `)(?: |$)`)
	// objectParts are the parts of requests that have what they are about.
	objectParts = []string{"name", "text", "title", "question", "all", "role"}
)

// again is the latest request that makes sense with what a follow-up says instead of a part of it.
func (s situation) again(text string) (shape, match, bool) {
	said := onlyWhom().ReplaceAllString(plain(text), "$1")
	f := matched(followUp(), said)
	if f == nil || len(strings.Fields(said)) > 9 || !question().MatchString(said) && firstVerb().MatchString(said) {
		return shape{}, nil, false
	}
	since := map[string]any{} // what was changed of the thing that is made again
	instead := corrects().MatchString(quotes.Replace(text))
	asks := strings.HasSuffix(strings.TrimSpace(text), "?")
	for _, e := range s.exchanges() {
		if len(e.did) > 0 && (asksOnly().MatchString(said) || asks && whatAbout().MatchString(said)) {
			continue // a question changes nothing
		}
		if anotherOne().MatchString(said) && !sameFor().MatchString(said) && !makes().MatchString(e.asked) {
			continue
		}
		if sameAgain().MatchString(said) {
			return s.either(e.asked) // its answer says when, where and by whom
		}
		if f["not"] != "" {
			e.did = slices.DeleteFunc(slices.Clone(e.did), func(d deed) bool { return !hasWord(encoded(d.fields), strings.ToLower(person(f["not"]))) })
			instead = true
		}
		if act := s.repeated(e, f, since); act != "" {
			if f["back"] == "" && instead {
				act = s.takenBack(e.did) + act
			}
			return combined(act), match{}, true
		}
		for _, whole := range s.varied(e, f, saysMore().MatchString(quotes.Replace(text))) {
			if k, m, ok := s.inWordsOfShapes(whole); ok && (!k.talk || len(m) > 1) {
				return k, m, true
			}
			if len(e.did) == 0 && asksOnly().MatchString(whole) {
				if k, m, ok := s.fromTheClub(whole); ok {
					return k, m, true
				}
			}
		}
	}
	return shape{}, nil, false
}

// anotherOne begins what asks for one more of what was made.
var (
	whatAbout  = lazily(`(?i)^(?:and )?(?:what|how) about\b`)
	anotherOne = lazily(`(?i)^(?:(?:make|add|create|do|run|open|start|I need|I want|we need)(?: me| us)? )?(?:one|another|(?:the )?same)\b`)
	sameFor    = lazily(`(?i)^(?:the )?same\b`)
	makes      = lazily(words.Replace(`(?i)^(?:{make}|poll|vote|remind|every|ask|schedule|plan|assign|let)\b`))
)

// corrects is in words that put right what was asked for before.
var corrects = lazily(`(?i)^(?:oh,? |wait,? |sorry,? |oops,? |no,? |not |actually,? )+|\b(?:I (?:mean|meant)|instead|rather)\b`)

// takenBack are the opposites of what was done, as far as there are any.
func (s situation) takenBack(did []deed) (text string) {
	for _, d := range slices.Backward(did) {
		if d.waits && s.waits() {
			continue // it was not done
		}
		text += s.opposite(d)
	}
	return text
}

// addsOn reports whether words ask for one more of what was asked for before, and neither for something of their own nor about it.
func (s situation) addsOn(text string) bool {
	said := onlyWhom().ReplaceAllString(plain(text), "$1")
	return len(s.earlier) > 0 && addsMore().MatchString(quotes.Replace(text)) && !itWord().MatchString(said) && !whoWord().MatchString(said) &&
		!firstVerb().MatchString(said) && !asksOnly().MatchString(said)
}

// onlyWhom has a verb that the request before said, too: "remind noor too".
var onlyWhom = lazily(`(?i)^(?:remind|tell|ask|give|assign|invite) (@?[\pL\pN._-]+|<@!?\d+>)$`)

var addsMore = lazily(`(?i)^(?:oh,? |ok,? )?(?:and|also|plus|same|ditto|another|one more|what about|how about)\b|\b(?:too|as well|also)\W*$`)

// firstVerb begins what is a request of its own.
var firstVerb = lazily(`(?i)^(?:rename|delete|move|pin|unpin|close|remind|say|post|tell|show|list|find|cancel|pause|resume|forget|remember|lock|who|what|when|where|which|how|why)\b`)

// repeated are the actions of an exchange for another person or channel, or their opposites.
func (s situation) repeated(e exchange, f match, since map[string]any) (text string) {
	other := f["other"]
	var names []string
	switch {
	case s.isSomebody(other):
		names = []string{"userId", "assignee"}
	case s.isChannel(other):
		names = []string{"channel", "channelId"}
	}
	for _, d := range e.did {
		if f["back"] != "" {
			d.kind = flips()[d.kind]
		}
		fields := maps.Clone(d.fields)
		for _, name := range names {
			_, is := fields[name].(string)
			if link, _ := fields["messageId"].(string); is && !strings.HasPrefix(link, "http") || d.kind == "remind" && name == "userId" {
				fields[name] = strings.TrimPrefix(s.mine(other), "#")
			}
		}
		if d.kind == "" || f["back"] == "" && maps.EqualFunc(fields, d.fields, func(a, b any) bool { return encoded(a) == encoded(b) }) {
			maps.Copy(since, fields)
			continue
		}
		var list []any
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if later, is := since[name]; is {
				fields[name] = later
			}
			list = append(list, name, fields[name])
		}
		if again := act(d.kind, list...); !strings.Contains(text, again) {
			text += again
		}
	}
	return text
}

func (s situation) isChannel(word string) bool {
	return strings.HasPrefix(word, "#") && !strings.Contains(word, " ") || s.club.hasChannel(word)
}

func (s situation) isSomebody(word string) bool {
	return s.club.hasPerson(word) || strings.EqualFold(word, "me")
}

// varied are the words of an earlier request with other parts, the likeliest first.
func (s situation) varied(e exchange, f match, more bool) (list []string) {
	other := f["other"]
	swap := func(old, new string) {
		if at := strings.LastIndex(e.asked, old); old != "" && at >= 0 {
			list = append(list, e.asked[:at]+new+e.asked[at+len(old):])
		}
	}
	last := func(kind func(string) bool) (found string) {
		for _, w := range strings.Fields(e.asked) {
			if w = strings.Trim(w, "?,.!:\""); kind(w) {
				found = w
			}
		}
		return found
	}
	isRole := func(w string) bool { _, ok := s.club.role(w); return ok }
	if when := onlyWhen().FindStringSubmatch(strings.TrimSpace(f["prep"] + " " + other)); when != nil {
		old := strings.TrimSpace(timeIn().FindString(e.asked))
		if at := clockPart().FindString(old); at != "" && clockPart().FindString(when[1]) != "" && !dayPart().MatchString(when[1]) {
			swap(old, strings.Replace(old, at, clockPart().FindString(when[1]), 1))
		} else if day := dayPart().FindString(old); day != "" && clockPart().FindString(when[1]) == "" {
			swap(old, strings.Replace(old, day, strings.TrimPrefix(when[1], "on "), 1))
		}
		swap(old, when[1])
		return list
	}
	if who, what, ok := s.forWhom(other); ok && len(e.did) > 0 { // "for mia: book the band"
		for _, name := range objectParts {
			swap(e.parts[name], what+" for "+who)
		}
		return list
	}
	for _, is := range []func(string) bool{s.isChannel, s.isSomebody, isRole} {
		if is(other) && last(is) != "" {
			swap(last(is), other)
			return list
		}
	}
	if who := e.parts["who"]; who != "" && strings.Contains(e.asked, strings.TrimSpace(f["prep"]+" "+who)) && (s.isSomebody(other) || len(strings.Fields(other)) == 1 && mayBeName(person(other))) {
		swap(who, person(other)) // whom the prompt need not know
	}
	if s.isChannel(other) {
		list = append(list, e.asked+" in #"+strings.TrimPrefix(other, "#"))
	} else if who := last(s.isSomebody); len(strings.Fields(other)) == 1 && mayBeName(other) && who != "" && strings.Contains(e.asked, strings.TrimSpace(f["prep"]+" "+who)) {
		swap(who, other)
	}
	if prep := " " + itsWordIs.Replace(f["prep"]) + " "; f["prep"] != "" && (more || prep != " is ") {
		if at := strings.LastIndex(e.asked, prep); at >= 0 {
			list = append(list, e.asked[:at]+prep+other)
		}
	}
	if !more {
		return list
	}
	if verb, rest, _ := strings.Cut(e.asked, " "); !asksOnly().MatchString(verb) { // "and #ops to tools"
		next, _, _ := strings.Cut(rest, " ")
		list = append(list, oneLine(verb+" "+f["prep"]+" "+other), oneLine(verb+" "+next+" "+f["prep"]+" "+other))
	}
	for _, name := range objectParts {
		swap(e.parts[name], other)
	}
	return list
}

// forWhom takes "mia: book the band" apart.
func (s situation) forWhom(text string) (who, what string, ok bool) {
	m := personFirst().FindStringSubmatch(text)
	if m == nil || !s.isSomebody(m[1]) {
		return "", "", false
	}
	return m[1], m[2], true
}

var sameElsewhere = lazily(`(?i)^(?:put|post|do|make) (?:it|that|this)(?: one)? (?:in|to|for) #?\S+$`)

var itsWordIs = strings.NewReplacer("it's", "is", "it is", "is")

// sameAgain asks about what an answer before says.
var sameAgain = lazily(`(?i)^(?:when|where) (?:was|did|were) .*\b(?:that|this|it|they)\b.*|^who (?:said|wrote|told) (?:that|this|it)\b.*`)

// oneOf is a thing by a word of its name, or by not being the one that was spoken about.
var (
	oneOf  = lazily(`(?i)\bthe ([\p{L}\p{N}-]+) ones?\b`)
	twoOf  = lazily(`(?i)\b(?:both(?: of them)?|the two(?: of them)?|them both|them|these|those)\b`)
	kindOf = lazily(`^(?:the )?(#|\w+)`)
)

// pointed is a text with the names of what it points at in this way.
func (s situation) pointed(text string) string {
	var names []string
	for _, t := range s.topics() {
		if !t.who && !slices.Contains(names, t.name) {
			names = append(names, t.name)
		}
	}
	var alike []string // of the kind of the latest
	for _, name := range names {
		if kindOf().FindString(name) == kindOf().FindString(names[0]) {
			alike = append(alike, name)
		}
	}
	if m := oneOf().FindStringSubmatchIndex(text); m != nil {
		word, found := strings.ToLower(text[m[2]:m[3]]), ""
		if n, is := ordinals()[word]; is && n < len(alike) {
			found = alike[len(alike)-1-n]
		} else if i := slices.IndexFunc(names, func(n string) bool { return strings.Contains(strings.ToLower(n), stem(word)) }); i >= 0 {
			found = names[i]
		} else if word == "other" && len(alike) > 1 {
			found = alike[1]
		} else if t, ok := s.club.task(word); ok {
			found = "task " + t.id
		}
		if found != "" {
			return text[:m[0]] + found + text[m[1]:]
		}
	}
	if at := twoOf().FindStringIndex(text); at != nil && len(alike) > 1 && !noPronoun().MatchString(text) {
		return text[:at[0]] + alike[1] + " and " + alike[0] + text[at[1]:]
	}
	return text
}
