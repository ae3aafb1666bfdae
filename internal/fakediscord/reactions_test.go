package fakediscord_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestReactionsAreAddedListedAndRemoved(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob")
	m := r.say("ada", "#a", "hi")
	fire := "/reactions/" + url.PathEscape("🔥")
	r.send("PUT", r.at(m, fire+"/@me"), "").want(204, 0)
	r.send("PUT", r.at(m, fire+"/@me"), "").want(204, 0) // idempotent
	r.must(r.React("bob", m.ID, "🔥"))
	r.must(r.React("bob", m.ID, "party:123456789012345678"))

	if got := r.send("GET", r.at(m, fire), "").list("username"); len(got) != 2 {
		t.Errorf("who reacted: %v, want bob and the bot", got)
	}
	if got := r.send("GET", r.at(m, fire+"?limit=1&after="+string(r.user("bob"))), "").list("id"); len(got) > 1 {
		t.Errorf("a page of one holds %v", got)
	}
	r.send("PUT", r.at(m, "/reactions/party:123456789012345678/@me"), "").want(204, 0) // joining needs no right

	r.send("DELETE", r.at(m, fire+"/@me"), "").want(204, 0)
	r.send("DELETE", r.at(m, fire+"/"+string(r.user("bob"))), "").want(204, 0)
	r.send("DELETE", r.at(m, fire+"/"+string(r.user("bob"))), "").want(400, 10014)
	got, _ := r.Message(m.ID)
	want := []fakediscord.Reaction{{Emoji: "party:123456789012345678", Users: []chat.UserID{r.user("bob"), r.user("bot")}}}
	if diff := cmp.Diff(want, got.Reactions); diff != "" {
		t.Errorf("reactions (-want +got):\n%s", diff)
	}
}

func TestReactionsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob\nbot B: View Channel, Read Message History\nrole @everyone: View Channel, Send Messages, Read Message History, Send Messages in Threads, Create Public Threads\nthread \"t\" in #a")
	m := r.say("ada", "#a", "hi")
	r.send("PUT", r.at(m, "/reactions/"+url.PathEscape("🔥")+"/@me"), "").want(403, 50013)
	r.must(r.React("ada", m.ID, "🔥"))
	r.send("PUT", r.at(m, "/reactions/"+url.PathEscape("🔥")+"/@me"), "").want(204, 0)
	r.send("DELETE", r.at(m, "/reactions/"+url.PathEscape("🔥")+"/"+string(r.user("ada"))), "").want(403, 50013)

	r.must(r.SetPermission("bot", chat.AddReactions, true))
	for _, wrong := range []string{"thumbsup", "party:123456789012345678", "👍👍", "1"} {
		r.send("PUT", r.at(m, "/reactions/"+url.PathEscape(wrong)+"/@me"), "").want(400, 10014)
	}
	for _, right := range []string{"👍", "👍🏽", "❤️", "❤", "1️⃣", "🇩🇪", "👩‍👩‍👧", "✅", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"} {
		r.send("PUT", r.at(m, "/reactions/"+url.PathEscape(right)+"/@me"), "").want(204, 0)
	}
	gone := m
	gone.ID = "123456789012345678"
	r.send("PUT", r.at(gone, "/reactions/"+url.PathEscape("👍")+"/@me"), "").want(404, 10008)

	old := r.say("ada", "t", "x")
	r.must(r.Archive("t"))
	r.send("PUT", r.at(old, "/reactions/"+url.PathEscape("👍")+"/@me"), "").want(400, 50083)
}

func TestAMessageCarriesTwentyReactions(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	m := r.say("ada", "#a", "hi")
	for i := range 20 {
		r.must(r.React("ada", m.ID, chat.Emoji(rune(0x1F600+i))))
	}
	r.send("PUT", r.at(m, "/reactions/"+url.PathEscape("🔥")+"/@me"), "").want(400, 30010)
}

func TestPinsAreSetListedAndRemoved(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nthread \"t\" in #a")
	one, two := r.say("ada", "#a", "one"), r.say("ada", "#a", "two")
	r.send("PUT", r.in("#a", "/messages/pins/"+string(one.ID)), "").want(204, 0)
	r.send("PUT", r.in("#a", "/pins/"+string(two.ID)), "").want(204, 0)
	r.send("PUT", r.in("#a", "/messages/pins/"+string(one.ID)), "").want(204, 0) // idempotent

	page := r.send("GET", r.in("#a", "/messages/pins?limit=1"), "").want(200, 0)
	items, _ := page["items"].([]any)
	if len(items) != 1 || page["has_more"] != true {
		t.Fatalf("the first page is %v", page)
	}
	r.send("GET", r.in("#a", "/messages/pins?before="+url.QueryEscape("2000-01-01T00:00:00Z")), "").want(200, 0)
	r.sendAnyway("GET", r.in("#a", "/messages/pins?before=soon"), "").want(400, 50035)
	if got := r.send("GET", r.in("#a", "/pins"), "").list("content"); len(got) != 2 {
		t.Errorf("the older route lists %v", got)
	}
	notices := 0
	for _, m := range r.Messages("#a") {
		if m.Type == fakediscord.PinNotice {
			notices++
			r.send("PUT", r.in("#a", "/messages/pins/"+string(m.ID)), "").want(403, 50021)
		}
	}
	if notices != 2 {
		t.Errorf("%d notices of pins, want 2", notices)
	}
	r.send("DELETE", r.in("#a", "/messages/pins/"+string(one.ID)), "").want(204, 0)
	r.send("DELETE", r.in("#a", "/pins/"+string(two.ID)), "").want(204, 0)
	if got := r.Pins("#a"); len(got) != 0 {
		t.Errorf("still pinned: %v", got)
	}
}

func TestPinsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: View Channel, Read Message History, Manage Messages\nthread \"t\" in #a")
	m, old := r.say("ada", "#a", "x"), r.say("ada", "t", "x")
	pin := r.in("#a", "/messages/pins/"+string(m.ID))
	r.send("PUT", pin, "").want(403, 50013) // since 2026 Manage Messages does not do
	r.must(r.SetPermission("bot", chat.PinMessages, true))
	r.send("PUT", r.in("#a", "/messages/pins/123456789012345678"), "").want(404, 10008)
	r.must(r.Archive("t"))
	r.send("PUT", r.in("t", "/messages/pins/"+string(old.ID)), "").want(400, 50083)
	for range 250 {
		r.must(r.PinAs("ada", r.say("ada", "#a", "x").ID))
	}
	r.send("PUT", pin, "").want(400, 30003)
}

func TestAnnouncementsArePublishedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a news:announcement")
	m := r.post("news", "hear, hear")
	got := r.send("POST", r.at(m, "/crosspost"), "").want(200, 0)
	if got["flags"] != float64(1) {
		t.Errorf("flags = %v, want published", got["flags"])
	}
	r.send("POST", r.at(m, "/crosspost"), "").want(400, 40033)
	r.send("POST", r.at(r.post("#a", "x"), "/crosspost"), "").want(400, 50024)
	theirs := r.say("ada", "news", "mine")
	r.must(r.Deny("news", "bot", chat.ManageMessages))
	r.send("POST", r.at(theirs, "/crosspost"), "").want(403, 50013)
	r.must(r.Allow("news", "bot", chat.ManageMessages))
	r.must(r.PinAs("ada", theirs.ID))
	for _, m := range r.Messages("news") {
		if m.Type == fakediscord.PinNotice {
			r.send("POST", r.at(m, "/crosspost"), "").want(400, 50068)
		}
	}
	if got := strings.Count(r.Transcript(), "news"); got != 2 {
		t.Errorf("publishing made further messages: %s", r.Transcript())
	}
}
