package fakediscord_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/save"
)

// twoGuilds share the names of a channel, a member and a role, and little else.
const twoGuilds = `
	guild disco: #general #ops
	role mods: Manage Messages
	member ada: owner
	member bob: mods
	bot DiscoClaw: Administrator

	guild lair: #general #traps talk:voice
	member eve: owner
	member bob
	role mods: Ban Members
	bot DiscoClaw: View Channel, Send Messages, Read Message History, Ban Members, Manage Roles, Manage Channels
	deny #general bob: Send Messages
	thread "plans" in #traps
`

// guildOf is the guild of a channel.
func guildOf(t testing.TB, w *fakediscord.World, channel string) chat.GuildID {
	t.Helper()
	c, ok := w.Channel(channel)
	if !ok || c.Guild == "" {
		t.Fatalf("%s is on no guild", channel)
	}
	return c.Guild
}

func TestALayoutMakesSeveralGuilds(t *testing.T) {
	t.Parallel()
	r := newRig(t, twoGuilds)
	if _, found := r.Channel("general"); found {
		t.Error("#general is found, though there are two")
	}
	disco, lair := guildOf(t, r.World, "disco/general"), guildOf(t, r.World, "lair/#general")
	if disco == lair || r.GuildID() != disco || guildOf(t, r.World, "#plans") != lair || guildOf(t, r.World, "ops") != disco {
		t.Errorf("guilds %s and %s", disco, lair)
	}
	here, _ := r.Member("bob")
	there, _ := r.Member("lair/bob")
	if here.ID != there.ID || here.Guild != disco || there.Guild != lair || len(here.Roles) != 1 || len(there.Roles) != 0 {
		t.Errorf("bob is %+v here and %+v there", here, there)
	}
	for _, tt := range []struct {
		who, channel string
		may          chat.Permission
		want         bool
	}{
		{"bob", "disco/general", chat.ManageMessages, true},
		{"bob", "disco/general", chat.SendMessages, true},
		{"bob", "lair/general", chat.SendMessages, false},
		{"bob", "traps", chat.ManageMessages, false},
		{"ada", "traps", chat.ViewChannel, false},
		{"eve", "traps", chat.ManageChannels, true},
		{"eve", "ops", chat.ViewChannel, false},
		{"bot", "ops", chat.ManageMessages, true},
		{"bot", "traps", chat.ManageMessages, false},
	} {
		right, err := fakediscord.ParsePermission(tt.may)
		r.must(err)
		if got, err := r.Permissions(tt.who, tt.channel); err != nil || got.Has(right) != tt.want {
			t.Errorf("%s may %s in %s: %t, want %t (%v)", tt.who, tt.may, tt.channel, got.Has(right), tt.want, err)
		}
	}
	if _, err := r.Say("ada", "traps", "hello?"); err == nil {
		t.Error("ada wrote on a guild that she is not on")
	}
	r.say("bob", "disco/general", "hello")
	r.say("bob", "traps", "hello there")
	if got, want := r.Transcript(), "disco/#general bob: hello\nlair/#traps bob: hello there\n"; got != want {
		t.Errorf("transcript %q, want %q", got, want)
	}
}

// TestAmbiguousNamesChangeNoGuild unless the guild is named: a test would change another
// one than it means.
func TestAmbiguousNamesChangeNoGuild(t *testing.T) {
	t.Parallel()
	r := newRig(t, twoGuilds)
	before := saved(t, r.World)
	for name, change := range map[string]func() error{
		"a role":           func() error { return r.SetPermission("mods", chat.KickMembers, true) },
		"everyone's role":  func() error { return r.SetPermission("@everyone", chat.KickMembers, true) },
		"a role's place":   func() error { return r.PlaceRole("mods", 1) },
		"a member":         func() error { return r.SetNick("bob", "B") },
		"the bot":          func() error { return r.RemoveMember("bot") },
		"a new member":     func() error { _, err := r.Join("zed"); return err },
		"a new channel":    func() error { _, err := r.AddChannel("#new"); return err },
		"a channel's name": func() error { return r.RenameChannel("general", "hall") },
		"an audit entry":   func() error { return r.AddAuditEntry("bob", fakediscord.AuditEntry{}) },
		"no such guild":    func() error { return r.OutageOf("moon", true) },
	} {
		if err := change(); err == nil || !strings.Contains(err.Error(), "guild") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, saved(t, r.World)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	r.must(r.SetNick("ada", "A")) // she is on one guild only
}

func TestRoutesAnswerForTheirGuildOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, twoGuilds)
	disco, lair := "/guilds/"+string(guildOf(t, r.World, "ops")), "/guilds/"+string(guildOf(t, r.World, "traps"))
	if got := r.send("GET", "/users/@me/guilds", "").list("name"); !slices.Equal(got, []string{"disco", "lair"}) {
		t.Errorf("the bot is on %q", got)
	}
	for path, want := range map[string]string{
		disco + "/channels": "general ops", lair + "/channels": "general traps talk",
		disco + "/roles": "@everyone mods DiscoClaw", lair + "/roles": "@everyone mods DiscoClaw",
	} {
		if got := strings.Join(r.send("GET", path, "").list("name"), " "); got != want {
			t.Errorf("GET %s = %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{disco, lair} {
		if got := r.send("GET", path+"/members?limit=10", "").list("joined_at"); len(got) != 3 {
			t.Errorf("%d members on %s", len(got), path)
		}
	}
	mods, _ := r.Member("bob") // has the role on disco
	ada, ops := string(r.user("ada")), string(r.channel("ops").ID)
	r.send("GET", lair+"/members/"+ada, "").want(404, 10007)
	r.send("GET", lair+"/roles/"+string(mods.Roles[0]), "").want(404, 10011)
	r.send("PUT", lair+"/members/"+string(mods.ID)+"/roles/"+string(mods.Roles[0]), "").want(404, 10011)
	r.send("PUT", "/channels/"+string(r.channel("traps").ID)+"/permissions/"+ada, `{"type":1,"allow":"0","deny":"0"}`).want(404, 10007)
	r.sendAnyway("PATCH", lair+"/channels", `[{"id":"`+ops+`","position":0}]`).want(404, 10003)
	r.send("POST", lair+"/channels", `{"name":"new","parent_id":"`+ops+`"}`).want(400, 50035)
	made := r.send("POST", lair+"/channels", `{"name":"new"}`).want(201, 0)
	if made["guild_id"] != string(guildOf(t, r.World, "traps")) {
		t.Errorf("the new channel is %v", made)
	}
	r.send("PUT", lair+"/bans/"+ada, `{}`).want(204, 0)
	r.send("GET", lair+"/bans/"+ada, "").want(200, 0)
	r.send("GET", disco+"/bans/"+ada, "").want(404, 10026)
	if still, _ := r.Member("ada"); still.Left || still.Banned {
		t.Errorf("ada is %+v on disco", still)
	}
	r.send("GET", lair+"/audit-logs", "").want(403, 50013) // a right that the bot has on disco
}

func TestTheBotIsRefusedOnOtherGuilds(t *testing.T) {
	t.Parallel()
	r := newRig(t, twoGuilds)
	lair, traps := "/guilds/"+string(guildOf(t, r.World, "traps")), r.in("traps", "")
	said := r.say("eve", "traps", "hello")
	r.must(r.ExpelBot("lair"))
	r.say("eve", "traps", "is it gone?")
	r.send("GET", lair, "").want(404, 10004)
	r.send("GET", lair+"/channels", "").want(403, 50001)
	r.send("GET", traps, "").want(403, 50001)
	r.send("GET", r.at(said, ""), "").want(403, 50001)
	if got := r.send("GET", "/users/@me/guilds", "").list("name"); !slices.Equal(got, []string{"disco"}) {
		t.Errorf("the bot is on %q", got)
	}
	if err := r.ExpelBot("lair"); err == nil {
		t.Error("the bot was removed twice")
	}
	r.must(r.InviteBot("lair"))
	r.send("GET", lair, "").want(200, 0)
	r.send("POST", traps+"/messages", `{"content":"back",`+quiet+`}`).want(200, 0)
}

// withGuilds lists the events with the guild of each.
func withGuilds(t *testing.T, w *discordtest.World, all []dispatch) string {
	t.Helper()
	names := map[chat.GuildID]string{guildOf(t, w.World, "ops"): "disco", guildOf(t, w.World, "traps"): "lair"}
	var out []string
	for _, d := range all {
		var about struct {
			ID          chat.GuildID `json:"id"`
			Guild       chat.GuildID `json:"guild_id"`
			Unavailable *bool        `json:"unavailable"`
		}
		if err := json.Unmarshal(d.Data, &about); err != nil {
			t.Fatal(err)
		}
		where := names[about.Guild]
		if where == "" {
			where = names[about.ID]
		}
		if about.Unavailable != nil && *about.Unavailable {
			where += "(away)"
		}
		out = append(out, strings.TrimSpace(d.Name+" "+where))
	}
	return strings.Join(out, ", ")
}

func TestASessionGetsEventsOfEveryGuild(t *testing.T) {
	bubble(t, twoGuilds, usual|members, func(w *discordtest.World, s *session) {
		expect := func(what, want string) {
			t.Helper()
			if got := withGuilds(t, w, s.heard()); got != want {
				t.Errorf("%s: heard %s\nwant %s", what, got, want)
			}
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		expect("at first", "READY, GUILD_CREATE disco, GUILD_CREATE lair")
		w.MustSay("bob", "disco/general", "here")
		w.MustSay("bob", "traps", "there")
		must(w.GrantRole("lair/bob", "mods"))
		must(w.SetPermission("lair/mods", "Kick Members", true))
		_, err := w.Join("lair/ada")
		must(err)
		expect("news", "MESSAGE_CREATE disco, MESSAGE_CREATE lair, GUILD_MEMBER_UPDATE lair, GUILD_ROLE_UPDATE lair, GUILD_MEMBER_ADD lair")

		must(w.OutageOf("lair", true))
		w.MustSay("bob", "traps", "unheard")
		must(w.SetNick("lair/bob", "B"))
		w.MustSay("bob", "ops", "heard")
		expect("an outage", "GUILD_DELETE lair(away), MESSAGE_CREATE disco")
		must(w.OutageOf("lair", false))
		expect("its end", "GUILD_CREATE lair")

		must(w.ExpelBot("lair"))
		w.MustSay("bob", "traps", "unheard")
		expect("the bot is thrown out", "GUILD_DELETE lair")
		must(w.InviteBot("lair"))
		w.MustSay("bob", "traps", "heard")
		expect("it is back", "GUILD_CREATE lair, MESSAGE_CREATE lair")
	})
}

func TestAGuildMayBeUnavailableWhenASessionBegins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, twoGuilds)
		if err := w.OutageOf("lair", true); err != nil {
			t.Fatal(err)
		}
		s := connect(t, w, w.Token(), usual)
		var ready struct{ Guilds []struct{ ID chat.GuildID } }
		all := s.heard()
		decode(t, all[0], &ready)
		if got := withGuilds(t, w, all); got != "READY, GUILD_CREATE disco, GUILD_DELETE lair(away)" || len(ready.Guilds) != 2 {
			t.Errorf("heard %s of %d guilds", got, len(ready.Guilds))
		}
		w.Outage(false)
		if got := withGuilds(t, w, s.heard()); got != "GUILD_CREATE lair" {
			t.Errorf("then heard %s", got)
		}
	})
}

func TestSeveralGuildsSurviveBeingSaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, twoGuilds)
		r.say("bob", "traps", "hello")
		r.say("bob", "@bot", "psst")
		r.must(r.SetNick("lair/bob", "B"))
		r.send("PUT", "/guilds/"+string(guildOf(t, r.World, "traps"))+"/bans/"+string(r.user("ada")), `{}`).want(204, 0)
		file := saved(t, r.World)
		after := &rig{World: loaded(t, file), t: t, doc: r.doc}
		if diff := cmp.Diff(file, saved(t, after.World)); diff != "" {
			t.Errorf("saved again (-first +second):\n%s", diff)
		}
		for _, name := range []string{"disco/general", "lair/general", "plans"} {
			if got, want := guildOf(t, after.World, name), guildOf(t, r.World, name); got != want {
				t.Errorf("%s is on %s, want %s", name, got, want)
			}
		}
		was, is := r.send("GET", "/guilds/"+string(guildOf(t, r.World, "traps")), ""), after.send("GET", "/guilds/"+string(guildOf(t, r.World, "traps")), "")
		if string(was.body) != string(is.body) {
			t.Errorf("the guild was %s\nand is %s", was.body, is.body)
		}
		elsewhere := strings.ReplaceAll(file, `"guild": "`+string(guildOf(t, r.World, "traps"))+`"`, `"guild": "5"`)
		if _, err := save.Read(strings.NewReader(elsewhere)); err == nil || !strings.Contains(err.Error(), `there is no guild "5"`) {
			t.Errorf("with another guild: %v", err)
		}
	})
}

func TestAViewIsOfTheFirstGuild(t *testing.T) {
	t.Parallel()
	r := newRig(t, twoGuilds)
	said := r.say("bob", "traps", "hello")
	view, err := r.ViewOf("bob")
	r.must(err)
	for _, c := range view.Channels() {
		if c.Guild != r.GuildID() {
			t.Errorf("bob sees %s of another guild", c.Name)
		}
	}
	if _, seen := view.Message(said.Channel, said.ID); seen {
		t.Error("bob sees a message of another guild")
	}
}
