package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sources name the outside texts that were read: those of people who give the bot no orders, and those that need
// not be by who posted them. Each is a phrase in Markdown on a line of its own, such as "a message by <@1>".
type Sources string

// maxSources is how many are kept: whoever approves something reads a few of them at most.
const maxSources = 20

// Add adds sources, unless they are known. A nil receiver drops them.
func (s *Sources) Add(more ...Sources) {
	if s == nil {
		return
	}
	list := s.list()
	for _, m := range more {
		for _, source := range m.list() {
			if !slices.Contains(list, source) && len(list) < maxSources {
				list = append(list, source)
			}
		}
	}
	*s = Sources(strings.Join(list, "\n"))
}

func (s Sources) list() []string {
	if s == "" {
		return nil
	}
	return strings.Split(string(s), "\n")
}

// Phrase lists the first of the sources, for people.
func (s Sources) Phrase() string {
	const shown = 3
	list := s.list()
	if more := len(list) - shown; more > 0 {
		list = append(list[:shown:shown], fmt.Sprintf("%d more", more))
	}
	return And(list)
}

// A SourceOf returns the outside texts that the words of a message are, or were written after. A nil one takes
// every author for an outsider.
type SourceOf func(Message) Sources

// Outside lists the outside texts in a message as it is quoted: those of its words, and those that its author need
// not have written.
func (m Message) Outside(of SourceOf) Sources {
	if of == nil {
		of = Message.Byline
	}
	var s Sources
	if !m.System || m.Text != "" {
		s.Add(of(m))
	}
	if len(m.Embeds) > 0 {
		s.Add("an embed")
	}
	if m.Forwards != nil {
		s.Add("a forwarded message")
	}
	return s
}

// Byline names a message of an outsider.
func (m Message) Byline() Sources {
	switch {
	case m.Webhook:
		return Sources("a message by the webhook " + sourceName(m.Author.Name))
	case m.Author.ID == "":
		return "a message"
	}
	return Sources("a message by " + m.Author.ID.Mention())
}

// Outside lists the attachments that were opened. Their authors are not known.
func (o Opened) Outside() Sources {
	var s Sources
	for _, d := range o.Texts {
		s.Add(Sources("the file " + sourceName(d.Name)))
	}
	for _, p := range o.Papers {
		s.Add(Sources("the file " + sourceName(p.Name)))
	}
	for _, p := range o.Pictures {
		s.Add(Sources("the picture " + sourceName(p.Name)))
	}
	return s
}

// sourceName is a name that anybody may have chosen, for a card.
func sourceName(name string) string { return Literal(Clip(OneLine(withoutControls(name)), 60)) }

// A Reading is what a turn has read of outside texts. A nil one drops what is added.
type Reading struct {
	direct Sources
	texts  []string // of these sources, as far as they are known
	retold []retold
}

// A retold is an earlier answer of the bot that was written after outside texts had been read.
type retold struct {
	text string
	of   Sources
}

// Add adds sources that the turn has read itself.
func (r *Reading) Add(more ...Sources) {
	if r != nil {
		r.direct.Add(more...)
	}
}

// AddText adds a text from outside, with its sources. One without sources is not from outside.
func (r *Reading) AddText(text string, of Sources) {
	if r != nil && of != "" {
		r.direct.Add(of)
		r.texts = append(r.texts, text)
	}
}

// Without returns a text without the passages that stand in texts from outside as well.
func (r *Reading) Without(text string) string {
	if r == nil {
		return text
	}
	at, own := lettersAt(text)
	if len(own) < repeated {
		return text
	}
	known := map[string]bool{}
	for _, read := range r.texts {
		long := letters(read)
		for i := 0; i+repeated <= len(long); i++ {
			known[string(long[i:i+repeated])] = true
		}
	}
	var b strings.Builder
	kept := 0 // up to where the text is dealt with
	for i := 0; i+repeated <= len(own); i++ {
		if !known[string(own[i:i+repeated])] {
			continue
		}
		end := i + repeated
		for end < len(own) && known[string(own[end-repeated+1:end+1])] {
			end++
		}
		b.WriteString(text[kept:at[i]] + "…")
		_, size := utf8.DecodeRuneInString(text[at[end-1]:])
		kept, i = at[end-1]+size, end-1
	}
	return b.String() + text[kept:]
}

// lettersAt returns the letters and digits of a text, in small letters, and where each stands.
func lettersAt(text string) (at []int, found []rune) {
	for i, c := range text {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			at, found = append(at, i), append(found, unicode.ToLower(c))
		}
	}
	return at, found
}

// AddRetold adds the sources of an earlier answer of the bot, which may repeat them.
func (r *Reading) AddRetold(answer string, of Sources) {
	if r != nil && of != "" {
		r.retold = append(r.retold, retold{answer, of})
	}
}

// All returns everything that was read.
func (r *Reading) All() Sources {
	all := r.direct
	for _, earlier := range r.retold {
		all.Add(earlier.of)
	}
	return all
}

// In returns what may be in an answer: what the turn has read itself, and of earlier answers what this one repeats.
// If all of them counted, a conversation that had once been about a file would be about it for ever.
func (r *Reading) In(answer string) Sources {
	in := r.direct
	for _, earlier := range r.retold {
		if repeats(answer, earlier.text) {
			in.Add(earlier.of)
		}
	}
	return in
}

const (
	repeated = 16 // letters and digits in a row that are a repetition
	shortest = 6  // the same, if that is all that one of the texts has: "Ban zed!"
)

// repeats reports whether two texts have a passage in common, whatever stands between its letters.
func repeats(text, earlier string) bool {
	short, long := letters(text), letters(earlier)
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) < repeated {
		return len(short) > 0 && slices.Equal(short, long) || len(short) >= shortest && strings.Contains(string(long), string(short))
	}
	known := map[string]bool{}
	for at := 0; at+repeated <= len(long); at++ {
		known[string(long[at:at+repeated])] = true
	}
	for at := 0; at+repeated <= len(short); at++ {
		if known[string(short[at:at+repeated])] {
			return true
		}
	}
	return false
}

// letters returns the letters and digits of a text, in small letters.
func letters(text string) []rune {
	_, found := lettersAt(text)
	return found
}
