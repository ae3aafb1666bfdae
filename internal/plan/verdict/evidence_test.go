package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/plan/verdict"
)

func TestTrailers(t *testing.T) {
	t.Parallel()
	const mark = "**Phase Evidence:** "
	passed := []verdict.Evidence{{Kind: "test", Status: "pass", Command: "go test ./..."}}
	for _, tt := range []struct {
		name, in, rest string
		rows           []verdict.Evidence
		err            string
	}{
		{"none", "done", "done", nil, ""},
		{"valid", "done\n\n" + mark + `[{"kind":"test","status":"pass","command":"go test ./..."}]` + "\n", "done", passed, ""},
		{"as code", "done\n" + mark + "`" + `[{"kind":"test","status":"pass","command":"go test ./..."}]` + "`", "done", passed, ""},
		{"empty", mark + "[]", "", []verdict.Evidence{}, ""},
		{"broken", "done\n" + mark + "[{", "done", nil, "the evidence is no JSON list"},
		{"an audit", mark + `[{"kind":"audit","status":"pass"}]`, "", nil, "can only give build and test"},
		{"unknown kind", mark + `[{"kind":"lint","status":"pass"}]`, "", nil, "it is build, test or audit"},
		{"unknown status", mark + `[{"kind":"test","status":"ok"}]`, "", nil, "it is pass or fail"},
		{"a failure without a reason", mark + `[{"kind":"test","status":"fail"}]`, "", nil, "needs a reason"},
		{"a pass with a reason", mark + `[{"kind":"test","status":"pass","reason":"x"}]`, "", nil, "has no reason"},
		{"too many", mark + "[" + strings.Repeat(`{"kind":"test","status":"pass"},`, 20) + `{"kind":"test","status":"pass"}]`, "", nil, "more than 20"},
		{"not at the end", mark + "[]\nmore", mark + "[]\nmore", nil, ""},
		{"in a code block", "```\n" + mark + "[]\n```", "```\n" + mark + "[]\n```", nil, ""},
		{"in a code block that is not closed", "```\n" + mark + "[]", "```\n" + mark + "[]", nil, ""},
		{"as a quotation", "> " + mark + "[]", "> " + mark + "[]", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rest, rows, err := verdict.Trailer(tt.in)
			if rest != tt.rest {
				t.Errorf("rest of %q is %q, want %q", tt.in, rest, tt.rest)
			}
			if diff := cmp.Diff(tt.rows, rows); diff != "" {
				t.Errorf("evidence of %q (-want +got):\n%s", tt.in, diff)
			}
			if got := ""; err != nil || tt.err != "" {
				if err != nil {
					got = err.Error()
				}
				if tt.err == "" || !strings.Contains(got, tt.err) {
					t.Errorf("%q: error %q, want %q", tt.in, got, tt.err)
				}
			}
		})
	}
}
