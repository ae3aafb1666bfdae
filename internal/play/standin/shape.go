package standin

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A shape is one kind of request, in several wordings.
type shape struct {
	asked []*regexp.Regexp
	// begin is the first answer. Beside requests it has no words: what comes of them is not known yet.
	begin func(s situation, m match) string
	// goOn is the next answer, which has the results. Nil adds nothing to what the bot itself says about them.
	goOn func(s situation, m match) string
	talk bool // it asks for no action, so it also works in direct messages
}

// A match has the named groups of a wording.
type match map[string]string

// words that stand for others in wordings.
var words = strings.NewReplacer(
	"{make}", `(?:make|create|add|open|start|set up|post|give (?:me|us)|(?:I|we) (?:need|want)|(?:I'd|we'd) like)(?: me| us)?`,
	"{delete}", `(?:delete|remove|get rid of|drop|erase)`,
	"{show}", `(?:(?:what|which)(?:'s| is| are|'re)?|list|show(?: me)?|tell me|give me|are there(?: any)?|do we have(?: any)?|do I `+
		`have(?: any)?|how many)(?: all)?(?: of)?(?: the| our| my)?`,
	"{a}", `(?:(?:a|an|another|the|this|one) )?(?:new )?`,
	"{the}", `(?:(?:the|a|an|my|our|this|that) )?`,
	"{called}", `(?::| called:?| named:?| titled:?| for| about:?| on)?`,
	"{channel}", `#?(?P<channel>[\p{L}\p{N}_-]+)`,
	"{#channel}", `#(?P<channel>[\p{L}\p{N}_-]+)`,
	"{who}", `(?P<who><@!?\d+>|@?[\p{L}\p{N}._-]+)`,
	"{text}", `(?P<text>.+?)`,
	"{id}", `(?P<id>(?:[a-z]+-)?\d+)`,
	"{when}", `(?P<when>`+whenWords+`)`,
	"{often}", `(?P<often>`+oftenWords+`)`,
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
	return slices.Concat(prompted(), jobShapes(), reminderShapes(), planShapes(), taskShapes(), eventShapes(), channelShapes(), roleShapes(),
		memoryShapes(), messageShapes(), memberShapes(), talkShapes())
})

// polite are words around a request that change nothing.
var (
	politeBefore = lazily(`(?i)^(?:(?:please|hey|hi|hello|ok|okay|so|well|now|and|also|then|yes|bot|discoclaw|<@!?\d+>|can you|could you` +
		`|would you|will you|can we|could we|` +
		`I want you to|I'd like you to|I would like you to|you should|let's|do me a favou?r and|go ahead and|just|quickly|kindly|I wonder|do ` +
		`you know|tell me,?)[,!:]? )+`)
	politeAfter = lazily(`(?i)(?:[,]? (?:please|thanks|thank you|for me|if you can|if possible|now|right now|would you|could you|will ` +
		`you))*[?.! …]*$`)
	quotes = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`)
)

// whats is "what's" as people type it.
var whats = lazily(`(?i)^(what|who)s\b`)

// plain is a request without polite words and with plain quotes.
func plain(text string) string {
	text = strings.TrimSpace(quotes.Replace(text))
	if short := politeBefore().ReplaceAllString(text, ""); len(strings.Fields(short)) > 0 {
		text = short
	}
	if short := politeAfter().ReplaceAllString(text, ""); short != "" {
		text = short
	}
	return whats().ReplaceAllString(text, "$1's")
}

// understood finds the shape of a request, in its own words or in plain ones.
func understood(text string) (shape, match, bool) {
	if _, _, lacks := halfOf(text, false); lacks {
		return shape{}, nil, false
	}
	for _, k := range shapes() {
		for _, in := range []string{plain(text), text} {
			for _, p := range k.asked {
				if m := matched(p, in); m != nil {
					return k, m, true
				}
			}
		}
	}
	return shape{}, nil, false
}

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
	s.asked = meant(s)
	k, m, ok := understood(s.asked)
	switch {
	case !ok:
		return baffled(s)
	case s.direct && !k.talk:
		return notDirect
	case s.rounds == 0:
		return k.begin(s, m)
	}
	return shortened(after(s, k, m))
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
	case k.goOn == nil || s.all() == "":
		return nothingToAdd
	}
	return k.goOn(s, m)
}

// nothingToAdd is an answer that the bot drops, since its own line about the action says it all.
const nothingToAdd = "Done."

const notDirect = "I can only talk in direct messages. Ask me that in a channel of the server."
