package memory

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// BenchmarkSelect measures what a prompt tells of a person, with so many items of all people together.
func BenchmarkSelect(b *testing.B) {
	for _, items := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint(items), func(b *testing.B) {
			db := new(store.DB)
			if err := db.Open(b.Context(), filepath.Join(b.TempDir(), store.FileName)); err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			e := New(db, Options{Budget: 2000, MaxActive: 25, MaxItems: 200})
			const each = 25
			for person := range max(1, items/each) {
				who := chat.UserID(fmt.Sprint(100000000000000000 + person))
				err := e.rows.change(b.Context(), who, func([]Item) (all []Item) {
					for i := range min(each, items) {
						text := fmt.Sprintf("keeps subject %d of %d in mind for a while", i, person)
						all = append(all, Item{ID: idOf("fact", text), Kind: "fact", Text: text, Importance: Normal, Active: true, Created: time.Now(), Updated: time.Now()})
					}
					return all
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			size := 0
			for b.Loop() {
				got, err := e.Select(b.Context(), "100000000000000000", "what about subject 7?")
				if err != nil || got.Text == "" {
					b.Fatal(err)
				}
				size = len(got.Text)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
