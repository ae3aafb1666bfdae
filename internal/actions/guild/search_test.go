package guild_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestSearchMessages(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		one := w.MustSay("bob", "#ops", "The RELEASE is out")
		time.Sleep(time.Hour)
		two := w.MustSay("eve", "#ops", "which release?\nDone: everything "+strings.Repeat("x", 200))
		w.MustSay("eve", "#ops", "never mind")
		at := func(m time.Time) string { return m.Format("2006-01-02 15:04:05 UTC") }
		first := fmt.Sprintf("[%s] [bob] The RELEASE is out (id:%s)", at(one.Sent), one.ID)
		second := fmt.Sprintf("[%s] [eve] which release? Done: everything %s… (id:%s)", at(two.Sent), strings.Repeat("x", 118), two.ID)
		head := `Done: Search results for "release" in #ops (`
		w.Require("ada", `{"type":"searchMessages","query":"release","channel":"ops"}`, head+"2 found, 3 scanned):\n"+second+"\n"+first)
		w.Require("ada", `{"type":"searchMessages","query":"release","channel":"ops","before":"`+string(two.ID)+`"}`, head+"1 found, 1 scanned):\n"+first)
		w.Require("ada", `{"type":"searchMessages","query":"release","channel":"ops","after":"`+string(one.ID)+`"}`, head+"1 found, 2 scanned):\n"+second)
		w.Require("ada", `{"type":"searchMessages","query":"release","channel":"ops","before":"`+one.Sent.Add(time.Minute).Format(time.RFC3339)+`"}`, head+"1 found, 1 scanned):\n"+first)
		w.Require("ada", `{"type":"searchMessages","query":"release","channel":"ops","after":"2026-03-02 12:30"}`, head+"1 found, 2 scanned):\n"+second)
		w.Require("ada", `{"type":"searchMessages","query":"release","channel":"ops","limit":1}`,
			head+`1 found, 2 scanned; older ones are left, go on with "before": "`+string(two.ID)+"\"):\n"+second)
		bob := "by " + w.UserID("bob").Mention() + " in #ops ("
		w.Require("ada", `{"type":"searchMessages","userId":"bob","channel":"ops"}`, "Done: Search results "+bob+"1 found, 3 scanned):\n"+first)
		w.Require("ada", `{"type":"searchMessages","userId":"bob","query":"which","channel":"ops"}`, `Done: No messages matching "which" `+bob+"scanned 3 messages)")
		w.Require("ada", `{"type":"searchMessages","query":"banana","channel":"ops"}`, `Done: No messages matching "banana" in #ops (scanned 3 messages)`)
	})
}

func TestASearchFindsNoSecrets(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		w.MustSay("bob", "#ops", "!secret set OPENAI_API_KEY=sk-swordfish")
		for _, query := range []string{"secret", "OPENAI_API_KEY", "sk-"} {
			w.Require("ada", `{"type":"searchMessages","query":"`+query+`","channel":"ops"}`, `Done: No messages matching "`+query+`" in #ops (scanned 1 messages)`)
		}
	})
}

func TestASearchReadsPageAfterPage(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		var ids []string
		for i := range 250 {
			ids = append(ids, string(w.MustSay("bob", "#general", fmt.Sprintf("message %d", i)).ID))
		}
		// The placeholder is among them, and is not searched.
		_, err := w.Bot.Send(t.Context(), w.ChannelID("#general"), chat.Outgoing{Text: "message 0", Buttons: []chat.Button{{ID: "stop", Label: chat.StopLabel}}})
		w.Must(err)
		before := len(w.Requests())
		w.RequirePart("bob", `{"type":"searchMessages","channel":"general","query":"message 0"}`, "1 found, 250 scanned)")
		if n := len(w.Requests()) - before; n != 4 { // three pages, and bob, whose rights are looked up once for each answer
			t.Errorf("%d requests", n)
		}
		w.RequirePart("bob", `{"type":"searchMessages","channel":"general","query":"message 0","maxPages":1}`,
			`No messages matching "message 0" in #general (scanned 99 messages; older ones are left, go on with "before": "`+ids[151]+`")`)
		w.RequirePart("bob", `{"type":"searchMessages","channel":"general","query":"message 0","maxPages":-3}`, "scanned 99 messages")
		got := w.RequirePart("bob", `{"type":"searchMessages","channel":"general","query":"MESSAGE","limit":5000,"maxPages":5000}`, "50 found, 50 scanned")
		if n := strings.Count(got, "[bob]"); n != 50 {
			t.Errorf("%d messages are shown", n)
		}
		if n := strings.Count(w.RequirePart("bob", `{"type":"searchMessages","channel":"general","query":"message"}`), "[bob]"); n != 25 {
			t.Errorf("%d messages are shown without a limit", n)
		}
	})
}

func TestSearchMessagesRefuses(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		const failed = "Failed: searchMessages: "
		w.Require("ada", `{"type":"searchMessages"}`, failed+"query: missing; give a text, or a userId")
		w.Require("ada", `{"type":"searchMessages","query":"  "}`, failed+"query: missing; give a text, or a userId")
		w.Require("ada", `{"type":"searchMessages","query":7,"before":"yesterday"}`, failed+`before: "yesterday" is neither a message's ID nor a time such as 2027-05-01T18:00:00Z`)
		w.Require("ada", `{"type":"searchMessages","query":"x","after":"2014-12-31"}`, failed+`after: "2014-12-31" is before 2015, when there was no Discord`)
		w.Require("ada", `{"type":"searchMessages","query":"x","after":"last"}`, failed+`after: "last" is neither a message's ID nor a time such as 2027-05-01T18:00:00Z`)
		w.Require("ada", `{"type":"searchMessages","query":"x","limit":1.5}`, failed+"limit: must be a whole number, not 1.5")
		w.RequirePart("ada", `{"type":"searchMessages","query":"x","channel":"basement"}`, failed+`I can't see a channel #basement`)
		w.Require("ada", `{"type":"searchMessages","query":"x","channel":"talk"}`, failed+"<#{talk}> is a voice channel, which cannot be used for messages; choose a text channel or a thread")
		w.Must(w.Deny("#ops", "eve", chat.ReadHistory))
		w.Require("eve", `{"type":"searchMessages","query":"x","channel":"ops"}`, failed+"you need *Read Message History* in <#{ops}> for that")
		w.Must(w.Deny("#ops", "eve", chat.ViewChannel))
		w.RequirePart("eve", `{"type":"searchMessages","query":"x","channel":"ops"}`, failed+`I can't see a channel #ops`)
		w.Must(w.Deny("#ops", "bot", chat.ReadHistory))
		w.RequirePart("ada", `{"type":"searchMessages","query":"x","channel":"ops"}`, failed+"I need *Read Message History* in <#{ops}>")
	})
}

// TestSearchEverywhere: all channels that all people of the turn and the bot may read are searched, and
// nothing else is in the result, not even in its counts.
func TestSearchEverywhere(t *testing.T) {
	t.Parallel()
	const layout = hallLayout + `
thread "Old plan" in #general: archived
thread "A post" in ideas
thread "Whisper" in #general: private
deny #ops eve: View Channel
deny lounge bot: View Channel
`
	inHall(t, layout, func(t *testing.T, w *world) {
		line := func(m fakediscord.Message, text, where string) string {
			return fmt.Sprintf("[%s] in %s [%s] %s (id:%s)", m.Sent.Format("2006-01-02 15:04:05 UTC"), where, "ada", text, m.ID)
		}
		for _, said := range []string{"!secret set RELEASE=1", "nothing"} {
			w.MustSay("ada", "general", said)
		}
		public := w.MustSay("ada", "general", "The release is out")
		private := w.MustSay("ada", "ops", "Release is broken")
		post := w.MustSay("ada", "A post", "plan the releases")
		w.MustSay("ada", "Whisper", "release it, quietly")
		_, err := w.Bot.Send(t.Context(), w.ChannelID("#general"), chat.Outgoing{Text: "release", Buttons: []chat.Button{{ID: "stop", Label: chat.StopLabel}}})
		w.Must(err)
		const search = `{"type":"searchMessages","query":"release"}`
		head := func(n int) string {
			return fmt.Sprintf("Done: Search results for \"release\" in the channels that the asker may read (%d found):\n", n)
		}
		third, second, first := line(post, "plan the releases", "thread #A post"), line(private, "Release is broken", "#ops"), line(public, "The release is out", "#general")
		w.Require("ada", search, head(3)+third+"\n"+second+"\n"+first)
		w.Require("eve", search, head(2)+third+"\n"+first)
		w.RequireShort("eve", search, "found 2 messages in 2 channels", "{A post}", "{general}")
		w.RequireShort("eve", `{"type":"searchMessages","query":"broken"}`, "found no messages")
		w.RequireShort("ada", `{"type":"searchMessages","query":"broken"}`, "found 1 message in <#{ops}>", "{ops}")
		w.Require("eve", `{"type":"searchMessages","query":"broken"}`, `Done: No messages matching "broken" in the channels that the asker may read`)
		w.Require("eve", `{"type":"searchMessages","query":"release","limit":1}`,
			`Done: Search results for "release" in the channels that the asker may read (1 found; older ones are left, go on with "before": "`+string(post.ID)+"\"):\n"+third)
		w.Require("eve", `{"type":"searchMessages","query":"release","limit":1,"before":"`+string(post.ID)+`"}`, head(1)+first)
		w.Require("eve", `{"type":"searchMessages","query":"release","after":"`+string(public.ID)+`"}`, head(1)+third)
		w.Require("ada", `{"type":"searchMessages","query":"release","channel":"ideas"}`, "Done: Search results for \"release\" in #ideas (1 found):\n"+third)
		all := len(strings.Split(w.Run("ada", `{"type":"searchMessages","userId":"ada"}`)[0], "\n")) - 1
		if none := w.Run("ada", `{"type":"searchMessages","userId":"bob"}`)[0]; all < 4 || !strings.HasPrefix(none, "Done: No messages by <@") {
			t.Errorf("%d by ada; by bob: %s", all, none)
		}
		w.Must(w.Deny("#general", "eve", chat.ReadHistory))
		w.AskIn("A post")
		w.Require("eve", search, head(1)+third)
		w.Must(w.Deny("#ops", "bot", chat.ReadHistory))
		w.Require("ada", search, head(2)+third+"\n"+first)
	})
}

// TestASearchEverywhereHasAnEnd: what is too long for a prompt is left for a further search.
func TestASearchEverywhereHasAnEnd(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		for i := range 80 {
			w.MustSay("ada", "general", fmt.Sprintf("banana %d %s", i, strings.Repeat("ü", 200)))
		}
		seen, before := 0, ""
		for seen == 0 || before != "" {
			got := w.RequirePart("eve", `{"type":"searchMessages","query":"banana","limit":50`+before+`}`)
			if n := chat.Length(got); n > 7500 {
				t.Fatalf("%d characters", n)
			}
			n := strings.Count(got, "[ada] banana")
			if seen += n; n == 0 {
				t.Fatalf("nothing is found: %s", got)
			}
			_, id, more := strings.Cut(got, `go on with "before": "`)
			if before = ""; more {
				before = `,"before":"` + id[:19] + `"`
			}
		}
		if seen != 80 {
			t.Errorf("%d of 80 messages were found", seen)
		}
	})
}
