package save_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
	"discoclaw/internal/test/skip"
)

// A logged is the file of a log, and where it ended after each save, with the world as it was then.
type logged struct {
	file   bytes.Buffer
	ends   []int
	worlds []string
}

func logOf(t rapid.TB, w *fakediscord.World) *logged {
	t.Helper()
	l, log := &logged{}, save.NewLog(w)
	note := func() {
		var whole bytes.Buffer
		if err := save.Write(&whole, w); err != nil {
			t.Fatal(err)
		}
		l.ends, l.worlds = append(l.ends, l.file.Len()), append(l.worlds, whole.String())
	}
	if err := log.Whole(&l.file); err != nil {
		t.Fatal(err)
	}
	note()
	w.Keep(func() error {
		line, err := log.Change()
		if err != nil || bytes.Count(line, []byte("\n")) > 1 {
			t.Fatalf("the line %q: %v", line, err)
		}
		l.file.Write(line)
		note()
		return nil
	})
	return l
}

// TestALogIsItsWorldWhereverItIsTorn makes random worlds. Only of a file that is torn before its first line nothing can
// be used.
func TestALogIsItsWorldWhereverItIsTorn(t *testing.T) {
	skip.UnderRace(t, "a file is read by one goroutine")
	t.Parallel()
	base := earlier(t)
	rapid.Check(t, func(t *rapid.T) {
		w, err := save.Read(strings.NewReader(base))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		l := logOf(t, w)
		act(t, w)
		file := l.file.String()
		for _, cut := range []int{len(file), rapid.IntRange(l.ends[0]-2, len(file)).Draw(t, "cut")} {
			torn := file[:cut] + strings.Repeat("\x00", rapid.IntRange(0, 3).Draw(t, "zeros"))
			if rest, _, _ := strings.Cut(file[cut:], "\n"); cut >= l.ends[0] && len(rest) > 2 && rapid.Bool().Draw(t, "hole") {
				torn = file[:cut] + "\x00\x00" + rest[2:] + "\n" // two bytes of the last line did not reach the disk
			}
			after, err := save.Read(strings.NewReader(torn))
			if torn := (*save.TornError)(nil); cut < l.ends[0]-1 && errors.As(err, &torn) {
				continue // the one that was saved before has to do
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, torn)
			}
			defer after.Close()
			want := 0
			for want+1 < len(l.ends) && l.ends[want+1]-1 <= cut {
				want++
			}
			var is bytes.Buffer
			if err := save.Write(&is, after); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(l.worlds[want], is.String()); diff != "" {
				t.Fatalf("cut at %d of %d, after save %d (-world +saved):\n%s", cut, len(file), want, diff)
			}
		}
	})
}

func TestLinesThatAreNoChangeAreRefused(t *testing.T) {
	t.Parallel()
	file := earlier(t)
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", "{\n", "is no change of a world: unexpected EOF"},
		{"another program's", `{"name": "package"}` + "\n", `unknown field "name"`},
		{"cut off in the middle of the file", `{"rest":{"lastId":"12` + "\n" + `{"rest":{}}` + "\n", "is no change of a world"},
		{"a slip of who edited it", `{"rest":{},}` + "\n", "is no change of a world: invalid character"},
		{"two in a line", `{"rest":{}}{"rest":{}}` + "\n", "it has a second value"},
		{"an unknown field", `{"rest":{"stickers":[]}}` + "\n", `its lines make no world: json: unknown field "stickers"`},
		{"a field too many", `{"rest":{"roles":[{"id":"7","smell":1}]}}` + "\n", `unknown field "smell"`},
		{"a message of nobody", `{"rest":{},"messages":[{"in":"CHANNEL","id":"7","author":"8"}]}`, `there is no member "8"`},
		{"an end", `{"rest":{"guild":null}}` + "\n", "is not the ID of a guild"},
	} {
		w, err := save.Read(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		general, _ := w.Channel("general")
		w.Close()
		line := strings.ReplaceAll(tt.line, "CHANNEL", string(general.ID))
		_, err = save.Read(strings.NewReader(file + line))
		if torn := (*save.TornError)(nil); err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &torn) {
			t.Errorf("%s: got %v, want a sentence with %q", tt.name, err, tt.want)
		}
	}
}
