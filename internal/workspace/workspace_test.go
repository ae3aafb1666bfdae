package workspace_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/workspace"
)

// open is a scaffolded workspace in folders of its own.
func open(t *testing.T, change ...func(*workspace.Options)) (*workspace.Workspace, workspace.Options) {
	t.Helper()
	dir := t.TempDir()
	o := workspace.Options{
		Folder: filepath.Join(dir, "workspace"), Content: filepath.Join(dir, "content"),
		AutoIndex: true, Require: true, Zone: "Europe/Paris",
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, c := range change {
		c(&o)
	}
	w := workspace.New(o)
	if err := w.Scaffold(); err != nil {
		t.Fatal(err)
	}
	return w, o
}

func put(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func persona(t *testing.T, w *workspace.Workspace) []chat.Document {
	t.Helper()
	docs, err := w.Persona(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

const (
	general = chat.ChannelID("111111111111111111")
	ops     = chat.ChannelID("222222222222222222")
	thread  = chat.ChannelID("333333333333333333")
)

func in(ch chat.ChannelID) chat.Place { return chat.Place{Guild: "9", Channel: ch} }

func channel(t *testing.T, w *workspace.Workspace, at chat.Place, name string) []chat.Document {
	t.Helper()
	docs, err := w.Context(t.Context(), at, name)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func TestAFreshWorkspaceIsSmallAndComplete(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	docs := persona(t, w)
	size := 0
	for _, d := range docs {
		size += len(d.Name) + len(d.Text)
		if strings.Contains(d.Text, "<!--") || strings.Contains(d.Text, "{{") {
			t.Errorf("%s tells the model %q", d.Name, d.Text)
		}
	}
	if size > 600 || len(docs) == 0 {
		t.Errorf("the persona has %d bytes in %d documents", size, len(docs))
	}
	if text := get(t, o.Folder, "USER.md"); !strings.Contains(text, "Time zone: Europe/Paris\n") {
		t.Errorf("USER.md has no time zone: %s", text)
	}
	if w.Name() != "" {
		t.Errorf("a name that nobody gave: %q", w.Name())
	}
	for _, name := range []string{"SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "MEMORY.md", "memory"} {
		if _, err := os.Stat(filepath.Join(o.Folder, name)); err != nil {
			t.Error(err)
		}
	}
	if got := channel(t, w, in(general), "general"); got != nil {
		t.Errorf("a fresh context file tells the model %v", got)
	}
	if got := channel(t, w, chat.Place{Channel: "5"}, ""); got != nil {
		t.Errorf("a fresh direct message tells the model %v", got)
	}
	if got := w.Notes(t.Context(), time.Now()); got != nil {
		t.Errorf("fresh notes tell the model %v", got)
	}
}

func TestScaffoldKeepsExistingFiles(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	put(t, "mine", o.Folder, "SOUL.md")
	put(t, "our index", o.Content, "discord", "DISCORD.md")
	if err := w.Scaffold(); err != nil {
		t.Fatal(err)
	}
	if get(t, o.Folder, "SOUL.md") != "mine" || get(t, o.Content, "discord", "DISCORD.md") != "our index" {
		t.Error("a file was written over")
	}
}

func TestAWorkspaceThatCannotBeMadeNamesTheRemedy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, "a file", dir, "taken")
	for remedy, o := range map[string]workspace.Options{
		"WORKSPACE_CWD":         {Folder: filepath.Join(dir, "taken", "x"), Content: filepath.Join(dir, "c")},
		"DISCOCLAW_CONTENT_DIR": {Folder: filepath.Join(dir, "w"), Content: filepath.Join(dir, "taken", "x")},
	} {
		if err := workspace.New(o).Scaffold(); err == nil || !strings.Contains(err.Error(), remedy) {
			t.Errorf("want %s in %v", remedy, err)
		}
	}
}

func TestThePersonaHasTheFilesContent(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	put(t, "\ufeff<!-- hint\n -->\nBe kind. <!-- really --> Always.\n", o.Folder, "SOUL.md")
	put(t, "I can draw.", o.Folder, "TOOLS.md")
	put(t, "<!-- nothing yet -->", o.Folder, "USER.md")
	put(t, "Be silent.", o.Folder, "MEMORY.md")
	want := []chat.Document{{Name: "SOUL.md", Text: "Be kind.  Always."}, {Name: "TOOLS.md", Text: "I can draw."}}
	if diff := cmp.Diff(want, persona(t, w)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	put(t, "Be very kind.", o.Folder, "SOUL.md")
	if got := persona(t, w)[0].Text; got != "Be very kind." {
		t.Errorf("after a change it says %q", got)
	}
}

func TestAFileThatHasNotChangedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	path := filepath.Join(o.Folder, "SOUL.md")
	for i, text := range []string{"one", "two"} {
		put(t, text, path)
		// The same size and the same time: the change cannot be seen.
		if err := os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
		if got := persona(t, w)[0].Text; got != "one" {
			t.Errorf("after %d changes it says %q", i, got)
		}
	}
}

func TestUnreadableDocumentsBecomeNotes(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, path string) error{
		"bytes that are no text": func(_ *testing.T, path string) error { return os.WriteFile(path, []byte("\x89PNG\x00\xff"), 0o600) },
		"a link that leads out": func(t *testing.T, path string) error {
			secret := filepath.Join(t.TempDir(), "secret")
			put(t, "the secret", secret)
			return os.Symlink(secret, path)
		},
		"a folder":           func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) },
		"a link in a circle": func(_ *testing.T, path string) error { return os.Symlink("SOUL.md", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, o := open(t)
			path := filepath.Join(o.Folder, "SOUL.md")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := damage(t, path); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the cached result is the same
				if got := persona(t, w)[0]; got.Text != "(SOUL.md cannot be read)" {
					t.Errorf("the model is told %q", got.Text)
				}
			}
		})
	}
}

func TestLongDocumentsAreCut(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	for _, name := range []string{"SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md"} {
		put(t, strings.Repeat("ü", 200_000), o.Folder, name)
	}
	size := 0
	docs := persona(t, w)
	for _, d := range docs {
		size += len(d.Text)
		if len(d.Text) > 8<<10+100 || !strings.HasSuffix(d.Text, ")") || strings.Contains(d.Text, "\ufffd") {
			t.Errorf("%s has %d bytes and ends with %q", d.Name, len(d.Text), d.Text[len(d.Text)-40:])
		}
	}
	if size > 33<<10 || len(docs) != 5 {
		t.Errorf("%d documents have %d bytes", len(docs), size)
	}
}

func TestTheNameIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Name: Ada":                        "Ada",
		"# Me\n\n- **Name:** Ada L. ":      "Ada L.",
		"* __name__: `Ada`":                "Ada",
		"**Name**:Ada\nName: Bob":          "Ada",
		"My Name: Ada":                     "",
		"Name:\nAda":                       "",
		"<!-- Name: Ada -->":               "",
		"Name: " + strings.Repeat("ü", 40): strings.Repeat("ü", 32),
	} {
		w, o := open(t)
		put(t, text, o.Folder, "IDENTITY.md")
		if got := w.Name(); got != want {
			t.Errorf("in %q the name is %q, want %q", text, got, want)
		}
	}
}

func TestAThreadHasTheFileOfItsChannel(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	channel(t, w, in(general), "general")
	put(t, "Here we chat.", o.Content, "discord", "channels", "general.md")
	at := in(thread)
	at.Parent = general
	want := []chat.Document{{Name: "general.md", Text: "Here we chat."}}
	for _, place := range []chat.Place{in(general), at} {
		if diff := cmp.Diff(want, channel(t, w, place, "general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if index := get(t, o.Content, "discord", "DISCORD.md"); strings.Contains(index, string(thread)) {
		t.Errorf("the thread is in the index:\n%s", index)
	}
}

func TestNotesAreNoContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, o := open(t)
		time.Sleep(36 * time.Hour)
		now := time.Now()
		put(t, "Be private.", o.Content, "discord", "channels", "dm.md")
		put(t, "Ada likes tea.", o.Folder, "MEMORY.md")
		want := []chat.Document{{Name: "MEMORY.md", Text: "Ada likes tea."}}
		for ago := range 3 {
			name := "memory/" + now.AddDate(0, 0, -ago).Format("2006-01-02") + ".md"
			put(t, fmt.Sprintf("%d days ago", ago), o.Folder, name)
			if ago < 2 {
				want = append(want, chat.Document{Name: name, Text: fmt.Sprintf("%d days ago", ago)})
			}
		}
		if diff := cmp.Diff(want, w.Notes(t.Context(), now)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]chat.Document{{Name: "dm.md", Text: "Be private."}}, channel(t, w, chat.Place{Channel: "5"}, "")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := channel(t, w, in(general), "general"); got != nil {
			t.Errorf("a channel knows %v", got)
		}
	})
}

func TestTwoFirstMessagesMakeOneRow(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			ch, name := general, "general"
			if i%2 == 1 {
				ch, name = ops, "ops"
			}
			if _, err := w.Context(t.Context(), in(ch), name); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	index := get(t, o.Content, "discord", "DISCORD.md")
	if strings.Count(index, string(general)) != 1 || strings.Count(index, string(ops)) != 1 {
		t.Errorf("the index is\n%s", index)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Content, "discord", "*.new*")); left != nil {
		t.Errorf("drafts stayed behind: %v", left)
	}
}
