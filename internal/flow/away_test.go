package flow_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
)

const (
	byMention = "DISCOCLAW_RESPOND=mentions"
	wasAway   = "I was away until"
)

// mention posts a message of ada in #general that is for the bot.
func (h *host) mention(text string) chat.MessageID {
	return h.ask(fmt.Sprintf("<@%s> %s", h.UserID("bot"), text))
}

// chatter posts messages of ada in #general that are for other people.
func (h *host) chatter(n int) {
	for i := range n {
		h.ask(fmt.Sprint("chatter ", i))
	}
}

// TestOnlyMessagesForTheBotCountAsMissed: there is more talk between them than the bot answers messages.
func TestOnlyMessagesForTheBotCountAsMissed(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.run(func() { h.mention("before") })
		var asked []chat.MessageID
		for i := range 3 {
			h.chatter(60)
			asked = append(asked, h.mention(fmt.Sprint("question ", i)))
		}
		h.run(nil)
		h.answered(1, "all three together", asked[2])
		h.shows(0, "general", wasAway)
	}, byMention)
}

// TestReadingABusyChannelIsBounded: more was said than is read, both lately and long ago. Live messages are answered.
func TestReadingABusyChannelIsBounded(t *testing.T) {
	onHost(t, "guild disco: #general #status\nmember ada: owner", func(h *host) {
		h.run(func() { h.mention("before") })
		h.chatter(600)
		time.Sleep(2 * time.Hour)
		asked := h.mention("at the beginning of the last hour")
		h.chatter(1100)
		unread := h.mention("at its end")
		pages := &reading{RoundTripper: h.HTTP().Transport}
		h.start(pages)
		time.Sleep(5 * time.Minute)
		live := h.mention("now")
		time.Sleep(time.Minute)
		h.leave()
		h.answered(1, "read", asked)
		h.answered(0, "not read", unread)
		h.answered(1, "live", live)
		if pages.all > 10+5+1 { // one of them is of #status
			t.Errorf("%d pages were read", pages.all)
		}
		if line := "too much missed talk, the rest is left alone"; !strings.Contains(h.log.String(), line) {
			t.Errorf("the log lacks %q", line)
		}
		h.shows(1, "status", "more was said in")
	}, byMention, noHistory, "DISCOCLAW_STATUS_CHANNEL=status")
}

// TestPeopleAreToldOnceThatMessagesStayUnanswered, for whatever reason.
func TestPeopleAreToldOnceThatMessagesStayUnanswered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		old     int // messages that are too old
		recent  int // messages that are not
		chatter int // after the old messages
		want    int
	}{
		{"one that is too old", 1, 0, 150, 1},
		{"one that is one too many", 0, 51, 0, 1},
		{"both", 2, 51, 0, 1},
		{"none", 0, 50, 10, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.run(func() { h.mention("before") })
				for i := range tt.old {
					h.mention(fmt.Sprint("old ", i))
				}
				h.chatter(tt.chatter)
				time.Sleep(2 * time.Hour)
				for i := range tt.recent {
					h.mention(fmt.Sprint("recent ", i))
				}
				for range 3 {
					h.run(nil)
				}
				h.shows(tt.want, "general", wasAway)
				h.RequireNoMentions(t)
			}, byMention, noHistory)
		})
	}
}

// TestAnAbsenceIsToldOnceWhenTheBotIsKilled right before or after it tells people, or while it reads what it missed. The next
// process comes soon after, or when Discord has forgotten the nonce.
func TestAnAbsenceIsToldOnceWhenTheBotIsKilled(t *testing.T) {
	t.Parallel()
	kills := map[string]func(h *host) http.RoundTripper{
		"before it is told": func(h *host) http.RoundTripper { return h.atPost(0, false) },
		"after it is told":  func(h *host) http.RoundTripper { return h.atPost(0, true) },
	}
	for n := range 2 {
		kills[fmt.Sprintf("at page %d", n+1)] = func(h *host) http.RoundTripper {
			k := &killedReading{RoundTripper: h.HTTP().Transport, h: h}
			k.pages.Store(int32(n))
			return k
		}
	}
	for name, kill := range kills {
		for _, pause := range []time.Duration{time.Second, time.Hour} {
			t.Run(fmt.Sprint(name, ", for ", pause), func(t *testing.T) {
				onHost(t, apptest.World, func(h *host) {
					h.run(func() { h.mention("before") })
					old := h.mention("too old")
					time.Sleep(2 * time.Hour)
					h.chatter(1)
					h.start(kill(h))
					time.Sleep(10 * time.Second)
					if !h.dead.Load() {
						t.Error("the process lives")
					}
					h.kill()
					h.Gateway().ForgetSessions()
					time.Sleep(pause)
					for range 2 {
						h.run(nil)
					}
					h.shows(1, "general", wasAway)
					h.answered(0, "too old", old)
				}, byMention)
			})
		}
	}
}

// TestAnAbsenceIsToldOnceWhenTheBotIsKilledRightAfter it told people: what it had read may not be written yet.
func TestAnAbsenceIsToldOnceWhenTheBotIsKilledRightAfter(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, 100 * time.Millisecond, 900 * time.Millisecond, 2 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.run(func() { h.mention("before") })
				h.mention("too old")
				time.Sleep(2 * time.Hour)
				h.chatter(1)
				h.start()
				for !strings.Contains(apptest.Contents(h.World, "general"), wasAway) {
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(after)
				h.kill()
				h.Gateway().ForgetSessions()
				time.Sleep(30 * time.Hour) // the outbox has forgotten the post by then
				h.run(nil)
				h.shows(1, "general", wasAway)
			}, byMention)
		})
	}
}

// TestASecondAbsenceIsToldAgain.
func TestASecondAbsenceIsToldAgain(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.run(func() { h.mention("before") })
		for n := range 2 {
			h.mention("too old")
			time.Sleep(2 * time.Hour)
			h.run(nil)
			h.shows(n+1, "general", wasAway)
		}
	}, byMention)
}

// killedReading is a transport that kills the process when it reads a page, after some others.
type killedReading struct {
	http.RoundTripper
	h     *host
	pages atomic.Int32
}

func (k *killedReading) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/messages") || k.pages.Add(-1) >= 0 {
		return k.RoundTripper.RoundTrip(r)
	}
	k.h.die()
	return nil, errDead
}
