package inbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/inbox"
)

func latest(ch chat.ChannelID, m chat.MessageID) chat.Place {
	return chat.Place{Guild: "1", Channel: ch, Message: m}
}

// gaps are the gaps that a process finds: channel, after and latest of each.
func gaps(b *inbox.Inbox, at ...chat.Place) string {
	var parts []string
	for _, g := range b.Behind(at) {
		parts = append(parts, fmt.Sprintf("%s:%s-%s", g.Place.Channel, g.After, g.Latest))
		b.CaughtUp(g, g.Latest)
	}
	return strings.Join(parts, " ")
}

func require(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNothingIsMissedBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "")), "")
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "501")), "21:0-501") // an empty channel is known, too
}

// TestAMarkThatCouldNotBeWrittenIsWrittenLater, also that of an empty channel.
func TestAMarkThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "")), "")
	over, end := context.WithCancel(t.Context())
	end()
	if b.Save(over) == nil {
		t.Error("it was written though nobody had the time")
	}
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "501"), latest("21", "501")), "20:500-501 21:0-501")
}

func TestAGapIsWhatIsNewerThanTheMark(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "501"), latest("22", "502"), latest("23", "503")), "")
	e := message("600")
	e.Place.Channel = "20"
	accept(t, b, e)               // is written at once
	b.Passed(latest("21", "601")) // is written later
	b.Wrote(latest("22", "602"))
	b.Wrote(latest("99", "603"))  // where nobody is listened to
	b.Passed(latest("23", "400")) // older than the mark
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "700"), latest("21", "601"), latest("22", "702"), latest("23", "703"), latest("99", "704")),
		"20:600-700 22:602-702 23:503-703")
	require(t, gaps(b, latest("20", "700"), latest("22", "702"), latest("99", "704")), "")
}

func TestAChannelThatIsNewSinceHasAGap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500")), "")
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("600", "600"), latest("601", ""), latest("30", "700")), "600:599-600")
}

func TestADirectMessageHasAGapThatNobodyKnows(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	e := message("600")
	e.Place.Guild = ""
	accept(t, b, e)
	list := b.Behind(nil)
	if len(list) != 1 || list[0].After != "600" || list[0].Latest != "" {
		t.Fatalf("%+v", list)
	}
	b.CaughtUp(list[0], "")
	require(t, gaps(b), "2:600-")
}

// TestAnOpenGapStays: a process that ends while it reads one leaves it for the next,
// whatever it has heard meanwhile.
func TestAnOpenGapStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("2", "500")), "")
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	gap := b.Behind([]chat.Place{latest("2", "600")})
	accept(t, b, message("700"))
	b.Passed(latest("2", "701"))
	do(t, b.Save(t.Context()))
	next := open(t, dir)
	require(t, gaps(next, latest("2", "701")), "2:500-701")
	b.CaughtUp(gap[0], "600")
	require(t, gaps(b, latest("2", "701")), "") // it has heard these itself
}

func TestMarksAreWrittenSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b := open(t, dir)
		go b.Run(t.Context(), func(err error) { t.Error(err) })
		b.Passed(latest("20", "500"))
		b.Passed(latest("20", "501"))
		time.Sleep(time.Second)
		synctest.Wait()
		require(t, gaps(open(t, dir), latest("20", "502")), "20:501-502")
	})
}
