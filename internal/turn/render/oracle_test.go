package render_test

import (
	"regexp"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/render"
)

const limit = 2000

// fataler is what *testing.T and *rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

var (
	opening = regexp.MustCompile("^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$")
	closing = regexp.MustCompile("^ {0,3}(?:(`{3,})|(~{3,}))[ \t]*$")
)

// openFence is the marker of the fence that text leaves open, by the rules of
// CommonMark.
func openFence(text string) string {
	open := ""
	for _, line := range strings.Split(text, "\n") {
		if open == "" {
			open = marker(opening, line)
		} else if mark := marker(closing, line); strings.HasPrefix(mark, open) {
			open = ""
		}
	}
	return open
}

func marker(pattern *regexp.Regexp, line string) string {
	found := pattern.FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	return found[1] + found[2]
}

// requireMessage fails unless text can be sent as one message.
func requireMessage(t fataler, text string) {
	t.Helper()
	if n := chat.Length(text); n > limit {
		t.Fatalf("%d units are more than a message holds:\n%q", n, text)
	}
	if open := openFence(text); open != "" {
		t.Fatalf("the fence %q is left open:\n%q", open, text)
	}
}

// requireChunks fails unless the chunks of text keep the rules of Chunks.
func requireChunks(t fataler, text string) {
	t.Helper()
	chunks := render.Chunks(text)
	for _, chunk := range chunks {
		requireMessage(t, chunk)
		if strings.TrimSpace(chunk) == "" {
			t.Fatalf("a chunk of %q is blank: %q", text, chunk)
		}
	}
	normal := normalized(text)
	if !rejoins(normal, chunks) {
		t.Fatalf("text %q\nis lost in chunks %q", text, chunks)
	}
	if normal != "" && chat.Length(normal) <= limit && openFence(normal) == "" && (len(chunks) != 1 || chunks[0] != normal) {
		t.Fatalf("text %q\ncould have stayed as it is, but became %q", normal, chunks)
	}
	// No cut leaves two chunks in a row less than half full, and fences take up
	// less than a third.
	if most := 2 + chat.Length(text)/300; len(chunks) > most {
		t.Fatalf("%d chunks, want at most %d, for %q", len(chunks), most, text)
	} else if cuts := render.Cuts(text); cuts > most {
		t.Fatalf("%d cuts, want at most %d, for %q", cuts, most, text)
	}
}

// normalized is text with uniform line ends, and neither blank lines at its start
// nor white space at its end.
func normalized(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	for {
		line, below, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return text
		}
		text = below
	}
}

// rejoins reports whether the chunks are the pieces of text in order, with nothing
// but white space and a closing fence between them. A chunk does not say whether a
// fence at its ends was added or is the text's own, so both are tried.
func rejoins(text string, chunks []string) bool {
	reached := map[place]bool{{}: true}
	for _, chunk := range chunks {
		further := map[place]bool{}
		pieces := readings(chunk)
		for from := range reached {
			for _, start := range starts(text, from) {
				for _, piece := range pieces {
					if strings.HasPrefix(text[start:], piece.text) {
						further[place{start + len(piece.text), piece.closed}] = true
					}
				}
			}
		}
		reached = further
	}
	for end := range reached {
		for _, start := range starts(text, end) {
			if strings.TrimSpace(text[start:]) == "" {
				return true
			}
		}
	}
	return false
}

// A place is how much of the text has been found, and whether the chunk up to
// there was taken to end with an added fence.
type place struct {
	at     int
	closed bool
}

// starts are the offsets at which a piece behind from may begin.
func starts(text string, from place) []int {
	all := blanksAt(text, from.at)
	if !from.closed {
		return all
	}
	for _, at := range all {
		if line, _, _ := strings.Cut(text[at:], "\n"); closing.MatchString(line) {
			all = append(all, blanksAt(text, at+len(line))...)
			break
		}
	}
	return all
}

// blanksAt are the offsets from at up to the next thing that is not white space.
func blanksAt(text string, at int) []int {
	end := len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
	all := []int{at}
	for ; at < end; at++ {
		all = append(all, at+1)
	}
	return all
}

// A reading is what a chunk may have of the text, and whether a closing fence was
// added below it.
type reading struct {
	text   string
	closed bool
}

func readings(chunk string) []reading {
	all := []reading{{chunk, false}}
	if first, below, _ := strings.Cut(chunk, "\n"); opening.MatchString(first) {
		all = append(all, reading{below, false})
	}
	for _, r := range all {
		if last := strings.LastIndexByte(r.text, '\n'); last >= 0 && closing.MatchString(r.text[last+1:]) {
			all = append(all, reading{r.text[:last], true})
		}
	}
	return all
}

// requirePreview fails unless the preview is a message that shows the end of the
// text and, below it, the status.
func requirePreview(t fataler, text, status string) {
	t.Helper()
	got := render.Preview(text, status)
	requireMessage(t, got)
	shown := got
	if chat.OneLine(status) != "" { // which invisible characters are not
		last := strings.LastIndexByte(got, '\n') + 1
		if !strings.HasPrefix(got[last:], "-# ") {
			t.Fatalf("status %q is not the last line of %q", status, got)
		}
		shown = strings.TrimSuffix(got[:last], "\n")
	}
	normal := normalized(render.Tables(text))
	if shown == normal || normal != "" && endsWith(normal, shown) {
		return
	}
	t.Fatalf("preview %q\nis not the end of %q", got, text)
}

// endsWith reports whether text ends with what a preview shows. A preview does not
// say what was added to it, so all of its readings are tried.
func endsWith(text, shown string) bool {
	readings := []string{shown}
	if tail, ok := strings.CutPrefix(shown, "…"); ok {
		readings = append(readings, tail, strings.TrimPrefix(tail, "\n"))
	}
	for _, s := range readings {
		if first, below, ok := strings.Cut(s, "\n"); ok && opening.MatchString(first) {
			readings = append(readings, below, strings.TrimPrefix(below, "…"))
		}
	}
	for _, s := range readings {
		if last := strings.LastIndexByte(s, '\n'); last >= 0 && closing.MatchString(s[last+1:]) {
			readings = append(readings, s[:last])
		}
	}
	for _, s := range readings {
		if s != "" && strings.HasSuffix(text, s) {
			return true
		}
	}
	return false
}
