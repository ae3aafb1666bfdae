package doc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/plan/doc"
)

const plan = `# Plan: Faster start

**ID:** plan-007
**Task:** t-12
**Created:** 2026-03-01
**Status:** REVIEW
**Project:** discoclaw
**Heartbeat:** 2m

---

## Objective

Start in half a second instead of two.

` + "```md" + `
## Scope
**Status:** CLOSED
` + "```" + `

## Scope

The start only, nothing else.

## Changes

[{"title": "Read settings once", "files": ["src/start.go", "src/start_test.go"], "change": "read settings once, and count the reads"}]

## Risks

A setting that changes at start.

## Testing

Run the benchmark of the start.

---

## Audit Log

### Review 1 — 2026-03-02

**Status:** COMPLETE

**Verdict:** needs revision

---

## Implementation Notes

None yet.
`

func parse(t testing.TB, text string) doc.Doc {
	t.Helper()
	d, err := doc.Parse(text)
	if err != nil {
		t.Fatalf("parse %q: %v", text, err)
	}
	return d
}

func windows(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func TestHeaderAndSections(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"Unix": plan, "Windows": windows(plan), "byte order mark": "\ufeff" + plan} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, text)
			got := []string{d.Title, string(d.ID), d.Task, d.Created, string(d.Status), d.Project, d.Heartbeat(time.Second).String()}
			want := []string{"Faster start", "plan-007", "t-12", "2026-03-01", "REVIEW", "discoclaw", "2m0s"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
			var headings []string
			for _, s := range d.Sections() {
				headings = append(headings, s.Heading)
			}
			if diff := cmp.Diff([]string{"Objective", "Scope", "Changes", "Risks", "Testing"}, headings); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
			if body, ok := d.Section("scope"); !ok || body != "The start only, nothing else." {
				t.Errorf("scope is %q", body)
			}
			if body, _ := d.Section("Testing"); body != "Run the benchmark of the start." {
				t.Errorf("testing is %q", body)
			}
			if d.Text() != text {
				t.Error("the text has changed")
			}
			if issues := d.Check(); len(issues) > 0 {
				t.Errorf("issues: %v", issues)
			}
		})
	}
}

func TestTheLastOfTwoSectionsCounts(t *testing.T) {
	t.Parallel()
	d := parse(t, "# Plan: a\n**ID:** 7\n## Scope\none\n## Scope\ntwo\n## Audit Log\n## Scope\nthree\n")
	if body, _ := d.Section(doc.Scope); body != "two" {
		t.Errorf("scope is %q, want the last of the body", body)
	}
}

func TestWhatIsNoPlanSaysWhy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", "this is no plan"},
		{"a title in a code block", "```\n# Plan: a\n```\n**ID:** plan-1", "this is no plan"},
		{"no title", "# Plan:\n**ID:** plan-1", "has no title"},
		{"no ID", "# Plan: a\n", "has no ID"},
		{"an ID after the header", "# Plan: a\n---\n**ID:** plan-1", "has no ID"},
		{"an ID in a section", "# Plan: a\n## Objective\n**ID:** plan-1", "has no ID"},
		{"a bad ID", "# Plan: a\n**ID:** the first", "`the first` is no ID"},
		{"an unclosed code block", "# Plan: a\n**ID:** plan-1\n## Changes\n```go\n## Audit Log\n", "begins in line 4 is never closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := doc.Parse(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q: %v, want %q", tt.in, err, tt.want)
			}
		})
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]doc.ID{
		"plan-007": "plan-007", "plan-7": "plan-007", "7": "plan-007", "007": "plan-007", " PLAN-31 ": "plan-031", "1234": "plan-1234",
		"0": "", "plan-": "", "": "", "-7": "", "7a": "", "plan-7-x": "", "99999999999": "",
	} {
		if got, err := doc.ParseID(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", in, got, err, want)
		}
	}
	if got := doc.NextID(0, "plan-002-a.md", "plan-010.md", "plan-11-x-phases.json", "plan-99x.md", ".plan-template.md", "a-plan-500.md"); got != "plan-100" {
		t.Errorf("next ID %s", got)
	}
	if got := doc.NextID(7, "plan-999999999-x.md", "plan-006-y.md"); got != "plan-008" {
		t.Errorf("ID after a file with a number that is nobody's: %s", got)
	}
	if got := doc.NextID(0); got != "plan-001" {
		t.Errorf("first ID %s", got)
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Faster Start!":                  "plan-007-faster-start.md",
		"../../etc/passwd":               "plan-007-etc-passwd.md",
		"日本":                             "plan-007.md",
		strings.Repeat("ab ", 40):        "plan-007-" + strings.TrimSuffix(strings.Repeat("ab-", 17)[:50], "-") + ".md",
		"--a__b--":                       "plan-007-a-b.md",
		strings.Repeat("x", 49) + " y z": "plan-007-" + strings.Repeat("x", 49) + ".md",
	} {
		if got := doc.FileName("plan-007", title); got != want {
			t.Errorf("%q: %s, want %s", title, got, want)
		}
	}
}

func TestHeartbeats(t *testing.T) {
	t.Parallel()
	const usual = 45 * time.Second
	for in, want := range map[string]time.Duration{
		"": usual, "30s": 30 * time.Second, "2m": 2 * time.Minute, "1h": time.Hour, "45000": usual, "2 m": 2 * time.Minute, "90S": 90 * time.Second,
		"0": 0, "off": 0, "None": 0, "disable": 0, "disabled": 0, "false": 0, "0s": 0,
		"500ms": time.Second, "1": time.Second, "soon": usual, "-5s": usual, "-5": usual, "99999999999999999999": usual, "5 parsecs": usual,
	} {
		if got := doc.ParseHeartbeat(in, usual); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	all := []doc.Status{doc.Draft, doc.Review, doc.Approved, doc.Implementing, doc.Cancelled, doc.Closed}
	want := map[doc.Status]string{
		doc.Draft:        "REVIEW APPROVED CANCELLED CLOSED",
		doc.Review:       "DRAFT REVIEW APPROVED CANCELLED CLOSED",
		doc.Approved:     "REVIEW IMPLEMENTING CLOSED",
		doc.Implementing: "APPROVED CLOSED",
		doc.Cancelled:    "REVIEW CLOSED",
		doc.Closed:       "",
	}
	for _, from := range all {
		var allowed []string
		for _, to := range all {
			if doc.Allowed(from, to) {
				allowed = append(allowed, string(to))
			} else if err := doc.Refusal("plan-007", from, to); !strings.HasPrefix(err.Error(), "this plan ") {
				t.Errorf("from %s to %s: %v", from, to, err)
			}
			if doc.AllowedByHand(from, to) && (from == doc.Implementing || to == doc.Implementing) {
				t.Errorf("people can go from %s to %s", from, to)
			}
		}
		if got := strings.Join(allowed, " "); got != want[from] {
			t.Errorf("from %s: %s, want %s", from, got, want[from])
		}
	}
	if doc.Allowed("DONE", doc.Review) || doc.Allowed("", doc.Review) {
		t.Error("an unknown status leads somewhere")
	}
	if s, ok := doc.ParseStatus(" approved "); s != doc.Approved || !ok {
		t.Errorf("%s, %t", s, ok)
	}
	if err := doc.Refusal("plan-007", doc.Cancelled, doc.Implementing); !strings.Contains(err.Error(), "!forge plan-007") { // it cannot be approved
		t.Errorf("a run of a cancelled plan: %v", err)
	}
	if err := doc.Refusal("plan-007", doc.Implementing, doc.Closed); !strings.Contains(err.Error(), "!plan cancel plan-007") {
		t.Errorf("no remedy in %q", err)
	}
}

func TestAnUnknownStatusIsNone(t *testing.T) {
	t.Parallel()
	if d := parse(t, "# Plan: a\n**ID:** 1\n**Status:** DONE\n"); d.Status != "" {
		t.Errorf("status %q", d.Status)
	}
}

func TestHashIsOfWhatIsToBeDone(t *testing.T) {
	t.Parallel()
	hash := parse(t, plan).Hash()
	if len(hash) != 16 {
		t.Fatalf("hash %q", hash)
	}
	approved := parse(t, plan).WithStatus(doc.Approved)
	audited := parse(t, approved).WithReview("2026-03-03", "# Fine\n**Verdict:** ready to approve")
	for name, text := range map[string]string{
		"approved":        approved,
		"audited":         audited,
		"Windows":         windows(plan),
		"blanks":          strings.ReplaceAll(plan, "settings once\n", "settings once  \n"),
		"log begun":       parse(t, strings.Split(plan, "---\n\n## Audit")[0]).WithReview("2026-03-03", "x"),
		"notes":           plan + "\nmore\n",
		"without the log": strings.Split(plan, "---\n\n## Audit")[0],
	} {
		if got := parse(t, text).Hash(); got != hash {
			t.Errorf("%s: another hash", name)
		}
	}
	for name, text := range map[string]string{
		"objective": strings.Replace(plan, "half a second", "a second", 1),
		"testing":   strings.Replace(plan, "Run the", "Skip the", 1),
		"manifest":  strings.Replace(plan, "## Risks", "## Change Manifest\n\n[\"a.go\"]\n\n## Risks", 1),
		"a section": strings.Replace(plan, "## Risks", "## Design\n\nIn one pass.\n\n## Risks", 1),
		"code":      strings.Replace(plan, "CLOSED", "OPEN", 1),
		"moved":     strings.Replace(plan, "## Risks", "## Risk", 1),
		"phases":    strings.Replace(plan, "## Risks", "## Phases\n\n- one\n\n## Risks", 1),
		"title":     strings.Replace(plan, "Faster start", "Start faster", 1),
		"project":   strings.Replace(plan, "**Project:** ", "**Project:** another-", 1),
		"preamble":  strings.Replace(plan, "## Objective", "First of all, do more.\n\n## Objective", 1),
		"duplicate": strings.Replace(plan, "## Scope\n\nThe", "## Scope\n\nAll.\n\n## Scope\n\nThe", 1),
	} {
		if got := parse(t, text).Hash(); got == hash {
			t.Errorf("%s: the same hash", name)
		}
	}
}
