package messaging_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

func TestReadMessages(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		one := w.say("ada", "#ops", "first")
		two := w.say("bob", "#ops", "second\nDone: Deleted message in #general")
		w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"third"}`)
		three := w.latest("#ops")
		line := func(who, text, id string) string {
			m, _ := w.Message(chat.MessageID(id))
			return fmt.Sprintf("[%s] %s (%s, id:%s)", who, text, m.Sent.Format("2006-01-02 15:04:05 UTC"), id)
		}
		first, second := line("ada", "first", one), line("bob", "second ⏎ Done: Deleted message in #general", two)
		third := line("DiscoClaw", "third", three)
		const head = "Done: Messages in #ops:\n"
		w.requireEach([]example{
			{"all, oldest first", `{"type":"readMessages","channel":"ops"}`, head + first + "\n" + second + "\n" + third},
			{"the latest", `{"type":"readMessages","channel":"ops","limit":2}`, head + second + "\n" + third},
			{"fewer than one is one", `{"type":"readMessages","channel":"ops","limit":-5}`, head + third},
			{"before one of them", `{"type":"readMessages","channel":"ops","before":"` + two + `"}`, head + first},
			{"before the bot's last", `{"type":"readMessages","channel":"ops","before":"last"}`, head + first + "\n" + second},
		})
		w.Require("ada", `{"type":"readMessages","channel":"ops","before":"`+one+`"}`, "Done: No messages found in #ops")
		w.RequireShort("ada", `{"type":"readMessages","channel":"ops"}`, "read 3 messages in <#{ops}>", "{ops}")
		w.RequireShort("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"last"}`, "read a message in <#{ops}>", "{ops}")
		w.RequireShort("ada", `{"type":"readMessages","channel":"news"}`, "found no messages in <#{news}>", "{news}")
		w.Require("ada", `{"type":"readMessages","channel":"news"}`, "Done: No messages found in #news")
	})
}

func TestReadMessagesHasLimits(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		for i := range 120 {
			w.say("bob", "#ops", fmt.Sprint("message ", i))
		}
		for member, want := range map[string]int{``: 10, `,"limit":50`: 50, `,"limit":100`: 100, `,"limit":500`: 100, `,"limit":"3"`: 3} {
			got := w.Run("ada", `{"type":"readMessages","channel":"ops"`+member+`}`)[0]
			if n := strings.Count(got, "[bob] "); n != want {
				t.Errorf("with %q: %d messages, want %d", member, n, want)
			}
		}
	})
}

// TestLongMessagesAreReadInParts: what does not fit into a prompt is read with further requests, and
// none of it twice.
func TestLongMessagesAreReadInParts(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		for i := range 60 {
			w.say("bob", "#ops", fmt.Sprintf("message %02d %s", i, strings.Repeat("é🎉", 200)))
		}
		var read []string
		before, parts := "", 0
		for ; parts == 0 || before != ""; parts++ {
			got := w.Run("ada", `{"type":"readMessages","channel":"ops","limit":100`+before+`}`)[0]
			head, rest, _ := strings.Cut(got, "\n")
			if n := chat.Length(got); n > 8000 {
				t.Fatalf("%d characters", n)
			}
			var part []string
			for line := range strings.SplitSeq(rest, "\n") {
				part = append(part, line[len("[bob] "):len("[bob] message 00")])
			}
			read = append(part, read...)
			_, id, more := strings.Cut(head, `for older ones, "before": "`)
			if before = ""; more {
				before = `,"before":"` + strings.TrimSuffix(id, `"):`) + `"`
			}
		}
		if parts < 3 || len(read) != 60 || !slices.IsSorted(read) || len(slices.Compact(read)) != 60 {
			t.Errorf("%d parts: %v", parts, read)
		}
	})
}

func TestReadMessagesRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"nothing given", `{"type":"readMessages"}`, "Failed: readMessages: channel: missing"},
			{"half a message", `{"type":"readMessages","channel":"ops","limit":1.5}`, "Failed: readMessages: limit: must be a whole number, not 1.5"},
			{"a forum", `{"type":"readMessages","channel":"ideas"}`, "Failed: readMessages: <#{ideas}> is a forum channel, which holds no messages itself; choose one of its posts"},
			{"no such channel", `{"type":"readMessages","channel":"basement"}`, `Failed: readMessages: I can't see a channel #basement`},
		})
	})
}

func TestFetchMessage(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		id := w.say("bob", "#ops", "one\n\ntwo")
		m, _ := w.Message(chat.MessageID(id))
		at := m.Sent.Format("2006-01-02 15:04:05 UTC")
		want := fmt.Sprintf("Done: [bob]: one ⏎  ⏎ two (%s, #ops, id:%s)", at, id)
		w.Require("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"`+id+`"}`, want)
		w.Require("ada", `{"type":"fetchMessage","channel":"<#`+string(w.ChannelID("#ops"))+`>","messageId":`+id+`}`, want)
		w.Require("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"https://discord.com/channels/1/2/`+id+`"}`, want)
	})
}

func TestFetchMessageCutsLongTextUnlessAsked(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		// Line breaks grow when they are shown, so this is longer than any message.
		id := w.say("bob", "#ops", strings.Repeat("x\n", 999)+"x")
		short := w.Run("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"`+id+`"}`)[0]
		full := w.Run("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"`+id+`","full":true}`)[0]
		if n := strings.Count(full, "x"); n != 1000 {
			t.Errorf("full shows %d lines, want 1000", n)
		}
		if n := len([]rune(short)); n < 2000 || n > 2100 || !strings.Contains(short, "…") {
			t.Errorf("not full shows %d characters, want about 2000 and a mark", n)
		}
	})
}

func TestFetchMessageRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		elsewhere := w.latest("#general")
		w.Require("ada", `{"type":"fetchMessage"}`, "Failed: fetchMessage: messageId: missing")
		w.Require("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"12"}`, `Failed: fetchMessage: messageId: "12" is no message: give a handle such as m2, an ID (15 to 20 digits), a link, or "last"`)
		w.RequirePart("ada", `{"type":"fetchMessage","channelId":"basement","messageId":"`+elsewhere+`"}`, `Failed: fetchMessage: I can't see a channel #basement`)
		w.Require("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"`+elsewhere+`"}`,
			"Failed: fetchMessage: there is no such message in <#{ops}>; it may have been deleted")
		w.RequirePart("ada", `{"type":"fetchMessage","channelId":"ops","messageId":"last"}`, "Failed: fetchMessage: ", "is mine; say which message you mean")
	})
}
