package fakediscord_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// entries are those of an answer that is a list.
func (r reply) entries() []map[string]any {
	r.t.Helper()
	var got []map[string]any
	if err := json.Unmarshal(r.body, &got); err != nil || r.status != http.StatusOK {
		r.t.Fatalf("status %d: %s: %v", r.status, r.body, err)
	}
	return got
}

func TestANewRoleStandsLowest(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	made := r.send("POST", r.guildPath("/roles"), `{"name":"guests","permissions":2048,"color":255,"hoist":true,"mentionable":true}`).want(200, 0)
	guests := r.role("guests")
	if made["id"] != string(guests.ID) || guests.Position != 1 || guests.Permissions.String() != "Send Messages" ||
		guests.Color != 255 || !guests.Hoist || !guests.Mentionable {
		t.Errorf("made %+v, answered %v", guests, made)
	}
	// bob's helpers have the same position, and are older.
	r.must(r.GrantRole("bob", "helpers"))
	r.must(r.PlaceRole("guests", 1))
	if low, high := r.role("guests").Position, r.role("helpers").Position; low >= high {
		t.Errorf("guests stand at %d, helpers at %d", low, high)
	}
	r.send("GET", r.rolePath("guests"), "").want(200, 0)
	r.send("GET", r.guildPath("/roles/100000000000000000"), "").want(404, 10011)
}

func TestRolesCannotHaveMoreRightsThanTheBot(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	r.send("POST", r.guildPath("/roles"), `{"name":"gods","permissions":8}`).want(403, 50013)
	r.send("PATCH", r.rolePath("helpers"), `{"permissions":10}`).want(403, 50013) // Administrator, too
	r.must(r.SetPermission("bot", chat.KickMembers, false))
	r.send("PATCH", r.rolePath("helpers"), `{"permissions":2,"hoist":true}`).want(200, 0) // rights that it had
	r.send("PATCH", r.rolePath("chiefs"), `{"name":"x"}`).want(403, 50013)
	r.send("PATCH", r.rolePath("DiscoClaw"), `{"name":"x"}`).want(403, 50013)
	r.send("DELETE", r.rolePath("chiefs"), "").want(403, 50013)
	r.sendAnyway("POST", r.guildPath("/roles"), `{"name":"`+strings.Repeat("x", 101)+`"}`).want(400, 50035)
	r.sendAnyway("POST", r.guildPath("/roles"), `{"color":16777216}`).want(400, 50035)
	r.sendAnyway("POST", r.guildPath("/roles"), `{"permissions":"all"}`).want(400, 50035)
	r.send("DELETE", r.guildPath("/roles/"+string(r.GuildID())), "").want(403, 50028)
	r.must(r.PlaceRole("DiscoClaw", 9))
	r.must(r.GrantRole("bot", "chiefs"))
	r.send("PATCH", r.rolePath("helpers"), `{"permissions":10}`).want(200, 0)
	r.send("DELETE", r.rolePath("DiscoClaw"), "").want(403, 50013) // the bot's own highest role is not below it
}

func TestADeletedRoleIsGoneEverywhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, peopleLayout+"deny #a helpers: Send Messages")
	if n := r.send("GET", r.guildPath("/roles/member-counts"), "").want(200, 0)[string(r.role("helpers").ID)]; n != 1.0 {
		t.Errorf("%v have the role", n)
	}
	r.send("DELETE", r.rolePath("helpers"), "").want(204, 0)
	if n := len(r.person("bob").Roles); n != 0 {
		t.Errorf("bob has %d roles", n)
	}
	if a, _ := r.Channel("#a"); len(a.Overwrites) != 0 {
		t.Errorf("#a keeps %v", a.Overwrites)
	}
	r.say("bob", "#a", "hello")
}

func TestPlacesOfRolesAreChecked(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	for role, position := range map[string]int{"max": 1, "@everyone": 1, "helpers": 0} {
		if err := r.PlaceRole(role, position); err == nil {
			t.Errorf("%s was put at %d", role, position)
		}
	}
	if _, err := r.Join("bob"); err == nil {
		t.Error("bob joined twice")
	}
}

// TestTheGatewayHasMemberEvents: each change is an event of its own.
func TestTheGatewayHasMemberEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newPeople(t)
		var heard []string
		r.Watch(func(e fakediscord.Event) {
			if e.Name != "GUILD_AUDIT_LOG_ENTRY_CREATE" { // accompanies every change
				heard = append(heard, e.Name)
			}
		})
		helpers := string(r.role("helpers").ID)
		r.send("PUT", r.memberPath("zed", "/roles/"+helpers), "").want(204, 0)
		r.send("POST", r.guildPath("/roles"), `{"name":"x"}`).want(200, 0)
		r.send("PATCH", r.rolePath("x"), `{"name":"y"}`).want(200, 0)
		r.send("DELETE", r.rolePath("y"), "").want(204, 0)
		zed := string(r.user("zed"))
		r.send("DELETE", r.memberPath("zed", ""), "").want(204, 0)
		if _, err := r.Join("zed"); err != nil {
			t.Fatal(err)
		}
		r.send("PUT", r.guildPath("/bans/"+zed), `{}`).want(204, 0)
		r.send("DELETE", r.guildPath("/bans/"+zed), `{}`).want(204, 0)
		want := []string{
			"GUILD_MEMBER_UPDATE", "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_REMOVE",
			"GUILD_MEMBER_ADD", "GUILD_MEMBER_REMOVE", "GUILD_BAN_ADD", "GUILD_BAN_REMOVE",
		}
		if !slices.Equal(heard, want) {
			t.Errorf("heard %v,\nwant %v", heard, want)
		}
	})
}
