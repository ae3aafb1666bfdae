package verdict_test

import (
	"regexp"
	"strings"
	"testing"

	"discoclaw/internal/plan/markdown"
	"discoclaw/internal/plan/verdict"
)

var (
	anApproval = regexp.MustCompile(`(?i)ready (to approve|for approval)|"max_?severity"`)
	inBold     = regexp.MustCompile(`(?i)\*\*severity: (blocking|high)\*\*`)
	inText     = regexp.MustCompile(`(?i)severity: (blocking|high)|\((blocking|high)\)|needs revision`)
	asJSON     = regexp.MustCompile(`\{"(maxSeverity|max_severity)":"(blocking|high)"\}`)
)

// requireRule is the rule again, for the plainest spellings, with nothing of its implementation.
func requireRule(t interface {
	Helper()
	Errorf(string, ...any)
}, text string) {
	t.Helper()
	v := verdict.Parse(text)
	if !v.Passes() {
		return
	}
	if v.Malformed || v.Severity == verdict.Blocking || len(v.Blocking()) > 0 {
		t.Errorf("%q passes, though it is %+v", text, v)
	}
	own := false
	lines, _ := markdown.Lines(strings.Map(func(r rune) rune {
		if r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return '\n'
		}
		return r
	}, text))
	for _, l := range lines {
		if !l.Code && strings.HasPrefix(strings.TrimSpace(l.Text), ">") {
			continue
		}
		own = own || strings.Contains(strings.ToLower(l.Text), "ready") || strings.Contains(strings.ToLower(l.Text), "severity")
		if inBold.MatchString(l.Text) || asJSON.MatchString(l.Text) || !l.Code && inText.MatchString(l.Text) {
			t.Errorf("%q passes in spite of the line %q", text, l.Text)
		}
	}
	if !own {
		t.Errorf("%q passes without a word of its own", text)
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range pieces {
		f.Add(p)
	}
	f.Add(passing + "\n1. a\n**Severity: minor**\n\n" + ready)
	f.Add("> " + ready + "\n" + ready)
	f.Add(ready + "\n\n" + passing)
	f.Fuzz(func(t *testing.T, text string) {
		requireRule(t, text)
		if visible := strings.ToLower(text); verdict.Parse(text).Passes() && strings.IndexFunc(visible, func(r rune) bool { return r > 127 }) < 0 && !anApproval.MatchString(visible) {
			t.Errorf("%q passes without an approval", text)
		}
	})
}

func FuzzTrailer(f *testing.F) {
	f.Add("done\n**Phase Evidence:** [{\"kind\":\"test\",\"status\":\"pass\"}]")
	f.Add("**Phase Evidence:** [{\"kind\":\"build\",\"status\":\"fail\",\"reason\":\"x\"}]\n\n")
	f.Fuzz(func(t *testing.T, output string) {
		rest, rows, err := verdict.Trailer(output)
		if !strings.HasPrefix(output, rest) || err != nil && rows != nil {
			t.Errorf("%q: rest %q, rows %v, error %v", output, rest, rows, err)
		}
		for _, e := range rows {
			if err := e.Validate(); err != nil || e.Kind == verdict.Audit {
				t.Errorf("%q has %+v: %v", output, e, err)
			}
		}
	})
}
