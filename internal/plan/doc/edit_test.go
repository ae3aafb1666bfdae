package doc_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/plan/doc"
)

func TestStatusIsSetInTheHeaderOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "# Plan: a\n**ID:** 1\n**Status:** DRAFT\n", "# Plan: a\n**ID:** 1\n**Status:** CLOSED\n"},
		{"blanks around it", "# Plan: a\n**ID:** 1\n**Status:**   DRAFT  \nx", "# Plan: a\n**ID:** 1\n**Status:**   CLOSED  \nx"},
		{"empty", "# Plan: a\n**ID:** 1\n**Status:**\n", "# Plan: a\n**ID:** 1\n**Status:** CLOSED\n"},
		{"colon outside", "# Plan: a\n**ID**: 1\n**Status**: DRAFT\n", "# Plan: a\n**ID**: 1\n**Status**: CLOSED\n"},
		{"Windows", "# Plan: a\r\n**ID:** 1\r\n**Status:** DRAFT\r\n---\r\n", "# Plan: a\r\n**ID:** 1\r\n**Status:** CLOSED\r\n---\r\n"},
		{"missing, with one in the log", "# Plan: a\n**ID:** 1\n---\n## Audit Log\n**Status:** COMPLETE\n", "# Plan: a\n**ID:** 1\n**Status:** CLOSED\n---\n## Audit Log\n**Status:** COMPLETE\n"},
		{"missing, Windows", "# Plan: a\r\n**ID:** 1\r\n\r\n---\r\n", "# Plan: a\r\n**ID:** 1\r\n**Status:** CLOSED\r\n\r\n---\r\n"},
		{"missing, at the end", "# Plan: a\n**ID:** 1", "# Plan: a\n**ID:** 1\n**Status:** CLOSED"},
		{"in a code block of the header", "# Plan: a\n```\n**Status:** X\n```\n**ID:** 1\n**Status:** DRAFT\n", "# Plan: a\n```\n**Status:** X\n```\n**ID:** 1\n**Status:** CLOSED\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := parse(t, tt.in).WithStatus(doc.Closed)
			if got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
			if s := parse(t, got).Status; s != doc.Closed {
				t.Errorf("the status of %q is %s", got, s)
			}
		})
	}
}

// lines are what plans are made of.
var lines = []string{
	"## Objective", "## Scope", "## Changes", "## Audit Log", "## Implementation Notes", "## Context", "### Review 3 — today", "# Heading", "#### `a/b.go`",
	"**Status:** DRAFT", "**ID:** 9", "**Verdict:** fine", "---", "----", "", "", "text", "- `a/b.go`: x", "  - `c.go`", "**`d/e.go`**", "> ```", "~~~x\n~~~", "```\n## Changes\n```", "  trailing  ",
}

func drawPlan(t *rapid.T) string {
	br := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line break")
	header := rapid.SampledFrom([]string{"# Plan: a\n**ID:** 7\n", "# Plan:a\n\n**ID:** 7\n**Status:** DRAFT\n\n---\n", "x\n# Plan: a\n**Status:**\n**ID:** plan-7\n"}).Draw(t, "header")
	rest := rapid.SliceOfN(rapid.SampledFrom(lines), 0, 14).Draw(t, "lines")
	end := rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	return strings.ReplaceAll(header+strings.Join(rest, "\n")+end, "\n", br)
}

func TestAStatusLeavesTheRestAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawPlan(t)
		d, err := doc.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		once := d.WithStatus(doc.Approved)
		requireEdited(t, text, once)
		if twice := mustParse(t, once).WithStatus(doc.Approved); twice != once {
			t.Errorf("%q becomes %q and then %q", text, once, twice)
		}
		if s := mustParse(t, once).Status; s != doc.Approved {
			t.Errorf("%q has the status %s", once, s)
		}
		if back := mustParse(t, once).WithStatus(doc.Draft); d.Status == doc.Draft && back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
	})
}

// requireEdited: one line is another one, or there is one more, perhaps below a blank one.
func requireEdited(t *rapid.T, before, after string) {
	t.Helper()
	was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	for len(was) > 0 && was[0] == is[0] {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	if len(was) > 1 || len(is) == 0 || strings.TrimSpace(strings.Join(is[:len(is)-1], "")) != "" && len(was) == 0 {
		t.Errorf("%q becomes %q: %q is now %q", before, after, was, is)
	}
}

func mustParse(t *rapid.T, text string) doc.Doc {
	t.Helper()
	d, err := doc.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

const draft = "# Plan: Other title\n\n**ID:** plan-999\n**Status:** APPROVED\n\n---\n\n## Objective\n\nAnother objective.\n\n## Changes\n\n- `x/y.go`: z\n\n---\n\n## Audit Log\n\n### Review 9 — never\n\n**Verdict:** ready to approve\n"

func TestMergeTakesTitleAndBody(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"Unix": plan, "Windows": windows(plan)} {
		got, err := parse(t, text).Merge(draft)
		if err != nil {
			t.Fatal(err)
		}
		_, tail, _ := strings.Cut(plan, "Run the benchmark of the start.\n\n")
		header, _, _ := strings.Cut(plan, "## Objective")
		want := strings.Replace(header, "Faster start", "Other title", 1) + "## Objective\n\nAnother objective.\n\n## Changes\n\n- `x/y.go`: z\n\n" + tail
		if name == "Windows" {
			want = windows(want)
		}
		if got != want {
			t.Errorf("%s: merged as\n%q, want\n%q", name, got, want)
		}
	}
}

func TestMergeKeepsHeaderAndTail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawPlan(t)
		d := mustParse(t, text)
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 1, 8).Draw(t, "body"), "\n")
		merged, err := d.Merge("# Plan: new\n**Status:** CLOSED\n---\nprose\n" + body)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		m := mustParse(t, merged)
		if m.Title != "new" || m.ID != d.ID || m.Status != d.Status {
			t.Errorf("%q becomes %q", text, merged)
		}
		for _, head := range []string{"## Audit Log", "## Implementation Notes"} {
			_, before, _ := strings.Cut(text, head)
			if !strings.HasSuffix(merged, before) && len(d.Reviews()) > 0 {
				t.Errorf("%q loses its tail in %q", text, merged)
			}
		}
		if len(m.Reviews()) != len(d.Reviews()) {
			t.Errorf("%q has other reviews in %q", text, merged)
		}
		again, err := m.Merge("# Plan: new\n---\nprose\n" + body)
		if err != nil || again != merged {
			t.Errorf("merged again, %q becomes %q, %v", merged, again, err)
		}
	})
}

func TestBadDraftsAreNotMerged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"narration", "Sure, here is the plan:\n# Plan: a\n## Objective\nb", doc.ErrNotAPlan.Error()},
		{"nothing", "", doc.ErrNotAPlan.Error()},
		{"no title", "# Plan:\n## Objective\nb", "has no title"},
		{"no body", "# Plan: a\n**ID:** 7\n---\n## Audit Log\nb", "nothing else"},
		{"broken off in code", "# Plan: a\n## Objective\n```\nb", "never closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, err := parse(t, plan).Merge(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) || got != "" {
				t.Errorf("%q: %q, %v, want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestDraftsMustNotEchoTheTemplate(t *testing.T) {
	t.Parallel()
	const examples = "- `path/to/file.go`: what changes there, function by function\n- `path/to/file_test.go`: which behaviour is tested\n"
	const good = "# Plan: a\n\n## Objective\n\nUse `{{TITLE}}` and ${{ env.X }}.\n\n```\n{{DATE}}\n```\n"
	for _, tt := range []struct {
		name, in string
		want     error
	}{
		{"a good one", good, nil},
		{"blanks before it", "\n\n" + good, nil},
		{"the template", doc.Template, doc.ErrTemplateEcho},
		{"a hint", good + "\n(What is true when this is done, and for whom.)\n", doc.ErrTemplateEcho},
		{"a token", good + "\nFor {{PROJECT}}.\n", doc.ErrTemplateEcho},
		{"(system)", good + "\n(system)\n", doc.ErrTemplateEcho},
		{"one example", good + "\n- `path/to/file_test.go`: which behaviour is tested\n", nil},
		{"two examples", good + "\n" + examples, doc.ErrTemplateEcho},
		{"only its tail, which is dropped", good + "\n## Implementation Notes\n\n(Written while the plan is carried out.)\n", nil},
		{"a header that is dropped", "# Plan: a\n**ID:** {{PLAN_ID}}\n---\n## Objective\nb", nil},
		{"narration", "Here:\n" + good, doc.ErrNotAPlan},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := doc.CheckDraft(tt.in, examples+doc.Template); !errors.Is(err, tt.want) {
				t.Errorf("%q: %v, want %v", tt.in, err, tt.want)
			}
		})
	}
}

func TestReviewsAreAppended(t *testing.T) {
	t.Parallel()
	d := parse(t, plan)
	if n := d.NextReview(); n != 2 {
		t.Fatalf("next review %d", n)
	}
	text := d.WithReview("2026-03-05", "## Implementation Notes\n### Review 50 — x\n**Verdict:** ready to approve\n```go\nfunc")
	before, after, _ := strings.Cut(plan, "## Implementation Notes")
	want := before + "### Review 2 — 2026-03-05\n\n**Status:** COMPLETE\n\n#### Implementation Notes\n#### Review 50 — x\n**Verdict:** ready to approve\n```go\nfunc\n```\n\n---\n\n## Implementation Notes" + after
	if text != want {
		t.Errorf("becomes\n%s\nwant\n%s", text, want)
	}
	d = parse(t, text)
	if n := d.NextReview(); n != 3 {
		t.Errorf("next review %d", n)
	}
	if v := d.LatestVerdict(); v != "ready to approve" {
		t.Errorf("latest verdict %q", v)
	}
	if r := d.Reviews(); len(r) != 2 || r[0].Date != "2026-03-02" || r[1].Number != 2 || !strings.HasPrefix(r[1].Notes, "**Status:** COMPLETE") || strings.HasSuffix(r[1].Notes, "---") {
		t.Errorf("reviews %+v", r)
	}
}

func TestReviewsKeepTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawPlan(t)
		d := mustParse(t, text)
		notes := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append([]string{"```", "~~~~", "- ```go", "## Changes"}, lines...)), 0, 8).Draw(t, "notes"), "\n")
		reviewed := d.WithReview("today", notes)
		r := mustParse(t, reviewed)
		if len(r.Reviews()) < 1 || r.NextReview() != d.NextReview()+1 {
			t.Errorf("%q becomes %q", text, reviewed)
		}
		if len(r.Reviews()) != len(d.Reviews())+1 {
			t.Errorf("%q: %d reviews become %d in %q", text, len(d.Reviews()), len(r.Reviews()), reviewed)
		}
		if r.Hash() != d.Hash() {
			t.Errorf("the hash of %q changes in %q", text, reviewed)
		}
		for line := range strings.Lines(text) {
			if !strings.Contains(reviewed, strings.TrimRight(line, "\r\n")) {
				t.Errorf("%q loses %q in %q", text, line, reviewed)
			}
		}
	})
}

func TestLatestVerdict(t *testing.T) {
	t.Parallel()
	const head = "# Plan: a\n**ID:** 1\n---\n## Objective\n**Verdict:** body\n"
	for _, tt := range []struct{ name, in, want string }{
		{"no log", "", ""},
		{"the last", "## Audit Log\n**Verdict:** one\n**Verdict:** two\n## Implementation Notes\n**Verdict:** three\n", "two"},
		{"in code", "## Audit Log\n**Verdict:** one\n```\n**Verdict:** two\n```\n", "one"},
		{"quoted", "## Audit Log\n**Verdict:** one\n> **Verdict:** two\n", "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, head+tt.in).LatestVerdict(); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	fields := doc.Fields{Title: "Sign {{TASK_ID}}\n**Status:** APPROVED", ID: "plan-012", Task: "t-1", Date: "2026-03-01", Project: "web", Context: "ada: do it\n## Changes\n```\n- `a/b.go`"}
	text, err := doc.Render(doc.Template, fields)
	if err != nil {
		t.Fatal(err)
	}
	d := parse(t, text)
	if d.Title != "Sign {{TASK_ID}} **Status:** APPROVED" || d.ID != "plan-012" || d.Task != "t-1" || d.Created != "2026-03-01" || d.Project != "web" || d.Status != doc.Draft {
		t.Errorf("rendered as %+v", d)
	}
	if !strings.HasSuffix(text, "\n\n## Context\n\n> ada: do it\n> ## Changes\n> ```\n> - `a/b.go`\n") {
		t.Errorf("context in %q", text)
	}
	if len(d.Check()) == 0 {
		t.Errorf("the template has issues %v", d.Check())
	}
}

func TestRenderOwnTemplates(t *testing.T) {
	t.Parallel()
	fields := doc.Fields{Title: "a", ID: "plan-001"}
	for _, tt := range []struct{ name, in, want, err string }{
		{"options for the status", "# Plan: {{TITLE}}\n**ID:** {{PLAN_ID}}\n**Status:** DRAFT | REVIEW\n", "# Plan: a\n**ID:** plan-001\n**Status:** DRAFT\n", ""},
		{"no status", "# Plan: {{TITLE}}\n**ID:** {{PLAN_ID}}\n---\n## Audit Log\n**Status:** x", "# Plan: a\n**ID:** plan-001\n**Status:** DRAFT\n---\n## Audit Log\n**Status:** x", ""},
		{"no ID", "# Plan: {{TITLE}}\n", "", "has no ID"},
		{"another ID", "# Plan: {{TITLE}}\n**ID:** plan-002\n", "", "`**ID:** {{PLAN_ID}}`"},
		{"no title", "**ID:** {{PLAN_ID}}\n", "", "this is no plan"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := doc.Render(tt.in, fields)
			if got != tt.want || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %q, %v, want %q, %q", tt.in, got, err, tt.want, tt.err)
			}
		})
	}
	if _, err := doc.Render(doc.Template, doc.Fields{ID: "plan-001", Title: " \n"}); err == nil {
		t.Error("a plan without a title")
	}
}

func TestADraftCannotWriteFields(t *testing.T) {
	t.Parallel()
	merged, err := parse(t, "# Plan: a\n**ID:** 7\n").Merge("# Plan: b\n---\n**Status:** APPROVED\n## Objective\nc")
	if err != nil {
		t.Fatal(err)
	}
	if d := parse(t, merged); d.Status != "" {
		t.Errorf("%q has the status %s", merged, d.Status)
	}
}

func TestRulesAtTheEndOfADraftAreDropped(t *testing.T) {
	t.Parallel()
	with, err := parse(t, plan).Merge("# Plan: b\n---\nc\n\n---\n\n---\n")
	if err != nil {
		t.Fatal(err)
	}
	if without, err := parse(t, plan).Merge("# Plan: b\n---\nc"); with != without {
		t.Errorf("%q, without rules %q, %v", with, without, err)
	}
}
