package dialect

import (
	"slices"
	"strings"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

// brokenTag stands for the bracket of a tag that is broken.
const brokenTag = "‹"

// stateTag is the name of the tag around what a scheduled job keeps, which internal/cron parses.
const stateTag = "cron-state"

// tagNames are the names of all tags that the program understands in an answer, bracketNames those in brackets.
var (
	tagNames     = []string{"discord-action", "continuation-capsule", "actions", "no-reply", stateTag}
	bracketNames = slices.Concat(signalNames, keywordNames)
)

// Silent is the answer of a model that has nothing to say. Silence are all answers that say nothing, and so are not posted.
const Silent = "HEARTBEAT_OK"

var Silence = []string{Silent, "(no output)"}

// Markers returns how everything begins that the program understands in an answer besides JSON.
func Markers() (list []string) {
	for _, name := range tagNames {
		list = append(list, "<"+name, "</"+name)
	}
	for _, name := range bracketNames {
		list = append(list, "["+name)
	}
	return append(list, Silence...)
}

// Defuse breaks the markers of all dialects, whether they are understood today or not, in a text that is information for a
// model and not an order: a model that repeats it word for word asks for nothing. The text stays legible. What is hidden in
// it goes first, because a marker could be left.
func Defuse(text string) string { return defuse(text, false) }

// DefuseJob is Defuse for the prompt of a scheduled job. Its author may say in it what the job keeps, and when it is silent.
func DefuseJob(text string) string { return defuse(text, true) }

func defuse(text string, job bool) string {
	const begins = "<[{(_"
	text = chat.Visible(text)
	if !strings.ContainsAny(text, begins) {
		return text
	}
	enveloped := asksEnveloped(text)
	var b strings.Builder
	at := 0
	for {
		i := strings.IndexAny(text[at:], begins)
		if i < 0 {
			return b.String() + text[at:]
		}
		b.WriteString(text[at : at+i])
		at += i + 1
		char, rest := text[at-1], text[at:]
		switch {
		case char == '<' && namesTag(rest, job):
			b.WriteString(brokenTag)
		case char == '[' && namesSignal(rest):
			b.WriteString("❲")
		case char == '{' && enveloped && beginsFields(rest):
			b.WriteString("❴")
		case char == '(' && !job && inSilence(text, at-1):
			b.WriteString("❨")
		case char == '_' && !job && inSilence(text, at-1):
			b.WriteString("‗")
		default:
			b.WriteByte(char)
		}
	}
}

// namesTag reports whether the text behind an angle bracket makes it a marker. It is wider than
// any parser, because a model may tidy up what it repeats. At the end, what follows in a prompt could make it one.
func namesTag(text string, job bool) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return r == '/' || isSpace(r) })
	return text == "" || slices.ContainsFunc(tagNames, func(name string) bool { return beginsWith(text, name) && !(job && name == stateTag) })
}

// beginsWith is strings.HasPrefix, whatever the case.
func beginsWith(text, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word)
}

// inSilence reports whether a character is part of an answer that says nothing.
func inSilence(text string, at int) bool {
	return slices.ContainsFunc(Silence, func(word string) bool {
		i := strings.IndexByte(word, text[at])
		return i >= 0 && at >= i && beginsWith(text[at-i:], word)
	})
}

// namesSignal reports whether the text behind a bracket makes it a signal or a keyword, in whatever case and with whatever
// blanks. At the end, what follows in a prompt could make it one.
func namesSignal(text string) bool {
	const longest = len("SEARCH_EPISODIC") * utf8.UTFMax
	text = strings.TrimLeftFunc(text, isSpace)
	if text == "" {
		return true
	}
	end := strings.IndexAny(text[:min(len(text), longest)], ":][") // no name has a bracket, and a row of them stays cheap
	if end < 0 {
		end = min(len(text), longest)
	}
	name, _, _ := strings.Cut(text[:end], `\`) // an envelope makes blanks of \t and \r
	name = strings.ToUpper(strings.TrimFunc(name, isSpace))
	return slices.Contains(bracketNames, name)
}

// asksEnveloped reports whether a text has the fields of an envelope that asks for something, perhaps with escapes in its
// text. Otherwise braces stay as they are: a text may well be about code.
func asksEnveloped(text string) bool {
	return strings.Contains(text, "{") && hasField(text, "text") &&
		(hasField(text, "action") || hasField(text, "actions") || hasField(text, "user") && strings.Contains(text, `\`))
}

// hasField reports whether a name stands before a colon, with or without quotes.
func hasField(text, name string) bool {
	for {
		before, after, found := strings.Cut(text, ":")
		if !found {
			return false
		}
		before = strings.TrimRightFunc(before, func(r rune) bool { return isSpace(r) || strings.ContainsRune(quoteMarks, r) })
		if strings.HasSuffix(before, name) {
			return true
		}
		text = after
	}
}

// beginsFields reports whether the text behind a brace begins with a field, with or without quotes.
func beginsFields(text string) bool {
	text = strings.TrimLeftFunc(text, isSpace)
	return beginsObject(text) || text != "" && isWordPart(text[0])
}

// DefuseNames breaks what could pass for a request without its markers, in names and in texts that have no foreign text
// but names. Short ones mark no turn, so a model that obeys one must find nothing in it that it could copy.
func DefuseNames(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if beginsObject(after) {
			b.WriteString("❴")
		} else {
			b.WriteByte('{')
		}
		text = after
	}
}

// beginsObject reports whether the text behind a brace begins with a field, whose quotes a model may mend.
func beginsObject(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return r == '\\' || isSpace(r) })
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("\"'“”„‘’«", first)
}
