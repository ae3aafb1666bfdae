package guild_test

import (
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/guild"
)

// hallLayout is for tests of the server as a whole and its channels.
const hallLayout = `
guild disco: #general #ops ideas:forum talk:voice lounge:voice podium:stage Projects:category
bot DiscoClaw: View Channel, Send Messages, Read Message History, Manage Channels, Create Invite, Manage Server, Create Events, Manage Events, View Audit Log, Connect
member ada: owner
member bob: helpers
member eve
role helpers: Create Events, Manage Events, View Audit Log, Manage Server, Manage Channels, Mute Members, Move Members
role @everyone: View Channel, Read Message History, Send Messages, Create Invite, Connect
thread "A plan" in #ops
`

// inHall runs a test on a server of hallLayout.
func inHall(t *testing.T, layout string, test func(t *testing.T, w *world)) {
	t.Helper()
	server.In(t, layout, func(t *testing.T, w *server.Server) { test(t, newWorld(t, w)) })
}

// back runs the inverse of an action, of which there must be exactly one, for ada, and
// returns its line.
func (w *world) back(out actions.Outcome) string {
	w.t.Helper()
	if out.Err != nil || len(out.Result.Undo) != 1 {
		w.t.Fatalf("%s: there is no inverse, %v", out.Request.Args, out.Err)
	}
	return w.Run("ada", string(out.Result.Undo[0].Request.Args))[0]
}

// TestEachServerActionNamesWhatItNeeds pins the rights that a requester must have: without
// one of them the action would be open to all.
func TestEachServerActionNamesWhatItNeeds(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"searchMessages": "View Channel, Read Message History",
		"eventList":      "", // lists only visible events
		"eventCreate":    "Create Events",
		"eventEdit":      "Manage Events",
		"eventDelete":    "Manage Events",
		"inviteCreate":   "View Channel, Create Invite",
		"inviteList":     "", // Manage Server, or Manage Channels in the channel
		"auditLog":       "View Audit Log",
		"emojiList":      "",
	}
	queries := "searchMessages eventList inviteList auditLog emojiList"
	for _, a := range guild.New(nil).Actions() {
		expected, mine := want[a.Name]
		if !mine {
			continue
		}
		delete(want, a.Name)
		var needs []string
		for _, p := range a.Needs {
			needs = append(needs, string(p))
		}
		if got := strings.Join(needs, ", "); got != expected {
			t.Errorf("%s needs %s, want %s", a.Name, got, expected)
		}
		query := strings.Contains(" "+queries+" ", " "+a.Name+" ")
		if a.Quiet || a.Destructive != (a.Name == "eventDelete") || (a.Effect == actions.Queries) != query {
			t.Errorf("%s: quiet %v, destructive %v, query %v", a.Name, a.Quiet, a.Destructive, a.Effect == actions.Queries)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// TestServerActionsNeedARequester: without one, nothing is done.
func TestServerActionsNeedARequester(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		for _, payload := range []string{
			`{"type":"searchMessages","query":"x"}`, `{"type":"eventList"}`, `{"type":"eventCreate","name":"x","startTime":"2027-01-01"}`,
			`{"type":"eventEdit","eventId":"123456789012345678","name":"x"}`, `{"type":"eventDelete","eventId":"123456789012345678"}`,
			`{"type":"inviteCreate"}`, `{"type":"inviteList"}`, `{"type":"auditLog"}`, `{"type":"emojiList"}`,
		} {
			w.RequirePart("", payload, "Failed: ", "nobody is known to have asked for this")
		}
		w.Must(w.RemoveMember("eve"))
		for _, payload := range []string{`{"type":"eventList"}`, `{"type":"emojiList"}`} {
			w.RequirePart("eve", payload, "only members of the server may ask for that")
		}
	})
}

func TestPeopleSeeShortLines(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		w.Do("ada", `{"type":"eventCreate","name":"Quiz","startTime":"2027-05-01T18:00:00Z","channelId":"talk"}`)
		w.Do("ada", `{"type":"eventCreate","name":"Hike","startTime":"2027-05-01T18:00:00Z","location":"outside"}`)
		w.Do("ada", `{"type":"inviteCreate","channel":"general"}`)
		w.did("ada", 166, "", "")
		w.RequireShort("ada", `{"type":"eventList"}`, "listed 2 events", "{talk}")
		w.RequireShort("ada", `{"type":"inviteList"}`, "listed 1 invite")
		w.RequireShort("ada", `{"type":"auditLog","limit":1}`, "read 1 entry of the audit log")
		w.RequireShort("ada", `{"type":"emojiList"}`, "found no emoji")
		w.RequireShort("ada", `{"type":"roleInfo"}`, "listed 2 roles")
		w.RequireShort("ada", `{"type":"roleInfo","role":"helpers"}`, "looked up <@&{@helpers}>")
		w.RequireShort("ada", `{"type":"memberInfo"}`, "looked up <@{ada}>")
		w.RequireShort("ada", `{"type":"memberList"}`, "found 4 members")
		w.RequireShort("ada", `{"type":"searchMessages","query":"x","channel":"ops"}`, "found no messages in <#{ops}>", "{ops}")
	})
}

// TestNotEveryMemberMayKnowEverything: without a channel, a result is open if every member could
// have asked for it.
func TestNotEveryMemberMayKnowEverything(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		for _, name := range []string{"eventList", "emojiList", "roleInfo", "memberInfo", "memberList", "inviteList", "auditLog"} {
			payload := `{"type":"` + name + `"}`
			open, may := w.Do("ada", payload)[0].Result.Open, w.Do("eve", payload)[0].Err == nil
			if open != may {
				t.Errorf("%s: open %v, but eve may ask for it: %v", name, open, may)
			}
		}
	})
}
