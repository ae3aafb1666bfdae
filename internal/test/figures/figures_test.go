package main

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"internal/app/bot.go":             "package app\n\n// A Bot runs.\ntype Bot struct{}\n\nfunc (b *Bot) run() {} // now\n",
		"internal/app/bot_test.go":        "package app\n\nimport \"testing\"\n\nfunc TestRun(*testing.T) {}\n",
		"internal/app/apptest/rig.go":     "package apptest\n",
		"internal/fakediscord/world.go":   "package fakediscord\n\nconst text = `one\n\ntwo`\n",
		"internal/play/page/page.go":      "package page\n",
		"internal/app/testdata/broken.go": "no Go",
		scenesFolder + "/hello.txtar":     "",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	f, err := measure(tree)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := f.print(&got); err != nil {
		t.Fatal(err)
	}
	const want = `product            3 lines of code in    1 files, 16.7 % of all lines are comments
playground         1 lines of code in    1 files,  0.0 % of all lines are comments
test support       4 lines of code in    2 files,  0.0 % of all lines are comments
tests              3 lines of code in    1 files,  0.0 % of all lines are comments
tests by name      1
scenes             1
packages           4
app                6 lines in 1 files; Bot and Core have 1 methods
most methods   app.Bot 1
long lines         0
`
	if got.String() != want {
		t.Errorf("printed\n%swant\n%s", &got, want)
	}
}

// TestLinesAreNotTooLong holds the lines of the product to maxLine.
func TestLinesAreNotTooLong(t *testing.T) {
	t.Parallel()
	repository := os.DirFS("../../..")
	err := fs.WalkDir(repository, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(name) != ".go" || strings.Contains(name, "testdata/") || partOf(name) != product {
			return err
		}
		text, err := fs.ReadFile(repository, name)
		for _, n := range longLines(text) {
			t.Errorf("%s:%d has more than %d characters, its texts and tags apart", name, n, maxLine)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		long       bool
	}{
		{"as long as may be", "\t//" + strings.Repeat("x", 137), false},
		{"too long", "\t//" + strings.Repeat("x", 138), true},
		{"letters, not bytes", "\t//" + strings.Repeat("ä", 137), false},
		{"a text", `const text = "` + strings.Repeat("x", 200) + `"`, false},
		{"a tag", "type T struct { a int `" + strings.Repeat("x", 200) + "` }", false},
		{"code around a text", `const ` + strings.Repeat("x", 140) + ` = "text"`, true},
	} {
		if got := longLines([]byte("package a\n" + tt.line + "\n")); slices.Equal(got, []int{2}) != tt.long {
			t.Errorf("%s: the long lines are %v", tt.name, got)
		}
	}
}
