package fakediscord_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestSeveralMessagesAreDeletedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Only IDs after Discord's epoch have an age.
		time.Sleep(time.Until(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)))
		r := newRig(t, "guild d: #a\nmember bob")
		old := r.say("bob", "#a", "old")
		time.Sleep(15 * 24 * time.Hour)
		one, two, three := r.say("bob", "#a", "1"), r.say("bob", "#a", "2"), r.say("bob", "#a", "3")
		bulk := func(ids ...chat.MessageID) reply {
			return r.sendAnyway("POST", r.in("#a", "/messages/bulk-delete"), encode(map[string]any{"messages": ids}))
		}
		var told []string
		r.Watch(func(e fakediscord.Event) { told = append(told, e.Name) })
		bulk(one.ID).want(400, 50016)
		bulk(one.ID, one.ID).want(400, 50035)
		bulk(one.ID, old.ID).want(400, 50034)
		bulk(one.ID, two.ID, chat.MessageID(three.ID[:17]+"99")).want(204, 0) // unknown messages are ignored
		if got := fmt.Sprint(len(r.Messages("#a"))); got != "2" {
			t.Errorf("%s messages are left, want the old and the third", got)
		}
		if got := strings.Join(told, " "); got != "MESSAGE_DELETE_BULK GUILD_AUDIT_LOG_ENTRY_CREATE" {
			t.Errorf("the world was told %q", got)
		}
		r.must(r.Deny("#a", "bot", chat.ManageMessages))
		bulk(two.ID, three.ID).want(403, 50013)
		r.say("bob", "@bot", "psst")
		r.sendAnyway("POST", r.in("@bob", "/messages/bulk-delete"), `{"messages":["1","2"]}`).want(403, 50003)
	})
}
