package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/plan/worktree"
)

func TestReadInStaysInTheProject(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "project")
	for name, text := range map[string]string{
		"outside.txt": "outside", "project/a.go": "package a\n", "project/AGENTS.md": "rules\n", "project/id_test.go": "package a\n",
		"project/.env": "TOKEN=secret", "project/.ENV.local": "TOKEN=secret", "project/key.pem": "secret", "project/id_ed25519": "secret",
		"project/server.key": "secret", "project/prod.env": "secret", "project/Credentials.json": "secret", "project/store.p12": "secret", "project/.ssh/config": "secret",
		"project/.git/config": "secret", "project/picture": "\x00\x01", "project/latin1": "\xe9", "project/sub/b.go": "package sub\n", "project/empty": "",
	} {
		write(t, top, name, text)
	}
	for name, to := range map[string]string{
		"CLAUDE.md": "AGENTS.md", "out": "../outside.txt", "up": "..", "absolute": filepath.Join(top, "outside.txt"), "notes.txt": ".env", "folder": ".git", "loop": "loop", "gone": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, text, note string }{
		{"a.go", "package a\n", ""},
		{"./sub//b.go", "package sub\n", ""},
		{"empty", "", ""},
		{"id_test.go", "package a\n", ""},
		{"CLAUDE.md", "rules\n", ""},
		{"missing.go", "", "it does not exist"},
		{"gone", "", "it does not exist"},
		{"sub", "", "it is a folder"},
		{"picture", "", "it is not text"},
		{"latin1", "", "it is not text"},
		{"loop", "", "cannot be read"},
		{"a.go/x", "", "cannot be read"},
		{"../outside.txt", "", "outside of the project"},
		{"sub/../../outside.txt", "", "outside of the project"},
		{filepath.Join(top, "outside.txt"), "", "outside of the project"},
		{"out", "", "outside of the project"},
		{"up/outside.txt", "", "outside of the project"},
		{"absolute", "", "outside of the project"},
		{"", "", "it is a folder"},
		{".env", "", "secrets"},
		{".ENV.local", "", "secrets"},
		{"key.pem", "", "secrets"},
		{"id_ed25519", "", "secrets"},
		{".git/config", "", "secrets"},
		{"sub/../.git/config", "", "secrets"},
		{"notes.txt", "", "secrets"},
		{"server.key", "", "secrets"},
		{"prod.env", "", "secrets"},
		{"Credentials.json", "", "secrets"},
		{"store.p12", "", "secrets"},
		{".ssh/config", "", "secrets"},
		{"folder/config", "", "secrets"},
	} {
		files, err := worktree.ReadIn(dir, []string{tt.name}, worktree.ReadBudget)
		if err != nil || len(files) != 1 || files[0].Text != tt.text || !strings.Contains(files[0].Note, tt.note) || (tt.note == "") != (files[0].Note == "") {
			t.Errorf("%q: %+v, %v; want %q, %q", tt.name, files, err, tt.text, tt.note)
		}
		if strings.Contains(files[0].Note, top) {
			t.Errorf("the note on %q has the full path: %q", tt.name, files[0].Note)
		}
	}
}

func TestReadInKeepsToItsBudget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, size := range map[string]int{"a": 3000, "b": 3000, "c": 1000, "d": 96} {
		write(t, dir, name, strings.Repeat("x", size))
	}
	files, err := worktree.ReadIn(dir, []string{"a", "b", "a", "./a", "c", "d", "nowhere"}, 4096)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Path+strings.Repeat("x", len(f.Text)/1000)+f.Note)
	}
	want := []string{"axxx", "bit is left out because it is too large: it has 3 KB, and there is room for 1 KB", "cx", "d", "nowhereit does not exist"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	_, err = worktree.ReadIn(filepath.Join(dir, "nowhere"), nil, 1)
	requireError(t, err, "read files of the project")
}
