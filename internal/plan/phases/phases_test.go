package phases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/verdict"
)

func planOf(t testing.TB, changes string) doc.Doc {
	t.Helper()
	d, err := doc.Parse("# Plan: a\n**ID:** plan-007\n---\n## Changes\n\n" + changes + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// listOf is a list of phases with these files, which are separated by blanks.
func listOf(steps ...string) string {
	var list []string
	for _, files := range steps {
		list = append(list, fmt.Sprintf(`{"title":"Step","files":["%s"],"change":"change it"}`, strings.ReplaceAll(files, " ", `","`)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// outline is a line for every phase: its kind, files and dependencies.
func outline(list []phases.Phase) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s %s %s <%s\n", p.ID, p.Kind, strings.Join(p.ContextFiles, " "), strings.Join(p.DependsOn, " "))
	}
	return b.String()
}

func TestDecomposition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"in its order", listOf("a/x.go b/y.go", "a/x.go"), "phase-1 implement a/x.go b/y.go <\nphase-2 implement a/x.go <phase-1\nphase-3 audit a/x.go b/y.go <phase-1 phase-2\n"},
		{"split", listOf("1 2 3 4 5 6"), "phase-1 implement 1 2 3 4 5 <\nphase-2 implement 6 <phase-1\nphase-3 audit 1 2 3 4 5 6 <phase-1 phase-2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := phases.Decompose(planOf(t, tt.in), 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, outline(got)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.in, diff)
			}
			if err := phases.CheckGraph(got); err != nil {
				t.Error(err)
			}
		})
	}
	list, err := phases.Decompose(planOf(t, listOf("a b c")), 2)
	if err != nil || list[1].Title != "Step (part 2 of 2)" || list[1].ChangeSpec != "change it" || list[1].Description != "Make the changes that the plan describes for these files: `c`." {
		t.Errorf("%v: %+v", err, list)
	}
	if list, err := phases.Decompose(planOf(t, "- `x.go`: y"), 0); err == nil || !strings.Contains(err.Error(), "no list of phases") || list != nil {
		t.Errorf("no list: %v, %v", list, err)
	}
	if row := (phases.Phase{ID: "phase-1", Title: "ask <@1>", Status: phases.Done}).Row(); row != `[x] phase-1: ask \<@1\>` {
		t.Errorf("a title mentions a user: %s", row)
	}
}

// phase is a phase with a number.
func phase(n int, s phases.Status, needs ...int) phases.Phase {
	p := phases.Phase{ID: fmt.Sprintf("phase-%d", n), Title: fmt.Sprintf("Step %d", n), Kind: phases.Implement, Status: s}
	for _, need := range needs {
		p.DependsOn = append(p.DependsOn, fmt.Sprintf("phase-%d", need))
	}
	return p
}

func TestGraphs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   []phases.Phase
		want string
	}{
		{"a chain", []phases.Phase{phase(1, "pending"), phase(2, "pending", 1), phase(3, "pending", 1, 2)}, ""},
		{"missing", []phases.Phase{phase(1, "pending", 9)}, "phase-1 depends on phase-9, which does not stand before it"},
		{"itself", []phases.Phase{phase(1, "pending", 1)}, "phase-1 depends on phase-1, which does not stand before it"},
		{"a circle", []phases.Phase{phase(1, "pending"), phase(2, "pending", 1, 4), phase(3, "pending", 2), phase(4, "pending", 3)}, "phase-2 depends on phase-4, which does not stand before it"},
		{"twice", []phases.Phase{phase(1, "pending"), phase(1, "pending")}, "phase-1 is there twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := phases.CheckGraph(tt.in); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   []phases.Phase
		want string
	}{
		{"interrupted first", []phases.Phase{phase(1, "failed"), phase(2, "pending"), phase(3, "in-progress")}, "phase-3"},
		{"then failed", []phases.Phase{phase(1, "pending"), phase(2, "failed")}, "phase-2"},
		{"then pending", []phases.Phase{phase(1, "done"), phase(2, "pending", 3), phase(3, "pending", 1)}, "phase-3"},
		{"after a skipped one", []phases.Phase{phase(1, "skipped"), phase(2, "pending", 1)}, "phase-2"},
		{"over", []phases.Phase{phase(1, "done"), phase(2, "skipped")}, ""},
		{"nothing", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := phases.Next(tt.in); got != tt.want || ok != (tt.want != "") {
				t.Errorf("next is %q, want %q", got, tt.want)
			}
		})
	}
	list := []phases.Phase{phase(1, "done"), phase(2, "pending", 1), phase(3, "pending", 2), phase(4, "skipped")}
	for id, want := range map[string]string{
		"phase-2": "", "phase-3": "phase-3 depends on phase-2", "phase-1": "phase-1 is done already", "phase-4": "phase-4 is skipped already",
		"phase-9": "there is no `phase-9`; this plan has phase-1 to phase-4",
	} {
		if err := phases.Runnable(list, id); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
	}
}

func statuses(list []phases.Phase) string {
	var all []string
	for _, p := range list {
		all = append(all, string(p.Status))
	}
	return strings.Join(all, " ")
}

func TestSkip(t *testing.T) {
	t.Parallel()
	in := []phases.Phase{phase(1, "done"), phase(2, "failed"), phase(3, "failed"), phase(4, "pending")}
	got, id, err := phases.Skip(in)
	if err != nil || id != "phase-2" || statuses(got) != "done skipped failed pending" {
		t.Errorf("%s, %s, %v", statuses(got), id, err)
	}
	if statuses(in) != "done failed failed pending" {
		t.Error("what was given has changed")
	}
	if _, _, err := phases.Skip(in[3:]); err == nil {
		t.Error("a pending phase is skipped")
	}
}

func TestSkipTo(t *testing.T) {
	t.Parallel()
	in := []phases.Phase{phase(1, "done"), phase(2, "failed"), phase(3, "pending", 2), phase(4, "pending", 2, 3), phase(5, "pending")}
	got, ids, err := phases.SkipTo(in, "phase-4")
	if err != nil || statuses(got) != "done skipped skipped pending pending" || len(ids) != 2 {
		t.Errorf("%s, %v, %v", statuses(got), ids, err)
	}
	if statuses(in) != "done failed pending pending pending" {
		t.Error("what was given has changed")
	}
	for name, id := range map[string]string{"over": "phase-1", "not there": "phase-7"} {
		if _, _, err := phases.SkipTo(in, id); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, _, err := phases.SkipTo([]phases.Phase{phase(1, "pending", 8)}, "phase-1"); err == nil {
		t.Error("a phase is reached whose dependency is not there")
	}
}

func TestKeepDone(t *testing.T) {
	t.Parallel()
	done := phase(1, "done")
	done.Output, done.GitCommit, done.ModifiedFiles, done.ContextFiles = "out", "abc", []string{"a.go"}, []string{"a.go", "b.go"}
	done.Evidence = []verdict.Evidence{{Kind: "test", Status: "pass"}}
	same := phase(2, "pending", 1) // the same, in another place
	same.Title, same.ContextFiles = done.Title, []string{"b.go", "a.go"}
	first := phase(1, "pending")
	first.Title = "Another first step"

	r := phases.Regenerate([]phases.Phase{done}, []phases.Phase{phase(1, "pending"), first})
	if statuses(r) != "pending pending" {
		t.Errorf("other files: %+v", r)
	}
	alone := same
	alone.DependsOn = nil
	r = phases.Regenerate([]phases.Phase{done}, []phases.Phase{first, alone})
	if got := r[1]; got.Status != phases.Done || got.ID != "phase-2" || got.Output != "out" || got.GitCommit != "abc" || len(got.Evidence) != 1 {
		t.Errorf("kept as %+v", r)
	}
	r = phases.Regenerate([]phases.Phase{done}, []phases.Phase{first, same})
	if got := r[1]; got.Status != phases.Pending || got.Output != "" || got.Evidence != nil {
		t.Errorf("behind a new phase: %+v", r)
	}
	r = phases.Regenerate([]phases.Phase{phase(1, "skipped"), phase(2, "failed")}, []phases.Phase{phase(1, "pending"), phase(2, "pending")})
	if statuses(r) != "pending pending" {
		t.Errorf("what was not done is kept: %+v", r)
	}
}

func drawPhases(t *rapid.T, label string, all ...phases.Status) []phases.Phase {
	var list []phases.Phase
	for i := range rapid.IntRange(1, 8).Draw(t, label) {
		p := phase(i+1, rapid.SampledFrom(all).Draw(t, "status"))
		p.Title = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "title")
		p.Output = string(p.Status)
		for need := range i {
			if rapid.Bool().Draw(t, "needs") {
				p.DependsOn = append(p.DependsOn, fmt.Sprintf("phase-%d", need+1))
			}
		}
		list = append(list, p)
	}
	return list
}

func TestKeepDoneNeverClaimsMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := drawPhases(t, "old", phases.Done, phases.Failed, phases.Pending, phases.Skipped)
		fresh := drawPhases(t, "fresh", phases.Pending)
		r := phases.Regenerate(old, fresh)
		was, is := map[string]int{}, map[string]int{}
		for _, p := range old {
			if p.Status == phases.Done {
				was[p.Title]++
			}
		}
		for i, p := range r {
			if p.ID != fresh[i].ID || p.Title != fresh[i].Title || !slices.Equal(p.DependsOn, fresh[i].DependsOn) {
				t.Errorf("%+v becomes %+v", fresh[i], p)
			}
			if p.Status == phases.Done {
				is[p.Title]++
				for _, need := range p.DependsOn {
					if j := phases.Index(r, need); !r[j].Status.Terminal() {
						t.Errorf("%s is done before %s", p.ID, need)
					}
				}
			}
		}
		for title, n := range is {
			if n > was[title] {
				t.Errorf("%d phases %q are done, of %d", n, title, was[title])
			}
		}
	})
}

func TestAPlanThatDidNotChangeKeepsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := drawPhases(t, "phases", phases.Done)
		for i := range list {
			list[i].Title = fmt.Sprint(i)
		}
		fresh := slices.Clone(list)
		for i := range fresh {
			fresh[i].Status, fresh[i].Output = phases.Pending, ""
		}
		if r := phases.Regenerate(list, fresh); !cmp.Equal(r, list) {
			t.Errorf("%+v becomes %+v", list, r)
		}
	})
}

func TestBadges(t *testing.T) {
	t.Parallel()
	with := func(p phases.Phase, kinds ...string) phases.Phase {
		for _, k := range kinds {
			kind, status, _ := strings.Cut(k, " ")
			p.Evidence = append(p.Evidence, verdict.Evidence{Kind: kind, Status: status})
		}
		return p
	}
	done := phase(1, "done")
	for _, tt := range []struct {
		name string
		in   []phases.Phase
		want phases.Badge
	}{
		{"no phases", nil, "pending"},
		{"a failure beats all", []phases.Phase{with(done, "test pass", "audit fail")}, "failed"},
		{"a failure in an unfinished plan", []phases.Phase{with(done, "build fail"), phase(2, "pending")}, "failed"},
		{"unfinished", []phases.Phase{with(done, "test pass", "audit pass"), phase(2, "pending")}, "pending"},
		{"all skipped", []phases.Phase{phase(1, "skipped")}, "skipped"},
		{"verified", []phases.Phase{with(done, "build pass"), with(phase(2, "done"), "audit pass")}, "verified"},
		{"verified with a skipped one", []phases.Phase{with(done, "test pass", "audit pass"), phase(2, "skipped")}, "verified"},
		{"audited", []phases.Phase{with(done, "audit pass")}, "audited"},
		{"some skipped", []phases.Phase{done, phase(2, "skipped")}, "skipped"},
		{"tests alone", []phases.Phase{with(done, "test pass")}, "pending"},
		{"no evidence", []phases.Phase{done}, "pending"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := phases.BadgeOf(tt.in); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestConvergenceGoesByTitlesAndFiles(t *testing.T) {
	t.Parallel()
	blocks := func(titles ...string) verdict.Verdict {
		v := verdict.Verdict{Severity: verdict.Blocking, Concerns: []verdict.Concern{{Title: "aside " + fmt.Sprint(titles), Severity: verdict.Minor}}}
		for _, title := range titles {
			v.Concerns = append(v.Concerns, verdict.Concern{Title: title, Severity: verdict.Blocking})
		}
		return v
	}
	first := phases.Converge(nil, blocks("No tests", "No docs"), []string{"b.go", "a.go"})
	if first.Repeats != 1 || first.Blocked() || len(first.Signature) != 16 {
		t.Errorf("first %+v", first)
	}
	if again := phases.Converge(&first, blocks("no docs.", "**No tests**"), []string{"a.go", "b.go"}); again.Repeats != 2 || !again.Blocked() {
		t.Errorf("again %+v", again)
	}
	if other := phases.Converge(&first, blocks("No tests"), []string{"a.go", "b.go"}); other.Blocked() {
		t.Errorf("another concern %+v", other)
	}
	if other := phases.Converge(&first, blocks("No tests", "No docs"), []string{"a.go"}); other.Blocked() {
		t.Errorf("other files %+v", other)
	}
}

func TestRollup(t *testing.T) {
	t.Parallel()
	done := phase(1, "done")
	done.GitCommit, done.ModifiedFiles = "abc1234", []string{"b.go", "a.go"}
	done.Evidence = []verdict.Evidence{{Kind: "test", Status: "pass"}}
	failed := phase(2, "failed")
	failed.ModifiedFiles = []string{"a.go"}
	failed.Evidence = []verdict.Evidence{{Kind: "audit", Status: "fail", Reason: "No tests"}}
	list := []phases.Phase{done, failed, phase(3, "skipped"), phase(4, "in-progress"), phase(5, "pending")}
	want := "[x] phase-1: Step 1 · commit `abc1234` · 2 files · test pass\n[!] phase-2: Step 2 · 1 file · audit fail (No tests)\n[-] phase-3: Step 3\n[~] phase-4: Step 4\n[ ] phase-5: Step 5\nChanged files:\n`a.go`\n`b.go`"
	if diff := cmp.Diff(want, phases.Rollup(list, 800)); diff != "" {
		t.Errorf("rollup (-want +got):\n%s", diff)
	}
	if got := phases.Rollup(list, 150); !strings.HasSuffix(got, "… and 3 more phases") {
		t.Errorf("little room: %q", got)
	}
	if got := phases.Rollup(list, 212); !strings.HasSuffix(got, "`a.go`\n… and 1 more file") && !strings.HasSuffix(got, "Step 5") {
		t.Errorf("little room for files: %q", got)
	}
	for budget := range 300 {
		if got := phases.Rollup(list, budget); chat.Length(got) > budget {
			t.Errorf("%d characters in room for %d: %q", chat.Length(got), budget, got)
		}
	}
}

func record() phases.Record {
	return phases.Record{Plan: "plan-007", File: "workspace/plans/plan-007-a.md", Hash: "0123456789abcdef", Created: "2026-03-01", Updated: "2026-03-02", Phases: []phases.Phase{phase(1, "done")}}
}

func TestRecordsSurvive(t *testing.T) {
	t.Parallel()
	r := record()
	p := &r.Phases[0]
	p.DependsOn, p.ContextFiles, p.Evidence = []string{}, []string{"a.go"}, []verdict.Evidence{{Kind: "test", Status: "fail", Reason: "x"}}
	p.FailureHashes = map[string]string{"a.go": "00"}
	p.Convergence = &phases.Convergence{Signature: "s", Repeats: 2, ModifiedFiles: []string{"a.go"}}
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := phases.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := got.Stale(r.Hash); err != nil {
		t.Errorf("fresh: %v", err)
	}
	if err := got.Stale("fedcba9876543210"); err == nil || !strings.Contains(err.Error(), "--regenerate --keep-done plan-007") {
		t.Errorf("stale: %v", err)
	}
}

func TestBrokenRecordsAreRefused(t *testing.T) {
	t.Parallel()
	data, err := record().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, from, to, want string }{
		{"no JSON", "{", "", "cannot be read"},
		{"a later version", `"version":2`, `"version":3`, "they have version 3"},
		{"no version", `"version":2,`, "", "they have version 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			broken := strings.Replace(string(data), tt.from, tt.to, 1)
			if broken == string(data) {
				t.Fatalf("%s has no %s", data, tt.from)
			}
			if _, err := phases.Decode([]byte(broken)); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "--regenerate") {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestOutputsAreCapped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringN(1, 20, 60).Draw(t, "text"), rapid.IntRange(0, 4000).Draw(t, "times"))
		got := phases.Capped(text)
		if len(got) > phases.MaxOutput || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%d bytes become %d", len(text), len(got))
		}
		if len(text) <= phases.MaxOutput && got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if again := phases.Capped(got); again != got {
			t.Error("it is capped again")
		}
	})
	r := record()
	r.Phases[0].Output, r.Phases[0].Error = "begin "+strings.Repeat("x", 1<<20)+" end", strings.Repeat("é", 1<<15)
	data, err := r.Encode()
	if err != nil || len(data) > 3*phases.MaxOutput {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	got, err := phases.Decode(data)
	if err != nil || !strings.HasPrefix(got.Phases[0].Output, "begin ") || !strings.HasSuffix(got.Phases[0].Output, " end") {
		t.Errorf("output %.20q, %v", got.Phases[0].Output, err)
	}
	if len(r.Phases[0].Output) < 1<<20 {
		t.Error("what was given has changed")
	}
}
