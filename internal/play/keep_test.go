package play

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
	"discoclaw/internal/test/disk/smalldisk"
)

// A keeping is a world that is kept in a file.
type keeping struct {
	*testing.T
	world *fakediscord.World
	file  *worldFile
	errs  bytes.Buffer
	said  int
}

func keeps(t *testing.T, folder string) *keeping {
	t.Helper()
	world, err := fakediscord.New("guild d: #general\nmember ada: owner")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(world.Close)
	k := &keeping{T: t, world: world}
	if k.file, err = keepWorld(world, filepath.Join(folder, "world.json"), &k.errs); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *keeping) say() {
	k.Helper()
	k.said++
	if _, err := k.world.Say("ada", "general", fmt.Sprintf("message %d", k.said)); err != nil {
		k.Fatal(err)
	}
}

func (k *keeping) text(name string) string {
	k.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		k.Fatal(err)
	}
	return string(text)
}

// check loads the file, as after a kill.
func (k *keeping) check(when string) {
	k.Helper()
	loaded, err := loadWorld(k.file.path)
	if err != nil {
		k.Fatalf("%s: %v", when, err)
	}
	defer loaded.Close()
	var was, is bytes.Buffer
	if err := save.Write(&was, k.world); err != nil {
		k.Fatal(err)
	}
	if err := save.Write(&is, loaded); err != nil {
		k.Fatal(err)
	}
	if diff := cmp.Diff(was.String(), is.String()); diff != "" {
		k.Errorf("%s (-world +file):\n%s", when, diff)
	}
}

func TestSavingCostsWhatChanged(t *testing.T) {
	t.Parallel()
	k := keeps(t, t.TempDir())
	whole, rewritten := k.text(k.file.path), 0
	for last := whole; k.said < 100; {
		k.say()
		now := k.text(k.file.path)
		added, appended := strings.CutPrefix(now, last)
		switch {
		case !appended:
			rewritten++
		case strings.Count(added, "\n") != 1 || len(added) > 400:
			t.Fatalf("message %d added %q", k.said, added)
		}
		last = now
		k.check(fmt.Sprintf("after message %d", k.said))
	}
	if rewritten < 2 || rewritten > 10 {
		t.Errorf("a world that grew from %d bytes to %d was rewritten %d times", len(whole), len(k.text(k.file.path)), rewritten)
	}
	if err := k.file.close(); err != nil {
		t.Error(err)
	}
	var plain bytes.Buffer
	if err := save.Write(&plain, k.world); err != nil || plain.String() != k.text(k.file.path) {
		t.Errorf("a closed file has lines, or %v", err)
	}
	k.say()
	k.check("a late message")
}

func TestAFileThatIsNotAsItWasLeftIsRewritten(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"it was removed":         os.Remove,
		"it was emptied":         func(path string) error { return os.Truncate(path, 0) },
		"another took its place": func(path string) error { return os.Rename(path+".previous", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := keeps(t, t.TempDir())
			k.say()
			if err := os.WriteFile(k.file.path+".previous", []byte(k.text(k.file.path)), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := spoil(k.file.path); err != nil {
				t.Fatal(err)
			}
			k.say()
			k.check("at once")
			k.say()
			k.check("after another message")
		})
	}
}

func TestAFullDiskLosesNothingThatWasSaved(t *testing.T) {
	t.Parallel()
	folder, ok := smalldisk.New(t, 128<<10)
	if !ok {
		return
	}
	k := keeps(t, folder)
	k.say()
	fill := filepath.Join(folder, "fill")
	if err := os.WriteFile(fill, make([]byte, 256<<10), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	for k.errs.Len() == 0 { // there is room in the file's last block
		k.check("before the disk is full")
		k.say()
		if k.said > 100 {
			t.Fatal("the disk is never full")
		}
	}
	loaded, err := loadWorld(k.file.path)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if has := len(loaded.Messages("general")); has != k.said-1 {
		t.Errorf("the file has %d messages, of %d that were saved", has, k.said-1)
	}
	k.say()
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	k.say()
	k.check("with room again")
	if strings.Count(k.errs.String(), "warning") != 1 {
		t.Errorf("it said %q", &k.errs)
	}
}
