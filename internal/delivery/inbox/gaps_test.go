package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
)

func latest(ch chat.ChannelID, m chat.MessageID) chat.Place {
	return chat.Place{Guild: "1", Channel: ch, Message: m}
}

// gaps formats the gaps that Gaps returns: channel, after and latest of each.
func gaps(b *inbox.Inbox, at ...chat.Place) string {
	return gapsOf(b, lastMessages(at...)...)
}

// lastMessages are channels that are as old as their IDs say.
func lastMessages(at ...chat.Place) (list []chat.LastMessage) {
	for _, p := range at {
		list = append(list, chat.LastMessage{Place: p})
	}
	return list
}

func gapsOf(b *inbox.Inbox, at ...chat.LastMessage) string {
	var parts []string
	for _, g := range b.Gaps(at) {
		parts = append(parts, fmt.Sprintf("%s:%s-%s", g.Place.Channel, g.After, g.Latest))
		b.CloseGap(g, g.Latest)
	}
	return strings.Join(parts, " ")
}

func require(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheFirstStartFindsNoGaps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "")), "")
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "501")), "21:0-501") // an empty channel has a watermark, too
}

// TestAWatermarkThatCouldNotBeWrittenIsWrittenLater, also that of an empty channel.
func TestAWatermarkThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "")), "")
	over, end := context.WithCancel(t.Context())
	end()
	if b.Save(over) == nil {
		t.Error("Save wrote with a cancelled context")
	}
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "501"), latest("21", "501")), "20:500-501 21:0-501")
}

func TestAGapBeginsAtTheWatermark(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("21", "501"), latest("22", "502"), latest("23", "503")), "")
	e := message("600")
	e.Place.Channel = "20"
	accept(t, b, e)             // written at once
	b.Skip(latest("21", "601")) // written later
	b.OwnMessage(latest("22", "602"))
	b.OwnMessage(latest("99", "603")) // a channel without a watermark
	b.Skip(latest("23", "400"))       // older than the watermark
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "700"), latest("21", "601"), latest("22", "702"), latest("23", "703"), latest("99", "704")),
		"20:600-700 22:602-702 23:503-703")
	require(t, gaps(b, latest("20", "700"), latest("22", "702"), latest("99", "704")), "")
}

func TestAChannelMadeDuringAnOutageHasAGap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500")), "")
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "500"), latest("600", "600"), latest("601", ""), latest("30", "700")), "600:599-600")
}

// TestAChannelMadeDuringAnOutageOfItsServerHasAGap, whatever was heard on other servers.
func TestAChannelMadeDuringAnOutageOfItsServerHasAGap(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	other := func(ch chat.ChannelID, m chat.MessageID) chat.Place {
		return chat.Place{Guild: "9", Channel: ch, Message: m}
	}
	require(t, gaps(b, latest("20", "500"), other("30", "501")), "")
	b.Skip(latest("20", "700"))
	require(t, gaps(b, other("30", "501"), other("600", "601")), "600:599-601")
}

// TestANewChannelHasAGapWhateverWasFetched: during an outage of a server its messages can still be
// fetched, but the events for new channels do not arrive.
func TestANewChannelHasAGapWhateverWasFetched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500")), "")
	b.CloseGap(b.Gaps(lastMessages(latest("20", "600")))[0], "900")
	do(t, b.Save(t.Context()))
	for _, b := range []*inbox.Inbox{b, open(t, dir)} {
		require(t, gaps(b, latest("20", "900"), latest("800", "801")), "800:799-801")
	}
}

func TestANewChannelOfAnEmptyServerHasAGap(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	require(t, gaps(b, latest("20", "")), "")
	require(t, gaps(b, latest("20", ""), latest("19", "30"), latest("21", "30")), "21:20-30")
}

// TestATrackedChannelIsWrittenBeforeLaterMessages: otherwise a channel that a killed process had
// tracked would count as an old one.
func TestATrackedChannelIsWrittenBeforeLaterMessages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500")), "")
	do(t, b.Save(t.Context()))
	b.Track(latest("510", ""))
	e := message("520")
	e.Place.Channel = "20"
	accept(t, b, e) // written at once
	b = open(t, dir)
	require(t, gaps(b, latest("20", "520"), latest("510", "600")), "510:0-600")
}

// TestRefusedMessagesStayInAGap: the watermark stays before them, also in a new channel, whatever is
// accepted and written after them. The gap has all of them as soon as writing works again, and so
// has the one that the next process finds.
func TestRefusedMessagesStayInAGap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, channel, gap, found string }{
		{"in a channel that is known", "20", "20:500-", "20:500-540"},
		{"in a new channel", "510", "510:519-", "510:519-540"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			disk := fulldisk.New(t, dir)
			b := open(t, dir)
			require(t, gaps(b, latest("20", "500"), latest("21", "500")), "")
			do(t, b.Save(t.Context()))
			in := func(ch, id string) inbox.Event {
				e := message(id)
				e.Place.Channel = chat.ChannelID(ch)
				return e
			}
			disk.Become(fulldisk.Spent, 0)
			for _, id := range []string{"520", "521"} {
				e := in(tt.channel, id)
				if fresh, err := b.Accept(t.Context(), e); fresh || !errors.Is(err, store.ErrFull) {
					t.Errorf("%v, %v", fresh, err)
				}
				b.Refuse(e.Place)
			}
			if err := b.Probe(t.Context()); !errors.Is(err, store.ErrFull) {
				t.Errorf("Probe on a full disk: %v", err)
			}
			disk.Become(fulldisk.Roomy, 0)
			do(t, b.Probe(t.Context()))
			accept(t, b, in(tt.channel, "530"))
			accept(t, b, in("21", "531"))
			b.Skip(in(tt.channel, "540").Place)
			do(t, b.Save(t.Context()))
			require(t, gaps(open(t, dir), latest("21", "531"), latest(chat.ChannelID(tt.channel), "540")), tt.found)
			refused := b.TakeRefused()
			if len(refused) != 1 || len(b.TakeRefused()) != 0 || !refused[0].Refused {
				t.Fatalf("%+v", refused)
			}
			require(t, fmt.Sprintf("%s:%s-%s", refused[0].Place.Channel, refused[0].After, refused[0].Latest), tt.gap)
			b.CloseGap(refused[0], "521")
			do(t, b.Save(t.Context()))
			require(t, gaps(open(t, dir), latest("21", "531"), latest(chat.ChannelID(tt.channel), "540")), "")
		})
	}
}

// TestARefusalWhileAGapIsReadKeepsItOpen: the gap of a new session is being read when a message in
// it is refused, as it was before.
func TestARefusalWhileAGapIsReadKeepsItOpen(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	require(t, gaps(b, latest("2", "500")), "")
	b.Refuse(latest("2", "520"))
	read := b.Gaps(lastMessages(latest("2", "530")))[0]
	b.Refuse(latest("2", "520"))
	b.CloseGap(read, "530")
	if refused := b.TakeRefused(); len(refused) != 1 || !b.IsOpen(refused[0]) {
		t.Errorf("%+v", refused)
	}
	require(t, gaps(b, latest("2", "530")), "2:500-530")
}

// TestARefusalWhileARefusedGapIsReadOpensAnother, from the same watermark on.
func TestARefusalWhileARefusedGapIsReadOpensAnother(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	require(t, gaps(b, latest("2", "500")), "")
	b.Refuse(latest("2", "520"))
	first := b.TakeRefused()[0]
	b.Refuse(latest("2", "530"))
	if b.IsOpen(first) {
		t.Error("the first gap is still the open one")
	}
	b.CloseGap(first, "529")
	second := b.TakeRefused()
	if len(second) != 1 || second[0].After != "500" || !b.IsOpen(second[0]) {
		t.Fatalf("%+v", second)
	}
	b.CloseGap(second[0], "530")
	require(t, gaps(b, latest("2", "530")), "")
}

// TestATrackedChannelHasAGap: the bot knew it, though it had no messages.
func TestATrackedChannelHasAGap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500")), "")
	b.Track(latest("510", ""))
	b.Track(latest("30", "520")) // an old one that became visible
	b.Track(latest("20", "530")) // has a watermark
	b.Skip(latest("20", "540"))
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	require(t, gaps(b, latest("20", "541"), latest("30", "600"), latest("510", "601")), "20:540-541 30:520-600 510:0-601")
}

// TestAThreadStartedDuringAnOutageHasAGap, also if it was started on an old message, whose ID it
// has.
func TestAThreadStartedDuringAnOutageHasAGap(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Millisecond)
	before, then, after := now.Add(-time.Minute), now, now.Add(time.Minute)
	id := func(at time.Time) chat.MessageID { return chat.FirstAt(at).Next() }
	old := chat.ChannelID(id(now.Add(-24 * time.Hour)))
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", id(then))), "")
	do(t, b.Save(t.Context()))
	for _, tt := range []struct {
		name   string
		thread chat.LastMessage
		want   string
	}{
		{"started since", chat.LastMessage{Place: latest(old, id(after)), Made: after}, fmt.Sprintf("%s:%s-%s", old, chat.MessageID(old).Previous(), id(after))},
		{"started in the same moment", chat.LastMessage{Place: latest(old, id(after)), Made: then}, fmt.Sprintf("%s:%s-%s", old, chat.MessageID(old).Previous(), id(after))},
		{"started since, without messages", chat.LastMessage{Place: latest(old, ""), Made: after}, ""},
		{"started before", chat.LastMessage{Place: latest(old, id(after)), Made: before}, ""},
		{"on a server that was joined later", chat.LastMessage{Place: latest(old, id(after)), Made: after, Joined: after}, fmt.Sprintf("%s:%s-%s", old, chat.FirstAt(after), id(after))},
		{"on a server that was joined after all messages", chat.LastMessage{Place: latest(old, id(after)), Made: after, Joined: after.Add(time.Hour)}, ""},
	} {
		require(t, tt.name+" "+gapsOf(open(t, dir), tt.thread), tt.name+" "+tt.want)
	}
}

// TestAGapThatGrowsWhileItIsReadStaysOpen: there is another outage while the channel is being
// read, and the process ends before it is read again.
func TestAGapThatGrowsWhileItIsReadStaysOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("20", "500")), "")
	first := b.Gaps(lastMessages(latest("20", "600")))[0]
	second := b.Gaps(lastMessages(latest("20", "700")))[0]
	b.CloseGap(first, "600")
	live := message("800")
	live.Place.Channel = "20"
	accept(t, b, live)
	do(t, b.Save(t.Context()))
	require(t, gaps(open(t, dir), latest("20", "800")), "20:500-800")
	b.CloseGap(second, "700")
	do(t, b.Save(t.Context()))
	require(t, gaps(open(t, dir), latest("20", "800")), "")
}

func TestDirectMessagesHaveAGapOfUnknownLength(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	e := message("600")
	e.Place.Guild = ""
	accept(t, b, e)
	list := b.DirectMessageGaps()
	if len(list) != 1 || list[0].After != "600" || list[0].Latest != "" {
		t.Fatalf("%+v", list)
	}
	b.CloseGap(list[0], "")
	if again := b.DirectMessageGaps(); len(again) != 1 || again[0].Place != list[0].Place || again[0].After != "600" {
		t.Errorf("%+v, want %+v", again, list)
	}
	require(t, gaps(b), "")
}

// TestAnOpenGapOutlivesTheProcess that read it, whatever live messages that has accepted.
func TestAnOpenGapOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	require(t, gaps(b, latest("2", "500")), "")
	do(t, b.Save(t.Context()))
	b = open(t, dir)
	gap := b.Gaps(lastMessages(latest("2", "600")))
	accept(t, b, message("700"))
	b.Skip(latest("2", "701"))
	do(t, b.Save(t.Context()))
	next := open(t, dir)
	require(t, gaps(next, latest("2", "701")), "2:500-701")
	b.CloseGap(gap[0], "600")
	require(t, gaps(b, latest("2", "701")), "") // these were live
}

func TestRunWritesWatermarksSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b := open(t, dir)
		go b.Run(t.Context(), func(err error) { t.Error(err) })
		b.Skip(latest("20", "500"))
		b.Skip(latest("20", "501"))
		time.Sleep(time.Second)
		synctest.Wait()
		require(t, gaps(open(t, dir), latest("20", "502")), "20:501-502")
	})
}
