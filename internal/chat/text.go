package chat

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Length returns the length of s as Discord counts it, in UTF-16 code units: an emoji
// outside the basic plane counts twice.
func Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Clip cuts s after most characters and marks the cut, so that a value from outside cannot
// fill a message.
func Clip(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// Shorten cuts s to at most most characters, as Discord counts them, the mark of the cut included.
func Shorten(s string, most int) string {
	if Length(s) <= most {
		return s
	}
	return strings.TrimRight(s[:fitting(s, most-1)], " ") + "…"
}

// fitting returns how many bytes of s have at most most characters, as Discord counts them.
func fitting(s string, most int) int {
	n := 0
	for i, c := range s {
		if n += Length(string(c)); n > most {
			return i
		}
	}
	return len(s)
}

// Cut keeps at most most characters of a text, as Discord counts them: whole lines if that
// keeps at least half. The note on how much is missing is not counted.
func Cut(text string, most int) string {
	end := fitting(text, most)
	if end == len(text) {
		return text
	}
	if line := strings.LastIndexByte(text[:end], '\n'); line >= end/2 {
		rest := text[line+1:]
		return fmt.Sprintf("%s\n… (%s more, %d characters, left out; ask for less)", text[:line], Counted(1+strings.Count(rest, "\n"), "line", "lines"), Length(rest))
	}
	return fmt.Sprintf("%s\n… (%d more characters left out; ask for less)", text[:end], Length(text[end:]))
}

// Counted is a number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// FirstOf lists the first few of some things, and says how many more there are.
func FirstOf[T any](list []T, most int, name func(T) string) string {
	var names []string
	for _, x := range list[:min(len(list), most)] {
		names = append(names, name(x))
	}
	text := strings.Join(names, ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Lasting formats a duration for people, in one or two units.
func Lasting(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return Counted(int(d.Seconds()), "second", "seconds")
	case d < time.Hour:
		return Counted(int(d.Minutes()), "minute", "minutes")
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return Counted(int(d.Hours()/24), "day", "days")
}

// As returns texts of one kind as texts of another. The list is never nil.
func As[To, From ~string](list []From) []To {
	all := make([]To, len(list))
	for i, text := range list {
		all[i] = To(text)
	}
	return all
}

// Capital makes the first letter upper case.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Lines splits a text at every character that may be shown as a line break. Blank lines are
// kept.
func Lines(text string) []string { return strings.Split(lineEnds.Replace(text), "\n") }

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// OneLine joins what is visible of a text from outside into a line, with single spaces, so that it cannot look
// like two lines, or push the text after it out of sight.
func OneLine(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

// Name is OneLine for a name, cut so that it has no room for orders: names do not count as outside text.
func Name(s string) string { return Clip(OneLine(s), 60) }

// withoutControls removes control characters. Line breaks become spaces.
func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
}

// InBrackets is OneLine for text between square brackets, which it cannot close.
func InBrackets(s string) string { return brackets.Replace(OneLine(s)) }

var brackets = strings.NewReplacer("[", "(", "]", ")")

// Literal is OneLine with Markdown escaped: no part of it is formatting, a link or a mention. So
// a name can neither hide the text beside it nor look like another user's. For text inside
// code, see InCode.
func Literal(s string) string { return markdown.Replace(OneLine(s)) }

var markdown = strings.NewReplacer(
	`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`,
)

// Unescaped is a text as it reads where Markdown is not formatted, such as in a file: without the backslashes of Literal.
func Unescaped(s string) string { return unescape.Replace(s) }

var unescape = strings.NewReplacer(
	`\\`, `\`, `\*`, "*", `\_`, "_", `\~`, "~", "\\`", "`", `\|`, "|", `\<`, "<", `\>`, ">", `\[`, "[", `\]`, "]",
)

// InCode formats a text as inline code. Its backticks would end the code, and become quotes.
func InCode(s string) string { return "`" + strings.ReplaceAll(OneLine(s), "`", "'") + "`" }

// Slips returns the edit distance (Levenshtein) of a and b.
func Slips(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			cost := diagonal
			if from[i] != to[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(to)]
}

// Fenced puts text into a code fence that it cannot close: one that is longer than the longest run of backticks.
func Fenced(text string) string {
	run, longest := 0, 2
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + text + "\n" + fence
}

// Alike reports whether two words in lower case begin alike, as "bake" and "baking" do, which may be forms of one.
func Alike(a, b string) bool {
	x, y, same := []rune(a), []rune(b), 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return same >= 3 && 2*same >= max(len(x), len(y)) && min(len(x), len(y)) >= 4
}

// Letters returns the letters and digits of a name, which is the same for names that differ only in
// case, emoji, dividers and fonts: "📢︱announcements" has those of "Announcements".
func Letters(s string) string { return strings.ReplaceAll(Words(s), " ", "") }

// BeginsIn reports whether the first letters of a name are somewhere in a text, of which it takes the [Letters]. Where many names
// are looked for, it rules most of them out, and allocates nothing.
func BeginsIn(letters, name string) bool {
	var first [3 * utf8.UTFMax]byte
	begin := first[:0]
	for r, rest, _ := nextLetter(name); r >= 0 && len(begin) < 3; r, rest, _ = nextLetter(rest) {
		begin = append(begin, string(r)...)
	}
	return strings.Contains(letters, string(begin))
}

// Words returns the letters and digits of a text in lower case, with a space in place of whatever is
// between them.
func Words(s string) string {
	var words strings.Builder
	before := rune(-1)
	for {
		r, rest, apart := nextLetter(s)
		if r < 0 {
			return words.String()
		}
		if words.Len() > 0 && (apart || Dense(before) != Dense(r)) {
			words.WriteByte(' ')
		}
		words.WriteRune(r)
		s, before = rest, r
	}
}

// Dense reports whether a letter is of a script that does not set words apart. Between it and others, such as a Latin name in a Japanese
// sentence, a word ends.
func Dense(r rune) bool {
	const longVowel, again = 'ー', '々' // which are of no script
	return r == longVowel || r == again ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Spelled finds a name of at least two letters in a text, as whole words, and returns it as it is written there. Where words are not set
// apart, as in Japanese, it is found inside of them.
func Spelled(text, name string) (as string, found bool) {
	want, inside, ok := wanted(name)
	if !ok {
		return "", false
	}
	type letter struct {
		r        rune
		at, past int // in the text
		apart    bool
	}
	var letters []letter
	for rest := text; ; {
		r, after, apart := nextLetter(rest)
		if r < 0 {
			break
		}
		past := len(text) - len(after)
		_, size := utf8.DecodeLastRuneInString(text[:past])
		letters = append(letters, letter{r, past - size, past, apart || len(letters) == 0 || Dense(letters[len(letters)-1].r) != Dense(r)})
		rest = after
	}
	apart := func(i int) bool { return i == len(letters) || letters[i].apart || inside }
	for i := range letters {
		n, gap, fits := 0, false, apart(i)
		for _, r := range want {
			if r == ' ' {
				gap = true
				continue
			}
			if fits = fits && i+n < len(letters) && letters[i+n].r == r && (!gap || letters[i+n].apart); !fits {
				break
			}
			if n > 0 && !gap && letters[i+n].apart {
				fits = false
				break
			}
			n, gap = n+1, false
		}
		if fits && apart(i+n) {
			return text[letters[i].at:letters[i+n-1].past], true
		}
	}
	return "", false
}

// wanted returns the words of a name, and whether they are found inside of others. It returns false if they have less than two
// letters.
func wanted(name string) (words string, inside, ok bool) {
	words = Words(name)
	for _, r := range words {
		inside = inside || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar)
	}
	return words, inside, utf8.RuneCountInString(strings.ReplaceAll(words, " ", "")) >= 2
}

// A Wording is a text in which many names are looked for.
type Wording struct{ words, letters string }

// WordingOf returns the wording of a text.
func WordingOf(text string) Wording {
	words := Words(text)
	return Wording{" " + words + " ", strings.ReplaceAll(words, " ", "")}
}

// Has reports whether a name is in the text, as [Spelled] finds it.
func (w Wording) Has(name string) bool {
	if !BeginsIn(w.letters, name) {
		return false
	}
	words, inside, ok := wanted(name)
	if !inside {
		words = " " + words + " "
	}
	return ok && strings.Contains(w.words, words)
}

// IsTelling reports whether a name is so long that a text which has it means it, whoever has chosen it. Somebody may choose a
// word of every text to get into every prompt.
func IsTelling(name string) bool { return utf8.RuneCountInString(Letters(name)) >= 10 }

// nextLetter returns the first letter or digit of a text, folded, or -1 if there is none, and what
// follows it. Apart says that something else stood before it.
func nextLetter(s string) (r rune, rest string, apart bool) {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		if emoji := strings.TrimPrefix(s, "\uFE0F"); len(emoji) < len(s) { // ℹ️ and 1️⃣ begin with a letter and a digit
			s, apart = emoji, true
			continue
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc) && !unicode.Is(unicode.Variation_Selector, r) {
			return fold(plain(r)), s, apart
		}
		apart = true
	}
	return -1, "", apart
}

// plain returns a letter in the usual font. Names are decorated with mathematical and with full-width
// letters.
func plain(r rune) rune {
	switch {
	case r >= 0x1D400 && r < 0x1D6A4: // A to Z and a to z in thirteen fonts
		i := (r - 0x1D400) % 52
		if i < 26 {
			return 'A' + i
		}
		return 'a' + i - 26
	case r >= 0x1D7CE && r <= 0x1D7FF:
		return '0' + (r-0x1D7CE)%10
	case r >= 0xFF10 && r <= 0xFF5A:
		return r - 0xFF10 + '0'
	}
	return r
}

// fold returns the same character for all that strings.EqualFold takes for one.
func fold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}
