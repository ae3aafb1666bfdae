package trial

import (
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/test/scenario"
)

// A request is one paragraph of the requests file.
type request struct {
	text    string // without remarks and answers
	remarks []string
	lines   []scenario.Line
	answers []scenario.Answer
}

// parseRequests parses a requests file.
func parseRequests(text string) ([]request, error) {
	var list []request
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		r, script := request{}, ""
		for line := range strings.Lines(paragraph) {
			if remark, ok := strings.CutPrefix(line, "#"); ok {
				r.remarks = append(r.remarks, strings.TrimSpace(remark))
				continue
			}
			script += line
		}
		var err error
		if r.lines, r.answers, err = scenario.ParseLines(script); err != nil {
			return nil, fmt.Errorf("request %d: %w", len(list)+1, err)
		}
		if len(r.lines) == 0 {
			continue // a comment on the whole file
		}
		for _, l := range r.lines {
			r.text += strings.ReplaceAll(l.Text, "\n", "\n  ") + "\n"
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, errors.New("there are no requests")
	}
	return list, nil
}

// recorded is the request with its answers as a paragraph of a requests file.
func (r request) recorded(answers []scenario.Answer) string {
	var b strings.Builder
	for _, remark := range r.remarks {
		b.WriteString("# " + remark + "\n")
	}
	b.WriteString(r.text)
	for _, a := range answers {
		who := "model"
		if a.Reader {
			who = "reader"
		}
		b.WriteString(who + ": " + strings.ReplaceAll(a.Text, "\n", "\n  ") + "\n")
	}
	return b.String()
}
