// Package class tells what kind of answer a model gave: whether it is done, goes on, asks or failed.
//
// That decides how a turn ends: a status is worth another turn, everything else is for the reader. [Heuristic] goes by the words
// of an answer alone. When in doubt an answer is a completion, since a status may be kept back.
package class

import (
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
)

// A Class is a kind of answer.
type Class string

const (
	Completion Class = "completion"
	Status     Class = "status" // the model says that it goes on, or says nothing
	Question   Class = "question"
	Blocker    Class = "blocker" // it cannot go on without help
	Error      Class = "error"
)

// enough is from how many characters on an answer has substance.
const enough = 400

// Words that begin a sentence of a status. See rules.
const (
	lead    = `(?:(?:okay|ok|alright|sure|great|now|next|first|then)\b[,;!\s]*)*`
	adverbs = `(?:(?:now|next|first|just|also|still|currently|then)\s+)*`
	doing   = `(?:working|running|checking|looking|investigating|analy[sz]ing|searching|building|testing|fixing|gathering|reading|scanning|waiting|fetching|compiling|reviewing)\b`
	work    = `(?:check|look|run|read|start|begin|fix|search|find|investigate|analy[sz]e|review|test|build|compile|continue|work|retry|fetch|gather|collect|open|scan|draft|dig|inspect|verify|pull|load|download|prepare|examine|proceed)\b`
)

type ruleset struct {
	you, asks, invites, blocked, failed, done, substance, status, forward, sentence *regexp.Regexp
}

// rules are the words of each class. They match in linear time.
var rules = sync.OnceValue(func() ruleset {
	words := func(expr string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + expr) }
	return ruleset{
		you:     words(`\byou(?:r)?\b`),
		asks:    words(`\b(?:should i|shall i|do you want|would you (?:like|prefer)|which (?:one|option|of)|want me to|is (?:that|it|this) ok(?:ay)?|ok(?:ay)? to (?:proceed|continue|go ahead)|may i|can you|could you|(?:how|what) would you like)\b`),
		invites: words(`\b(?:please (?:confirm|choose|decide|pick|clarify)|let me know (?:which|whether|how you))\b`),
		blocked: words(`(?m)^\s*(?:blocked (?:on|by)|permission denied)\b` +
			`|\bI(?:'m| am| was) blocked\b` +
			`|\bI (?:don't|do not) have (?:the )?(?:right )?(?:access|permissions?)\b` +
			`|\bI(?:'m| am) missing (?:the )?(?:access|permissions?)\b` +
			`|\bI(?: cannot| can't| could not| am unable to|'m unable to) (?:proceed|continue)\b` +
			`|\bI need (?:you|an admin|admin|someone) to\b`),
		failed: words(`(?m)^\s*(?:(?:error|failed|failure|exception|fatal)\s*:|traceback \(most recent call last\)|panic:|build failed\b|command failed\b|tests? (?:are )?(?:failed|failing)\b)` +
			`|\bexit(?:ed)? with (?:code|status) [1-9]`),
		done:      words(`\b(?:done|completed?|finished|all set|fixed|merged|pushed|committed|deployed|created|updated|posted|sent|saved|removed|closed)\b`),
		substance: words("(?m)^\\s*(?:```|~~~)|https?://|^\\s*(?:[-*+•]|\\d+[.)])\\s"),
		status: words(`^` + lead + adverbs + `(?:I(?:'m| am) ` + adverbs + doing + `|I(?:'m| am) ` + adverbs + `(?:going|about) to ` + adverbs + work +
			`|(?:I'll|I will|let me) ` + adverbs + work + `|` + doing + `)`),
		forward:  words(`\blooking forward\b`),
		sentence: regexp.MustCompile(`[.!?…:]+(?:\s+|$)`),
	}
})

// Heuristic returns the class of an answer by its words. The first rule that fits decides.
func Heuristic(text string) Class {
	prose := strings.TrimSpace(strings.ReplaceAll(dialect.Prose(text), "’", "'"))
	switch {
	case strings.TrimSpace(text) == "":
		return Status // there is nothing to send
	case prose == "":
		return Completion
	}
	r, last := rules(), lastLine(prose)
	end := sentences(last)
	final := end[len(end)-1]
	ending := strings.Join(end[max(len(end)-2, 0):], " ")
	switch {
	case strings.HasSuffix(final, "?") && (r.you.MatchString(final) || r.asks.MatchString(ending)), r.invites.MatchString(ending):
		return Question
	case r.blocked.MatchString(prose):
		return Blocker
	case r.failed.MatchString(prose):
		return Error
	case r.done.MatchString(last), hasSubstance(text):
		return Completion
	case r.status.MatchString(final) && !r.forward.MatchString(final):
		return Status
	}
	return Completion
}

// hasSubstance reports whether an answer has more than a word on how things are going: it is never kept back.
func hasSubstance(text string) bool {
	return chat.Length(text) > enough || rules().substance.MatchString(text)
}

func lastLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			return line
		}
	}
	return ""
}

// sentences splits a line, which is not blank. A full stop within a name such as main.go ends none.
func sentences(line string) (list []string) {
	at := 0
	for _, m := range rules().sentence.FindAllStringIndex(line, -1) {
		list = append(list, bare(line[at:m[1]]))
		at = m[1]
	}
	if rest := bare(line[at:]); rest != "" {
		list = append(list, rest)
	}
	if len(list) == 0 {
		list = []string{line}
	}
	return list
}

// bare is a sentence without emphasis around it.
func bare(sentence string) string {
	return strings.Trim(sentence, " \t*_~")
}

// of returns a class by its name.
func of(name string) (Class, bool) {
	switch c := Class(strings.ToLower(strings.TrimSpace(name))); c {
	case Completion, Status, Question, Blocker, Error:
		return c, true
	}
	return "", false
}
