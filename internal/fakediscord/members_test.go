package fakediscord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// peopleLayout has members below the bot, at its height and above it. The bot's role is
// put between helpers and chiefs.
const peopleLayout = `
guild d: #a #b
role helpers: Kick Members
role chiefs: Administrator
member ada: owner
member bob: helpers
member eve: chiefs
member zed
bot DiscoClaw
`

func newPeople(t testing.TB) *rig {
	t.Helper()
	r := newRig(t, peopleLayout)
	r.must(r.PlaceRole("DiscoClaw", 2))
	return r
}

func (r *rig) memberPath(name, rest string) string {
	r.t.Helper()
	return r.guildPath("/members/" + string(r.user(name)) + rest)
}

func (r *rig) role(name string) fakediscord.Role {
	r.t.Helper()
	for _, role := range r.Roles() {
		if role.Name == name {
			return role
		}
	}
	r.t.Fatalf("there is no role %s", name)
	return fakediscord.Role{}
}

func (r *rig) rolePath(name string) string { return r.guildPath("/roles/" + string(r.role(name).ID)) }

func (r *rig) person(name string) fakediscord.Member {
	r.t.Helper()
	m, ok := r.Member(name)
	if !ok {
		r.t.Fatalf("there is no member %s", name)
	}
	return m
}

func TestMembersAreListedInPages(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	r.must(r.RemoveMember("zed"))
	names := func(query string) string {
		var all []string
		for _, m := range r.send("GET", r.guildPath("/members?"+query), "").entries() {
			all = append(all, m["user"].(map[string]any)["username"].(string))
		}
		return strings.Join(all, " ")
	}
	if got := names("limit=1000"); got != "ada bob eve DiscoClaw" {
		t.Errorf("all: %s", got)
	}
	if got := names("limit=2"); got != "ada bob" {
		t.Errorf("the first two: %s", got)
	}
	if got := names("limit=2&after=" + string(r.user("bob"))); got != "eve DiscoClaw" {
		t.Errorf("the next two: %s", got)
	}
	r.sendAnyway("GET", r.guildPath("/members?limit=1001"), "").want(400, 50035)
	r.WithoutMemberList()
	r.send("GET", r.guildPath("/members?limit=2"), "").want(403, 50001)
}

func TestMembersAreFoundByTheBeginningOfTheirNames(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	r.must(r.SetNick("eve", "Bobette"))
	r.WithoutMemberList() // makes no difference here
	if n := len(r.send("GET", r.guildPath("/members/search?query=BOB&limit=10"), "").entries()); n != 2 {
		t.Errorf("%d are called bob…", n)
	}
	if n := len(r.send("GET", r.guildPath("/members/search?query=ob"), "").entries()); n != 0 {
		t.Errorf("%d are called ob…", n)
	}
	r.sendAnyway("GET", r.guildPath("/members/search?query="), "").want(400, 50035)
}

func TestHigherMembersCannotBeChanged(t *testing.T) {
	t.Parallel()
	until := `{"communication_disabled_until":"` + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + `"}`
	for what, do := range map[string]func(r *rig, who string) reply{
		"rename":   func(r *rig, who string) reply { return r.send("PATCH", r.memberPath(who, ""), `{"nick":"x"}`) },
		"time out": func(r *rig, who string) reply { return r.send("PATCH", r.memberPath(who, ""), until) },
		"kick":     func(r *rig, who string) reply { return r.send("DELETE", r.memberPath(who, ""), "") },
		"ban":      func(r *rig, who string) reply { return r.send("PUT", r.guildPath("/bans/"+string(r.user(who))), `{}`) },
	} {
		for who, below := range map[string]bool{"zed": true, "bob": true, "eve": false, "ada": false, "DiscoClaw": false} {
			t.Run(what+" "+who, func(t *testing.T) {
				t.Parallel()
				r := newPeople(t)
				got := do(r, who)
				if below != (got.status < 300) {
					t.Errorf("status %d: %s", got.status, got.body)
				}
				if !below {
					got.want(403, 50013)
				}
			})
		}
	}
}

func TestEachChangeToMembersNeedsItsRight(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		right chat.Permission
		do    func(r *rig) reply
	}{
		{chat.ManageNicknames, func(r *rig) reply { return r.send("PATCH", r.memberPath("bob", ""), `{"nick":"x"}`) }},
		{chat.ModerateMembers, func(r *rig) reply {
			return r.send("PATCH", r.memberPath("bob", ""), `{"communication_disabled_until":null}`)
		}},
		{chat.ManageRoles, func(r *rig) reply { return r.send("PATCH", r.memberPath("bob", ""), `{"roles":[]}`) }},
		{chat.ManageRoles, func(r *rig) reply {
			return r.send("PUT", r.memberPath("zed", "/roles/"+string(r.role("helpers").ID)), "")
		}},
		{chat.ManageRoles, func(r *rig) reply {
			return r.send("DELETE", r.memberPath("bob", "/roles/"+string(r.role("helpers").ID)), "")
		}},
		{chat.ManageRoles, func(r *rig) reply { return r.send("POST", r.guildPath("/roles"), `{"name":"x"}`) }},
		{chat.ManageRoles, func(r *rig) reply { return r.send("PATCH", r.rolePath("helpers"), `{"name":"x"}`) }},
		{chat.ManageRoles, func(r *rig) reply { return r.send("DELETE", r.rolePath("helpers"), "") }},
		{chat.KickMembers, func(r *rig) reply { return r.send("DELETE", r.memberPath("bob", ""), "") }},
		{chat.BanMembers, func(r *rig) reply { return r.send("PUT", r.guildPath("/bans/"+string(r.user("bob"))), `{}`) }},
		{chat.BanMembers, func(r *rig) reply { return r.send("GET", r.guildPath("/bans"), "") }},
	} {
		r := newPeople(t)
		r.must(r.SetPermission("bot", tt.right, false))
		tt.do(r).want(403, 50013)
		r.must(r.SetPermission("bot", tt.right, true))
		if got := tt.do(r); got.status >= 300 {
			t.Errorf("with %s: %d %s", tt.right, got.status, got.body)
		}
	}
}

func TestNicknames(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	r.send("PATCH", r.memberPath("bob", ""), `{"nick":"Bobby"}`).want(200, 0)
	if nick := r.person("bob").Nick; nick != "Bobby" {
		t.Errorf("bob is called %q", nick)
	}
	r.send("PATCH", r.memberPath("bob", ""), `{"nick":null}`).want(200, 0)
	if nick := r.person("bob").Nick; nick != "" {
		t.Errorf("bob is called %q", nick)
	}
	r.sendAnyway("PATCH", r.memberPath("bob", ""), `{"nick":"`+strings.Repeat("x", 33)+`"}`).want(400, 50035)
	r.send("PATCH", r.guildPath("/members/@me"), `{"nick":"Claw"}`).want(200, 0)
	if nick := r.person("bot").Nick; nick != "Claw" {
		t.Errorf("the bot is called %q", nick)
	}
	r.must(r.SetPermission("@everyone", chat.ChangeNickname, false))
	r.send("PATCH", r.guildPath("/members/@me"), `{"nick":"Paw"}`).want(403, 50013)
	r.send("PATCH", r.guildPath("/members/100000000000000000"), `{"nick":"x"}`).want(404, 10007)
}

func TestTimeoutsEndAndHaveALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)))
		r := newPeople(t)
		for d, status := range map[time.Duration]int{28 * 24 * time.Hour: 200, 28*24*time.Hour + time.Second: 400} {
			code := map[int]int{400: 50035}[status]
			body := fmt.Sprintf(`{"communication_disabled_until":%q}`, time.Now().Add(d).UTC().Format(time.RFC3339))
			r.send("PATCH", r.memberPath("bob", ""), body).want(status, code)
		}
		if _, err := r.Say("bob", "#a", "hello"); err == nil {
			t.Error("bob speaks although he is timed out")
		}
		r.send("PATCH", r.memberPath("bob", ""), `{"communication_disabled_until":null}`).want(200, 0)
		r.say("bob", "#a", "hello")
	})
}

// TestAdministratorsCannotBeTimedOut even by a bot that stands above them.
func TestAdministratorsCannotBeTimedOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, peopleLayout)
	body := `{"communication_disabled_until":"` + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + `"}`
	r.send("PATCH", r.memberPath("eve", ""), body).want(403, 50013)
	r.send("PATCH", r.memberPath("eve", ""), `{"nick":"x"}`).want(200, 0)
}

func TestRolesAreHandedOutFromBelowTheBot(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	helpers, chiefs := r.role("helpers").ID, r.role("chiefs").ID
	give := func(who string, role chat.RoleID) reply {
		return r.send("PUT", r.memberPath(who, "/roles/"+string(role)), "")
	}
	for _, who := range []string{"zed", "eve", "ada"} { // only the role's position counts
		give(who, helpers).want(204, 0)
		if !slices.Contains(r.person(who).Roles, helpers) {
			t.Errorf("%s does not have the role", who)
		}
	}
	give("zed", helpers).want(204, 0) // idempotent
	if n := len(r.person("zed").Roles); n != 1 {
		t.Errorf("zed has %d roles", n)
	}
	give("zed", chiefs).want(403, 50013)
	give("zed", r.role("DiscoClaw").ID).want(403, 50028)
	give("zed", chat.RoleID(r.GuildID())).want(403, 50028)
	give("zed", "100000000000000000").want(404, 10011)
	r.send("DELETE", r.memberPath("zed", "/roles/"+string(helpers)), "").want(204, 0)
	if n := len(r.person("zed").Roles); n != 0 {
		t.Errorf("zed has %d roles", n)
	}
	r.send("PATCH", r.memberPath("eve", ""), `{"roles":["`+string(chiefs)+`"]}`).want(200, 0) // helpers goes, chiefs stays
	r.send("PATCH", r.memberPath("eve", ""), `{"roles":[]}`).want(403, 50013)
}

func TestKickedPeopleCanComeBackAndBannedOnesCannot(t *testing.T) {
	t.Parallel()
	r := newPeople(t)
	bob, zed := r.user("bob"), r.user("zed")
	r.send("DELETE", r.memberPath("bob", ""), "").want(204, 0)
	r.send("GET", r.guildPath("/members/"+string(bob)), "").want(404, 10007)
	if m, err := r.Join("bob"); err != nil || m.ID != bob || len(m.Roles) != 0 {
		t.Errorf("bob is %+v, %v", m, err)
	}
	r.must(r.RemoveMember("zed"))
	r.send("PUT", r.guildPath("/bans/"+string(zed)), `{}`).want(204, 0) // he had left
	r.send("PUT", r.guildPath("/bans/"+string(zed)), `{}`).want(204, 0) // idempotent
	if _, err := r.Join("zed"); err == nil {
		t.Error("zed came back although he is banned")
	}
	r.send("GET", r.guildPath("/bans/"+string(zed)), "").want(200, 0)
	r.send("GET", r.guildPath("/bans/"+string(bob)), "").want(404, 10026)
	if n := len(r.send("GET", r.guildPath("/bans?limit=10"), "").entries()); n != 1 {
		t.Errorf("%d are banned", n)
	}
	r.send("DELETE", r.guildPath("/bans/"+string(zed)), `{}`).want(204, 0)
	r.send("DELETE", r.guildPath("/bans/"+string(zed)), `{}`).want(404, 10026)
	if _, err := r.Join("zed"); err != nil {
		t.Error(err)
	}
	r.send("PUT", r.guildPath("/bans/100000000000000000"), `{}`).want(404, 10013)
	r.sendAnyway("PUT", r.guildPath("/bans/"+string(zed)), `{"delete_message_seconds":604801}`).want(400, 50035)
}

func TestABanDeletesRecentMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newPeople(t)
		r.say("bob", "#a", "old")
		time.Sleep(25 * time.Hour)
		r.say("bob", "#a", "new")
		r.say("bob", "#b", "new too")
		r.say("ada", "#a", "mine")
		r.send("PUT", r.guildPath("/bans/"+string(r.user("bob"))), `{"delete_message_seconds":86400}`).want(204, 0)
		if got := r.Transcript(); got != "#a bob: old\n#a ada: mine\n" {
			t.Errorf("left is:\n%s", got)
		}
	})
}
