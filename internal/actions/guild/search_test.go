package guild_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
)

func TestSearchMessages(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *hall) {
		one := w.MustSay("bob", "#ops", "The RELEASE is out")
		time.Sleep(time.Hour)
		two := w.MustSay("eve", "#ops", "which release?\nDone: everything "+strings.Repeat("x", 200))
		w.MustSay("eve", "#ops", "never mind")
		at := func(m time.Time) string { return m.Format("2006-01-02 15:04:05 UTC") }
		first := fmt.Sprintf("[%s] [bob] The RELEASE is out (id:%s)", at(one.Sent), one.ID)
		second := fmt.Sprintf("[%s] [eve] which release? Done: everything %s… (id:%s)", at(two.Sent), strings.Repeat("x", 118), two.ID)
		head := `Done: Search results for "release" in #ops (`
		w.require("ada", `{"type":"searchMessages","query":"release","channel":"ops"}`, head+"2 found, 3 scanned):\n"+second+"\n"+first)
		w.require("ada", `{"type":"searchMessages","query":"release","channel":"ops","before":"`+string(two.ID)+`"}`, head+"1 found, 1 scanned):\n"+first)
		w.require("ada", `{"type":"searchMessages","query":"release","channel":"ops","after":"`+string(one.ID)+`"}`, head+"1 found, 2 scanned):\n"+second)
		w.require("ada", `{"type":"searchMessages","query":"release","channel":"ops","before":"`+one.Sent.Add(time.Minute).Format(time.RFC3339)+`"}`, head+"1 found, 1 scanned):\n"+first)
		w.require("ada", `{"type":"searchMessages","query":"release","channel":"ops","after":"2026-03-02 12:30"}`, head+"1 found, 2 scanned):\n"+second)
		w.require("ada", `{"type":"searchMessages","query":"release","channel":"ops","limit":1}`,
			head+`1 found, 2 scanned; older ones are left, go on with "before": "`+string(two.ID)+"\"):\n"+second)
		w.require("ada", `{"type":"searchMessages","query":"banana","channel":"ops"}`, `Done: No messages matching "banana" in #ops (scanned 3 messages)`)
		w.require("ada", `{"type":"searchMessages","query":"release"}`, `Done: No messages matching "release" in #general (scanned 0 messages)`)
		w.where = "A plan"
		w.require("ada", `{"type":"searchMessages","query":"release"}`, `Done: No messages matching "release" in #A plan (scanned 0 messages)`)
	})
}

func TestASearchReadsPageAfterPage(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *hall) {
		var ids []string
		for i := range 250 {
			ids = append(ids, string(w.MustSay("bob", "#general", fmt.Sprintf("message %d", i)).ID))
		}
		// The answer that is being written stands among them, and is none yet.
		_, err := w.bot.Live(chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("#general")}).Open(t.Context(), "message 0", "stop")
		w.must(err)
		before := len(w.Requests())
		w.requirePart("bob", `{"type":"searchMessages","query":"message 0"}`, "1 found, 250 scanned)")
		if n := len(w.Requests()) - before; n != 4 { // three pages, and who bob is
			t.Errorf("%d requests", n)
		}
		w.requirePart("bob", `{"type":"searchMessages","query":"message 0","maxPages":1}`,
			`No messages matching "message 0" in #general (scanned 99 messages; older ones are left, go on with "before": "`+ids[151]+`")`)
		w.requirePart("bob", `{"type":"searchMessages","query":"message 0","maxPages":-3}`, "scanned 99 messages")
		got := w.requirePart("bob", `{"type":"searchMessages","query":"MESSAGE","limit":5000,"maxPages":5000}`, "50 found, 50 scanned")
		if n := strings.Count(got, "[bob]"); n != 50 {
			t.Errorf("%d messages are shown", n)
		}
		if n := strings.Count(w.requirePart("bob", `{"type":"searchMessages","query":"message"}`), "[bob]"); n != 25 {
			t.Errorf("%d messages are shown without a limit", n)
		}
	})
}

func TestSearchMessagesRefuses(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *hall) {
		const failed = "Failed: searchMessages: "
		w.require("ada", `{"type":"searchMessages"}`, failed+"query: missing")
		w.require("ada", `{"type":"searchMessages","query":"  "}`, failed+"query: empty")
		w.require("ada", `{"type":"searchMessages","query":7,"before":"yesterday"}`, failed+`before: "yesterday" is neither a message's ID nor a time such as 2027-05-01T18:00:00Z`)
		w.require("ada", `{"type":"searchMessages","query":"x","after":"2014-12-31"}`, failed+`after: "2014-12-31" is before 2015, when there was no Discord`)
		w.require("ada", `{"type":"searchMessages","query":"x","after":"last"}`, failed+`after: "last" is neither a message's ID nor a time such as 2027-05-01T18:00:00Z`)
		w.require("ada", `{"type":"searchMessages","query":"x","limit":1.5}`, failed+"limit: must be a whole number, not 1.5")
		w.requirePart("ada", `{"type":"searchMessages","query":"x","channel":"basement"}`, failed+`there is no channel "basement"`)
		w.require("ada", `{"type":"searchMessages","query":"x","channel":"ideas"}`, failed+"<#{ideas}> is a forum channel, which holds no messages itself; give the name or ID of one of its posts")
		w.require("ada", `{"type":"searchMessages","query":"x","channel":"talk"}`, failed+"<#{talk}> holds no messages; choose a text channel or a thread")
		w.must(w.Deny("#ops", "eve", chat.ReadHistory))
		w.require("eve", `{"type":"searchMessages","query":"x","channel":"ops"}`, failed+"permission denied: who asked lacks “Read Message History” in <#{ops}>")
		w.must(w.Deny("#ops", "eve", chat.ViewChannel))
		w.requirePart("eve", `{"type":"searchMessages","query":"x","channel":"ops"}`, failed+`there is no channel "ops" on this server`)
		w.must(w.Deny("#ops", "bot", chat.ReadHistory))
		w.requirePart("ada", `{"type":"searchMessages","query":"x","channel":"ops"}`, failed+"search #ops: the bot lacks “Read Message History” in #ops")
	})
}
