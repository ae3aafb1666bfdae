package store_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/smalldisk"
)

// snapshot returns the content of a folder, with modification times.
func snapshot(t *testing.T, folder string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range list {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name()] = fmt.Sprint(info.Mode(), info.ModTime())
		if info.Mode().IsRegular() {
			found[f.Name()] += string(read(t, filepath.Join(folder, f.Name())))
		}
	}
	return found
}

// examine examines a database that is not open, and checks that nothing changes.
func examine(t *testing.T, path string) (store.Condition, error) {
	t.Helper()
	before := snapshot(t, filepath.Dir(path))
	c, err := store.Examine(t.Context(), path)
	after := snapshot(t, filepath.Dir(path))
	if !maps.Equal(before, after) {
		t.Errorf("it changed something: %v is %v now", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	return c, err
}

// without clears the fields that depend on the machine.
func without(c store.Condition) store.Condition {
	c.Copied, c.Free, c.Wanted = time.Time{}, 0, 0
	return c
}

func TestAWholeDatabaseIsFoundWhole(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"none": filepath.Join(t.TempDir(), store.FileName), "no folder": filepath.Join(t.TempDir(), "a", store.FileName)} {
		if c, err := store.Examine(t.Context(), path); err != nil || without(c) != (store.Condition{}) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: it was made", name)
		}
	}
	for name, path := range map[string]string{"without a copy": used(t), "with a copy": copied(t)} {
		c, err := examine(t, path)
		if err != nil || without(c) != (store.Condition{Made: true}) || c.Copied.IsZero() == (name == "with a copy") {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestExamineReportsTheTroubleThatOpenWouldFind(t *testing.T) {
	t.Parallel()
	for _, tt := range damages {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := copied(t)
			tt.do(t, path)
			c, err := examine(t, path)
			if err != nil || !c.Made || !strings.HasPrefix(c.Trouble, tt.trouble) || c.Copied.IsZero() {
				t.Errorf("%+v, %v; want %s", c, err, tt.trouble)
			}
			requireSetAside(t, path, tt.trouble)
		})
	}
}

func TestExamineReportsAnUnusableCopy(t *testing.T) {
	t.Parallel()
	path := copied(t)
	write(t, strings.TrimSuffix(path, ".db")+"-copy.db", []byte("This is a shopping list."))
	if c, err := examine(t, path); err != nil || c.Trouble != "" || !c.Copied.IsZero() || !strings.HasPrefix(c.CopyTrouble, "it is damaged") {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestExamineReturnsTheErrorOfOpen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(path string) error
		want string
	}{
		"a newer version": {func(path string) error {
			plainly(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, 1)", "PRAGMA wal_checkpoint(TRUNCATE)")
			return nil
		}, "its tables are at 90000"},
		"a folder":                 {func(path string) error { remove(t, path); return os.Mkdir(path, 0o700) }, "is not a file; set it aside"},
		"one that may be read":     {func(path string) error { return os.Chmod(path, 0o400) }, "cannot be written to; change its permissions"},
		"one that nobody may read": {func(path string) error { return os.Chmod(path, 0) }, "cannot be written to; change its permissions"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "one that") && os.Getuid() <= 0 {
				t.Skip("the user of this test may write everywhere")
			}
			path := copied(t)
			if err := tt.do(path); err != nil {
				t.Fatal(err)
			}
			c, err := store.Examine(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || c.Copied.IsZero() {
				t.Errorf("%+v, %v; want %s", c, err, tt.want)
			}
			if db, err := store.Open(t.Context(), path); err == nil {
				_ = db.Close()
				t.Error("it can be opened all the same")
			}
		})
	}
}

// TestADatabaseCanBeExaminedWhileItIsUsed, also by the process that uses it, which keeps
// writing and reading meanwhile.
func TestADatabaseCanBeExaminedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	path := copied(t)
	db := open(t, path)
	var looking sync.WaitGroup
	for range 4 {
		looking.Go(func() {
			for range 20 {
				if c, err := store.Examine(t.Context(), path); err != nil || c.Trouble != "" || c.Unread {
					t.Errorf("%+v, %v", c, err)
				}
			}
		})
	}
	for range 100 {
		run(t, db, "INSERT INTO words VALUES ('meanwhile')")
	}
	looking.Wait()
	if n := count(t, db, "SELECT COUNT(*) FROM words WHERE word = 'meanwhile'"); n != 100 {
		t.Errorf("%d words are there", n)
	}
	if err := db.Copy(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestADatabaseOfAnotherProcessCanBeExamined while that writes, and after it was killed.
func TestADatabaseOfAnotherProcessCanBeExamined(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	child, lines := startDiary(t, path)
	for range 50 {
		if !lines.Scan() {
			t.Fatal("the process ended by itself")
		}
		if c, err := store.Examine(t.Context(), path); err != nil || without(c) != (store.Condition{Made: true}) {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // says that it was killed
	if c, err := examine(t, path); err != nil || without(c) != (store.Condition{Made: true}) {
		t.Errorf("after a kill: %+v, %v", c, err)
	}
}

// TestTheLogOfAKilledProcessIsExamined, and stays for the next process.
func TestTheLogOfAKilledProcessIsExamined(t *testing.T) {
	t.Parallel()
	path := used(t)
	db := open(t, path)
	plainly(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, 1)") // is in the log alone
	left := filepath.Join(t.TempDir(), store.FileName)
	for _, end := range []string{"", "-wal", "-shm"} {
		write(t, left+end, read(t, path+end))
	}
	run(t, db, "DELETE FROM goose_db_version WHERE version_id = 90000")
	if c, err := examine(t, left); err == nil || !strings.Contains(err.Error(), "at 90000") {
		t.Errorf("%+v, %v", c, err)
	}
	remove(t, left+"-shm")
	if c, err := examine(t, left); err != nil || !c.Unread {
		t.Errorf("a log without its index: %+v, %v", c, err)
	}
}

func TestTheAgeOfTheCopyIsKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := copied(t)
		made := time.Now()
		time.Sleep(5 * time.Hour)
		if c, err := store.Examine(t.Context(), path); err != nil || !c.Copied.Equal(made) {
			t.Errorf("%v, %v; want %v", c.Copied, err, made)
		}
	})
}

func TestFilesThatWereSetAsideAreCounted(t *testing.T) {
	t.Parallel()
	path := copied(t)
	for end, size := range map[string]int{".aside-20261115-120000": 1000, ".aside-20261115-120000-wal": 200, ".aside-20261116-120000": 30, ".before": 4} {
		write(t, path+end, make([]byte, size))
	}
	want := store.Condition{Made: true, Aside: 3, AsideBytes: 1230}
	c, err := examine(t, path)
	if diff := cmp.Diff(want, without(c)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestADiskWithLittleRoomIsReported(t *testing.T) {
	t.Parallel()
	folder, ok := smalldisk.New(t, 8<<20)
	if !ok {
		return
	}
	path := filepath.Join(folder, store.FileName)
	write(t, path, make([]byte, 1<<20))
	c, err := store.Examine(t.Context(), path)
	if err != nil || c.Free <= 0 || c.Free > 7<<20 || c.Wanted != 17<<20 {
		t.Errorf("%+v, %v", c, err)
	}
}
