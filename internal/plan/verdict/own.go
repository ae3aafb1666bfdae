package verdict

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
)

// What an auditor is told about an answer that cannot be used.
var (
	errNoVerdict = errors.New("it has no verdict that can be read; give it in the form that was asked for, and end with the verdict line")
	errCopied    = errors.New("its verdict is a copy of text in the material, which is what you judge; give your own")
)

// Judge reads the answer of an auditor to whom a material was shown. An approval counts only if the auditor wrote it: a text that wants to
// be approved may say what an approval looks like, and auditors repeat what they read. What blocks needs no such proof. The error is
// what the auditor is told about an answer that cannot be used.
func Judge(answer, shown string) (Verdict, error) {
	v := Parse(answer)
	if v.Passes() && !Parse(ownWords(answer, shown)).Passes() {
		v.Malformed = true
		return v, errCopied
	}
	if v.Malformed {
		return v, errNoVerdict
	}
	return v, nil
}

// ownWords is an answer without copies of what was shown, in the two places in which an approval counts: the JSON with which it
// begins, and its end.
func ownWords(answer, shown string) string {
	answer = strings.Join(chat.Lines(chat.Visible(answer)), "\n")
	shown = letters(shown)
	start, end := firstObject(answer)
	if strings.Contains(shown, letters(answer[start:end])) {
		answer = answer[:start] + answer[end:]
		end = start
	}
	lines := strings.Split(answer[end:], "\n")
	for i := len(lines) - 1; i >= 0 && strings.Contains(shown, letters(lines[i])); i-- {
		if letters(lines[i]) != "" { // the end of a code block is no copy
			lines[i] = ""
		}
	}
	return answer[:end] + strings.Join(lines, "\n")
}

// letters are what is left of a text when it is written with other spaces, signs and capitals.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, chat.Visible(text))
}

// firstObject is where the first JSON object of a text is; without one it is nowhere.
func firstObject(text string) (start, end int) {
	const tries = 100 // each may read the whole text; verdict gives up earlier
	for range tries {
		i := strings.IndexByte(text[end:], '{')
		if i < 0 {
			break
		}
		start = end + i
		d := json.NewDecoder(strings.NewReader(text[start:]))
		if err := d.Decode(new(json.RawMessage)); err == nil {
			return start, start + int(d.InputOffset())
		}
		end = start + 1
	}
	return 0, 0
}
