package voice_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const withHelper = layout + "stranger Helper: bot\n"

// do takes steps such as "bob to hall, bob out, asked to attic, session ends, 30s".
func (h *hall) do(steps string) {
	h.t.Helper()
	for step := range strings.SplitSeq(steps, ", ") {
		if step != "" {
			h.step(step)
		}
	}
}

func (h *hall) step(line string) {
	h.t.Helper()
	who, what, _ := strings.Cut(line, " ")
	channel, enters := strings.CutPrefix(what, "to ")
	switch {
	case who == "asked":
		h.must(h.join(channel))
	case who == "session":
		h.lose()
	case enters:
		h.must(h.EnterVoice(who, channel))
	case what == "out":
		h.must(h.LeaveVoice(who))
	default:
		d, err := time.ParseDuration(line)
		h.must(err)
		time.Sleep(d)
	}
	synctest.Wait()
}

func TestTheBotComesAndGoesWithPeople(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, steps, in string }{
		{"somebody enters", "", "bob to hall", "hall"},
		{"somebody is there at the start", "bob to hall", "", "hall"},
		{"a bot enters", "", "Helper to hall", ""},
		{"somebody enters a stage", "", "bob to stage", ""},
		{"another enters elsewhere", "", "bob to hall, ada to attic", "hall"},
		{"all have left just now", "", "bob to hall, bob out, 29.9s", "hall"},
		{"all have left", "", "bob to hall, bob out, 30s", ""},
		{"one who was never told of leaves last", "", "bob to hall, ada to hall, bob out, 1m, ada out, 30s", ""},
		{"somebody is left", "", "bob to hall, ada to hall, bob out, 1m", "hall"},
		{"only a bot is left", "", "bob to hall, Helper to hall, bob out, 30s", ""},
		{"somebody comes back in time", "", "bob to hall, bob out, 20s, bob to hall, 1m", "hall"},
		{"the rest moves on", "", "bob to hall, bob to attic, 30s", ""},
		{"a moderator moves the bot away", "", "bob to hall, bot to attic, 30s", ""},
		{"a moderator takes it out", "", "bob to hall, bot out, 1m", ""},
		{"somebody enters after that", "", "bob to hall, bot out, 1m, ada to hall", "hall"},
		{"it was asked into an empty channel", "", "asked to attic, 1h", "attic"},
		{"people came and left there", "", "asked to attic, bob to attic, bob out, 30s", ""},
		{"it was asked away from people", "", "bob to hall, asked to attic, 1h", "attic"},
		{"the session is another", "", "bob to hall, session ends, 1m", "hall"},
		{"all left as the session ended", "", "bob to hall, session ends, bob out, 1m", ""},
		{"everybody left and came back twice", "", "bob to hall, bob out, 40s, bob to hall, bob out, 10s", "hall"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			beforeLogin(t, withHelper, func(t *testing.T, h *hall) {
				h.follows = true
				h.do(tt.before)
				h.connect(t)
				h.do(tt.steps)
				h.requireBotIn(tt.in)
			})
		})
	}
}

// TestNobodyIsFollowedOnceTheBotStops, nor do two who come at the same time call it to two places.
func TestNobodyIsFollowedOnceTheBotStops(t *testing.T) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.Follow(h.GuildID(), h.ChannelID("hall"))
		h.Follow(h.GuildID(), h.ChannelID("attic"))
		synctest.Wait()
		h.requireBotIn("hall")
		h.LeaveAll(t.Context())
		h.Follow(h.GuildID(), h.ChannelID("hall"))
		synctest.Wait()
		h.requireBotIn("")
	})
}
