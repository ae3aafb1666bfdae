package messaging

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A tree is two folders that files may be sent from, and one beside them. Names with an
// arrow become links.
type tree struct {
	workspace, outbox, elsewhere string
}

func newTree(t *testing.T, names ...string) tree {
	t.Helper()
	base := t.TempDir()
	tr := tree{filepath.Join(base, "workspace"), filepath.Join(base, "outbox"), filepath.Join(base, "elsewhere")}
	for _, dir := range []string{tr.workspace, tr.outbox, tr.elsewhere} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		name, target, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		var err error
		if isLink {
			err = os.Symlink(strings.Replace(target, "BASE", base, 1), path)
		} else {
			err = os.WriteFile(path, []byte("content of "+name), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr tree) folders() folders { return folders{tr.workspace, tr.outbox} }

func TestOpenFindsFilesInTheFolders(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "workspace/a.png", "workspace/docs/b.PDF", "workspace/both.txt", "outbox/both.txt", "outbox/c.zip",
		"workspace/link.txt -> docs/b.PDF", "workspace/across.zip -> ../outbox/c.zip", "workspace/d -> docs", "workspace/.shown.png -> a.png", "alias -> workspace")
	alias := filepath.Join(filepath.Dir(tr.workspace), "alias")
	for _, tt := range []struct{ name, path, want string }{
		{"relative to the first folder", "a.png", "workspace/a.png"},
		{"relative to the second folder", "c.zip", "outbox/c.zip"},
		{"the first folder before the second", "both.txt", "workspace/both.txt"},
		{"absolute", filepath.Join(tr.outbox, "both.txt"), "outbox/both.txt"},
		{"in a folder, ending in capitals", "docs/b.PDF", "workspace/docs/b.PDF"},
		{"a way around", "docs/../a.png", "workspace/a.png"},
		{"white space around it", " a.png\n", "workspace/a.png"},
		{"a link to a file", "link.txt", "workspace/docs/b.PDF"},
		{"a link to a folder", "d/b.PDF", "workspace/docs/b.PDF"},
		{"a hidden link to a file that is not", ".shown.png", "workspace/a.png"},
		{"a link into the other folder", "across.zip", "outbox/c.zip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			requireContent(t, tr.folders(), tt.path, tt.want)
		})
	}
	t.Run("folders that are links themselves", func(t *testing.T) {
		t.Parallel()
		requireContent(t, folders{alias}, "a.png", "workspace/a.png")
		requireContent(t, folders{alias}, filepath.Join(alias, "a.png"), "workspace/a.png")
		requireContent(t, folders{alias}, filepath.Join(tr.workspace, "a.png"), "workspace/a.png")
	})
	t.Run("a folder that does not exist yet", func(t *testing.T) {
		t.Parallel()
		requireContent(t, folders{filepath.Join(tr.elsewhere, "later"), tr.workspace}, "a.png", "workspace/a.png")
	})
}

func requireContent(t *testing.T, f folders, path, want string) {
	t.Helper()
	doc, err := f.open(path, 1000)
	if err != nil {
		t.Fatalf("open %q: %v", path, err)
	}
	defer doc.Close()
	for range 2 { // a second attempt begins at the beginning again
		got, err := io.ReadAll(doc.content())
		if err != nil || string(got) != "content of "+want {
			t.Errorf("%q has %q (%v), want the content of %s", path, got, err, want)
		}
	}
	if doc.name != filepath.Base(want) {
		t.Errorf("%q is called %q, want the name of %s", path, doc.name, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "workspace/a.png", "workspace/.env", "workspace/.secret.txt", "workspace/.git/config.txt", "workspace/id_rsa", "workspace/data.sqlite",
		"workspace/folder.zip/x.png", "elsewhere/secret.png", "workspace-2/secret.png",
		"workspace/out.png -> BASE/elsewhere/secret.png", "workspace/up.png -> ../elsewhere/secret.png", "workspace/outdir -> ../elsewhere",
		"workspace/env.png -> .env", "workspace/hidden.txt -> .secret.txt", "workspace/key.txt -> id_rsa", "workspace/git -> .git",
		"workspace/gone.png -> nowhere.png", "workspace/round.png -> round.png", "workspace/dev.txt -> /dev/null")
	for _, tt := range []struct{ name, path, want string }{
		{"a file that is not there", "nope.png", "I can't find the file `nope.png`"},
		{"a path below a file", "a.png/b.png", "I can't look for the file `a.png/b.png` (not a directory)"},
		{"no ending", "id_rsa", "I don't send files like"},
		{"a type nobody sends", "data.sqlite", "I don't send files like"},
		{"a name that is all ending", ".env", "I don't send files like"},
		{"the folder itself", ".", "I don't send files like"},
		{"a hidden file", ".secret.txt", `".secret.txt" is hidden`},
		{"a file in a hidden folder", ".git/config.txt", `".git" is hidden`},
		{"a folder", "folder.zip", "I can't open the file `folder.zip` (not a regular file)"},
		{"upwards", "../elsewhere/secret.png", "not in a folder that I may send files from"},
		{"upwards from inside", "docs/../../elsewhere/secret.png", "not in a folder that I may send files from"},
		{"upwards with the folder's name", filepath.Join(tr.workspace, "..") + "/elsewhere/secret.png", "not in a folder that I may send files from"},
		{"absolute and elsewhere", filepath.Join(tr.elsewhere, "secret.png"), "not in a folder that I may send files from"},
		{"absolute, elsewhere and not there", filepath.Join(tr.elsewhere, "nope.png"), "not in a folder that I may send files from"},
		{"a folder whose name begins the same", tr.workspace + "-2/secret.png", "not in a folder that I may send files from"},
		{"a link out, absolute", "out.png", "not in a folder that I may send files from"},
		{"a link out, relative", "up.png", "not in a folder that I may send files from"},
		{"a folder that is a link out", "outdir/secret.png", "not in a folder that I may send files from"},
		{"a harmless name for a hidden file", "hidden.txt", `".secret.txt" is hidden`},
		{"a harmless name for another type", "key.txt", "I don't send files like"},
		{"a picture's name for settings", "env.png", "I don't send files like"},
		{"a harmless name for a hidden folder", "git/config.txt", `".git" is hidden`},
		{"a link to nothing", "gone.png", "I can't find the file `gone.png`"},
		{"a link to itself", "round.png", "I can't look for the file `round.png` ("},
		{"a link to a device", "dev.txt", "not in a folder that I may send files from"},
		{"a NUL in the path", "a\x00.png", "I can't look for the file `a\x00.png` (invalid argument)"},
		{"nothing to speak of", "   ", "I don't send files like"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, err := tr.folders().open(tt.path, 1000)
			if err == nil {
				doc.Close()
				t.Fatalf("%q was opened as %s, want an error with %q", tt.path, doc.Name(), tt.want)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q: %v, want an error with %q", tt.path, err, tt.want)
			}
		})
	}
}

// TestMemoriesAreNotSent, whatever they are called. Files of the same name elsewhere are
// like any other.
func TestMemoriesAreNotSent(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "workspace/MEMORY.md", "workspace/diary/2026-03-02.md", "workspace/memory -> diary", "workspace/notes.md -> MEMORY.md",
		"workspace/docs/MEMORY.md", "workspace/docs/memory/a.md", "outbox/memories.md", "outbox/over -> ../workspace")
	if err := os.Link(filepath.Join(tr.workspace, "MEMORY.md"), filepath.Join(tr.outbox, "twin.md")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"MEMORY.md", "./docs/../MEMORY.md", "notes.md", "twin.md", "over/MEMORY.md", filepath.Join(tr.workspace, "MEMORY.md"),
		"memory/2026-03-02.md", "diary/2026-03-02.md", "over/memory/2026-03-02.md",
	} {
		doc, err := tr.folders().open(path, 1000)
		if err == nil {
			doc.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "is for direct messages alone") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"docs/MEMORY.md": "workspace/docs/MEMORY.md", "docs/memory/a.md": "workspace/docs/memory/a.md", "memories.md": "outbox/memories.md"} {
		requireContent(t, tr.folders(), path, want)
	}
}

func TestOpenNamesTheSize(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "workspace/a.png")
	size := len("content of workspace/a.png")
	doc, err := tr.folders().open("a.png", size)
	if err != nil {
		t.Fatalf("a file of exactly the limit: %v", err)
	}
	doc.Close()
	_, err = tr.folders().open("a.png", size-1)
	if want := "a.png has 26 bytes, and this server takes files of at most 25"; err == nil || err.Error() != want {
		t.Errorf("one byte more: %v, want %s", err, want)
	}
}

func TestOpenWithoutFoldersSaysSo(t *testing.T) {
	t.Parallel()
	if _, err := folders(nil).open("a.png", 1000); err == nil || err.Error() != "no folder is set up to send files from" {
		t.Errorf("without folders: %v", err)
	}
}

// TestALinkMadeAfterTheCheckIsNotFollowed: the path was checked, so it must not be a link by
// the time of opening, even to a place in the same folder.
func TestALinkMadeAfterTheCheckIsNotFollowed(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "workspace/.secret.txt", "workspace/.git/a.txt", "elsewhere/a.txt",
		"workspace/in.txt -> .secret.txt", "workspace/out.txt -> ../elsewhere/a.txt", "workspace/git -> .git", "workspace/away -> ../elsewhere")
	for _, rel := range []string{"in.txt", "out.txt", "git/a.txt", "away/a.txt"} {
		file, _, err := openWithoutLinks(tr.workspace, filepath.FromSlash(rel))
		if err == nil {
			file.Close()
			t.Errorf("%s was opened", rel)
		}
	}
}

func TestAFileThatGrowsIsSentAsItWas(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "workspace/a.log")
	doc, err := tr.folders().open("a.log", 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	if err := os.WriteFile(filepath.Join(tr.workspace, "a.log"), []byte(strings.Repeat("x", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(doc.content()); err != nil || len(got) != len("content of workspace/a.log") {
		t.Errorf("%d bytes were read (%v), want as many as were checked", len(got), err)
	}
}

// TestAnotherFileOfTheSameNameIsNotDeleted: it was put there after the first one was opened.
func TestAnotherFileOfTheSameNameIsNotDeleted(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "outbox/a.txt", "outbox/new.txt")
	doc, err := tr.folders().open("a.txt", 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	path := filepath.Join(tr.outbox, "a.txt")
	if err := os.Rename(filepath.Join(tr.outbox, "new.txt"), path); err != nil {
		t.Fatal(err)
	}
	if err := doc.removeFrom(tr.outbox, "a.txt"); err != errChanged {
		t.Errorf("the error is %v", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "content of outbox/new.txt" {
		t.Errorf("%s %v", content, err)
	}
}

// TestSecretsAreNotSent: neither files by whose names programs find keys, nor what is denied, except what was put into the outbox.
func TestSecretsAreNotSent(t *testing.T) {
	work := t.TempDir()
	for _, name := range []string{"credentials.json", "mcp.json", "data/notes.md", "data/outbox/may.pdf", "report.md"} {
		path := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	outbox := filepath.Join(work, "data", "outbox")
	c := New(nil, Options{Roots: []string{work, outbox}, Outbox: outbox, Deny: []string{filepath.Join(work, "data"), filepath.Join(work, "mcp.json"), filepath.Join(work, "gone")}})
	for name, sent := range map[string]bool{"credentials.json": false, "mcp.json": false, "data/notes.md": false, "data/outbox/may.pdf": true, "may.pdf": true, "report.md": true} {
		doc, err := folders(c.Roots).open(name, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.checkSecret(doc); (err == nil) != sent {
			t.Errorf("%s: %v", name, err)
		}
		_ = doc.Close()
	}
}
