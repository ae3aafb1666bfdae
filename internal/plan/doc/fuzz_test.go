package doc_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/plan/doc"
)

func FuzzParse(f *testing.F) {
	f.Add(plan)
	f.Add(windows(plan))
	f.Add(doc.Template)
	for _, l := range lines {
		f.Add("# Plan: a\n**ID:** 7\n---\n## Changes\n" + l + "\n" + l)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := doc.Parse(text)
		if err != nil {
			return
		}
		_, _, _ = d.Check(), d.LatestVerdict(), d.Heartbeat(time.Second)
		if d.Text() != text {
			t.Errorf("%q becomes %q", text, d.Text())
		}
		if files, err := d.Files(); err == nil {
			requireContained(t, files)
		}
		set := parse(t, d.WithStatus(doc.Approved))
		if set.Status != doc.Approved || set.Title != d.Title || set.ID != d.ID || set.Hash() != d.Hash() || set.Body() != d.Body() {
			t.Errorf("%q is approved as %q", text, set.Text())
		}
		reviewed := parse(t, d.WithReview("today", text))
		if reviewed.Hash() != d.Hash() || reviewed.NextReview() != d.NextReview()+1 || reviewed.Status != d.Status {
			t.Errorf("%q is reviewed as %q", text, reviewed.Text())
		}
		requireMerge(t, d, text)
	})
}

func requireContained(t *testing.T, files []string) {
	t.Helper()
	for _, f := range files {
		if path.IsAbs(f) || f != path.Clean(f) || f == ".." || strings.HasPrefix(f, "../") || strings.ContainsAny(f, "\\\x00") {
			t.Errorf("path %q", f)
		}
	}
}

func requireMerge(t *testing.T, d doc.Doc, draft string) {
	t.Helper()
	merged, err := d.Merge(draft)
	if err != nil {
		return
	}
	if m := parse(t, merged); m.ID != d.ID || m.Status != d.Status || m.Hash() != d.Hash() || m.NextReview() != d.NextReview() {
		t.Errorf("%q merged with itself is %q", d.Text(), merged)
	}
}
