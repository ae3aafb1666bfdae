package render

import "strings"

// Report is the text of a reply with what came of its actions: the body, the
// result lines below it, and then the notices, each of them a paragraph. Nothing
// of it falls into a fence that something above has left open. Blank parts are
// left out, and line ends become \n.
func Report(body string, lines, notices []string) string {
	var r report
	r.add(body, paragraph)
	above := paragraph
	for _, line := range lines {
		if r.add(line, above) {
			above = "\n"
		}
	}
	for _, notice := range notices {
		r.add(notice, paragraph)
	}
	return r.text.String()
}

const paragraph = "\n\n"

type report struct {
	text strings.Builder
	open fence // below the text
}

// add puts part below the text, with above between the two, and says whether
// there was anything to put.
func (r *report) add(part, above string) bool {
	part = tidy(part)
	if part == "" {
		return false
	}
	if r.text.Len() > 0 {
		r.text.WriteString(r.open.closing() + above)
	}
	r.text.WriteString(part)
	r.open = fence{}.afterAll(part)
	return true
}
