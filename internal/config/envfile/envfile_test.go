package envfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/config"
	"discoclaw/internal/config/envfile"
)

// written is a file with a text, in a folder of its own.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSetLeavesTheRestAsItIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after string }{
		{"an empty file", "", "KEY=new\n"},
		{"a changed line", "# mine\nA=1\nKEY=old\n\nB=2\n", "# mine\nA=1\nKEY=new\n\nB=2\n"},
		{"a line that is not there", "A=1\n", "A=1\nKEY=new\n"},
		{"no end of the last line", "A=1", "A=1\nKEY=new\n"},
		{"no end of the changed line", "A=1\nKEY=old", "A=1\nKEY=new"},
		{"line ends of Windows", "A=1\r\nKEY=old\r\nB=2\r\n", "A=1\r\nKEY=new\r\nB=2\r\n"},
		{"a new line in a file of Windows", "A=1\r\nB=2", "A=1\r\nB=2\r\nKEY=new\r\n"},
		{"export and blanks", "  export KEY = old\n", "  export KEY = new\n"},
		{"a comment behind it", "KEY=old # from Bob\n", "KEY=new # from Bob\n"},
		{"a comment behind a quotation", `KEY="o # ld"# from Bob` + "\n", "KEY=new # from Bob\n"},
		{"a number sign in the value", "KEY=o#ld\n", "KEY=new\n"},
		{"a comment that mentions it", "# KEY=old\n", "# KEY=old\nKEY=new\n"},
		{"another name that ends like it", "MY_KEY=old\n", "MY_KEY=old\nKEY=new\n"},
		{"several lines", "KEY=1\nA=1\nKEY=2 # two\nB=2\n", "A=1\nKEY=new # two\nB=2\n"},
		{"a quotation that does not end", "KEY='old\n", "KEY=new\n"},
		{"a byte order mark", "\uFEFFKEY=old\n", "\uFEFFKEY=new\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := written(t, tt.before)
			if err := envfile.Open(path).Set("KEY", "new"); err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != tt.after {
				t.Errorf("%q became %q, want %q", tt.before, got, tt.after)
			}
		})
	}
}

func TestAValueIsReadBackAsItIs(t *testing.T) {
	t.Parallel()
	path := written(t, "KEY=old # note\n")
	for _, value := range []string{
		"sk-abc123", "two words", "a#b", "a #b", "#b", `quo"te`, "quo'te", `bo'th"`, `back\slash`, `\n`, `'\n"`, "$HOME", "'$HOME",
		"`ls`", "a=b", "=", "ünï¢ode", "'", `"`, `\`, `'\\'`, "a;b&c|d",
	} {
		if err := envfile.Open(path).Set("KEY", value); err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		env, err := config.Read(nil, path)
		if err != nil || env["KEY"] != value {
			t.Errorf("%q is read as %q, %v, from %q", value, env["KEY"], err, content(t, path))
		}
	}
}

func TestInvalidSettingsAreRefused(t *testing.T) {
	t.Parallel()
	path := written(t, "A=1\n")
	for _, tt := range [][2]string{
		{"KEY", ""}, {"KEY", "  "}, {"KEY", "swordfish\nDISCORD_TOKEN=x"}, {"KEY", "swordfish\r"}, {"KEY", "sword\x00fish"},
		{"", "swordfish"}, {"1KEY", "swordfish"}, {"K EY", "swordfish"}, {"KEY=A", "swordfish"}, {"KÉY", "swordfish"}, {"KEY\nB", "swordfish"},
	} {
		err := envfile.Open(path).Set(tt[0], tt[1])
		if err == nil || strings.Contains(err.Error(), "fish") {
			t.Errorf("%q: %v", tt, err)
		}
	}
	if got := content(t, path); got != "A=1\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestUnset(t *testing.T) {
	t.Parallel()
	path := written(t, "A=1\nKEY=1\n# KEY=3\nexport KEY='2'\r\nB=2")
	file := envfile.Open(path)
	if was, err := file.Unset("KEY"); err != nil || !was {
		t.Fatalf("%v, %v", was, err)
	}
	if got, want := content(t, path), "A=1\n# KEY=3\nB=2"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if was, err := file.Unset("KEY"); err != nil || was {
		t.Errorf("again: %v, %v", was, err)
	}
	names, err := file.Names()
	if err != nil || !slices.Equal(names, []string{"A", "B"}) {
		t.Errorf("%q, %v", names, err)
	}
}

func TestAMissingFileIsCreated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".env")
	file := envfile.Open(path)
	if names, err := file.Names(); err != nil || names != nil {
		t.Errorf("%q, %v", names, err)
	}
	if was, err := file.Unset("KEY"); err != nil || was {
		t.Errorf("%v, %v", was, err)
	}
	if err := file.Set("KEY", "new"); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "KEY=new\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestTheFileIsReadableByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	path := written(t, "A=1\n")
	if err := envfile.Open(path).Set("KEY", "new"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestALinkStays: its target is changed.
func TestALinkStays(t *testing.T) {
	t.Parallel()
	path := written(t, "A=1\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if err := envfile.Open(link).Set("KEY", "new"); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "A=1\nKEY=new\n" {
		t.Errorf("the file is %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	astray := filepath.Join(t.TempDir(), "astray")
	if err := os.Symlink(filepath.Join(t.TempDir(), "nothing"), astray); err != nil {
		t.Skip(err)
	}
	if err := envfile.Open(astray).Set("KEY", "new"); err == nil {
		t.Error("a link that leads nowhere was replaced")
	}
}

// TestAFailedWriteChangesNothing, and leaves no file behind.
func TestAFailedWriteChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".env")
	if err := os.MkdirAll(filepath.Join(path, "not a file"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := envfile.Open(path).Set("KEY", "swordfish"); err == nil || strings.Contains(err.Error(), "fish") {
		t.Errorf("a folder was taken for a file: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside it: %v, %v", entries, err)
	}
}
