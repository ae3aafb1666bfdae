package save_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
	"discoclaw/internal/test/golden"
)

// TestEveryFieldIsSaved fails when a field is added to the state that a world, or its file,
// drops. Names of fields in a file must not change, or existing files cannot be read.
func TestEveryFieldIsSaved(t *testing.T) {
	t.Parallel()
	s := filled[fakediscord.State]()
	s.MoreGuilds = s.MoreGuilds[:0]
	s.Guild.ID = "1"
	s.Roles[0].ID = "1"                                                // @everyone has the guild's ID
	s.Invites[0].Created = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) // it would be expired otherwise
	place := &s.Channels[0]
	place.Type, place.Guild, place.Parent, place.Overwrites[0].Role = fakediscord.DMChannel, "", "", ""
	s.Roles[0].Guild, s.Members[0].Guild, s.Events[0].Guild, s.AuditLog[0].Guild, s.Emojis[0].Guild = "1", "1", "1", "1", "1"

	first := fakediscord.Restore(s)
	defer first.Close()
	var file bytes.Buffer
	if err := save.Write(&file, first); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/fields.golden", file.String())
	second, err := save.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for what, got := range map[string]fakediscord.State{"restored": first.State(), "saved": second.State()} {
		if diff := cmp.Diff(s, got); diff != "" {
			t.Errorf("%s (-before +after):\n%s", what, diff)
		}
	}
}

// filled is a T in which every field has a value.
func filled[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), 0)
	return v
}

func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("100000000000000001")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint('x')
	case reflect.Uint64:
		v.SetUint(1<<47 | 1<<10) // a right without a name, and one with
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"key": "value"}))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth)
	case reflect.Slice:
		if depth < 3 { // components have components
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 3, 2, 12, 0, 0, 123456789, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), depth)
		}
	default:
		panic("a field of a kind that no test knows: " + v.Type().String())
	}
}
