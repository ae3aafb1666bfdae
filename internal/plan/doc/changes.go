package doc

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/plan/markdown"
)

// A Change is a file that a plan changes, and what the plan says about it, which may be nothing.
type Change struct {
	Path, Spec string
}

// Changes returns the files that the plan changes, in its order: those of the manifest if there is one, else those that
// are named in list items, headings and bold entries of the section Changes. The error names every path that could lead
// out of the project.
func (d Doc) Changes() ([]Change, error) {
	described := d.described()
	listed, _ := d.manifest() // one that cannot be read is an issue for Check
	if len(listed) == 0 {
		for _, m := range described {
			listed = append(listed, m.path)
		}
	}
	specs := specsOf(described)
	var list []Change
	var errs []error
	seen := map[string]bool{}
	for _, raw := range listed {
		clean, err := CleanPath(raw)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !seen[clean] {
			seen[clean] = true
			list = append(list, Change{clean, specs[clean]})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return list, nil
}

var errManifest = errors.New("the section Change Manifest has no JSON list of paths; write one such as [\"src/a.go\"], or take the section out")

// manifest returns the first JSON list of texts of its section. Without that section there is none.
func (d Doc) manifest() ([]string, error) {
	body, ok := d.Section(manifest)
	if !ok {
		return nil, nil
	}
	const tries = 100 // each may read the whole section
	for range tries {
		at := strings.IndexByte(body, '[')
		if at < 0 {
			break
		}
		body = body[at:]
		var list []string
		if err := json.NewDecoder(strings.NewReader(body)).Decode(&list); err == nil && len(list) > 0 {
			return list, nil
		}
		body = body[1:]
	}
	return nil, errManifest
}

// A mention is a path in the section Changes.
type mention struct {
	path    string
	leading bool // it is what its entry is about
	entry   entry
	spec    string
}

// An entry is a line that may name files, with the lines that belong to it.
type entry struct {
	kind        entryKind
	depth       int // indentation, or level of a heading
	first, last int // lines
	content     string
}

type entryKind int

const (
	noEntry entryKind = iota
	itemEntry
	boldEntry
	headingEntry
)

var (
	inlineCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`]+)`") })
	boldStart  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\*\\*[^*]*(?:`[^`]+`|/)[^*]*\\*\\*") })
)

func (d Doc) described() []mention {
	var list []mention
	for _, r := range d.ranges() {
		if strings.EqualFold(d.sectionAt(r.first-1), Changes) {
			list = append(list, d.mentions(r)...)
		}
	}
	return list
}

func (d Doc) mentions(r span) []mention {
	entries := make([]entry, 0, r.last-r.first)
	for i := r.first; i < r.last; i++ {
		entries = append(entries, entryAt(d.lines[i], i))
	}
	var list []mention
	for i, e := range entries {
		if e.kind == noEntry {
			continue
		}
		paths, leading := pathsIn(e.content)
		if len(paths) == 0 {
			continue
		}
		e.last = r.last
		for _, next := range entries[i+1:] {
			if e.endsAt(next) {
				e.last = next.first
				break
			}
		}
		spec := d.specText(e)
		for j, p := range paths {
			list = append(list, mention{p, j < leading, e, spec})
		}
	}
	return list
}

func entryAt(l markdown.Line, line int) entry {
	e := entry{first: line}
	if l.Code {
		return e
	}
	if level, title := markdown.Heading(l.Text); level > 0 {
		e.kind, e.depth, e.content = headingEntry, level, title
		return e
	}
	indent, content, isItem := markdown.Item(l.Text)
	e.depth, e.content = indent, content
	switch {
	case isItem:
		e.kind = itemEntry
	case boldStart().MatchString(content):
		e.kind = boldEntry
	}
	return e
}

// endsAt reports whether an entry ends where another begins.
func (e entry) endsAt(next entry) bool {
	switch next.kind {
	case headingEntry:
		return e.kind != headingEntry || next.depth <= e.depth
	case boldEntry:
		return e.kind == boldEntry || e.kind == itemEntry && next.depth <= e.depth
	case itemEntry:
		return e.kind == itemEntry && next.depth <= e.depth
	}
	return false
}

// pathsIn returns the paths of an entry; those that it begins with are what it is about, the others it only mentions.
func pathsIn(content string) (paths []string, leading int) {
	if p, ok := plainPath(content); ok {
		paths, leading = append(paths, p), 1
	}
	still := leading == 0
	end := 0
	for _, m := range inlineCode().FindAllStringSubmatchIndex(content, -1) {
		p, ok := pathIn(content[m[2]:m[3]])
		// "`a.go`, `b.go` and **`c.go`**: …" is about all three.
		between := strings.TrimSpace(strings.NewReplacer("*", "", ",", "", "and", "", "&", "", "[ ]", "", "[x]", "", "+", "").Replace(content[end:m[0]]))
		still = still && ok && (between == "" || leading == 0 && isLabel(between))
		end = m[1]
		if !ok {
			continue
		}
		paths = append(paths, p)
		if still {
			leading++
		}
	}
	return paths, leading
}

// isLabel reports whether words before a path only introduce it: "New file: `a.go`", "1. Edit `a.go`".
func isLabel(words string) bool { return len(strings.Fields(words)) <= 3 }

// plainPath returns the path with which a text begins, if that is not written as code. Without a slash it could be any
// word: "Node.js: upgrade".
func plainPath(content string) (string, bool) {
	first, _, _ := strings.Cut(strings.TrimLeft(content, "*"), " ")
	first = strings.Trim(first, "*:,")
	p, ok := pathIn(first)
	return p, ok && strings.ContainsAny(p, `/\`) && !strings.Contains(first, "`")
}

// specText is what an entry says.
func (d Doc) specText(e entry) string {
	last := e.last
	for last > e.first && (strings.TrimSpace(d.lines[last-1].Text) == "" || markdown.IsRule(d.lines[last-1].Text)) {
		last--
	}
	return strings.TrimSpace(normal(d.text[d.offset(e.first):d.offset(last)]))
}

// specsOf returns what the entries about each path say; for a path without any, it is the first that mentions it.
func specsOf(list []mention) map[string]string {
	about, mentioned := map[string][]string{}, map[string]string{}
	ends := map[string]int{} // of the latest entry that was taken; entries within it are part of it
	for _, m := range list {
		p, err := CleanPath(m.path)
		if err != nil {
			continue
		}
		if mentioned[p] == "" {
			mentioned[p] = m.spec
		}
		if m.leading && m.entry.first >= ends[p] {
			about[p] = append(about[p], m.spec)
			ends[p] = m.entry.last
		}
	}
	for p, list := range about {
		mentioned[p] = strings.Join(list, "\n\n")
	}
	return mentioned
}
