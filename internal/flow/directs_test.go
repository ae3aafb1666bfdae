package flow_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const openDirect = "POST /users/@me/channels"

// write posts a direct message of ada to the bot.
func (h *host) write(text string) chat.MessageID {
	h.t.Helper()
	_, err := h.OpenDM("ada")
	h.must(err)
	return h.MustSay("ada", "@ada", text).ID
}

// openings returns how often the bot has opened direct messages.
func (h *host) openings() (n int) {
	for _, r := range h.Requests() {
		if r.Route == openDirect {
			n++
		}
	}
	return n
}

// TestAFirstDirectMessageIsFound although it was written while the bot was off.
func TestAFirstDirectMessageIsFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		back func(h *host) // the bot comes back
	}{
		{"at once", func(h *host) { h.run(nil) }},
		{"when Discord lets it open direct messages", func(h *host) {
			h.Fail(fakediscord.Fault{Match: openDirect, Status: http.StatusBadGateway})
			h.start()
			time.Sleep(3 * time.Minute)
			h.ask("meanwhile") // which would be the past of another login
			time.Sleep(3 * time.Minute)
			h.Recover()
			time.Sleep(3 * time.Minute)
			h.leave()
		}},
		{"by the next process, if it is killed before it has read it", func(h *host) {
			h.Fail(cannotRead)
			h.start()
			time.Sleep(30 * time.Second)
			h.ask("meanwhile")
			time.Sleep(30 * time.Second)
			h.kill()
			h.Gateway().ForgetSessions()
			h.Recover()
			h.run(nil)
		}},
		{"although another one comes live", func(h *host) {
			h.Fail(fakediscord.Fault{Match: openDirect, Status: http.StatusBadGateway})
			h.start()
			time.Sleep(10 * time.Second)
			h.write("are you there?")
			time.Sleep(10 * time.Second)
			h.Recover()
			time.Sleep(3 * time.Minute)
			h.leave()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.run(func() { h.ask("before") })
				time.Sleep(time.Minute)
				first := h.write("my first question")
				time.Sleep(time.Minute)
				tt.back(h)
				before := h.openings()
				h.run(nil)
				h.answeredIn(1, "the first one", "@ada", first, apptest.Indeed)
				if n := h.openings() - before; n != 0 {
					t.Errorf("direct messages are opened %d times again", n)
				}
				second := h.write("my second question")
				h.run(nil)
				h.answeredIn(1, "the second one", "@ada", second, apptest.Indeed)
			})
		})
	}
}

// TestAnOldFirstDirectMessageIsToldToBeOld instead of being answered.
func TestAnOldFirstDirectMessageIsToldToBeOld(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.run(func() { h.ask("before") })
		first := h.write("my first question")
		time.Sleep(3 * time.Hour)
		for range 2 {
			h.run(nil)
		}
		h.answeredIn(0, "the first one", "@ada", first, apptest.Indeed)
		h.shows(1, "@ada", wasAway)
	})
}

// TestDirectMessagesAreNotOpened where nothing can have been missed, or nothing is caught up on.
func TestDirectMessagesAreNotOpened(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{"at the first start": nil, "if nothing is caught up on": {"DISCOCLAW_CATCHUP_MINUTES=0"}} {
		t.Run(name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.run(nil)
				if settings != nil {
					h.write("hello?")
					h.run(nil)
					h.shows(0, "@ada", apptest.Indeed)
				}
				if n := h.openings(); n != 0 {
					t.Errorf("direct messages were opened %d times", n)
				}
			}, settings...)
		})
	}
}

// TestDirectMessagesOfAtMostFiftyPeopleAreOpened, operators first, and not all at once.
func TestDirectMessagesOfAtMostFiftyPeopleAreOpened(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.run(func() { h.ask("before") })
		var many []string
		for i := range 60 {
			many = append(many, fmt.Sprint(100000000000000000+i)) // people whom Discord does not know
		}
		ada := string(h.UserID("ada"))
		h.env["DISCORD_ALLOW_USER_IDS"], h.env["DISCOCLAW_OPERATOR_USER_IDS"] = strings.Join(append(many, ada), ","), ada
		first := h.write("my first question")
		h.start()
		time.Sleep(20 * time.Second)
		if n := h.openings(); n < 2 || n > 6 {
			t.Errorf("%d were opened in ten seconds", n)
		}
		time.Sleep(5 * time.Minute)
		h.leave()
		h.answeredIn(1, "an operator", "@ada", first, apptest.Indeed)
		if n := h.openings(); n != 50 {
			t.Errorf("%d were opened", n)
		}
	})
}
