package fakediscord_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"

	"discoclaw/internal/fakediscord"
)

func TestAUserIsLookedUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob")
	if got := r.send("GET", "/users/"+string(r.user("bob")), "").want(200, 0); got["username"] != "bob" {
		t.Errorf("it is %v", got)
	}
	r.send("GET", "/users/123456789012345678", "").want(404, 10013)
}

func TestAllReactionsAreRemoved(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", usual, func(w *discordtest.World, s *session) {
		r := &rig{World: w.World, t: s.t}
		m := w.MustSay("bob", "#a", "hi")
		for _, emoji := range []chat.Emoji{"🔥", "👍", "🎉"} {
			r.must(w.React("bob", m.ID, emoji))
		}
		s.heard()
		fire := "/reactions/" + url.PathEscape("🔥")
		r.send("DELETE", r.at(m, fire), "").want(204, 0)
		r.send("DELETE", r.at(m, fire), "").want(400, 10014)
		r.send("DELETE", r.at(m, "/reactions"), "").want(204, 0)
		if got := names(s.heard()); got != "MESSAGE_REACTION_REMOVE_EMOJI MESSAGE_REACTION_REMOVE_ALL" {
			t.Errorf("heard %s", got)
		}
		if got, _ := w.Message(m.ID); len(got.Reactions) > 0 {
			t.Errorf("left are %v", got.Reactions)
		}
		r.must(w.React("bob", m.ID, "🔥"))
		r.must(w.SetPermission("bot", chat.ManageMessages, false))
		r.send("DELETE", r.at(m, "/reactions"), "").want(403, 50013)
		r.send("DELETE", r.at(m, fire), "").want(403, 50013)
	})
}

func TestThreadsHaveMembers(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember ada: owner\nmember bob\nthread \"t\" in #a\nthread \"s\" in #a: private")
	members := func() []string {
		t.Helper()
		return r.send("GET", r.in("t", "/thread-members"), "").list("user_id")
	}
	before := len(members())
	bob := "/thread-members/" + string(r.user("bob"))
	var told []struct {
		Member   struct{ User struct{ ID chat.UserID } }
		Presence json.RawMessage
	}
	r.Watch(func(e fakediscord.Event) {
		var update struct {
			Added json.RawMessage `json:"added_members"`
		}
		if told == nil && e.Name == "THREAD_MEMBERS_UPDATE" {
			r.must(json.Unmarshal(e.Data, &update))
			r.must(json.Unmarshal(update.Added, &told))
		}
	})
	r.send("PUT", r.in("t", bob), "").want(204, 0)
	r.send("PUT", r.in("t", bob), "").want(204, 0) // idempotent
	if got := members(); len(got) != before+1 || !slices.Contains(got, string(r.user("bob"))) {
		t.Errorf("members %q", got)
	}
	if len(told) != 1 || told[0].Member.User.ID != r.user("bob") || string(told[0].Presence) != "null" {
		t.Errorf("the event has %+v", told)
	}
	all := members()
	for query, want := range map[string][]string{
		"?limit=1": all[:1], "?with_member=true&limit=1": all[:1], "?limit=1&after=" + all[0]: all[1:2], "?after=" + all[len(all)-1]: {},
	} {
		if got := r.send("GET", r.in("t", "/thread-members"+query), "").list("user_id"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := r.send("GET", r.in("t", bob+"?with_member=true"), "").want(200, 0)["member"]; got == nil {
		t.Error("bob comes without his member")
	}
	r.send("DELETE", r.in("t", bob), "").want(204, 0)
	r.send("PUT", r.in("t", "/thread-members/@me"), "").want(204, 0)
	r.send("DELETE", r.in("t", "/thread-members/@me"), "").want(204, 0)
	if got := members(); slices.Contains(got, string(r.user("bob"))) || slices.Contains(got, string(r.user("bot"))) {
		t.Errorf("members %q", got)
	}
	r.send("PUT", r.in("t", "/thread-members/123456789012345678"), "").want(404, 10013)
	r.must(r.Archive("t"))
	r.send("PUT", r.in("t", bob), "").want(400, 50083)
	r.must(r.Archive("s"))
	if got := r.send("GET", r.in("#a", "/threads/archived/private"), "").want(200, 0)["threads"].([]any); len(got) != 1 {
		t.Errorf("private threads: %v", got)
	}
	if got := r.send("GET", r.in("#a", "/users/@me/threads/archived/private"), "").want(200, 0)["threads"].([]any); len(got) != 0 {
		t.Errorf("private threads with the bot in them: %v", got)
	}
	r.must(r.SetPermission("bot", chat.ManageThreads, false))
	r.must(r.Unarchive("t"))
	r.send("PUT", r.in("t", bob), "").want(204, 0)
	r.send("DELETE", r.in("t", bob), "").want(403, 50013)
	r.send("GET", r.in("#a", "/threads/archived/private"), "").want(403, 50013)
}

func TestAnInviteHasACode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: Administrator")
	code, _ := r.send("POST", r.in("#a", "/invites"), `{}`).want(200, 0)["code"].(string)
	if got := r.send("GET", "/invites/"+code+"?with_counts=true", "").want(200, 0); got["code"] != code || got["approximate_member_count"] != 2.0 || got["max_age"] != nil {
		t.Errorf("it is %v", got)
	}
	r.send("DELETE", "/invites/"+code, "").want(200, 0)
	r.send("GET", "/invites/"+code, "").want(404, 10006)
	if log := r.AuditLog(); log[len(log)-1].Action != 42 {
		t.Errorf("logged is %+v", log[len(log)-1])
	}
}

func TestRolesAreOrdered(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nrole low\nrole mid\nrole high")
	roles := "/guilds/" + string(r.GuildID()) + "/roles"
	var heard []string
	r.Watch(func(e fakediscord.Event) { heard = append(heard, e.Name) })
	r.send("PATCH", roles, `[{"id":"`+string(r.role("low").ID)+`","position":3},{"id":"`+string(r.role("high").ID)+`","position":1}]`).want(200, 0)
	if want := []string{"GUILD_ROLE_UPDATE", "GUILD_ROLE_UPDATE"}; !slices.Equal(heard, want) { // and nothing in the audit log
		t.Errorf("heard %v, want %v", heard, want)
	}
	if low, mid, high := r.role("low").Position, r.role("mid").Position, r.role("high").Position; !(high < mid && mid < low) {
		t.Errorf("low %d, mid %d, high %d", low, mid, high)
	}
	own := r.Roles()[len(r.Roles())-1]
	r.send("PATCH", roles, `[{"id":"`+string(r.role("low").ID)+`","position":9}]`).want(403, 50013) // above the bot's own
	if r.role(own.Name).Position <= r.role("low").Position {
		t.Error("a role stands above the bot's own")
	}
	all := ""
	for _, role := range r.Roles() { // some clients send them all
		all += fmt.Sprintf(`,{"id":%q,"position":%d}`, role.ID, role.Position)
	}
	r.send("PATCH", roles, "["+all[1:]+"]").want(200, 0)
	r.send("PATCH", roles, `[{"id":"123456789012345678","position":1}]`).want(404, 10011)
}

func TestAllCommandsAreOverwritten(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	path := "/applications/" + string(r.user("bot")) + "/commands"
	claw := `{"name":"claw","description":"Claws.","options":[{"type":1,"name":"say","description":"Says."}]}`
	id := r.send("POST", path, claw).want(201, 0)["id"]
	r.send("POST", path, `{"name":"old","description":"Old."}`).want(201, 0)
	if got := r.send("PUT", path, "["+claw+`,{"name":"new","description":"New."}]`).list("name"); !slices.Equal(got, []string{"claw", "new"}) {
		t.Errorf("commands %q", got)
	}
	if got := r.send("GET", path+"/"+id.(string), "").want(200, 0); got["name"] != "claw" {
		t.Errorf("its ID has changed: %v", got)
	}
	r.send("PUT", path, `[]`).want(200, 0)
	r.send("GET", path+"/"+id.(string), "").want(404, 10063)
}

func TestWhoVoted(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob")
	m := r.message(r.send("POST", r.in("#a", "/messages"), `{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a"}},{"poll_media":{"text":"b"}}]}}`).want(200, 0))
	r.must(r.Vote("bob", m.ID, 2))
	for answer, want := range map[string]int{"1": 0, "2": 1} {
		if got := r.send("GET", r.in("#a", "/polls/"+string(m.ID)+"/answers/"+answer), "").want(200, 0)["users"].([]any); len(got) != want {
			t.Errorf("%s: %v", answer, got)
		}
	}
}
