package moderation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/moderation"
	"discoclaw/internal/chat"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		until := func(name string) time.Duration {
			m, _ := w.Member(name)
			return time.Until(m.TimedOutUntil).Round(time.Minute)
		}
		out := w.Require("bob", `{"type":"timeout","userId":"<@{zed}>"}`, "Done: timed out <@{zed}> (`zed`) for 5 minutes")
		if until("zed") != 5*time.Minute || len(out.Result.Undo) > 0 {
			t.Errorf("zed is out for %v, undo %v", until("zed"), out.Result.Undo)
		}
		w.Require("bob", `{"type":"timeout","userId":"{zed}","durationMinutes":40320,"reason":"spam\nand more"}`, "Done: timed out <@{zed}> (`zed`) for 28 days: spam and more")
		if until("zed") != 28*24*time.Hour {
			t.Errorf("zed is out for %v", until("zed"))
		}
		requireEach(t, w, []example{
			{"a minute", "bob", `{"type":"timeout","userId":"{gus}","minutes":"1"}`, "Done: timed out <@{gus}> (`gus`) for 1 minute"},
			{"no time", "bob", `{"type":"timeout","userId":"{gus}","durationMinutes":0}`, "Failed: timeout: durationMinutes: 0 is not 1 to 40320"},
			{"more than 28 days", "bob", `{"type":"timeout","userId":"{gus}","durationMinutes":40321}`, "Failed: timeout: durationMinutes: 40321 is not 1 to 40320"},
			{"half a minute", "bob", `{"type":"timeout","userId":"{gus}","durationMinutes":0.5}`, "Failed: timeout: durationMinutes: must be a whole number, not 0.5"},
		})
		w.Must(w.GrantRole("gus", "admins"))
		time.Sleep(11 * time.Second) // until the cached gus has expired
		w.Must(w.PlaceRole("DiscoClaw", 9))
		w.Require("ada", `{"type":"timeout","userId":"{gus}"}`, "Failed: timeout: Discord lets nobody time out an administrator; take the role that makes them one first")
	})
}

func TestUntimeout(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		w.Require("bob", `{"type":"timeout","userId":"{zed}"}`, "Done: timed out <@{zed}> (`zed`) for 5 minutes")
		w.Require("gus", `{"type":"untimeout","userId":"{zed}"}`, "Failed: untimeout: you need *Timeout Members* for that")
		out := w.Require("bob", `{"type":"untimeout","userId":"<@{zed}>","reason":"forgiven"}`, "Done: lifted the timeout of <@{zed}> (`zed`): forgiven")
		if m, _ := w.Member("zed"); !m.TimedOutUntil.IsZero() || len(out.Result.Undo) > 0 {
			t.Errorf("zed is out until %v, undo %v", m.TimedOutUntil, out.Result.Undo)
		}
		sent := len(w.Requests())
		w.Require("bob", `{"type":"untimeout","userId":"{zed}"}`, "Done: <@{zed}> (`zed`) was not timed out")
		for _, x := range w.Requests()[sent:] {
			if x.Method != "GET" {
				t.Errorf("sent %s %s", x.Method, x.Path)
			}
		}
		w.Require("bob", `{"type":"timeout","userId":"{zed}","minutes":1}`, "Done: timed out <@{zed}> (`zed`) for 1 minute")
		time.Sleep(2 * time.Minute)
		w.Require("bob", `{"type":"untimeout","userId":"{zed}"}`, "Done: <@{zed}> (`zed`) was not timed out") // it is over
	})
}

func TestKick(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		out := w.Require("bob", `{"type":"kick","userId":"{zed}","reason":"spam"}`, "Done: kicked <@{zed}> (`zed`): spam")
		if m, _ := w.Member("zed"); !m.Left || len(out.Result.Undo) > 0 {
			t.Errorf("zed is %+v, undo %v", m, out.Result.Undo)
		}
		w.Require("bob", `{"type":"kick","userId":"{zed}"}`, "Failed: kick: <@{zed}> is not a member of this server")
		w.Require("bob", `{"type":"kick","userId":"{gus}"}`, "Done: kicked <@{gus}> (`gus`)")
	})
}

func TestBanAndUnban(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		banned := func(name string) bool {
			_, is := w.Ban(w.UserID(name))
			return is
		}
		w.MustSay("zed", "#general", "buy now")
		out := w.Require("bob", `{"type":"ban","userId":"{zed}","reason":"spam","deleteMessageDays":1}`, "Done: banned <@{zed}> (`zed`): spam")
		if reason, _ := w.Ban(w.UserID("zed")); reason != w.WithIDs("spam · asked by bob ({bob}) in ")+w.Asked.Place.Link() || w.Transcript() != "" {
			t.Errorf("the reason is %q, and there is still %q", reason, w.Transcript())
		}
		w.Undo(out)
		if banned("zed") {
			t.Error("zed is still banned")
		}
		w.MustSay("gus", "#general", "bye")
		w.Must(w.RemoveMember("gus"))
		time.Sleep(time.Minute) // until the cached gus has expired
		requireEach(t, w, []example{
			{"somebody who left", "bob", `{"type":"ban","userId":"{gus}"}`, "Done: banned <@{gus}>"},
			{"nobody", "bob", `{"type":"ban","userId":"100000000000000000"}`, "Failed: ban: there is no such user"},
			{"many days", "bob", `{"type":"ban","userId":"{gus}","deleteMessageDays":8}`, "Failed: ban: deleteMessageDays: 8 is not 0 to 7"},
			{"days of the future", "bob", `{"type":"ban","userId":"{gus}","deleteMessageDays":-1}`, "Failed: ban: deleteMessageDays: -1 is not 0 to 7"},
			{"not banned", "bob", `{"type":"unban","userId":"{zed}"}`, "Failed: unban: this user is not banned"},
		})
		if got := w.Transcript(); got != "#general gus: bye\n" {
			t.Errorf("left is %q", got)
		}
		out = w.Require("bob", `{"type":"unban","userId":"{gus}","reason":"forgiven"}`, "Done: unbanned <@{gus}> (`gus`): forgiven")
		if banned("gus") {
			t.Error("gus is still banned")
		}
		w.Undo(out)
		if !banned("gus") {
			t.Error("gus is not banned again")
		}
	})
}

// TestModerationStaysBelow: targets of the same or a higher rank are refused, for the
// requester and for the bot, and the bot is no target.
func TestModerationStaysBelow(t *testing.T) {
	t.Parallel()
	rights := map[string]chat.Permission{"timeout": chat.ModerateMembers, "kick": chat.KickMembers, "ban": chat.BanMembers}
	for typ := range rights {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			onServer(t, func(t *testing.T, w *server.Server) {
				at := func(whom string) string { return `{"type":"` + typ + `","userId":"{` + whom + `}"}` }
				failed := "Failed: " + typ + ": "
				notAbove := failed + "you need a higher role than "
				requireEach(t, w, []example{
					{"an equal", "bob", at("pia"), notAbove + "<@{pia}> for that"},
					{"somebody higher", "bob", at("kim"), notAbove + "<@{kim}> for that"},
					{"the owner", "kim", at("ada"), notAbove + "<@{ada}> for that"},
					{"oneself", "bob", at("bob"), failed + "you can't do that to yourself"},
					{"without the right", "zed", at("gus"), failed + "you need *" + string(rights[typ]) + "* for that"},
					{"for nobody", "", at("gus"), failed + "nobody is known to have asked for this"},
					{"the bot", "ada", at("bot"), failed + "I can't do that to myself; an admin can remove me under Server Settings → Integrations"},
					{"above the bot", "ada", at("kim"), failed + "my role **DiscoClaw** is too low for that; an admin can drag it above **chiefs** under Server Settings → Roles"},
					{"nothing", "ada", `{"type":"` + typ + `"}`, failed + "userId: missing"},
					{"nobody's name", "ada", `{"type":"` + typ + `","userId":"max"}`, failed + `I can't find a member called "max"`},
					{"the name of somebody higher", "bob", `{"type":"` + typ + `","userId":"Kim"}`, notAbove + "<@{kim}> for that"},
					{"the bot's name", "ada", `{"type":"` + typ + `","userId":"discoclaw"}`, failed + "I can't do that to myself; an admin can remove me under Server Settings → Integrations"},
					{"a long reason", "ada", `{"type":"` + typ + `","userId":"{gus}","reason":"` + strings.Repeat("x", 513) + `"}`, failed + "reason: has 513 characters, must have at most 512"},
				})
				w.Must(w.SetPermission("bot", rights[typ], false))
				w.Require("ada", at("gus"), failed+"I need *"+string(rights[typ])+"* for that; an admin can give it to my role under Server Settings → Roles")
				for _, name := range []string{"ada", "bob", "pia", "kim", "gus", "bot"} {
					if m, _ := w.Member(name); m.Left || m.Banned || !m.TimedOutUntil.IsZero() {
						t.Errorf("%s is %+v", name, m)
					}
				}
			})
		})
	}
}

func TestUnbanNeedsTheRightToBan(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		w.Require("bob", `{"type":"ban","userId":"{gus}"}`, "Done: banned <@{gus}> (`gus`)")
		w.Require("zed", `{"type":"unban","userId":"{gus}"}`, "Failed: unban: you need *Ban Members* for that")
		w.Must(w.SetPermission("bot", chat.BanMembers, false))
		w.Require("bob", `{"type":"unban","userId":"{gus}"}`, "Failed: unban: I need *Ban Members* for that; an admin can give it to my role under Server Settings → Roles")
	})
}

func TestModerationNeedsApproval(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		w.Must(w.SetNick("zed", "z\n<@1> *ok*"))
		left := w.UserID("gus")
		w.Must(w.RemoveMember("gus"))
		held, outs := w.Pending("bob",
			`{"type":"timeout","userId":"<@{zed}>","durationMinutes":60,"reason":"spam"}`,
			`{"type":"kick","userId":"{zed}"}`,
			`{"type":"ban","userId":"{zed}","deleteMessageDays":7}`,
			`{"type":"ban","userId":"`+string(left)+`","deleteMessageDays":1}`,
			`{"type":"kick","userId":"`+string(left)+`"}`,
		)
		if err := outs[4].Err; err == nil { // an impossible action is not asked about
			t.Error("a former member can be kicked")
		}
		want := []string{
			`Time out <@{zed}> ('zed') for 1 hour, for the reason “spam”. {"type":"timeout","userId":"{zed}","reason":"spam","durationMinutes":60}`,
			`Kick <@{zed}> ('zed') from the server (they can come back, without their roles). {"type":"kick","userId":"{zed}"}`,
			`Ban <@{zed}> ('zed') and delete what they wrote in the last 7 days. {"type":"ban","userId":"{zed}","deleteMessageDays":7}`,
			`Ban <@{gus}> and delete what they wrote in the last day. {"type":"ban","userId":"{gus}","deleteMessageDays":1}`,
		}
		for i, line := range want {
			want[i] = strings.NewReplacer("{gus}", string(left), "'", "`").Replace(w.WithIDs(line))
		}
		var asked []string
		for _, h := range held {
			asked = append(asked, h.What+" "+string(h.Request.Args))
		}
		if !slices.Equal(asked, want) {
			t.Errorf("asked:\n%s\nwant:\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
		}
		if m, _ := w.Member("zed"); m.Left || m.Banned {
			t.Error("it was done without approval")
		}
	})
}

func TestTheCategoryIsOffByDefault(t *testing.T) {
	t.Parallel()
	c := moderation.New(nil, nil)
	if f := c.Flag(); f.Env != "DISCOCLAW_DISCORD_ACTIONS_MODERATION" || f.Default || c.Name() != "moderation" {
		t.Errorf("%s has the switch %+v", c.Name(), f)
	}
	for _, a := range c.Actions() {
		if a.Destructive == strings.HasPrefix(a.Name, "un") || a.Effect != actions.Mutates || len(a.Needs) != 1 {
			t.Errorf("%s: destructive %v, needs %v", a.Name, a.Destructive, a.Needs)
		}
	}
}

func TestModerationIsRefusedOutsideOfAServer(t *testing.T) {
	t.Parallel()
	category := moderation.New(nil, nil)
	for _, a := range category.Actions() {
		if got := actionstest.Run(t, category, string(a.Examples()[0]))[0]; !strings.HasSuffix(got, "there is nobody to moderate here, because this is not a server") {
			t.Error(got)
		}
	}
}

// TestANameStaysThePersonItMeant: on the card and when it is approved, whoever is called like that by then. What is shown is
// beyond what people call themselves.
func TestANameStaysThePersonItMeant(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		w.Must(w.SetNick("zed", "Rookie"))
		held, _ := w.Pending("bob", `{"type":"kick","userId":"rookie"}`, `{"type":"timeout","userId":"Rookie"}`)
		if len(held) != 2 || string(held[0].Request.Args) != w.WithIDs(`{"type":"kick","userId":"{zed}"}`) ||
			!strings.HasPrefix(held[0].What, w.WithIDs("Kick <@{zed}> (`zed`) from the server (they can come back, without their roles).")) {
			t.Fatalf("held: %+v", held)
		}
		w.Must(w.SetNick("zed", "")) // and takes the name away
		w.Must(w.SetNick("gus", "Rookie"))
		time.Sleep(11 * time.Second)
		w.Require("bob", string(held[0].Request.Args), "Done: kicked <@{zed}> (`zed`)")
		if m, _ := w.Member("gus"); m.Left {
			t.Error("gus was kicked instead")
		}
		w.Require("bob", `{"type":"timeout","userId":"ROOKIE"}`, "Done: timed out <@{gus}> (`gus`) for 5 minutes")
		w.Require("bob", `{"type":"timeout","userId":"{gus}"}`, "Done: timed out <@{gus}> (`gus`) for 5 minutes")
	})
}

// TestUnbanByName finds those who are banned, and not the member who has the name now.
func TestUnbanByName(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		w.Require("bob", `{"type":"ban","userId":"zed"}`, "Done: banned <@{zed}> (`zed`)")
		w.Must(w.SetNick("gus", "zed"))
		w.Require("bob", `{"type":"unban","userId":"pia"}`, `Failed: unban: nobody called "pia" is banned`)
		w.Require("bob", `{"type":"unban","userId":"Zed","reason":"forgiven"}`, "Done: unbanned <@{zed}> (`zed`): forgiven")
		if m, _ := w.Member("zed"); m.Banned {
			t.Error("zed is still banned")
		}
	})
}
