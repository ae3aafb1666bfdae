package messaging_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
)

func (w *world) isPinned(id string) bool {
	m, _ := w.Message(chat.MessageID(id))
	return !m.Pinned.IsZero()
}

func TestPinAndUnpin(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		id := w.say("bob", "#ops", "read this")
		w.Require("ada", `{"type":"pinMessage","channelId":"ops","messageId":"`+id+`"}`, "Done: pinned [a message](https://discord.com/channels/{server}/{ops}/1477998909849600012) in <#{ops}>")
		if !w.isPinned(id) {
			t.Error("the message was not pinned")
		}
		w.Require("ada", `{"type":"unpinMessage","channelId":"#ops","messageId":"`+id+`"}`, "Done: unpinned [a message](https://discord.com/channels/{server}/{ops}/1477998909849600012) in <#{ops}>")
		if w.isPinned(id) {
			t.Error("the message was not unpinned")
		}
	})
}

// TestTheLastMessageIsKnownWithoutItsID: within one reply, and from an earlier one.
func TestTheLastMessageIsKnownWithoutItsID(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		const pin = `{"type":"pinMessage","channelId":"ops","messageId":"last"}`
		got := w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"welcome"}`, pin)
		if !strings.HasPrefix(got[1], "Done: pinned ") {
			t.Fatalf("within a reply: %q", got)
		}
		welcome := string(w.Messages("#ops")[0].ID)
		if !w.isPinned(welcome) {
			t.Error("within a reply: another message was pinned")
		}
		w.Require("ada", `{"type":"unpinMessage","channelId":"ops","messageId":"LAST"}`, "Done: unpinned [a message](https://discord.com/channels/{server}/{ops}/1477998909849600012) in <#{ops}>")
		if w.isPinned(welcome) {
			t.Error("from an earlier reply: another message was unpinned")
		}

		// Last refers to the named channel, whatever was sent elsewhere.
		w.Run("ada", `{"type":"sendMessage","channel":"news","content":"unrelated"}`, pin)
		if !w.isPinned(welcome) || w.isPinned(string(w.Messages("news")[0].ID)) {
			t.Error("from another channel: another message was pinned")
		}
		w.RequirePart("ada", `{"type":"pinMessage","channelId":"general","messageId":"last"}`, "Failed: pinMessage: ", "is mine; say which message you mean")
	})
}

func TestPinningRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		for _, action := range []string{"pin", "unpin"} {
			failed := "Failed: " + action + "Message: "
			w.Require("ada", `{"type":"`+action+`Message"}`, failed+"messageId: missing")
			w.Require("ada", `{"type":"`+action+`Message","channelId":"basement","messageId":"last"}`, failed+`I can't see a channel #basement`)
			w.Require("ada", `{"type":"`+action+`Message","channelId":"ops","messageId":"111111111111111111"}`,
				failed+"there is no such message in <#{ops}>; it may have been deleted")
		}
	})
}

func TestListPins(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.Require("ada", `{"type":"listPins","channel":"ops"}`, "Done: No pinned messages in #ops")
		one, two := w.say("ada", "#ops", "rules"), w.say("bob", "#ops", "more\nrules")
		w.Run("ada", `{"type":"pinMessage","channelId":"ops","messageId":"`+one+`"}`)
		time.Sleep(time.Second)
		w.Run("ada", `{"type":"pinMessage","channelId":"ops","messageId":"`+two+`"}`)
		w.Require("ada", `{"type":"listPins","channel":"#ops"}`, fmt.Sprintf("Done: Pinned messages in #ops:\n[bob] more ⏎ rules (id:%s)\n[ada] rules (id:%s)", two, one))
		w.RequireShort("ada", `{"type":"listPins","channel":"#ops"}`, "read 2 pinned messages in <#{ops}>", "{ops}")
	})
}

func TestListPinsRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.Require("ada", `{"type":"listPins"}`, "Failed: listPins: channel: missing")
		w.RequirePart("ada", `{"type":"listPins","channel":"ideas"}`, "Failed: listPins: <#{ideas}> is a forum channel")
		w.RequirePart("ada", `{"type":"listPins","channel":"basement"}`, `Failed: listPins: I can't see a channel #basement`)
	})
}

func TestListPinsCountsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		for i := range 53 {
			id := w.say("bob", "#ops", fmt.Sprint("rule ", i))
			w.Run("ada", `{"type":"pinMessage","channelId":"ops","messageId":"`+id+`"}`)
			time.Sleep(time.Second)
		}
		lines := strings.Split(w.Run("ada", `{"type":"listPins","channel":"ops"}`)[0], "\n")
		if len(lines) != 52 || !strings.HasPrefix(lines[1], "[bob] rule 52 ") || lines[51] != "and 3 more" {
			t.Errorf("%d lines, the second %q and the last %q", len(lines), lines[1], lines[len(lines)-1])
		}
	})
}
