package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	pageFence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	pageCode    = regexp.MustCompile("`[^`\n]*`")
	pageLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pagePath    = regexp.MustCompile(`^(internal|cmd|docs|\.ci)/[\w./-]+$`)
	pageHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinksBetweenPagesLead: each fact stands on one page and others link to it, so a heading that is renamed must not leave
// links behind.
func TestLinksBetweenPagesLead(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	dev, err := filepath.Glob(filepath.Join(root, "docs", "dev", "*.md"))
	if err != nil || len(pages) == 0 || len(docs) == 0 || len(dev) == 0 {
		t.Fatalf("%d pages, %d in docs and %d in docs/dev were found: %v", len(pages), len(docs), len(dev), err)
	}
	for _, page := range slices.Concat(pages, docs, dev) {
		for _, link := range pageLink.FindAllStringSubmatch(pageCode.ReplaceAllString(prose(t, page), ""), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			name, anchor, _ := strings.Cut(link[1], "#")
			target := page
			if name != "" {
				target = filepath.Join(filepath.Dir(page), name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, link[1], err)
			} else if anchor != "" && !slices.Contains(anchors(prose(t, target)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, link[1])
			}
		}
	}
}

// TestPathsOnPagesExist: pages for people who change the code name files, which may be moved. A word in capitals stands for a name.
func TestPathsOnPagesExist(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "dev", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join(root, "CONTRIBUTING.md")) {
		for _, code := range pageCode.FindAllString(prose(t, page), -1) {
			name := strings.Trim(code, "`")
			if !pagePath.MatchString(name) || strings.Contains(name, "NAME") || strings.Contains(name, "CATEGORY") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s names %s: %v", page, name, err)
			}
		}
	}
}

// prose returns a page without its blocks of code.
func prose(t *testing.T, page string) string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return pageFence.ReplaceAllString(string(text), "")
}

// anchors returns the anchors of a page's headings, made as GitHub makes them.
func anchors(text string) (list []string) {
	for _, heading := range pageHeading.FindAllStringSubmatch(text, -1) {
		list = append(list, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-"))
	}
	return list
}
