package fakediscord_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// inDays is a time some days ahead, as Discord writes it.
func inDays(n int) string {
	return time.Now().UTC().AddDate(0, 0, n).Truncate(time.Second).Format(time.RFC3339)
}

// external is an event somewhere, with some members replaced.
func external(changes ...string) string {
	e := map[string]any{
		"name": "Party", "scheduled_start_time": inDays(1), "scheduled_end_time": inDays(2), "privacy_level": 2, "entity_type": 3,
		"entity_metadata": map[string]any{"location": "the park"},
	}
	for _, change := range changes {
		if err := json.Unmarshal([]byte(change), &e); err != nil {
			panic(err)
		}
	}
	return encode(e)
}

// liveServer gives the guild all objects besides members and channels.
func (r *rig) liveServer() {
	r.t.Helper()
	r.send("POST", r.guildPath("/scheduled-events"), external()).want(200, 0)
	r.send("POST", r.in("general", "/invites"), `{"max_age":0,"max_uses":3,"temporary":true}`).want(200, 0)
	r.send("PUT", r.in("general", "/permissions/"+string(r.user("eve"))), `{"type":1,"allow":"2048","deny":"0"}`).want(204, 0)
	r.send("POST", r.in("general", "/messages"), poll("")).want(200, 0)
	_, err := r.AddEmoji(fakediscord.GuildEmoji{Name: "party", Animated: true})
	r.must(err)
	_, err = r.AddWebhook("ada", "#general", "news")
	r.must(err)
}

func poll(change string) string {
	return `{` + quiet + `,"poll":{"question":{"text":"Where?"},"answers":[{"poll_media":{"text":"here"}},{"poll_media":{"text":"there"}}],"duration":2,"layout_type":1` + change + `}}`
}

const hall = "guild d: #a talk:voice stage:stage\nmember ada: owner\nmember bob\n"

func TestEventsAreAnnouncedChangedAndCancelled(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall)
	made := r.send("POST", r.guildPath("/scheduled-events"), external(`{"description":"bring cake"}`)).want(200, 0)
	path := r.guildPath("/scheduled-events/" + made["id"].(string))
	voice := external(`{"entity_type":2,"entity_metadata":null,"scheduled_end_time":null,"channel_id":"` + string(r.channel("talk").ID) + `"}`)
	r.send("POST", r.guildPath("/scheduled-events"), voice).want(200, 0)
	r.send("POST", r.guildPath("/scheduled-events"), strings.ReplaceAll(strings.Replace(voice, `"entity_type":2`, `"entity_type":1`, 1), string(r.channel("talk").ID), string(r.channel("stage").ID))).want(200, 0)
	if got := r.send("GET", path, "").want(200, 0); got["user_count"] != nil {
		t.Errorf("%v were counted, though nobody wanted to know", got["user_count"])
	}
	if got := r.send("GET", path+"?with_user_count=true", "").want(200, 0); got["user_count"] != 0.0 {
		t.Errorf("%v are interested", got["user_count"])
	}
	if got := string(r.send("GET", r.guildPath("/scheduled-events?with_user_count=true"), "").body); strings.Count(got, `"user_count":0`) != 3 {
		t.Errorf("interested are %s", got)
	}
	if got := r.send("GET", r.guildPath("/scheduled-events"), "").list("name"); len(got) != 3 {
		t.Errorf("events %v", got)
	}
	r.send("PATCH", path, `{"name":"Feast","description":""}`).want(200, 0)
	if got := r.send("GET", path, "").want(200, 0); got["name"] != "Feast" || got["description"] != nil || got["entity_metadata"].(map[string]any)["location"] != "the park" {
		t.Errorf("event %v", got)
	}
	moved := r.send("PATCH", path, `{"entity_type":2,"channel_id":"`+string(r.channel("talk").ID)+`","entity_metadata":null}`).want(200, 0)
	if moved["channel_id"] != string(r.channel("talk").ID) || moved["entity_metadata"] != nil {
		t.Errorf("moved %v", moved)
	}
	r.send("DELETE", path, "").want(204, 0)
	r.send("GET", path, "").want(404, 10070)
	r.must(r.DeleteChannel("talk"))
	if got := r.Events(); len(got) != 1 {
		t.Errorf("%d events are left without the channel of one, want 1", len(got))
	}
}

func TestEventsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall+"deny talk bot: Create Events")
	talk := string(r.channel("talk").ID)
	for _, tt := range []struct {
		name, change string
		status, code int
	}{
		{"no name", `{"name":" "}`, 400, 50035},
		{"a long name", `{"name":"` + strings.Repeat("x", 101) + `"}`, 400, 50035},
		{"a long description", `{"description":"` + strings.Repeat("x", 1001) + `"}`, 400, 50035},
		{"a long location", `{"entity_metadata":{"location":"` + strings.Repeat("x", 101) + `"}}`, 400, 50035},
		{"no location", `{"entity_metadata":null}`, 400, 50035},
		{"no end", `{"scheduled_end_time":null}`, 400, 50035},
		{"in the past", `{"scheduled_start_time":"` + inDays(-1) + `"}`, 400, 50035},
		{"no moment", `{"scheduled_start_time":"soon"}`, 400, 50035},
		{"an end before the start", `{"scheduled_end_time":"` + inDays(0) + `"}`, 400, 50035},
		{"an end at the start", `{"scheduled_end_time":"` + inDays(1) + `"}`, 400, 50035},
		{"public", `{"privacy_level":1}`, 400, 50035},
		{"a channel and a location", `{"channel_id":"` + talk + `"}`, 400, 50035},
		{"no channel", `{"entity_type":2}`, 404, 10003},
		{"a text channel", `{"entity_type":2,"channel_id":"` + string(r.channel("a").ID) + `"}`, 400, 50035},
		{"a channel where the bot may not", `{"entity_type":2,"channel_id":"` + talk + `"}`, 403, 50013},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := r.sendAnyway("POST", r.guildPath("/scheduled-events"), external(tt.change))
			reply.t = t
			reply.want(tt.status, tt.code)
		})
	}
	theirs, err := r.AddEvent("ada", fakediscord.ScheduledEvent{Name: "hers", Location: "here", Start: time.Now().Add(time.Hour), End: time.Now().Add(2 * time.Hour)})
	r.must(err)
	own := r.send("POST", r.guildPath("/scheduled-events"), external()).want(200, 0)["id"].(string)
	r.must(r.SetPermission("bot", chat.ManageEvents, false))
	r.send("PATCH", r.guildPath("/scheduled-events/"+string(theirs.ID)), `{"name":"mine"}`).want(403, 50013)
	r.send("DELETE", r.guildPath("/scheduled-events/"+string(theirs.ID)), "").want(403, 50013)
	r.send("PATCH", r.guildPath("/scheduled-events/"+own), `{"name":"mine"}`).want(200, 0)
	r.must(r.SetPermission("bot", chat.CreateEvents, false))
	r.send("POST", r.guildPath("/scheduled-events"), external()).want(403, 50013)
	r.send("DELETE", r.guildPath("/scheduled-events/"+own), "").want(403, 50013)
}

func TestInvitesAreMadeAndEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a #b Cat:category\nthread \"t\" in #a")
		invite := func(body string) string {
			t.Helper()
			return r.send("POST", r.in("#a", "/invites"), body).want(200, 0)["code"].(string)
		}
		first := invite(`{"max_age":3600,"max_uses":2,"temporary":true}`)
		if again := invite(`{"max_age":3600,"max_uses":2,"temporary":true}`); again != first {
			t.Error("an invite that is alike is not handed out again")
		}
		forever := invite(`{"max_age":0}`)
		if another := invite(`{"max_age":0,"unique":true}`); another == forever || another == first {
			t.Error("an invite that shall be unique is not")
		}
		if got := r.send("GET", r.in("#a", "/invites"), "").list("code"); len(got) != 3 {
			t.Errorf("invites %v", got)
		}
		if got := r.send("GET", r.in("#b", "/invites"), "").list("code"); len(got) != 0 {
			t.Errorf("invites to another channel %v", got)
		}
		time.Sleep(time.Hour)
		if got := r.send("GET", r.in("#a", "/invites"), "").list("code"); len(got) != 2 || slices.Contains(got, first) {
			t.Errorf("an hour later: %v", got)
		}
		for _, body := range []string{`{"max_age":5184001}`, `{"max_age":-1}`, `{"max_uses":101}`} {
			r.sendAnyway("POST", r.in("#a", "/invites"), body).want(400, 50035)
		}
		r.send("POST", r.in("Cat", "/invites"), `{}`).want(400, 50024)
		r.send("POST", r.in("t", "/invites"), `{}`).want(400, 50024)
		r.send("GET", r.guildPath("/invites"), "").want(403, 50013)
		r.must(r.SetPermission("bot", chat.ManageServer, true))
		r.send("GET", r.guildPath("/invites"), "").list("code")
		r.must(r.Deny("#a", "bot", chat.CreateInvite, chat.ManageChannels))
		r.send("POST", r.in("#a", "/invites"), `{}`).want(403, 50013)
		r.send("GET", r.in("#a", "/invites"), "").want(403, 50013)
		r.must(r.DeleteChannel("#a"))
		if got := r.Invites(); len(got) != 0 {
			t.Errorf("invites to a channel that is gone: %v", got)
		}
	})
}

func TestTheAuditLogHasActionsAndTheirAuthors(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember ada: owner\nmember bob")
	made := r.send("POST", r.guildPath("/channels"), `{"name":"x"}`).want(201, 0)["id"].(string)
	r.send("PATCH", r.in(made, ""), `{"name":"y"}`).want(200, 0)
	r.send("PUT", r.in(made, "/permissions/"+string(r.user("bob"))), `{"type":1,"deny":"1024"}`).want(204, 0)
	r.send("DELETE", r.in(made, ""), "").want(200, 0)
	r.must(r.AddAuditEntry("ada", fakediscord.AuditEntry{Action: 22, Target: string(r.user("bob")), Reason: "spam"}))
	log := func(query string) (actions []string, before string) {
		t.Helper()
		got := r.send("GET", r.guildPath("/audit-logs"+query), "").want(200, 0)
		for _, e := range got["audit_log_entries"].([]any) {
			entry := e.(map[string]any)
			actions = append(actions, fmt.Sprint(entry["action_type"]))
			before = entry["id"].(string)
		}
		return actions, before
	}
	for query, want := range map[string]string{
		"":                                  "22 12 13 11 10",
		"?limit=2":                          "22 12",
		"?action_type=11":                   "11",
		"?user_id=" + string(r.user("ada")): "22",
		"?user_id=" + string(r.user("bob")): "",
	} {
		if got, _ := log(query); strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", query, got, want)
		}
	}
	_, third := log("?limit=3")
	for query, want := range map[string]string{
		"?before=" + third:        "11 10",
		"?after=" + third:         "12 22", // oldest first
		"?limit=1&after=" + third: "12",
		"?target_id=" + made:      "12 13 11 10",
	} {
		if got, _ := log(query); strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", query, got, want)
		}
	}
	r.sendAnyway("GET", r.guildPath("/audit-logs?limit=101"), "").want(400, 50035)
	r.must(r.SetPermission("bot", chat.ViewAuditLog, false))
	r.send("GET", r.guildPath("/audit-logs"), "").want(403, 50013)
}

func TestOverwritesAreChangedOneByOne(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\ncategory Cat: #in #out\nmember ada: owner\nmember bob\nrole mods\nbot B: View Channel, Send Messages, Manage Roles, Manage Channels\nthread \"t\" in #a\ndeny #out bob: View Channel")
	bob := "/permissions/" + string(r.user("bob"))
	r.send("PUT", r.in("Cat", bob), `{"type":1,"allow":"0","deny":"1024"}`).want(204, 0)
	if p, err := r.Permissions("bob", "#in"); err != nil || p != 0 {
		t.Errorf("bob has %v in a channel that goes with its category, %v", p, err)
	}
	r.send("PUT", r.in("Cat", bob), `{"type":1,"allow":"2048","deny":"0"}`).want(204, 0)
	if got := r.channel("Cat").Overwrites; len(got) != 1 || got[0].Allow != 2048 || got[0].Deny != 0 {
		t.Errorf("rules %+v, want the new one in place of the old", got)
	}
	r.send("DELETE", r.in("Cat", bob), "").want(204, 0)
	r.send("DELETE", r.in("Cat", bob), "").want(404, 10009)
	for _, tt := range []struct {
		name, path, body string
		status, code     int
	}{
		{"a right that the bot lacks", r.in("#a", bob), `{"type":1,"allow":"8192"}`, 403, 50013},
		{"to deny what the bot lacks", r.in("#a", bob), `{"type":1,"deny":"8192"}`, 403, 50013},
		{"the right to change rules", r.in("#a", bob), `{"type":1,"allow":"268435456"}`, 403, 50013},
		{"nobody", r.in("#a", "/permissions/123456789012345678"), `{"type":1}`, 404, 10007},
		{"no role", r.in("#a", "/permissions/123456789012345678"), `{"type":0}`, 404, 10011},
		{"a thread", r.in("t", bob), `{"type":1}`, 400, 50024},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := r.sendAnyway("PUT", tt.path, tt.body)
			reply.t = t
			reply.want(tt.status, tt.code)
		})
	}
	r.must(r.Deny("#a", "bot", chat.ManageRoles))
	r.send("PUT", r.in("#a", bob), `{"type":1,"allow":"1024"}`).want(403, 50013)
}

func TestWebhooksAndEmojiAreListed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #b\nmember ada: owner")
	_, err := r.AddWebhook("ada", "#a", "news")
	r.must(err)
	_, err = r.AddEmoji(fakediscord.GuildEmoji{Name: "party"})
	r.must(err)
	if got := r.send("GET", r.guildPath("/emojis"), "").list("name"); len(got) != 1 || got[0] != "party" {
		t.Errorf("emoji %v", got)
	}
	r.send("GET", r.guildPath("/webhooks"), "").want(403, 50013)
	r.send("GET", r.in("#a", "/webhooks"), "").want(403, 50013)
	r.must(r.SetPermission("bot", chat.ManageWebhooks, true))
	if got := r.send("GET", r.guildPath("/webhooks"), "").list("token"); len(got) != 1 || got[0] == "" {
		t.Errorf("Discord tells the tokens of webhooks; this tells %q", got)
	}
	if got := r.send("GET", r.in("#b", "/webhooks"), "").list("name"); len(got) != 0 {
		t.Errorf("webhooks of #b: %v", got)
	}
}

func TestPolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		m := r.message(r.send("POST", r.in("#a", "/messages"), poll("")).want(200, 0))
		if m.Poll == nil || m.Poll.Question != "Where?" || strings.Join(m.Poll.Answers, " ") != "here there" || m.Poll.Ends.Sub(m.Sent) != 2*time.Hour {
			t.Errorf("poll %+v", m.Poll)
		}
		time.Sleep(2 * time.Hour)
		got := r.send("GET", r.at(m, ""), "").want(200, 0)["poll"].(map[string]any)
		if got["results"].(map[string]any)["is_finalized"] != true {
			t.Errorf("after its end: %v", got)
		}
		if want := "#a bot: [poll Where?: here / there]\n"; r.Transcript("#a") != want {
			t.Errorf("transcript %q, want %q", r.Transcript("#a"), want)
		}
		answers := strings.Repeat(`{"poll_media":{"text":"x"}},`, 11)
		for _, body := range []string{
			strings.Replace(poll(""), "Where?", strings.Repeat("x", 301), 1),
			strings.Replace(poll(""), "Where?", " ", 1),
			strings.Replace(poll(""), "there", strings.Repeat("x", 56), 1),
			strings.Replace(poll(""), `{"poll_media":{"text":"here"}},{"poll_media":{"text":"there"}}`, "", 1),
			strings.Replace(poll(""), `{"poll_media":{"text":"here"}},`, answers, 1),
			strings.Replace(poll(""), `"duration":2`, `"duration":769`, 1),
			strings.Replace(poll(""), `"duration":2`, `"duration":0`, 1),
			strings.Replace(poll(""), `"layout_type":1`, `"layout_type":2`, 1),
		} {
			r.sendAnyway("POST", r.in("#a", "/messages"), body).want(400, 50035)
		}
		r.must(r.Deny("#a", "bot", chat.CreatePolls))
		r.send("POST", r.in("#a", "/messages"), poll("")).want(403, 50013)
	})
}

func TestTheGatewaySendsEventsOfTheIntents(t *testing.T) {
	const all = guilds | 1<<2 | 1<<3 | 1<<5 | 1<<6 | 1<<16
	bubble(t, "guild d: #a talk:voice\nmember ada: owner\ndeny talk bot: View Channel", all, func(w *discordtest.World, s *session) {
		s.heard()
		start := time.Now().Add(time.Hour)
		for _, e := range []fakediscord.ScheduledEvent{
			{Name: "seen", Location: "here", Start: start, End: start.Add(time.Hour)},
			{Name: "hidden", Channel: w.ChannelID("talk"), Start: start},
		} {
			if _, err := w.AddEvent("ada", e); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.AddEmoji(fakediscord.GuildEmoji{Name: "party"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.AddWebhook("ada", "#a", "news"); err != nil {
			t.Fatal(err)
		}
		want := "GUILD_SCHEDULED_EVENT_CREATE GUILD_AUDIT_LOG_ENTRY_CREATE GUILD_EMOJIS_UPDATE GUILD_AUDIT_LOG_ENTRY_CREATE WEBHOOKS_UPDATE"
		if got := names(s.heard()); got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
	})
}

func TestTheAuditLogHasTheBotsChangesOfMembers(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember ada: owner\nmember bob\nmember eve\nrole mods\nrole low\nbot B: Administrator")
	r.must(r.PlaceRole("B", 3))
	bob, eve := r.guildPath("/members/"+string(r.user("bob"))), string(r.user("eve"))
	var mods string
	for _, role := range r.Roles() {
		if role.Name == "mods" {
			mods = string(role.ID)
		}
	}
	r.send("PATCH", bob, `{"nick":"Bobby"}`).want(200, 0)
	r.send("PUT", bob+"/roles/"+mods, "").want(204, 0)
	r.send("PATCH", bob, `{"nick":"Bobby"}`).want(200, 0) // no change
	r.send("PATCH", r.guildPath("/roles/"+mods), `{"name":"mates"}`).want(200, 0)
	made := r.send("POST", r.guildPath("/roles"), `{"name":"new"}`).want(200, 0)["id"].(string)
	r.send("DELETE", r.guildPath("/roles/"+made), "").want(204, 0)
	r.send("DELETE", bob, "").want(204, 0)
	r.send("PUT", r.guildPath("/bans/"+eve), `{}`).want(204, 0)
	r.send("DELETE", r.guildPath("/bans/"+eve), `{}`).want(204, 0)
	var got []int
	for _, e := range r.AuditLog() {
		got = append(got, e.Action)
	}
	if want := []int{24, 25, 31, 30, 32, 20, 22, 23}; !slices.Equal(got, want) {
		t.Errorf("the log has %v, want %v", got, want)
	}
	r.send("GET", r.guildPath("/audit-logs"), "").want(200, 0)
}
