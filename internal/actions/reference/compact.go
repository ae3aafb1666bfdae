package reference

import (
	"strings"
	"unicode"

	"discoclaw/internal/actions"
)

// compactLine names an action with its required fields, and the part of its summary that
// the name does not say. It is part of every turn, so it is short.
func compactLine(a *actions.Action) string {
	var fields []string
	for _, f := range a.Fields() {
		if f.Required {
			fields = append(fields, f.Name)
		}
	}
	if len(fields) < len(a.Fields()) {
		fields = append(fields, "+")
	}
	line := a.Name
	if len(fields) > 0 {
		line += "{" + strings.Join(fields, ",") + "}"
	}
	if a.Effect == actions.Queries {
		line += "?"
	}
	if a.Destructive {
		line += "!"
	}
	return strings.TrimSpace(line + " " + telegram(a))
}

// telegram is the part of an action's summary that its name does not say, without articles.
func telegram(a *actions.Action) string {
	named := nameWords(a.Name)
	var words []string
	for word := range strings.FieldsSeq(strings.TrimSuffix(a.Summary, ".")) {
		bare := strings.ToLower(strings.TrimRight(word, ",;:"))
		switch {
		case bare == "a" || bare == "an" || bare == "the":
		case len(words) == 0 && named[strings.TrimSuffix(bare, "s")]:
		default:
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// nameWords are the words that an action's name is made of, in the singular.
func nameWords(name string) map[string]bool {
	words := map[string]bool{}
	word := ""
	for _, r := range name + "A" { // a capital ends the last one
		if unicode.IsUpper(r) {
			words[strings.TrimSuffix(word, "s")] = true
			word = ""
		}
		word += string(unicode.ToLower(r))
	}
	return words
}
