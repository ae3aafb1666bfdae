package gather

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/history"
)

// A request that plainly asks what outsiders said would make the model look that up at once. So its prompt has that already, marked as
// outside text. Other prompts have none: each change of a turn that has read some waits for approval. So these patterns rather miss a
// question than take a request for a change for one.

// looksAhead reports whether a prompt may have outside text that its request asks for. That is where changes of turns that have read some
// wait for approval; otherwise a model has to decide to read it.
func (g *Gatherer) looksAhead(byBot bool) bool { return g.o.Taint == actions.TaintConfirm && !byBot }

// pattern returns a pattern of words as [chat.Words] writes them, with a blank at both ends.
func pattern(words string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` (?:` + words + `) `) })
}

var (
	talk = pattern(`said|wrote|written|posted|mentioned|asked|answered|replied|reported|promised|suggested|discussed|talked|missed|summari[sz]e|summary|recap|catch me up|look up|find out|(?:left|dropped|spammed) (?:some|a|an|the|this|that)|` +
		`did(?: \pL+){1,2} (?:say|write|post|mention|ask|promise|suggest)|(?:that|the|this|his|her) (?:ad|advert|spam|link)|\pL+ ?s (?:messages?|msgs?|posts?|ads?|spam|question|answer|idea|link)|` +
		`gesagt|geschrieben|gefragt|erwähnt|gemeint|versprochen|vorgeschlagen|verpasst|zusammenfass\pL*|écrit|demandé|proposé|résum\pL*|dijo|dicho|escrito|escribió|preguntó|resum\pL*`)
	// ownTalk is about what the requester said, or the bot.
	ownTalk = pattern(`did (?:i|we|you|u)(?: \pL+)? (?:say|write|post|mention|ask|promise|suggest)|(?:i|ive|we|you|u|ich|du|wir|je|tu|yo)(?: \pL+)? (?:said|wrote|written|posted|mentioned|asked|suggested|gesagt|geschrieben|gefragt|écrit|demandé|dicho|escrito)`)
	// ofAnyone says whose talk it is: that of all who wrote here.
	ofAnyone = pattern(`look up|find out|any(?:one|body)|some(?:one|body)|every(?:one|body)|people|they|this (?:channel|thread|chat)|in here|was|(?:that|the|this) (?:ad|advert|spam|link)|` +
		`(?:me|i) (?:up|miss)|i missed|jemand|alle|ils|quelqu un|alguien|ellos`)
	// ofHere makes a question one about all that was said here.
	ofHere = pattern(`(?:this|the) (?:channel|thread|chat|talk)|in here|so far|diesem? (?:kanal|thread)|ce (?:salon|fil)|este canal`)
	// toSelf is in requests that need no approval, whatever was read.
	toSelf = pattern(`remind me|erinner\pL* mich|rappelle moi|recuérdame|ricordami`)
	// toMessage is in requests that are about a message.
	toMessage = pattern(`delete|remove|pin|quote|answer|reply|react|lösch\pL*|entfern\pL*|supprime\pL*|efface\pL*|borra\pL*|elimina\pL*`)
	// change is in requests that have the form of a question.
	change = pattern(`(?:can|could|would|will) (?:you|u|we|i)|pls|please|kannst|könntest|würdest|magst|peux|pourrais|pouvez|puedes|podrías|puoi|potresti|mi|poll|polls|umfrage|sondage|encuesta`)
	// later is in requests for work that will look by itself.
	later  = pattern(`every|jeden|chaque|cada|remind|check again|in (?:a|an|one|\d+) (?:min|mins|minutes?|hours?|h|days?)`)
	quotes = regexp.MustCompile(`"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»`)
)

// A request is the text of one, in words.
type request struct {
	words    string
	question bool // it asks something, and not for something
}

func requestOf(text string) request {
	r := request{words: " " + chat.Words(text) + " "}
	r.question = strings.Contains(quotes.ReplaceAllString(text, ""), "?") && !change().MatchString(r.words)
	return r
}

// asksOf reports whether a request is about what was said, by all or by an author of the lines.
func (r request) asksOf(lines []history.Line) bool {
	if !talk().MatchString(ownTalk().ReplaceAllString(r.words, " ")) {
		return false
	}
	return !later().MatchString(r.words) && (r.question || ofAnyone().MatchString(r.words) || slices.ContainsFunc(lines, r.names))
}

// asksAbout reports whether a request is about some of the lines.
func (r request) asksAbout(lines []history.Line) bool {
	if len(lines) == 0 || r.asksOf(lines) || r.question && ofHere().MatchString(r.words) {
		return len(lines) > 0
	}
	free := r.question || toSelf().MatchString(r.words)
	return slices.ContainsFunc(lines, func(l history.Line) bool {
		named, shared := r.names(l), r.shares(l.Text)
		return named && shared && toMessage().MatchString(r.words) || free && shared || r.question && named
	})
}

// names reports whether the author of a line is named.
func (r request) names(l history.Line) bool {
	name, _, _ := strings.Cut(chat.Words(l.Author), " ")
	return name != "" && !slices.Contains(ordinary, name) && (strings.Contains(r.words, " "+name+" ") || strings.Contains(r.words, " "+name+"s "))
}

// ordinary are words of many requests, which count as no name: an outsider with such a name would have those requests held.
var ordinary = strings.Fields("a an as at be by do for go he i if in is it me my no of on or so the to up us we and all any can new not one that them this with from into you your please " +
	"add ban change close create delete give kick make move open pin post put remind remove rename send set start take tell write channel event message messages poll role server thread topic")

// shares reports whether a request has a word of a text that may tell what it is about.
func (r request) shares(text string) bool {
	said := " " + chat.Words(text) + " "
	return slices.ContainsFunc(strings.Fields(r.words), func(word string) bool {
		return len([]rune(word)) >= telling && !slices.Contains(filling, word) && strings.Contains(said, " "+word+" ")
	})
}

// telling is how many letters a word has that may tell what a request is about.
const telling = 5

// filling are words of that length that do not.
var filling = strings.Fields("about after again before being could every going maybe other please really should since still their there these thing things think those today until where which while would")
