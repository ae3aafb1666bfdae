package doc_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/verdict"
)

func withChanges(t testing.TB, changes string) doc.Doc {
	t.Helper()
	return parse(t, "# Plan: a\n**ID:** 1\n---\n## Changes\n\n"+changes+"\n\n---\n\n## Audit Log\n")
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []doc.Change
	}{
		{"list items", "Intro with `not/this.go`.\n\n- `a/b.go`: one\n  two\n  - nested\n* `c.ts` — three", []doc.Change{{"a/b.go", "- `a/b.go`: one\n  two\n  - nested"}, {"c.ts", "* `c.ts` — three"}}},
		{"numbered", "1. `a/b.go`: one\n2. `c/d.go`: two", []doc.Change{{"a/b.go", "1. `a/b.go`: one"}, {"c/d.go", "2. `c/d.go`: two"}}},
		{"headings", "### `a/b.go`\n\nDo this.\n\n#### Details\n\nAnd that.\n\n### c/d.go\n\nMore.", []doc.Change{{"a/b.go", "### `a/b.go`\n\nDo this.\n\n#### Details\n\nAnd that."}, {"c/d.go", "### c/d.go\n\nMore."}}},
		{"bold entries", "**`a/b.go`** (new)\n- one\n- two\n\n**c/d.go**\n- three", []doc.Change{{"a/b.go", "**`a/b.go`** (new)\n- one\n- two"}, {"c/d.go", "**c/d.go**\n- three"}}},
		{"a bold entry ends an item", "- `a/b.go`\n\n**`c/d.go`**\ntext", []doc.Change{{"a/b.go", "- `a/b.go`"}, {"c/d.go", "**`c/d.go`**\ntext"}}},
		{"code is part of a change, and names none", "- `a/b.go`:\n  ```md\n- `x/y.go`\n## Risks\n  ```\n- `c.go`", []doc.Change{{"a/b.go", "- `a/b.go`:\n  ```md\n- `x/y.go`\n## Risks\n  ```"}, {"c.go", "- `c.go`"}}},
		{"several in one entry", "- `a.go`, `b.go` and `c.go`: rename", []doc.Change{{"a.go", "- `a.go`, `b.go` and `c.go`: rename"}, {"b.go", "- `a.go`, `b.go` and `c.go`: rename"}, {"c.go", "- `a.go`, `b.go` and `c.go`: rename"}}},
		{"one that is mentioned before", "- `a.go`: use what is in `b.go`\n- `b.go`: export it", []doc.Change{{"a.go", "- `a.go`: use what is in `b.go`"}, {"b.go", "- `b.go`: export it"}}},
		{"mentioned beside other code", "- `a.go`: call `load` `b.go`\n- `b.go`: export it", []doc.Change{{"a.go", "- `a.go`: call `load` `b.go`"}, {"b.go", "- `b.go`: export it"}}},
		{"described within", "- `a.go`: one\n  - `a.go`: two", []doc.Change{{"a.go", "- `a.go`: one\n  - `a.go`: two"}}},
		{"described twice", "- `a.go`: one\n- `b.go`: two\n- `./a.go`: three", []doc.Change{{"a.go", "- `a.go`: one\n\n- `./a.go`: three"}, {"b.go", "- `b.go`: two"}}},
		{"with a label", "- [ ] New file: `a.go:12`\n- Edit `b/c.go#L3-L9`", []doc.Change{{"a.go", "- [ ] New file: `a.go:12`"}, {"b/c.go", "- Edit `b/c.go#L3-L9`"}}},
		{"no paths", "- `fmt.Println`, `FOO_BAR`, `PROCESS.ENV`, `and/or`, `user.name`, `x = a.go`, `'a.go'`, `https://a.b/c.js`, `*.go`, `./...`, `foo()`, `e.g.`\n- Node.js: upgrade", nil},
		{"names without an extension", "- `Makefile`\n- `deploy/Dockerfile`\n- `.gitignore`\n- `config/.eslintrc`\n- `app/[slug]/page.tsx`", []doc.Change{{"Makefile", "- `Makefile`"}, {"deploy/Dockerfile", "- `deploy/Dockerfile`"}, {".gitignore", "- `.gitignore`"}, {"config/.eslintrc", "- `config/.eslintrc`"}, {"app/[slug]/page.tsx", "- `app/[slug]/page.tsx`"}}},
		{"a manifest comes first", "- `a.go`: one\n- `b.go`: two\n\n## Change Manifest\n\nFiles [1]:\n```json\n[\"b.go\", \"c d/e\", \"b.go\"]\n```", []doc.Change{{"b.go", "- `b.go`: two"}, {"c d/e", ""}}},
		{"a manifest that cannot be read", "- `a.go`: one\n\n## Change Manifest\n\n[1, 2]", []doc.Change{{"a.go", "- `a.go`: one"}}},
		{"Windows", "- `a.go`: one\r\n  two\r\n- `b.go`", []doc.Change{{"a.go", "- `a.go`: one\n  two"}, {"b.go", "- `b.go`"}}},
		{"none", "Nothing to see.", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := withChanges(t, tt.in).Changes()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changes of %q (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestPathsStayInTheProject(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"/etc/x.conf", "../x.go", "a/../../x.go", "a/../b", `C:\x.go`, "c:/x.go", `a\b.go`, "~/x.go", ".git/config.go", "a/.GIT/x.go", "../../secret"} {
		if got, err := withChanges(t, "- `ok.go`: x\n- `"+p+"`: y").Changes(); err == nil || !strings.Contains(err.Error(), p) || got != nil {
			t.Errorf("%s: %v, %v, want an error that names it", p, got, err)
		}
	}
	both := withChanges(t, "- `../x.go`\n- `../y.go`")
	if _, err := both.Changes(); err == nil || !strings.Contains(err.Error(), "x.go") || !strings.Contains(err.Error(), "y.go") {
		t.Errorf("%v does not name both", err)
	}
	if _, err := withChanges(t, "- `a.go`\n## Change Manifest\n[\"a.go\", \"/etc/passwd\"]").Changes(); err == nil || !strings.Contains(err.Error(), "/etc/passwd") {
		t.Errorf("the manifest leads out: %v", err)
	}
	for in, want := range map[string]string{" `./a//b/./c.go` ": "a/b/c.go", "workspace/TOOLS.md": "workspace/TOOLS.md", "a..b/c.go": "a..b/c.go", ".github/x.yml": ".github/x.yml"} {
		if got, err := doc.CleanPath(in); got != want || err != nil {
			t.Errorf("%q is %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "`", ".", "./", "a\x00b", "a\nb", "a\u202ebc.go", "a\u200b.go", ".npmrc", "web/.npmrc", ".netrc", ".aws/config"} {
		if got, err := doc.CleanPath(in); err == nil {
			t.Errorf("%q is %q", in, got)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, from, to string
		want           []doc.Issue
	}{
		{"nothing", "", "", nil},
		{"missing", "## Risks", "## Dangers", []doc.Issue{{verdict.Blocking, "The section Risks is missing."}}},
		{"empty", "The start only, nothing else.", "", []doc.Issue{{verdict.Medium, "The section Scope says nothing yet."}}},
		{"short", "The start only, nothing else.", "Start.", []doc.Issue{{verdict.Medium, "The section Scope says nothing yet."}}},
		{"italic", "The start only, nothing else.", "_What is part of it_", []doc.Issue{{verdict.Medium, "The section Scope says nothing yet."}}},
		{"starred", "The start only, nothing else.", "*What is part of it*", []doc.Issue{{verdict.Medium, "The section Scope says nothing yet."}}},
		{"bold", "The start only, nothing else.", "**The start**, not *this*", nil},
		{"bracketed", "The start only, nothing else.", "(What is part of it", []doc.Issue{{verdict.Medium, "The section Scope says nothing yet."}}},
		{"twice", "## Risks", "## Risks\n\nMany of them.\n\n## Risks", []doc.Issue{{verdict.Medium, "There are 2 sections Risks; make one of them."}}},
		{"no path", "- `src/start.go`: read settings once\n- `src/start_test.go`", "- start: read settings once", []doc.Issue{{verdict.Medium, "The section Changes names no file; write paths as code, such as `src/main.go`."}}},
		{"a placeholder", "`src/start.go`", "`path/to/start.go`", []doc.Issue{{verdict.Medium, "`path/to/start.go` is a placeholder; name the real file."}}},
		{"a way out", "`src/start.go`", "`../start.go`", []doc.Issue{{verdict.Blocking, "The path `../start.go` leads out of its folder with ..; write it as seen from the root of the project."}}},
		{"closed", "**Status:** REVIEW", "**Status:** CLOSED", []doc.Issue{{verdict.Minor, "The plan is closed."}}},
		{"a manifest that cannot be read", "## Risks", "## Change Manifest\n\nsoon\n\n## Risks", []doc.Issue{{verdict.Medium, "The section Change Manifest has no JSON list of paths; write one such as [\"src/a.go\"], or take the section out."}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, strings.Replace(plan, tt.from, tt.to, 1))
			if diff := cmp.Diff(tt.want, d.Check()); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}
