package datadir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/disk/datadir"
)

func open(t *testing.T, path string) *datadir.Dir {
	t.Helper()
	d, err := datadir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSub(t *testing.T) {
	d := open(t, t.TempDir())
	defer d.Close()
	path, err := d.Sub("workspace")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAFileIsNotOpenedAsADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.Open(file); err == nil || !strings.Contains(err.Error(), "DISCOCLAW_DATA_DIR") {
		t.Errorf("Open(file) = %v", err)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	odd := t.TempDir()
	if err := os.Mkdir(filepath.Join(odd, "discoclaw.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, fine := range map[string]bool{dir: true, filepath.Join(dir, "a", "b"): true, file: false, filepath.Join(file, "below"): false, odd: false} {
		err := datadir.Check(path)
		if (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "DISCOCLAW_DATA_DIR") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("it left %v, %v", entries, err)
	}
}

func TestChoose(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/somewhere")
	if got, err := datadir.Choose(""); err != nil || got != filepath.Join("/somewhere", "discoclaw") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("XDG_DATA_HOME", "")
	if got, err := datadir.Choose(""); err != nil || !strings.HasSuffix(got, "discoclaw") {
		t.Errorf("%q, %v", got, err)
	}
	t.Chdir(t.TempDir())
	if got, err := datadir.Choose("data"); err != nil || !filepath.IsAbs(got) || filepath.Base(got) != "data" {
		t.Errorf("%q, %v", got, err)
	}
}
