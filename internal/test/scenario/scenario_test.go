package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	_ "time/tzdata" // for machines that have no zones

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm"
	"discoclaw/internal/test/golden"
)

func TestScenes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(filesOf(archive, repoPrefix)) > 0 {
				requireTools(t)
			}
			changed := false
			synctest.Test(t, func(t *testing.T) { changed = play(t, archive) })
			if changed && golden.Update() {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play plays a scene and compares its sections with the result. It reports whether any has
// changed; if they may be updated, they are.
func play(t *testing.T, archive *txtar.Archive) (changed bool) {
	section := func(name string) string {
		for _, f := range archive.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	requireSections(t, archive)
	st := newStageWithProject(t, section("world"), section("env"), filesOf(archive, repoPrefix))
	st.files = filesOf(archive, filePrefix)
	steps, answers, err := parse(st.expand(section("script")))
	if err != nil {
		t.Fatal(err)
	}
	st.answers = answers
	defer func() { // also after a scene that does not come to its end
		for _, loss := range st.losses() {
			t.Error(loss)
		}
	}()
	for _, s := range steps {
		if err := s.do(st); err != nil {
			t.Fatalf("%s: %v", s.line, err)
		}
		synctest.Wait() // the immediate effects of a line come before the next
		if s.wait {
			st.settle()
		}
	}
	st.settle()
	for i, f := range archive.Files {
		got, ok := st.report(f.Name)
		if !ok || got == string(f.Data) {
			continue
		}
		changed = true
		archive.Files[i].Data = []byte(got)
		if !golden.Update() {
			t.Errorf("%s differs (-scene +now); if that is right, run make golden and review the change:\n%s", f.Name, cmp.Diff(string(f.Data), got))
		}
	}
	if !slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == "pings" }) {
		st.RequireNoMentions(t)
	}
	for _, left := range st.unasked() {
		t.Error(left)
	}
	return changed
}

// requireSections refuses a scene without checks.
func requireSections(t *testing.T, archive *txtar.Archive) {
	t.Helper()
	known := []string{"world", "env", "script", "transcript", "frames", "requests", "asked", "context", "pings", "posts", "tools", "reader", "commits", "plans"}
	var names []string
	for _, f := range archive.Files {
		names = append(names, f.Name)
		prefixed := slices.ContainsFunc([]string{filePrefix, repoPrefix, channelPrefix}, func(p string) bool { return strings.HasPrefix(f.Name, p) })
		if !slices.Contains(known, f.Name) && !prefixed {
			t.Fatalf("there is no section %q; there are %s", f.Name, strings.Join(known, ", "))
		}
	}
	for _, name := range []string{"world", "script", "transcript"} {
		if !slices.ContainsFunc(names, func(n string) bool { return n == name || strings.HasPrefix(n, name+" ") }) {
			t.Fatalf("the section %q is missing", name)
		}
	}
}

// channelPrefix begins the names of sections that are the transcripts of one channel each,
// for scenes with simultaneous events, whose order is not determined.
const channelPrefix = "transcript #"

// filePrefix begins the names of sections that are attachments, and repoPrefix of those that are files of a project.
const (
	filePrefix = "file "
	repoPrefix = "repo "
)

func filesOf(archive *txtar.Archive, prefix string) map[string]string {
	files := map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			files[name] = string(f.Data)
		}
	}
	return files
}

// report is the expected content of a section. It is false for sections of input.
func (st *stage) report(section string) (string, bool) {
	if channel, ok := strings.CutPrefix(section, channelPrefix); ok {
		return ended(st.readable(st.Transcript(channel))), true
	}
	switch section {
	default:
		return "", false
	case "transcript":
		return ended(st.readable(st.Transcript())), true
	case "frames":
		return ended(st.project.readable(strings.Join(st.frames, "\n"))), true
	case "requests":
		var lines []string
		for _, x := range st.Requests() {
			if strings.Contains(x.Route, "/commands") {
				continue // commands are registered at the start, which is no part of the scene
			}
			lines = append(lines, fmt.Sprintf("%s: %d", x.Route, x.Status))
		}
		return ended(strings.Join(lines, "\n")), true
	case "pings":
		return ended(strings.Join(st.pings(), "\n")), true
	case "posts":
		return ended(strings.Join(st.posts(), "\n")), true
	case "commits":
		return ended(st.project.commits(st.t)), true
	case "plans":
		return ended(st.readable(st.plans())), true
	case "context":
		var b strings.Builder
		for i, req := range st.asked {
			_, text, _ := strings.Cut(req.System, "\n\n## This conversation\n\n")
			text, _, _ = strings.Cut(text, "\n\n## ")
			fmt.Fprintf(&b, "%d %s\n", i+1, indent(text))
		}
		return b.String(), true
	case "reader":
		var b strings.Builder
		for i, text := range st.shownToReader() {
			fmt.Fprintf(&b, "%d %s\n", i+1, indent(text))
		}
		return b.String(), true
	case "tools":
		var b strings.Builder
		for i, req := range st.asked {
			fmt.Fprintf(&b, "%d %s\n", i+1, tools(req.Workspace))
		}
		return b.String(), true
	case "asked":
		var b strings.Builder
		for i, req := range st.asked {
			for _, m := range req.Messages {
				fmt.Fprintf(&b, "%d %s: %s\n", i+1, m.Role, indent(st.project.readable(m.Text)))
				for _, c := range m.Calls {
					fmt.Fprintf(&b, "  [calls %s %s]\n", c.Name, c.Input)
				}
				for _, r := range m.Results {
					fmt.Fprintf(&b, "  [result] %s\n", indent(st.project.readable(r.Text)))
				}
				for _, image := range m.Images {
					fmt.Fprintf(&b, "  [%s, %d bytes]\n", image.Type, len(image.Data))
				}
			}
		}
		return b.String(), true
	}
}

func tools(w llm.Workspace) string {
	if !w.Level.Allows(llm.ToolsRead) {
		return "none"
	}
	text := string(w.Level)
	if w.Trusted {
		text += " for operators"
	}
	if w.Tainted {
		text += " after outside text"
	}
	return text
}

// pings are whom the bot's messages notified, a line for each message that did.
func (st *stage) pings() (lines []string) {
	for _, ch := range st.Channels() {
		for _, m := range st.Messages(string(ch.ID)) {
			var names []string
			for _, id := range m.Pings {
				who, _ := st.Member(string(id))
				names = append(names, who.Name)
			}
			if m.Author == st.UserID("bot") && len(names) > 0 {
				lines = append(lines, strings.Join(names, ", "))
			}
		}
	}
	return lines
}

// posts are the posts of forums, a line each.
func (st *stage) posts() (lines []string) {
	for _, ch := range st.Channels() {
		forum, _ := st.Channel(string(ch.Parent))
		if forum.Type != fakediscord.ForumChannel {
			continue
		}
		line := ch.Name
		for _, t := range forum.Tags {
			if slices.Contains(ch.AppliedTags, t.ID) {
				line += " [" + t.Name + "]"
			}
		}
		if ch.Archived {
			line += " (archived)"
		}
		lines = append(lines, line)
	}
	return lines
}

// ended has one newline at its end, or nothing at all.
func ended(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return text + "\n"
}
