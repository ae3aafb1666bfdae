package imagegen_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/imagegen"
	"discoclaw/internal/store"
)

func TestAServersDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		q := imagegen.NewQuota(db, 0, time.Now)
		take := func(g chat.GuildID) error {
			_, err := q.Take(t.Context(), imagegen.Claim{Guild: g, Person: "1", Them: "you"})
			return err
		}
		for range imagegen.GuildDaily {
			if err := take("7"); err != nil {
				t.Fatal(err)
			}
		}
		want := "this server can have 100 pictures in a day; the next one " + chat.FromNow(time.Now().Add(24*time.Hour))
		if err := take("7"); err == nil || err.Error() != want {
			t.Errorf("one too many: %v, want %s", err, want)
		}
		if err := take("8"); err != nil {
			t.Errorf("another server: %v", err)
		}
		time.Sleep(24 * time.Hour)
		release, err := q.Take(t.Context(), imagegen.Claim{Guild: "7", Turn: "t", Part: "p"})
		if err != nil {
			t.Fatalf("the next day: %v", err)
		}
		if _, err := q.Take(t.Context(), imagegen.Claim{Guild: "7", Turn: "t", Part: "p"}); err != imagegen.ErrBegun {
			t.Errorf("the same request again: %v", err)
		}
		release(t.Context())
		if _, err := q.Take(t.Context(), imagegen.Claim{Guild: "7", Turn: "t", Part: "p"}); err != nil {
			t.Errorf("after it was taken back: %v", err)
		}
	})
}
