package verdict

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"discoclaw/internal/plan/markdown"
)

var (
	// severityMark is "Severity: minor" in its many spellings. Several words with signs between them all count.
	severityMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)severity(?:\\s+(?:level|rating))?[\\s*_\"'`]*(?:[:=：–—-]|\\bis\\b)[\\s*_\"'`(\\[]*(\\pL+(?:[\\s*_\"'`]*(?:/|\\||,|→|->|\\bto\\b|\\bor\\b)[\\s*_\"'`]*\\pL+)*)[)\\]*_\"'`]*")
	})
	bracketed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[(\[]\s*[*_]*(\pL+)[*_]*\s*[)\]]`) })
	wordOf    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\pL+`) })

	// verdictMark is a line that is labelled as the verdict.
	verdictMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^[\s#*_+\-\d.)|]*verdict[\s*_]*:[\s*_]*(.*)$`)
	})
	objection = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bneeds? (?:an?other |some |more |further |major |a )?revisions?\b|\bnot (?:yet )?ready (?:to approve|for approval)\b`)
	})
	refusal  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:revis|reject|block|not ready|not approve)`) })
	approval = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^[\s#*_+\-.)|✅]*ready (?:to approve|for approval)\b(.*)$`)
	})
	noBlock = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:no|non|not|zero)[ -]?blocking\b`) })
)

// readMarkers reads severities out of prose, tables and brackets. Examples in code blocks speak of severities, too, so
// only those count there that are written as the auditor is asked to, in bold.
func (a *answer) readMarkers() {
	title := ""
	a.each(func(_ int, line string, code bool) {
		line = noBlock().ReplaceAllString(line, "minor")
		if code && !strings.Contains(strings.ToLower(line), "**severity") {
			return
		}
		found, bare := a.marks(line, code)
		if found > Unstated {
			if own := titled(bare); own != "" {
				title = own
			}
			if found > None {
				a.told = append(a.told, Concern{title, found})
			}
			title = ""
			return
		}
		if beginsConcern(line) {
			_, content, _ := markdown.Item(strings.TrimLeft(line, "#* "))
			title = titled(content)
		}
	})
}

// marks returns the worst severity that a line states, and the line without it.
func (a *answer) marks(line string, code bool) (worst Severity, bare string) {
	note := func(s Severity) {
		a.saw(s)
		worst = max(worst, s)
	}
	for _, m := range severityMark().FindAllStringSubmatchIndex(line, -1) {
		known := false
		for _, word := range wordOf().FindAllString(line[m[2]:m[3]], -1) {
			s, ok := severityOf(word)
			known = known || ok
			note(s)
		}
		a.unreadable = a.unreadable || !known && isLabel(line[:m[0]])
	}
	bare = severityMark().ReplaceAllString(line, "")
	if code {
		return worst, bare
	}
	if cells := strings.Split(line, "|"); len(cells) > 2 {
		bare = ""
		for _, cell := range cells {
			if s, ok := severityOf(cell); ok {
				note(s)
			} else if bare == "" && strings.IndexFunc(cell, unicode.IsLetter) >= 0 {
				bare = cell
			}
		}
	}
	for _, m := range bracketed().FindAllStringSubmatch(line, -1) {
		if s, ok := severityOf(m[1]); ok {
			note(s)
			bare = strings.ReplaceAll(bare, m[0], "")
		}
	}
	_, bare, _ = markdown.Item(strings.TrimLeft(bare, "# "))
	return worst, bare
}

// isLabel reports whether what follows is meant as a severity, rather than a sentence about severities.
func isLabel(before string) bool {
	return strings.Trim(before, " \t#*_+-.)|0123456789") == "" || strings.HasSuffix(before, "**")
}

// beginsConcern reports whether a line may be the title of the concern whose severity follows.
func beginsConcern(line string) bool {
	level, _ := markdown.Heading(line)
	indent, content, isItem := markdown.Item(line)
	return level > 0 || isItem && indent == 0 && content != "" || strings.HasPrefix(line, "**")
}

// A statement is what a verdict line says.
type statement int

const (
	silent statement = iota
	approves
	unclear
	objects
)

// readStatements reads the verdict in words.
func (a *answer) readStatements() {
	final := -1
	leftover := a.leftovers()
	a.each(func(i int, line string, code bool) {
		label := verdictMark().FindStringSubmatch(line)
		said := silent
		switch {
		case code && label != nil && strings.Contains(strings.ToLower(line), "**verdict"):
			if said = stated(label[1]); said != objects {
				said = silent
			}
		case code:
		case label != nil:
			said = stated(label[1])
			a.lastSaid = said
		case objection().MatchString(line):
			said = objects
		}
		if said == objects {
			a.saw(Blocking)
		}
		if strings.TrimSpace(line) != "" && !markdown.IsRule(line) && !leftover[i] {
			final = i
			a.finalSaid = a.finalStatement(i, line, label)
		}
	})
	// Nothing of the auditor's stands after its verdict, not even a quotation.
	for i := final + 1; final >= 0 && i < len(a.lines); i++ {
		if a.quoted[i] {
			a.finalSaid = silent
		}
	}
	if a.worst == Unstated {
		a.least = Minor
	}
}

// leftovers tells the fences around JSON verdicts, which are no longer in the text.
func (a *answer) leftovers() []bool {
	found := make([]bool, len(a.lines))
	empty := false
	a.each(func(i int, line string, code bool) {
		line = strings.TrimSpace(line)
		before := i > 0 && a.lines[i-1].Code && !a.quoted[i-1]
		empty = code && (line == "" || isFence(line)) && (empty || !before)
		found[i] = empty
	})
	return found
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// finalStatement is what a line says if it is the last one. A line right below a quotation belongs to that, and the last line
// of a code block is its fence, which says nothing.
func (a *answer) finalStatement(i int, line string, label []string) statement {
	switch {
	case i > 0 && a.quoted[i-1]:
		return silent
	case label != nil:
		return stated(label[1])
	}
	return stated(line)
}

// stated is what the words of a verdict say.
func stated(words string) statement {
	words = strings.TrimSpace(words)
	harmless := noBlock().ReplaceAllString(words, "minor")
	if m := approval().FindStringSubmatch(harmless); m != nil && withoutReservation(m[1]) {
		return approves
	}
	if objection().MatchString(words) || refusal().MatchString(harmless) {
		return objects
	}
	return unclear
}

// harmlessWords may follow an approval. Others may be a condition, and the ways to put one are countless.
var harmlessWords = map[string]bool{
	"no": true, "only": true, "with": true, "without": true, "minor": true, "medium": true, "low": true, "severity": true, "suggestion": true,
	"suggestions": true, "optional": true, "concern": true, "concerns": true, "issue": true, "issues": true, "note": true, "notes": true,
	"nits": true, "comments": true, "findings": true, "remain": true, "remains": true, "remaining": true, "found": true, "and": true, "or": true,
	"a": true, "few": true, "some": true, "as": true, "is": true, "all": true, "resolved": true, "addressed": true,
}

func withoutReservation(tail string) bool {
	for _, word := range wordOf().FindAllString(strings.ToLower(tail), -1) {
		if !harmlessWords[word] {
			return false
		}
	}
	return !strings.Contains(tail, "?")
}
