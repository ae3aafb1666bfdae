package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"discoclaw/internal/consent"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

var (
	readerLine = regexp.MustCompile(`(?s)^reader: ?(.*)$`)
	readerSees = regexp.MustCompile(`(?s)^reader (sees|does not see): (.+)$`)
	confirming = regexp.MustCompile(`^((?:\{[^{}"]*\})*)(?:none|asked((?: \d+)+))$`)
	mistyped   = regexp.MustCompile(`^(?:\{[^{}"]*\})*(?:none|asked)[\d, ]*$`)
)

// asksReader reports whether a request is to the clean reader, whose answers are not the model's.
func asksReader(req llm.Request) bool { return req.System == consent.Instruction }

// noneAsked is the reader's answer where a scene has no other.
var noneAsked = script.Say(`{"asked":[]}`)

// readerSays is the text of a reader's line as the reader writes it.
func readerSays(text string) (string, error) {
	m := confirming.FindStringSubmatch(text)
	if m == nil {
		if mistyped.MatchString(text) {
			return "", errors.New("the numbers are written asked 1 2, and no number none")
		}
		return text, nil
	}
	return fmt.Sprintf(`%s{"asked":[%s]}`, m[1], strings.Join(strings.Fields(m[2]), ",")), nil
}

// sees is whether the reader's latest request has a text.
func (st *stage) sees(text string) error {
	shown := st.shownToReader()
	if len(shown) == 0 {
		return errNotAsked
	}
	if last := shown[len(shown)-1]; !strings.Contains(last, text) {
		return fmt.Errorf("it was last shown\n%s", last)
	}
	return nil
}

// seesNo is whether none of the reader's requests has a text. There has to be one.
func (st *stage) seesNo(text string) error {
	shown := st.shownToReader()
	if len(shown) == 0 {
		return errNotAsked
	}
	if i := slices.IndexFunc(shown, func(s string) bool { return strings.Contains(s, text) }); i >= 0 {
		return fmt.Errorf("it was shown\n%s", shown[i])
	}
	return nil
}

var errNotAsked = errors.New("the reader was not asked yet")

// shownToReader are the messages of all requests to the reader.
func (st *stage) shownToReader() (list []string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, req := range st.shown {
		var all []string
		for _, m := range req.Messages {
			all = append(all, m.Text)
		}
		list = append(list, strings.Join(all, "\n"))
	}
	return list
}

// unasked says which answers of the script nobody asked for.
func (st *stage) unasked() (list []string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	n := 0
	for _, a := range st.answers {
		if a.reader {
			n++
		}
	}
	if left := len(st.answers) - n; left > 0 {
		list = append(list, fmt.Sprintf("%d of the model's answers were not asked for", left))
	}
	if n > 0 {
		list = append(list, fmt.Sprintf("%d of the reader's answers were not asked for", n))
	}
	return list
}
