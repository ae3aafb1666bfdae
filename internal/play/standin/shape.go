package standin

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/actions"
)

// A shape is one kind of request, in several wordings.
type shape struct {
	asked []*regexp.Regexp
	// begin is the first answer. Beside requests it has no words: what comes of them is not known yet.
	begin func(s situation, m match) string
	// goOn is the next answer, which has the results. Nil adds nothing to what the bot itself says about them.
	goOn func(s situation, m match) string
	// fits rules a wording out that only looks like this one. Nil takes all.
	fits func(s situation, m match) bool
	// looks is set if goOn looks a second time. Of all others, the second results are of what they did, and the bot tells of that.
	looks bool
	talk  bool // it asks for no action, so it also works in direct messages
}

// A match has the named groups of a wording.
type match map[string]string

// words that stand for others in wordings.
var words = strings.NewReplacer(
	"{make}", `(?:make|create|add|new|open|start|set up|post|build|give (?:me|us)|(?:I|we) (?:need|want)|(?:I'd|we'd) like)(?: me| us)?`,
	"{delete}", `(?:delete|remove|get rid of|drop|erase|kill|trash|scrap)`,
	"{show}", `(?:(?:what|which)(?:'s| is| are|'re)?|list|show(?: me)?|tell me|give me|are there(?: any)?|do we have(?: any)?|do I `+
		`have(?: any)?|how many)(?: all)?(?: of)?(?: the| our| my)?`,
	"{a}", `(?:(?:a|an|another|the|this|one) )?(?:new )?`,
	"{the}", `(?:(?:the|a|an|my|our|this|that) )?`,
	"{called}", `(?::| called:?| named:?| titled:?| for| about:?| on)?`,
	"{channel}", `#?(?P<channel>[\p{L}\p{N}_-]+)`,
	"{#channel}", `#(?P<channel>[\p{L}\p{N}_-]+)`,
	"{who}", `(?P<who><@!?\d+>|@?[\p{L}\p{N}._-]+)`,
	"{more}", `(?:(?:,| and|, and) (?P<who2><@!?\d+>|@?[\p{L}\p{N}._-]+))?`,
	"{text}", `(?P<text>.+?)`,
	"{id}", `(?P<id>(?:[a-z]+-)?\d+)`,
	"{when}", `(?P<when>`+whenWords+`)`,
	"{often}", `(?P<often>`+oftenWords+`)`,
	"{clock}", `(?P<clock>`+clockWords+`)`,
	"{in}", `(?:in|to|into|on|at)`,
)

// wordings compiles patterns that match a whole request.
func wordings(patterns ...string) []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, p := range patterns {
		list = append(list, regexp.MustCompile(`(?i)^(?:`+words.Replace(p)+`)$`))
	}
	return list
}

// all shapes, in the order in which they are tried.
var shapes = sync.OnceValue(func() []shape {
	return slices.Concat(prompted(), generalShapes(), jobShapes(), reminderShapes(), planShapes(), talkShapes(), pollShapes(), askedShapes(),
		severalShapes(), countedShapes(), tidyShapes(), toldShapes(), taskShapes(), eventShapes(),
		channelShapes(), roleShapes(), memoryShapes(), whichShapes(), messageShapes(), memberShapes())
})

// understood finds the shape of a request: of the whole that a follow-up is short for, of its words, of a looser reading, of its
// parts, or of a question that what was said may answer.
func (s situation) understood(text string) (shape, match, bool) {
	if len(text) > longestRequest {
		return shape{}, nil, false
	}
	if m := provided().FindStringSubmatch(text); m != nil {
		text = m[1] // the answer says what is left
	}
	if s.addsOn(text) {
		for _, way := range []func(string) (shape, match, bool){s.either, s.again} {
			if k, m, ok := way(text); ok {
				return k, m, true
			}
		}
	}
	wholes := s.followed(text)
	for _, whole := range wholes {
		if k, m, ok := s.either(whole); ok {
			return k, m, true
		}
	}
	if _, _, lacks := halfOf(text, false); lacks {
		return shape{}, nil, false
	}
	ways := []func(string) (shape, match, bool){s.either, s.again, s.both, s.inPieces}
	if twoOrders().MatchString(text) {
		ways = []func(string) (shape, match, bool){s.both, s.either, s.again, s.inPieces}
	}
	for _, way := range ways {
		if k, m, ok := way(text); ok {
			return k, m, true
		}
	}
	for _, cut := range []*regexp.Regexp{limited(), purpose()} { // the answer says what limit is left out
		if short := cut.ReplaceAllString(text, ""); short != text {
			if k, m, ok := s.one(strings.TrimSpace(short)); ok {
				return k, m, true
			}
		}
	}
	if m := howToSay().FindStringSubmatch(plain(text)); m != nil {
		k, _, ok := s.one(m[1])
		if _, _, lacks := asksBack(m[1]); lacks && !ok {
			m[1], ok = nearest(m[1], s.direct)[0], true
		}
		if ok && !k.talk {
			return shape{begin: func(situation, match) string { return "Tell me to, as in: “" + m[1] + "”." }, talk: true}, match{}, true
		}
	}
	for _, whole := range s.elliptic(text) {
		if k, m, ok := s.either(whole); ok {
			return k, m, true
		}
	}
	if _, _, lacks := halfOf(text, true); lacks {
		return shape{}, nil, false
	}
	for _, whole := range append(wholes, text) {
		if k, m, ok := s.fromTheClub(whole); ok {
			return k, m, true
		}
	}
	return shape{}, nil, false
}

// provided is a request on a condition, which only the member can judge.
var provided = lazily(`(?i)^(.{8,}?)[?.!,;]+ (?:and )?(?:if (?:not|so|yes|no|nobody does|it is(?:n't)?|there (?:is|are)(?:n't)?(?: any| one)?|they (?:do|don't|are|aren't)),?|otherwise,?) (?:then )?(?:please )?(.{4,})$`)

// howToSay is a question that asks how to ask.
var howToSay = lazily(`(?i)^how (?:do|can|would|could|should) (?:I|we|you) (.+)$`)

// twoOrders is in a text whose second half would pass as a part of a name.
var twoOrders = lazily(`(?i),? (?:and|then|and then) (?:put|move|make|set|give|call|rename|assign|add|lock|delete|remove|run|go ahead|tell|remind)\b`)

// one is a request for one thing, which may be short for another.
func (s situation) one(text string) (shape, match, bool) {
	for _, whole := range s.followed(text) {
		if k, m, ok := s.either(whole); ok {
			return k, m, true
		}
	}
	return s.either(text)
}

// longestRequest keeps a pasted page from being tried in all shapes.
const longestRequest = 400

// either is a request in the words of a shape, or in others that mean the same.
func (s situation) either(text string) (shape, match, bool) {
	if k, m, ok := s.inWordsOfShapes(text); ok {
		return k, m, true
	}
	return s.among(aboutThings(), text)
}

func (s situation) inWordsOfShapes(text string) (shape, match, bool) {
	if k, m, ok := s.among(shapes(), text); ok {
		return k, m, true
	}
	for other := range s.reworded(plain(text)) {
		if k, m, ok := s.among(shapes(), other); ok {
			return k, m, true
		}
	}
	return shape{}, nil, false
}

func (s situation) among(list []shape, text string) (shape, match, bool) {
	ways := slices.Compact([]string{plain(text), text})
	for _, k := range list {
		for _, in := range ways {
			for _, p := range k.asked {
				if m := matched(p, in); m != nil && (k.fits == nil || k.fits(s, m)) {
					return k, m, true
				}
			}
		}
	}
	return shape{}, nil, false
}

// inPieces is the first part of a text that is a request.
func (s situation) inPieces(text string) (shape, match, bool) {
	var small shape
	var said match
	for _, piece := range pieces(text) {
		if callIt().MatchString(plain(piece)) {
			continue // what was not understood cannot be named
		}
		if k, m, ok := s.one(piece); ok && !k.talk {
			return k, m, true
		} else if ok && said == nil { // small talk, unless there is more
			small, said = k, m
		}
	}
	return small, said, said != nil
}

// both are two requests with "and" between them, of which the second may say "it". They run at once, so neither may have to look first.
func (s situation) both(text string) (shape, match, bool) {
	text = plain(text)
	for _, at := range andWord().FindAllStringIndex(text, 4) {
		first, second := text[:at[0]], text[at[1]:]
		k, m, ok := s.one(first)
		if !ok || k.talk {
			continue
		}
		done := k.begin(s, m)
		if looksUp().MatchString(done) || !strings.Contains(done, actions.BlockOpen) {
			continue
		}
		if where := postedIn().FindStringSubmatch(done); where != nil && pinIt().MatchString(second) {
			if where[1] == s.where || where[1] == here { // it is posted with this very answer
				return combined(done + "Write “pin the last message” once it stands here."), match{}, true
			}
			return combined(done + act("pinMessage", "channelId", where[1], "messageId", "last")), match{}, true
		}
		next := s
		next.earlier = append(slices.Clone(s.earlier), remark{by: s.who, text: first}, remark{mine: true, text: blockHead().ReplaceAllString(done, "$1{")})
		next.read = map[int]exchange{}
		k2, m2, ok := next.understood(second)
		if !ok || k2.talk {
			continue
		}
		if more := k2.begin(next, m2); strings.Contains(more, actions.BlockOpen) && !looksUp().MatchString(more) {
			return combined(done + more), match{}, true
		}
	}
	return shape{}, nil, false
}

var (
	andWord   = lazily(`(?i)[,;.]? (?:and(?: then)?|then|also) |[,;.] `)
	pinIt     = lazily(`(?i)^pin (?:it|that|this|the message)(?: (?:there|in there))?$`)
	postedIn  = lazily(`"type":"sendMessage","channel":"([^"]+)"`)
	blockHead = lazily(`\{"type":"(\w+)",`)
	looksUp   = lazily(`"type":"(?:\w+List|\w+Info|read\w+|search\w+|\w+Show|list\w+|conversationSummary)"`)
)

func combined(answer string) shape {
	return shape{begin: func(situation, match) string { return answer }}
}

// aboutThings are tried behind all else, since they take any words for a thing.
var aboutThings = sync.OnceValue(thingShapes)

func matched(p *regexp.Regexp, text string) match {
	found := p.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	m := match{"": found[0]}
	for i, name := range p.SubexpNames() {
		if name != "" && found[i] != "" {
			m[name] = strings.TrimSpace(found[i])
		}
	}
	return m
}

// reply is the script's answer, with [here] for the channel.
func reply(s situation) string {
	if s.alone {
		return posted(s)
	}
	if s.forum == "tasks" && s.ownPost && len(s.earlier) == 0 && s.rounds == 0 && !s.direct {
		return aboutPost()[s.forum] // its first message is what is to be done
	}
	s.noteUnnoted()
	said := s.asked
	s.asked = meant(s)
	k, m, ok := s.understood(s.asked)
	switch {
	case !ok:
		return baffled(s, said)
	case s.direct && !k.talk:
		return notDirect
	case s.rounds == 0:
		return withLimits(said, k.begin(s, m))
	}
	return withLimits(said, shortened(after(s, k, m)))
}

// noteUnnoted adds what the latest request led to if its answer is not in the history yet.
func (s *situation) noteUnnoted() {
	n := len(s.earlier)
	if n == 0 || s.earlier[n-1].mine || s.earlier[n-1].by != s.who {
		return
	}
	then := *s
	then.earlier, then.asked, then.read = s.earlier[:n-1], s.earlier[n-1].text, map[int]exchange{}
	if k, m, ok := then.understood(meant(then)); ok && !k.talk {
		if done := k.begin(then, m); !looksUp().MatchString(done) {
			s.earlier = append(slices.Clone(s.earlier), remark{mine: true, text: blockHead().ReplaceAllString(done, "$1{")})
		}
	}
}

var (
	limited = lazily(`(?i),? \b(?:(?:until|till) (?:the |next |this )?(?:end of (?:the )?)?[\p{L}\d:]+|(?:unless|except(?: for)?|but not|as long as|only if|no more than)\b [^,.;?!"]+)`)
	timed   = lazily(`"(?:due|at|in|startTime|delaySeconds|durationMinutes|durationHours|slowmode)":`)
)

// withLimits says so if a change leaves out a limit that was asked for, which would be worse than to do nothing.
func withLimits(said, answer string) string {
	if m := provided().FindStringSubmatch(said); m != nil && answer != nothingToAdd && !strings.Contains(answer, actions.BlockOpen) {
		return answer + "\nWhat follows from that I leave to you: say “" + strings.TrimRight(m[2], ".! ") + "”, with its name, if you want it."
	}
	limit := strings.Trim(limited().FindString(said), ", ")
	if limit == "" || !strings.Contains(answer, actions.BlockOpen) || looksUp().MatchString(answer) || timed().MatchString(answer) ||
		shared(limit, answer) > 0 {
		return answer
	}
	return "I can't do the part “" + limit + "” by myself, so it is left out; tell me when it matters.\n" + answer
}

// after is the answer to results. It claims nothing that they do not say.
func after(s situation, k shape, m match) string {
	switch {
	case s.anyBegins("Failed: "):
		return "That didn't work, for the reason above."
	case s.anyBegins("Ignored: "):
		return nothingToAdd // the bot says why
	case s.anyBegins("Unreadable"):
		return "I got that wrong. Could you say it in other words?"
	case s.anyBegins("Asked: "):
		return "Nothing is done yet: the card above waits for an answer."
	case k.goOn == nil || s.all() == "" || s.rounds > 1 && !k.looks:
		return nothingToAdd
	}
	return k.goOn(s, m)
}

// nothingToAdd is an answer that the bot drops, since its own line about the action says it all.
const nothingToAdd = "Done."

const notDirect = "I can only talk in direct messages. Ask me that in a channel of the server."
