package guild_test

import (
	"strings"
	"testing"
	"time"
)

func TestMemberInfo(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		w.Must(w.SetNick("bob", "Bobby\nID: 1"))
		w.Must(w.GrantRole("bob", "guests"))
		w.requireEach([]example{
			{"a member", "zed", `{"type":"memberInfo","userId":"<@{bob}>"}`, "Done: Username: bob\nDisplay: Bobby ID: 1\nID: {bob}\nJoined: 2026-03-02 12:00:00 UTC\nRoles: mods, guests"},
			{"somebody without roles", "zed", `{"type":"memberInfo","user":"{zed}"}`, "Done: Username: zed\nDisplay: zed\nID: {zed}\nJoined: 2026-03-02 12:00:00 UTC\nRoles: (none)"},
			{"the bot", "zed", `{"type":"memberInfo","userId":"{bot}"}`, "Done: Username: DiscoClaw\nDisplay: DiscoClaw\nID: {bot}\nJoined: 2026-03-02 12:00:00 UTC\nRoles: DiscoClaw\nBot: yes"},
			{"nobody", "zed", `{"type":"memberInfo","userId":"100000000000000000"}`, "Failed: memberInfo: <@100000000000000000> is not a member of this server"},
			{"a name", "zed", `{"type":"memberInfo","userId":"BOB"}`, "Done: Username: bob\nDisplay: Bobby ID: 1\nID: {bob}\nJoined: 2026-03-02 12:00:00 UTC\nRoles: mods, guests"},
			{"who asks", "zed", `{"type":"memberInfo"}`, "Done: Username: zed\nDisplay: zed\nID: {zed}\nJoined: 2026-03-02 12:00:00 UTC\nRoles: (none)"},
			{"for nobody", "", `{"type":"memberInfo","userId":"{bob}"}`, "Failed: memberInfo: nobody is known to have asked for this"},
		})
		w.Must(w.TimeOut("zed", time.Hour))
		time.Sleep(11 * time.Second) // until the cached zed has expired
		w.Require("ada", `{"type":"memberInfo","userId":{zed}}`, "Done: Username: zed\nDisplay: zed\nID: {zed}\nJoined: 2026-03-02 12:00:00 UTC\nRoles: (none)\nTimed out until: 2026-03-02 13:00:00 UTC")
	})
}

// TestFormerMembersGetNoAnswers: queries about members are for members.
func TestFormerMembersGetNoAnswers(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		w.Must(w.RemoveMember("zed"))
		for _, payload := range []string{`{"type":"memberInfo","userId":"{bob}"}`, `{"type":"memberList"}`, `{"type":"roleInfo"}`} {
			if got := w.Do("zed", payload)[0].Line(); !strings.Contains(got, "only members of the server may ask for that") {
				t.Errorf("%s: %s", payload, got)
			}
		}
	})
}

func TestMemberList(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"a page", "zed", `{"type":"memberList","limit":2}`, "Done: Members (2 shown; go on with \"after\": \"{bob}\"):\nada (@ada, id:{ada}): no roles\nbob (@bob, id:{bob}): mods"},
			{"the last page", "zed", `{"type":"memberList","after":"{gus}"}`, "Done: Members (2):\nzed (@zed, id:{zed}): no roles\nDiscoClaw (@DiscoClaw, id:{bot}): DiscoClaw; bot"},
			{"after the last", "zed", `{"type":"memberList","after":"{bot}"}`, "Done: Members (no more)"},
			{"by name", "zed", `{"type":"memberList","query":"B"}`, "Done: Members with \"B\" in a name (1):\nbob (@bob, id:{bob}): mods"},
			{"nobody of that name", "zed", `{"type":"memberList","query":"max"}`, `Done: Members with "max" in a name (none)`},
			{"a page by name", "zed", `{"type":"memberList","query":"a","limit":1}`, "Done: Members with \"a\" in a name (1 of 3 shown; go on with \"after\": \"{ada}\"):\nada (@ada, id:{ada}): no roles"},
			{"its last page", "zed", `{"type":"memberList","query":"a","after":"<@{ada}>"}`, "Done: Members with \"a\" in a name (2 of 3 shown):\npia (@pia, id:{pia}): mods\nDiscoClaw (@DiscoClaw, id:{bot}): DiscoClaw; bot"},
			{"by role", "zed", `{"type":"memberList","role":"Mods"}`, "Done: Members with the role \"mods\" (2):\nbob (@bob, id:{bob}): mods\npia (@pia, id:{pia}): mods"},
			{"by both", "zed", `{"type":"memberList","role":"{@mods}","query":"I"}`, "Done: Members with the role \"mods\" with \"I\" in a name (1):\npia (@pia, id:{pia}): mods"},
			{"without a role", "zed", `{"type":"memberList","role":"none"}`, "Done: Members without a role (2):\nada (@ada, id:{ada}): no roles\nzed (@zed, id:{zed}): no roles"},
			{"without a role, by name", "zed", `{"type":"memberList","role":"None","query":"z"}`, "Done: Members without a role with \"z\" in a name (1):\nzed (@zed, id:{zed}): no roles"},
			{"by a role of nobody's", "zed", `{"type":"memberList","role":"kings"}`, `Failed: memberList: there is no role "kings" on this server`},
			{"of a cursor that is none", "zed", `{"type":"memberList","after":"bob"}`, `Failed: memberList: after: "bob" is not an ID (15 to 20 digits); give the one that the page before ends with`},
			{"a long name", "zed", `{"type":"memberList","query":"` + strings.Repeat("x", 101) + `"}`, "Failed: memberList: query: has 101 characters, must have at most 100"},
			{"too many", "zed", `{"type":"memberList","limit":101}`, "Failed: memberList: limit: 101 is not 1 to 100"},
			{"none", "zed", `{"type":"memberList","limit":0}`, "Failed: memberList: limit: 0 is not 1 to 100"},
			{"half", "zed", `{"type":"memberList","limit":1.5}`, "Failed: memberList: limit: must be a whole number, not 1.5"},
		})
		w.Must(w.TimeOut("gus", time.Hour))
		w.Require("ada", `{"type":"roleEdit","role":"guests","name":"None"}`, "Done: changed the role <@&{@None}>: renamed from **guests** to **None**")
		time.Sleep(11 * time.Second) // until the cached list has expired
		w.Require("zed", `{"type":"memberList","role":"none"}`, "Done: Members with the role \"None\" (1):\ngus (@gus, id:{gus}): None; timed out until 2026-03-02 13:00:00 UTC")
		w.WithoutMemberList()
		time.Sleep(11 * time.Second) // until the cached list has expired
		w.Require("ada", `{"type":"memberList","query":"bob"}`, "Done: Members with \"bob\" in a name (1; only user names and nicknames that begin like this were looked at):\nbob (@bob, id:{bob}): mods")
		w.Require("ada", `{"type":"memberList"}`, "Failed: memberList: Discord does not let me see who is on the server")
	})
}

func TestBannedUsersAreListedForThoseWhoMayBan(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		zed, gus := w.UserID("zed"), w.UserID("gus")
		w.Must(w.Bot.Ban(t.Context(), w.GuildID(), gus, 0, "spam"))
		w.Must(w.Bot.Ban(t.Context(), w.GuildID(), zed, 0, ""))
		w.requireEach([]example{
			{"all", "kim", `{"type":"memberList","banned":true}`, "Done: Banned users (2):\ngus (@gus, id:" + string(gus) + ")\nzed (@zed, id:" + string(zed) + ")"},
			{"by name", "kim", `{"type":"memberList","banned":true,"query":"Z"}`, "Done: Banned users with \"Z\" in a name (1):\nzed (@zed, id:" + string(zed) + ")"},
			{"a page", "kim", `{"type":"memberList","banned":true,"limit":1}`, "Done: Banned users (1 of 2 shown; go on with \"after\": \"" + string(gus) + "\"):\ngus (@gus, id:" + string(gus) + ")"},
			{"by role", "kim", `{"type":"memberList","banned":true,"role":"mods"}`, "Failed: memberList: banned users have no roles; leave role out"},
			{"without the right", "bob", `{"type":"memberList","banned":true}`, "Failed: memberList: you need *Ban Members* for that"},
		})
	})
}

func TestMemberNickname(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		nick := func(name string) string {
			m, _ := w.Member(name)
			return m.Nick
		}
		out := w.Require("bob", `{"type":"memberNickname","userId":"{zed}","nickname":" Zed\nthe Great "}`, "Done: gave <@{zed}> the nickname **Zed the Great**")
		if nick("zed") != "Zed the Great" {
			t.Errorf("zed is called %q", nick("zed"))
		}
		again := w.Require("bob", `{"type":"memberNickname","userId":"{zed}","nick":"Z"}`, "Done: gave <@{zed}> the nickname **Z**")
		w.Undo(again)
		if nick("zed") != "Zed the Great" {
			t.Errorf("after the undo zed is called %q", nick("zed"))
		}
		w.Undo(out)
		if nick("zed") != "" {
			t.Errorf("after both undos zed is called %q", nick("zed"))
		}
		w.Must(w.SetNick("gus", "G"))
		w.requireEach([]example{
			{"remove", "bob", `{"type":"memberNickname","userId":"{gus}","nickname":""}`, "Done: removed the nickname of <@{gus}>"},
			{"oneself", "zed", `{"type":"memberNickname","userId":"{zed}","nickname":"Zed"}`, "Done: gave <@{zed}> the nickname **Zed**"},
			{"the bot", "ada", `{"type":"memberNickname","userId":"{bot}","nickname":"Claw"}`, "Done: gave <@{DiscoClaw}> the nickname **Claw**"},
			{"somebody else without the right", "zed", `{"type":"memberNickname","userId":"{gus}","nickname":"x"}`, "Failed: memberNickname: you need *Manage Nicknames* for that"},
			{"an equal", "bob", `{"type":"memberNickname","userId":"{pia}","nickname":"x"}`, "Failed: memberNickname: you need a higher role than <@{pia}> for that"},
			{"somebody higher", "bob", `{"type":"memberNickname","userId":"{kim}","nickname":"x"}`, "Failed: memberNickname: you need a higher role than <@{kim}> for that"},
			{"the owner", "kim", `{"type":"memberNickname","userId":"{ada}","nickname":"x"}`, "Failed: memberNickname: you need a higher role than <@{ada}> for that"},
			{"the owner by themselves", "ada", `{"type":"memberNickname","userId":"{ada}","nickname":"x"}`, "Failed: memberNickname: that is the owner of the server, whom Discord lets nobody touch"},
			{"above the bot", "ada", `{"type":"memberNickname","userId":"{kim}","nickname":"x"}`, "Failed: memberNickname: my role **DiscoClaw** is too low for that; an admin can drag it above **chiefs** under Server Settings → Roles"},
			{"nobody", "ada", `{"type":"memberNickname","userId":"100000000000000000","nickname":"x"}`, "Failed: memberNickname: <@100000000000000000> is not a member of this server"},
			{"too long", "ada", `{"type":"memberNickname","userId":"{gus}","nickname":"` + strings.Repeat("x", 33) + `"}`, "Failed: memberNickname: nickname: has 33 characters, must have at most 32"},
			{"none given", "ada", `{"type":"memberNickname","userId":"{gus}"}`, "Failed: memberNickname: nickname: missing"},
			{"for nobody", "", `{"type":"memberNickname","userId":"{gus}","nickname":"x"}`, "Failed: memberNickname: nobody is known to have asked for this"},
		})
		w.Must(w.SetPermission("@everyone", "Change Nickname", false))
		w.Require("zed", `{"type":"memberNickname","userId":"{zed}","nickname":"x"}`, "Failed: memberNickname: you need *Change Nickname* for that")
		w.Must(w.SetPermission("bot", "Manage Nicknames", false))
		w.Require("ada", `{"type":"memberNickname","userId":"{gus}","nickname":"x"}`, "Failed: memberNickname: I need *Manage Nicknames* for that; an admin can give it to my role under Server Settings → Roles")
		if nick("gus") != "" || nick("kim") != "" || nick("pia") != "" {
			t.Error("a refused change was made")
		}
	})
}

// TestTheAuditLogNamesTheRequester, because the log itself has only the bot.
func TestTheAuditLogNamesTheRequester(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		for _, payload := range []string{
			`{"type":"memberNickname","userId":"{zed}","nickname":"x"}`, `{"type":"roleAdd","userId":"{zed}","role":"guests"}`,
			`{"type":"roleRemove","userId":"{zed}","role":"guests"}`, `{"type":"roleCreate","name":"x"}`,
			`{"type":"roleEdit","role":"x","name":"y"}`, `{"type":"roleDelete","role":"y"}`,
		} {
			if out := w.Do("bob", payload)[0]; out.Err != nil {
				t.Errorf("%s: %v", payload, out.Err)
			}
			all := w.Requests()
			if got, want := all[len(all)-1].Reason, w.WithIDs("asked by bob ({bob}) in ")+w.Asked.Place.Link(); got != want {
				t.Errorf("%s leaves %q in the log, want %q", payload, got, want)
			}
		}
	})
}
