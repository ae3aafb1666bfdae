package guild_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestRoleInfo(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"all", "zed", `{"type":"roleInfo"}`, "Done: Roles (4):\nchiefs (id:{@chiefs}, 1 member)\nDiscoClaw (id:{@DiscoClaw}, 1 member)\nmods (id:{@mods}, 2 members)\nguests (id:{@guests}, 1 member)"},
			{"one", "zed", `{"type":"roleInfo","role":"@Mods"}`, "Done: Name: mods\nID: {@mods}\nMembers: 2\nPosition: 2\nColor: none\nPermissions: Manage Roles, Manage Nicknames, Kick Members, Manage Messages\nWho has it (2):\nbob (@bob, id:{bob}): mods\npia (@pia, id:{pia}): mods"},
			{"some", "zed", `{"type":"roleInfo","query":"S"}`, "Done: Roles with \"S\" in the name (4):\nchiefs (id:{@chiefs}, 1 member)\nDiscoClaw (id:{@DiscoClaw}, 1 member)\nmods (id:{@mods}, 2 members)\nguests (id:{@guests}, 1 member)"},
			{"the next page", "zed", `{"type":"roleInfo","after":"<@&{@DiscoClaw}>"}`, "Done: Roles (2 of 4 shown):\nmods (id:{@mods}, 2 members)\nguests (id:{@guests}, 1 member)"},
			{"some of its members", "zed", `{"type":"roleInfo","role":"mods","query":"pi"}`, "Done: Name: mods\nID: {@mods}\nMembers: 2\nPosition: 2\nColor: none\nPermissions: Manage Roles, Manage Nicknames, Kick Members, Manage Messages\nWho has it (1):\npia (@pia, id:{pia}): mods"},
			{"none such", "zed", `{"type":"roleInfo","role":"kings"}`, `Failed: roleInfo: there is no role "kings" on this server`},
		})
	})
}

func TestRoleAddAndRemove(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		added := w.Require("bob", `{"type":"roleAdd","userId":"{zed}","role":"Guests"}`, "Done: gave <@{zed}> the role <@&{@guests}>")
		if !w.has("zed", "guests") {
			t.Error("zed does not have the role")
		}
		again := w.Require("bob", `{"type":"roleAdd","userId":"{zed}","role":"<@&{@guests}>"}`, "Done: <@{zed}> has the role <@&{@guests}> already")
		if len(again.Result.Undo) > 0 {
			t.Error("an action without effect has an inverse")
		}
		w.Undo(added)
		if w.has("zed", "guests") {
			t.Error("zed still has the role")
		}
		removed := w.Require("bob", `{"type":"roleRemove","userId":"{gus}","roleId":"{@guests}"}`, "Done: took the role <@&{@guests}> from <@{gus}>")
		if w.has("gus", "guests") {
			t.Error("gus has the role")
		}
		w.Require("bob", `{"type":"roleRemove","userId":"{gus}","role":"guests"}`, "Done: <@{gus}> does not have the role <@&{@guests}>")
		w.Undo(removed)
		if !w.has("gus", "guests") {
			t.Error("gus did not get the role back")
		}
		w.Require("ada", `{"type":"roleAdd","userId":"{ada}","role":"mods"}`, "Done: gave <@{ada}> the role <@&{@mods}>")
		w.Require("bob", `{"type":"roleAdd","userId":"{bob}","role":"guests"}`, "Done: gave <@{bob}> the role <@&{@guests}>")
	})
}

// TestHigherRolesCannotBeChanged: higher than the requester, or than the bot.
func TestHigherRolesCannotBeChanged(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		const low = "my role **DiscoClaw** is too low for that; an admin can drag it above **chiefs** under Server Settings → Roles"
		const notAbove = "you need a role above "
		w.requireEach([]example{
			{"without the right", "zed", `{"type":"roleAdd","userId":"{gus}","role":"guests"}`, "Failed: roleAdd: you need *Manage Roles* for that"},
			{"one's own role", "bob", `{"type":"roleAdd","userId":"{zed}","role":"mods"}`, "Failed: roleAdd: " + notAbove + "<@&{@mods}> for that"},
			{"a higher role", "bob", `{"type":"roleAdd","userId":"{zed}","role":"chiefs"}`, "Failed: roleAdd: " + notAbove + "<@&{@chiefs}> for that"},
			{"a higher role for oneself", "bob", `{"type":"roleAdd","userId":"{bob}","role":"chiefs"}`, "Failed: roleAdd: " + notAbove + "<@&{@chiefs}> for that"},
			{"an equal member", "bob", `{"type":"roleAdd","userId":"{pia}","role":"guests"}`, "Failed: roleAdd: " + "you need a higher role than <@{pia}> for that"},
			{"a higher member", "bob", `{"type":"roleRemove","userId":"{kim}","role":"guests"}`, "Failed: roleRemove: " + "you need a higher role than <@{kim}> for that"},
			{"the owner", "kim", `{"type":"roleAdd","userId":"{ada}","role":"guests"}`, "Failed: roleAdd: " + "you need a higher role than <@{ada}> for that"},
			{"above the bot", "ada", `{"type":"roleAdd","userId":"{zed}","role":"chiefs"}`, "Failed: roleAdd: " + low},
			{"taken from above the bot", "ada", `{"type":"roleRemove","userId":"{kim}","role":"chiefs"}`, "Failed: roleRemove: " + low},
			{"the bot's role", "ada", `{"type":"roleAdd","userId":"{zed}","role":"DiscoClaw"}`, "Failed: roleAdd: the role **DiscoClaw** belongs to a bot or another integration, and comes and goes with it"},
			{"everyone's role", "ada", `{"type":"roleRemove","userId":"{zed}","role":"@everyone"}`, "Failed: roleRemove: @everyone is the role that everybody has; it cannot be given, taken or deleted"},
			{"no such role", "ada", `{"type":"roleAdd","userId":"{zed}","role":"mod"}`, `Failed: roleAdd: there is no role "mod" on this server; there is “mods”`},
			{"nobody", "ada", `{"type":"roleAdd","userId":"100000000000000000","role":"guests"}`, "Failed: roleAdd: <@100000000000000000> is not a member of this server"},
			{"no role", "ada", `{"type":"roleAdd","userId":"{zed}"}`, "Failed: roleAdd: role: missing"},
			{"for nobody", "", `{"type":"roleAdd","userId":"{zed}","role":"guests"}`, "Failed: roleAdd: nobody is known to have asked for this"},
			{"edit a higher role", "bob", `{"type":"roleEdit","role":"chiefs","name":"x"}`, "Failed: roleEdit: " + notAbove + "<@&{@chiefs}> for that"},
			{"edit one's own", "bob", `{"type":"roleEdit","role":"mods","name":"x"}`, "Failed: roleEdit: " + notAbove + "<@&{@mods}> for that"},
			{"delete one's own", "bob", `{"type":"roleDelete","role":"mods"}`, "Failed: roleDelete: " + notAbove + "<@&{@mods}> for that"},
			{"edit above the bot", "ada", `{"type":"roleEdit","role":"chiefs","name":"x"}`, "Failed: roleEdit: " + low},
			{"delete above the bot", "ada", `{"type":"roleDelete","role":"chiefs"}`, "Failed: roleDelete: " + low},
			{"delete everyone's", "ada", `{"type":"roleDelete","role":"everyone"}`, "Failed: roleDelete: @everyone is the role that everybody has; it cannot be given, taken or deleted"},
			{"create without the right", "zed", `{"type":"roleCreate","name":"x"}`, "Failed: roleCreate: you need *Manage Roles* for that"},
			{"edit without the right", "zed", `{"type":"roleEdit","role":"guests","name":"x"}`, "Failed: roleEdit: you need *Manage Roles* for that"},
			{"delete without the right", "zed", `{"type":"roleDelete","role":"guests"}`, "Failed: roleDelete: you need *Manage Roles* for that"},
		})
		if w.has("zed", "guests") || w.has("zed", "chiefs") || !w.has("kim", "chiefs") || len(w.Roles()) != 5 {
			t.Error("a refused change was made")
		}
		w.Must(w.SetPermission("bot", chat.ManageRoles, false))
		for _, payload := range []string{
			`{"type":"roleAdd","userId":"{zed}","role":"guests"}`, `{"type":"roleRemove","userId":"{gus}","role":"guests"}`,
			`{"type":"roleCreate","name":"x"}`, `{"type":"roleEdit","role":"guests","name":"x"}`, `{"type":"roleDelete","role":"guests"}`,
		} {
			if got := w.Do("ada", payload)[0].Line(); !strings.HasSuffix(got, "I need *Manage Roles* for that; an admin can give it to my role under Server Settings → Roles") {
				t.Errorf("%s: %s", payload, got)
			}
		}
	})
}

func TestRoleCreate(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		out := w.Do("bob", `{"type":"roleCreate","name":"Old\nHands","color":"3498DB","hoist":true,"mentionable":true,"permissions":["MANAGE_MESSAGES","kick members"]}`)[0]
		r, there := w.role("Old Hands")
		if !there || out.Line() != "Done: created the role <@&"+string(r.ID)+">" {
			t.Fatal(out.Line())
		}
		if r.Color != 0x3498db || !r.Hoist || !r.Mentionable || r.Permissions.String() != "Kick Members, Manage Messages" || r.Position != 1 {
			t.Errorf("made %+v", r)
		}
		w.Undo(out)
		if _, there := w.role("Old Hands"); there {
			t.Error("the role is still there")
		}
		plain := w.Do("bob", `{"type":"roleCreate","name":"plain"}`)[0]
		if r, _ := w.role("plain"); plain.Err != nil || r.Permissions != 0 {
			t.Errorf("made %+v: %v", r, plain.Err)
		}
		// A new role can be used by its name in the same reply.
		w.Require("bob", `{"type":"roleAdd","userId":"{zed}","role":"plain"}`, "Done: gave <@{zed}> the role <@&{@plain}>")
	})
}

// TestRolesCannotHaveMoreRightsThanTheRequester through the bot.
func TestRolesCannotHaveMoreRightsThanTheRequester(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"a right that bob lacks", "bob", `{"type":"roleCreate","name":"x","permissions":["Kick Members","Ban Members"]}`, "Failed: roleCreate: you need *Ban Members* for that"},
			{"every right", "bob", `{"type":"roleCreate","name":"x","permissions":["Administrator"]}`, "Failed: roleCreate: you need *Administrator* for that"},
			{"by an edit", "bob", `{"type":"roleEdit","role":"guests","permissions":["Administrator"]}`, "Failed: roleEdit: you need *Administrator* for that"},
			{"by giving one more", "bob", `{"type":"roleEdit","role":"guests","allow":["Kick Members","Administrator"]}`, "Failed: roleEdit: you need *Administrator* for that"},
			{"one more for everyone", "bob", `{"type":"roleEdit","role":"@everyone","allow":["Ban Members"]}`, "Failed: roleEdit: you need *Ban Members* for that"},
			{"more for one's own", "bob", `{"type":"roleEdit","role":"mods","allow":["Kick Members"]}`, "Failed: roleEdit: you need a role above <@&{@mods}> for that"},
			{"more for a higher one", "bob", `{"type":"roleEdit","role":"chiefs","allow":["Kick Members"]}`, "Failed: roleEdit: you need a role above <@&{@chiefs}> for that"},
			{"less for one's own", "bob", `{"type":"roleEdit","role":"mods","deny":["Kick Members"]}`, "Failed: roleEdit: you need a role above <@&{@mods}> for that"},
			{"less for a higher one", "bob", `{"type":"roleEdit","role":"chiefs","deny":["Manage Roles"]}`, "Failed: roleEdit: you need a role above <@&{@chiefs}> for that"},
			{"everyone's role", "bob", `{"type":"roleEdit","role":"@everyone","permissions":["Ban Members"]}`, "Failed: roleEdit: you need *Ban Members* for that"},
			{"what the bot lacks", "ada", `{"type":"roleCreate","name":"x","permissions":["Administrator"]}`, "Failed: roleCreate: I need *Administrator* for that; an admin can give it to my role under Server Settings → Roles"},
			{"what does not exist", "ada", `{"type":"roleCreate","name":"x","permissions":["Manage Mesages"]}`, `Failed: roleCreate: permissions[0]: there is no permission "Manage Mesages"; did you mean "Manage Messages"?`},
			{"the bot's own right", "ada", `{"type":"roleCreate","name":"x","permissions":["Operator"]}`, `Failed: roleCreate: permissions[0]: there is no permission "Operator"; write it as Discord's settings do, such as "Manage Messages"`},
			{"no colour", "ada", `{"type":"roleCreate","name":"x","color":"red"}`, `Failed: roleCreate: color: "red" is not a colour; write #RRGGBB, such as #3498db, or none`},
			{"a long name", "ada", `{"type":"roleCreate","name":"` + strings.Repeat("x", 101) + `"}`, "Failed: roleCreate: name: has 101 characters, must have at most 100"},
			{"no name", "ada", `{"type":"roleCreate"}`, "Failed: roleCreate: name: missing"},
		})
		if n := len(w.Roles()); n != 5 {
			t.Errorf("there are %d roles", n)
		}
		if r, _ := w.role("guests"); r.Permissions.String() != "View Channel" {
			t.Errorf("guests may %s", r.Permissions)
		}
	})
}

func TestRoleEdit(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		out := w.Require("bob", `{"type":"roleEdit","role":"guests","name":"visitors","color":"#ff8800","hoist":true,"mentionable":true,"permissions":["Manage Messages"]}`,
			"Done: changed the role <@&{@guests}>: renamed from **guests** to **visitors**; its color is #ff8800; its members are listed apart; anybody may mention it; it has *Manage Messages*")
		r, there := w.role("visitors")
		if !there || r.Color != 0xff8800 || !r.Hoist || !r.Mentionable || r.Permissions.String() != "Manage Messages" {
			t.Errorf("it is %+v", r)
		}
		w.Undo(out)
		if r, there := w.role("guests"); !there || r.Color != 0 || r.Hoist || r.Mentionable || r.Permissions.String() != "View Channel" {
			t.Errorf("after the undo it is %+v", r)
		}
		w.requireEach([]example{
			{"no permissions", "bob", `{"type":"roleEdit","role":"guests","permissions":[]}`, "Done: changed the role <@&{@guests}>: it has no permissions"},
			{"no colour", "bob", `{"type":"roleEdit","role":"guests","color":"none"}`, "Done: changed the role <@&{@guests}>: its color is none"},
			{"nothing", "bob", `{"type":"roleEdit","role":"guests"}`, "Failed: roleEdit: nothing to change; give a name, color, hoist, mentionable, allow, deny, above or below"},
			{"everyone's name", "ada", `{"type":"roleEdit","role":"@everyone","name":"x"}`, "Failed: roleEdit: @everyone cannot be renamed"},
			{"no such role", "ada", `{"type":"roleEdit","role":"kings","name":"x"}`, `Failed: roleEdit: there is no role "kings" on this server`},
		})
	})
}

// TestRoleEditAddsAndTakesPermissions without a look at those that the role has.
func TestRoleEditAddsAndTakesPermissions(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		rights := func() string {
			r, _ := w.role("guests")
			return r.Permissions.String()
		}
		w.Must(w.SetPermission("guests", chat.ManageMessages, true))
		out := w.Require("bob", `{"type":"roleEdit","role":"guests","allow":["kick members","View Channel"],"deny":["MANAGE_MESSAGES","Manage Nicknames"]}`,
			"Done: changed the role <@&{@guests}>: it now has *Kick Members*; it no longer has *Manage Messages*; it had *View Channel* already; it did not have *Manage Nicknames*")
		if got := rights(); got != "Kick Members, View Channel" {
			t.Errorf("guests have %s", got)
		}
		w.Undo(out)
		if got := rights(); got != "View Channel, Manage Messages" {
			t.Errorf("after the undo, guests have %s", got)
		}
		idle := w.Require("bob", `{"type":"roleEdit","role":"guests","allow":["View Channel"]}`, "Done: nothing to change in the role <@&{@guests}>: it had *View Channel* already")
		if len(idle.Result.Undo) > 0 {
			t.Error("an action without effect has an inverse")
		}
		w.Must(w.SetPermission("guests", chat.BanMembers, true))
		w.requireEach([]example{
			{"take what bob lacks", "bob", `{"type":"roleEdit","role":"guests","deny":["Ban Members"]}`, "Failed: roleEdit: you need *Ban Members* for that"},
			{"what bob lacks stays", "bob", `{"type":"roleEdit","role":"guests","deny":["View Channel"]}`, "Done: changed the role <@&{@guests}>: it no longer has *View Channel*"},
			{"what the bot lacks", "ada", `{"type":"roleEdit","role":"guests","allow":["Administrator"]}`, "Failed: roleEdit: I need *Administrator* for that; an admin can give it to my role under Server Settings → Roles"},
			{"both ways", "bob", `{"type":"roleEdit","role":"guests","allow":["Kick Members"],"permissions":[]}`, "Failed: roleEdit: allow and deny change the permissions that the role has, and permissions replaces them all; give one or the other"},
			{"both lists", "bob", `{"type":"roleEdit","role":"guests","allow":["Kick Members"],"deny":["kick_members"]}`, "Failed: roleEdit: “Kick Members” stands there twice; it can be allowed or denied"},
		})
		if got := rights(); got != "Ban Members, Manage Messages" {
			t.Errorf("guests have %s", got)
		}
	})
}

// TestRoleEditMovesRoles as far as the requester and the bot may.
func TestRoleEditMovesRoles(t *testing.T) {
	t.Parallel()
	const layout = "guild disco: #general\nrole readers\nrole writers\nrole makers\nrole mods: Manage Roles\nrole seniors\nrole chiefs\nmember ada: owner\nmember bob: mods\nbot DiscoClaw"
	server.In(t, layout, func(t *testing.T, s *server.Server) {
		w := newWorld(t, s)
		w.Must(w.PlaceRole("DiscoClaw", 6))
		const start = "readers writers makers mods seniors DiscoClaw chiefs"
		order := func() string {
			var names []string
			for _, r := range slices.SortedFunc(slices.Values(w.Roles()[1:]), func(a, b fakediscord.Role) int { return a.Position - b.Position }) {
				names = append(names, r.Name)
			}
			return strings.Join(names, " ")
		}
		for _, tt := range []struct{ request, line, want string }{
			{`"role":"readers","above":"writers"`, "changed the role <@&{@readers}>: it is now directly above <@&{@writers}>", "writers readers makers mods seniors DiscoClaw chiefs"},
			{`"role":"makers","above":"readers"`, "changed the role <@&{@makers}>: it is now directly above <@&{@readers}>", "readers makers writers mods seniors DiscoClaw chiefs"},
			{`"role":"makers","above":"everyone"`, "changed the role <@&{@makers}>: it is now the lowest role", "makers readers writers mods seniors DiscoClaw chiefs"},
			{`"role":"makers","below":"writers"`, "changed the role <@&{@makers}>: it is now directly below <@&{@writers}>", "readers makers writers mods seniors DiscoClaw chiefs"},
			{`"role":"readers","below":"mods"`, "changed the role <@&{@readers}>: it is now directly below <@&{@mods}>", "writers makers readers mods seniors DiscoClaw chiefs"},
			{`"role":"readers","above":"makers","hoist":true`, "changed the role <@&{@readers}>: its members are listed apart; it is now directly above <@&{@makers}>", "writers makers readers mods seniors DiscoClaw chiefs"},
		} {
			out := w.Require("bob", `{"type":"roleEdit",`+tt.request+`}`, "Done: "+tt.line)
			if got := order(); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.request, got, tt.want)
			}
			w.Undo(out)
			if r, _ := w.role("readers"); order() != start || r.Hoist {
				t.Errorf("%s: after the undo, the order is %s", tt.request, order())
			}
		}
		above := "Failed: roleEdit: you need a role above "
		low := "Failed: roleEdit: my role **DiscoClaw** is too low for that; an admin can drag it above **chiefs** under Server Settings → Roles"
		w.requireEach([]example{
			{"already above", "bob", `{"type":"roleEdit","role":"writers","above":"readers"}`, "Done: nothing to change in the role <@&{@writers}>: it was already directly above <@&{@readers}>"},
			{"already below", "bob", `{"type":"roleEdit","role":"writers","below":"makers"}`, "Done: nothing to change in the role <@&{@writers}>: it was already directly below <@&{@makers}>"},
			{"above one's own", "bob", `{"type":"roleEdit","role":"readers","above":"mods"}`, above + "<@&{@mods}> for that"},
			{"above a higher one", "bob", `{"type":"roleEdit","role":"readers","above":"seniors"}`, above + "<@&{@seniors}> for that"},
			{"below a higher one", "bob", `{"type":"roleEdit","role":"readers","below":"seniors"}`, above + "<@&{@mods}> for that"},
			{"one's own", "bob", `{"type":"roleEdit","role":"mods","above":"readers"}`, above + "<@&{@mods}> for that"},
			{"a higher one", "bob", `{"type":"roleEdit","role":"seniors","above":"readers"}`, above + "<@&{@seniors}> for that"},
			{"above one that is above the bot", "ada", `{"type":"roleEdit","role":"readers","above":"chiefs"}`, low},
			{"one above the bot", "ada", `{"type":"roleEdit","role":"chiefs","above":"readers"}`, low},
			{"itself", "bob", `{"type":"roleEdit","role":"readers","above":"readers"}`, "Failed: roleEdit: <@&{@readers}> cannot be moved above or below itself"},
			{"both", "bob", `{"type":"roleEdit","role":"readers","above":"writers","below":"makers"}`, "Failed: roleEdit: a role is moved above another one or below it; give one of both"},
			{"everyone", "ada", `{"type":"roleEdit","role":"everyone","above":"readers"}`, "Failed: roleEdit: @everyone always comes last, below all other roles"},
			{"below everyone", "ada", `{"type":"roleEdit","role":"readers","below":"everyone"}`, "Failed: roleEdit: @everyone always comes last, below all other roles"},
			{"an edit that fails", "ada", `{"type":"roleEdit","role":"readers","above":"makers","allow":["Administrator"]}`, "Failed: roleEdit: I need *Administrator* for that; an admin can give it to my role under Server Settings → Roles"},
		})
		if got := order(); got != start {
			t.Errorf("refused moves led to %s", got)
		}
		// New roles share a position.
		w.Require("bob", `{"type":"roleCreate","name":"newer"}`, "Done: created the role <@&{@newer}>")
		w.Require("bob", `{"type":"roleEdit","role":"newer","above":"readers"}`, "Done: changed the role <@&{@newer}>: it is now directly above <@&{@readers}>")
		if got := order(); got != "readers newer writers makers mods seniors DiscoClaw chiefs" {
			t.Errorf("the order is %s", got)
		}
	})
}

func TestRoleDelete(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		out := w.Require("bob", `{"type":"roleDelete","role":"guests"}`, "Done: deleted the role **guests**")
		if _, there := w.role("guests"); there || len(out.Result.Undo) > 0 {
			t.Error("the role is still there, or could be brought back")
		}
		w.Require("bob", `{"type":"roleDelete","role":"guests"}`, `Failed: roleDelete: there is no role "guests" on this server`)
	})
}

// TestRolesByTheNameOfAMember: the one whose rank was compared gets the role, whoever takes the name meanwhile, and the line says who
// that is.
func TestRolesByTheNameOfAMember(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		w.Must(w.SetNick("zed", "⚡ Rookie ⚡"))
		w.Between = func() {
			w.Must(w.SetNick("zed", ""))
			w.Must(w.SetNick("kim", "Rookie"))
		}
		w.Require("bob", `{"type":"roleAdd","userId":"rookie","role":"guests"}`, "Done: gave <@{zed}> (`zed`) the role <@&{@guests}>")
		if !w.has("zed", "guests") || w.has("kim", "guests") {
			t.Error("another member has the role")
		}
		w.Between = nil
		time.Sleep(11 * time.Second)
		w.requireEach([]example{
			{"the name of somebody higher", "bob", `{"type":"roleAdd","userId":"Rookie","role":"guests"}`, "Failed: roleAdd: you need a higher role than <@{kim}> for that"},
			{"one's own name", "bob", `{"type":"roleAdd","userId":"BOB","role":"guests"}`, "Done: gave <@{bob}> (`bob`) the role <@&{@guests}>"},
			{"without the right", "zed", `{"type":"roleAdd","userId":"nobody","role":"guests"}`, "Failed: roleAdd: you need *Manage Roles* for that"},
			{"nobody's name", "bob", `{"type":"roleAdd","userId":"rokie","role":"guests"}`, "Failed: roleAdd: I can't find a member called \"rokie\"; there is <@{kim}> (`kim`)"},
			{"a query", "bob", `{"type":"memberInfo","userId":"gus"}`, "Done: Username: gus\nDisplay: gus\nID: {gus}\nJoined: 2026-03-02 12:00:00 UTC\nRoles: guests"},
		})
	})
}

// TestLongListsSayHowToGoOnFirst: what comes last is cut when a prompt is full.
func TestLongListsSayHowToGoOnFirst(t *testing.T) {
	t.Parallel()
	layout := layout
	for i := range 120 {
		layout += fmt.Sprintf("role %s %03d\nmember %s%03d: guests\n", strings.Repeat("r", 70), i, strings.Repeat("m", 28), i)
	}
	server.In(t, layout, func(t *testing.T, s *server.Server) {
		w := newWorld(t, s)
		for _, payload := range []string{`{"type":"roleInfo"`, `{"type":"memberList","role":"guests","limit":100`, `{"type":"roleInfo","role":"guests"`} {
			seen, after := map[string]bool{}, ""
			for range 20 {
				text := w.Run("zed", payload+after+"}")[0]
				if len(text) > 5000 {
					t.Fatalf("%s has %d bytes", payload, len(text))
				}
				for _, m := range regexp.MustCompile(`\(?(?:@\S+, )?id:(\d+)`).FindAllStringSubmatch(text, -1) {
					seen[m[1]] = true
				}
				next := regexp.MustCompile(`\(\d+ of \d+ shown; go on with "after": "(\d+)"\):`).FindStringSubmatchIndex(text)
				if next == nil {
					break
				}
				if next[0] > 300 {
					t.Errorf("%s says how to go on after %d bytes", payload, next[0])
				}
				after = `,"after":"` + text[next[2]:next[3]] + `"`
			}
			if want := map[bool]int{true: 124, false: 121}[payload == `{"type":"roleInfo"`]; len(seen) != want {
				t.Errorf("%s: %d on all pages, want %d", payload, len(seen), want)
			}
		}
	})
}
