package store_test

import (
	"path/filepath"
	"testing"

	"discoclaw/internal/store"
)

type place struct {
	Name string
	Page int
}

func requireValue(t *testing.T, c *store.Cell[place], want place) {
	t.Helper()
	if got, err := c.Load(t.Context()); err != nil || got != want {
		t.Errorf("loaded %+v, %v; want %+v", got, err, want)
	}
}

func TestACellOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	db := open(t, path)
	c, other := store.NewCell(db, "place", place{}), store.NewCell(db, "other", place{})
	requireValue(t, c, place{})
	for page := range 3 {
		if err := c.Save(t.Context(), place{"book", page}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Update(t.Context(), func(p place) place { p.Page *= 10; return p }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	requireUnreadable(t, c)
	c = store.NewCell(open(t, path), "place", place{})
	requireValue(t, c, place{"book", 20})
	requireUnreadable(t, other)
}

func requireUnreadable(t *testing.T, c *store.Cell[place]) {
	t.Helper()
	if got, err := c.Load(t.Context()); err == nil {
		t.Errorf("a closed database holds %+v", got)
	}
	if err := c.Save(t.Context(), place{}); err == nil {
		t.Error("a closed database was written")
	}
}

func TestARestoredCellHasTheValueForThat(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), store.FileName))
	c := store.NewCell(db, "place", place{Name: "unknown"})
	if err := c.Save(t.Context(), place{"book", 7}); err != nil {
		t.Fatal(err)
	}
	if err := db.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireValue(t, c, place{Name: "unknown"})
}

// BenchmarkCellSave is what a message costs before anything is done about it, at most once a second.
func BenchmarkCellSave(b *testing.B) {
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), store.FileName))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	c := store.NewCell(db, "place", place{})
	for n := 0; b.Loop(); n++ {
		if err := c.Save(b.Context(), place{"book", n}); err != nil {
			b.Fatal(err)
		}
	}
}
