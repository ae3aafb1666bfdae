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

const step = `{"title": "One", "files": ["./a/b.go", "c d/e"], "change": "x]"}`

func TestPhases(t *testing.T) {
	t.Parallel()
	one := doc.Phase{Title: "One", Files: []string{"a/b.go", "c d/e"}, Change: "x]"}
	for _, tt := range []struct {
		name, in string
		want     []doc.Phase
		err      string
	}{
		{"as code", "```json\n[" + step + "]\n```", []doc.Phase{one}, ""},
		{"bare, over lines of Windows, after a word", "In steps:\r\n[\r\n" + step + ",\r\n" + step + "]", []doc.Phase{one, one}, ""},
		{"a title of lines", `[{"title": " T\n` + strings.Repeat("w", 90) + `", "files": ["a"], "change": "x", "kind": "read"}]`, []doc.Phase{{Title: "T " + strings.Repeat("w", 78) + "…", Files: []string{"a"}, Change: "x"}}, ""},
		{"items", "- `a/b.go`: x", nil, "no list of phases that can be read; write one as JSON, such as `[{\"title\""},
		{"nothing", "", nil, "no list of phases"},
		{"an empty list", "[]", nil, "no list of phases"},
		{"paths alone", `["a/b.go"]`, nil, "no list of phases"},
		{"two lists", "[" + step + "]\n[" + step + "]", nil, "no list of phases"},
		{"broken off", "[" + step, nil, "no list of phases"},
		{"without files", "[" + step + `,{"title": "b", "change": "x"}]`, nil, "phase 2 in the section Changes needs a title, files and a change"},
		{"without a title", `[{"title": "\n", "files": ["a"], "change": "x"}]`, nil, "phase 1 in"},
		{"without a change", `[{"title": "b", "files": ["a"]}]`, nil, "phase 1 in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := withChanges(t, tt.in).Phases()
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("phases of %q (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestPathsStayInTheProject(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"/etc/x.conf", "../x.go", "a/../../x.go", "a/../b", `C:\x.go`, "c:/x.go", `a\b.go`, "~/x.go", ".git/config.go", "a/.GIT/x.go", "../../secret"} {
		if got, err := doc.CleanPath(p); err == nil || !strings.Contains(err.Error(), p) || got != "" {
			t.Errorf("%s: %v, %v, want an error that names it", p, got, err)
		}
	}
	both := withChanges(t, strings.Replace("["+step+"]", `"c d/e"`, `"../x.go", "/y.go"`, 1))
	if got, err := both.Files(); err == nil || !strings.Contains(err.Error(), "../x.go") || !strings.Contains(err.Error(), "/y.go") || got != nil {
		t.Errorf("%v, %v does not name both", got, err)
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
		{"no list", "[{", "{", []doc.Issue{{verdict.Blocking, "The section Changes has no list of phases that can be read; write one as JSON, such as `[{\"title\": \"Read settings once\", \"files\": [\"src/start.go\", \"src/start_test.go\"], \"change\": \"what changes in these files\"}]`."}}},
		{"a placeholder", `"src/start.go"`, `"path/to/start.go"`, []doc.Issue{{verdict.Medium, "`path/to/start.go` is a placeholder; name the real file."}}},
		{"a way out", `"src/start.go"`, `"../start.go"`, []doc.Issue{{verdict.Blocking, "The path `../start.go` leads out of its folder with ..; write it as seen from the root of the project."}}},
		{"closed", "**Status:** REVIEW", "**Status:** CLOSED", []doc.Issue{{verdict.Minor, "The plan is closed."}}},
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
