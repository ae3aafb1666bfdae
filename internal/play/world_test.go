package play_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/play"
)

// playsOn types the lines into a playground with the world of a file, and returns its
// warnings.
func playsOn(t *testing.T, file string, lines ...string) (warning string, err error) {
	t.Helper()
	var warnings bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour) // from the start of a bubble to after Discord's epoch
		err = play.Talk(t.Context(), play.Options{Layout: small, World: file, In: strings.NewReader(strings.Join(lines, "\n")), Out: &bytes.Buffer{}, Errs: &warnings, Watch: discordtest.Check(t)})
	})
	return warnings.String(), err
}

// kept is the file of a world with a message, in a folder of its own.
func kept(t *testing.T, said string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "world.json")
	if warning, err := playsOn(t, file, "/as zed", said); err != nil || warning != "" {
		t.Fatalf("%v, %s", err, warning)
	}
	return file
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// names are the files in the folder of a file.
func names(t *testing.T, file string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestAWorldIsReadableByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	file := kept(t, "remember me")
	for _, name := range []string{file, file + ".previous"} {
		if info, err := os.Stat(name); runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o600) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if got := names(t, file); !slices.Equal(got, []string{"world.json", "world.json.data", "world.json.previous"}) {
		t.Errorf("the folder has %q", got)
	}
	for _, name := range []string{file, file + ".previous"} {
		if warning, err := playsOn(t, name); err != nil || warning != "" || !strings.Contains(content(t, name), "remember me") {
			t.Errorf("%s is not the world: %v, %s", name, err, warning)
		}
	}
}

func TestADamagedWorldIsSetAside(t *testing.T) {
	t.Parallel()
	whole := content(t, kept(t, "remember me"))
	for _, tt := range []struct {
		name, text string
		before     string // the content of the previous world's file
		want       []string
		said       bool // the message of the previous world is there
	}{
		{"torn", whole[:len(whole)/2], whole, []string{"the file is torn", "begins with the world that was saved before it, at 20"}, true},
		{"torn at once", whole[:3], whole, []string{"the file is torn"}, true},
		{"empty", "", whole, []string{"the file is empty", "begins with the world that was saved before"}, true},
		{"zeros for an end", whole[:100] + strings.Repeat("\x00", 5000), whole, []string{"the file is torn"}, true},
		{"zeros alone", strings.Repeat("\x00", 5000), whole, []string{"the file is empty"}, true},
		{"nothing before it", whole[:100], "", []string{"the file is torn", "begins with a new world"}, false},
		{"as torn before", whole[:100], whole[:50], []string{"the file is torn", "begins with a new world"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "world.json")
			put(t, file, tt.text)
			if tt.before != "" {
				put(t, file+".previous", tt.before)
			}
			warning, err := playsOn(t, file)
			if err != nil {
				t.Fatal(err)
			}
			all := names(t, file)
			if len(all) < 3 || !strings.HasPrefix(all[1], "world.json.aside-") {
				t.Fatalf("the folder has %q", all)
			}
			aside := filepath.Join(filepath.Dir(file), all[1])
			if content(t, aside) != tt.text {
				t.Error("what was set aside is not what was there")
			}
			for _, want := range append(tt.want, file+" was damaged", "It is now "+aside) {
				if !strings.Contains(warning, want) || strings.Count(warning, "\n") != 1 {
					t.Errorf("it said %q, want %q", warning, want)
				}
			}
			if strings.Contains(content(t, file), "remember me") != tt.said {
				t.Error("it went on with another world")
			}
			// The next start finds nothing to mend.
			if warning, err := playsOn(t, file); err != nil || warning != "" {
				t.Errorf("the next time: %v, %s", err, warning)
			}
		})
	}
}

func TestFilesSetAsideAreNeverReplaced(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "world.json")
	for n := range 3 {
		put(t, file, "{\n "[:n])
		if _, err := playsOn(t, file); err != nil { // always at the same time, in a bubble
			t.Fatal(err)
		}
	}
	var texts []string
	for _, name := range names(t, file) {
		if strings.Contains(name, ".aside-") {
			texts = append(texts, content(t, filepath.Join(filepath.Dir(file), name)))
		}
	}
	if slices.Sort(texts); !slices.Equal(texts, []string{"", "{", "{\n"}) {
		t.Errorf("set aside are %q", texts)
	}
}

// TestAnotherFileIsRefused: a mistyped name must change nothing.
func TestAnotherFileIsRefused(t *testing.T) {
	t.Parallel()
	whole := content(t, kept(t, "remember me"))
	for _, tt := range []struct{ name, text, before, want string }{
		{"some prose", "# Read me\n", "", "is no world to play on"},
		{"another program's", `{"name": "package", "version": 1}`, "", "is no world to play on"},
		{"another program's, torn", `{"name": "pack`, "", "not a world that was saved here"},
		{"a later version", strings.Replace(whole, `"version": 1`, `"version": 2`, 1), whole, "update DiscoClaw"},
		{"a slip of who edited it", strings.Replace(whole, ",\n", "\n", 1), whole, "line 3 is not JSON"},
		{"torn, with a later one before it", whole[:100], strings.Replace(whole, `"version": 1`, `"version": 2`, 1), "move both away"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "README.md")
			put(t, file, tt.text)
			want := []string{"README.md"}
			if tt.before != "" {
				put(t, file+".previous", tt.before)
				want = append(want, "README.md.previous")
			}
			warning, err := playsOn(t, file)
			if mistake := (*config.Mistake)(nil); !errors.As(err, &mistake) || !strings.Contains(err.Error(), tt.want) || warning != "" {
				t.Errorf("it said %v, %q; want %q", err, warning, tt.want)
			}
			if got := names(t, file); !slices.Equal(got, want) || content(t, file) != tt.text {
				t.Errorf("the folder has %q, and the file is %.50q", got, content(t, file))
			}
		})
	}
}

func TestAWorldThatCannotBeSavedIsAMistake(t *testing.T) {
	t.Parallel()
	_, err := playsOn(t, filepath.Join(t.TempDir(), "nowhere", "world.json"), "hello")
	var mistake *config.Mistake
	if !errors.As(err, &mistake) || !strings.Contains(err.Error(), "name another file") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestAWorldBehindALink(t *testing.T) {
	t.Parallel()
	file := kept(t, "remember me")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	put(t, file, "")
	if warning, err := playsOn(t, link, "/as zed", "and me"); err != nil || !strings.Contains(warning, "It is now "+file+".aside-") {
		t.Errorf("%v, %s", err, warning)
	}
	if text := content(t, file); !strings.Contains(text, "and me") {
		t.Errorf("the file is %.50q", text)
	}
	if got := names(t, link); !slices.Equal(got, []string{"link"}) {
		t.Errorf("beside the link: %q", got)
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if _, err := playsOn(t, link); err == nil || !strings.Contains(err.Error(), "follow the link") {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}
