package discord

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
)

// TestNamesAreComparedAsWithAReplacer, which is simpler but allocates three strings.
func TestNamesAreComparedAsWithAReplacer(t *testing.T) {
	t.Parallel()
	tidy := strings.NewReplacer(" ", "-", "_", "-", "\uFE0F", "")
	names := []string{
		"", "-", " ", "_", "--", "big-news", "Big News", "BIG_NEWS", "big news ", "bignews", "big-new", "big-newss",
		"straße", "STRASSE", "STRAẞE", "ſtop", "stop", "STOP", "\u212Aelvin", "kelvin", "ÉCOLE", "école", "Σ", "σ", "ς", "İ", "i", "ı",
		"❤", "❤\uFE0F", "\uFE0F", "❤\uFE0F-news", "❤ news", "👍🏽", "👍", "\xff", "\ufffd", "a\xffb",
	}
	for _, a := range names {
		for _, b := range names {
			if got, want := sameLoosely(a, b), strings.EqualFold(tidy.Replace(a), tidy.Replace(b)); got != want {
				t.Errorf("%q and %q: %v, want %v", a, b, got, want)
			}
		}
	}
}

// BenchmarkNameOnALargeServer resolves names among 500 decorated channels and 60 roles: as it is
// written, by its letters, and one that is not there.
func BenchmarkNameOnALargeServer(b *testing.B) {
	g := &guild{roles: map[chat.RoleID]role{}, channels: map[chat.ChannelID]channel{}}
	for i := range 60 {
		g.roles[chat.RoleID(fmt.Sprint(i))] = role{}
	}
	for i := range 500 {
		id := chat.ChannelID(fmt.Sprint(i))
		g.channels[id] = channelFrom(wireChannel{ID: string(id), Name: fmt.Sprintf("📢︱room-%d", i)}, "1")
	}
	c := newCache(time.Now)
	c.replace("1", g)
	for _, name := range []string{"📢︱room-250", "room 250", "basement"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.named("1", name, forMessages, func(channel) bool { return true })
			}
		})
	}
}
