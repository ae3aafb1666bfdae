package fakediscord_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// guildPath is the path of something about the guild.
func (r *rig) guildPath(rest string) string { return "/guilds/" + string(r.GuildID()) + rest }

// channel is a channel that must be there.
func (r *rig) channel(name string) fakediscord.Channel {
	r.t.Helper()
	c, ok := r.Channel(name)
	if !ok {
		r.t.Fatalf("there is no channel %s", name)
	}
	return c
}

func TestChannelsOfEveryKindAreMade(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a Cat:category")
	cat := string(r.channel("Cat").ID)
	for _, tt := range []struct {
		body string
		name string
		kind fakediscord.ChannelType
	}{
		{`{"name":"Big  News"}`, "big-news", fakediscord.TextChannel},
		{`{"name":"Büro 🌻","type":0,"topic":" where we work "}`, "büro-🌻", fakediscord.TextChannel},
		{`{"name":"Big Voices","type":2}`, "Big Voices", fakediscord.VoiceChannel},
		{`{"name":"Big Plans","type":4}`, "Big Plans", fakediscord.CategoryChannel},
		{`{"name":"Off To Press","type":5}`, "off-to-press", fakediscord.AnnouncementChannel},
		{`{"name":"The Stage","type":13}`, "The Stage", fakediscord.StageChannel},
		{`{"name":"Some Ideas","type":15,"parent_id":"` + cat + `"}`, "some-ideas", fakediscord.ForumChannel},
		{`{"name":"nulls","type":null,"topic":null,"position":null,"parent_id":null,"permission_overwrites":null}`, "nulls", fakediscord.TextChannel},
	} {
		got := r.send("POST", r.guildPath("/channels"), tt.body).want(201, 0)
		there := r.channel(got["id"].(string))
		if there.Name != tt.name || there.Type != tt.kind || got["name"] != tt.name {
			t.Errorf("%s made %s of type %d, and said %v", tt.body, there.Name, there.Type, got)
		}
		r.send("GET", r.in(string(there.ID), ""), "").want(200, 0)
	}
	if got := r.channel("büro-🌻").Topic; got != "where we work" {
		t.Errorf("the topic is %q", got)
	}
	if got := string(r.channel("some-ideas").Parent); got != cat {
		t.Errorf("the forum is in %q, want %q", got, cat)
	}
	var positions []int
	for _, c := range r.Channels() {
		positions = append(positions, c.Position)
	}
	if !slices.IsSorted(positions) {
		t.Errorf("positions %v, want every new channel below the others", positions)
	}
	r.send("POST", r.guildPath("/channels"), `{"name":"first","position":0}`).want(201, 0)
	if got := r.channel("first").Position; got != 0 {
		t.Errorf("position %d, want the one that was asked for", got)
	}
}

func TestANewChannelHasTheRulesOfItsCategory(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a Cat:category\nmember bob\ndeny Cat bob: View Channel")
	cat := string(r.channel("Cat").ID)
	r.send("POST", r.guildPath("/channels"), `{"name":"secret","parent_id":"`+cat+`"}`).want(201, 0)
	if _, err := r.Say("bob", "#secret", "hello?"); err == nil {
		t.Error("bob sees a channel in a category that he does not see")
	}
	bob, everyone := string(r.user("bob")), string(r.GuildID())
	r.send("POST", r.guildPath("/channels"), `{"name":"open","parent_id":"`+cat+`","permission_overwrites":[]}`).want(201, 0)
	r.say("bob", "#open", "hello")
	r.send("POST", r.guildPath("/channels"), `{"name":"his","permission_overwrites":[`+
		`{"id":"`+everyone+`","type":0,"deny":"1024"},{"id":"`+bob+`","type":1,"allow":1024,"deny":null}]}`).want(201, 0)
	r.say("bob", "#his", "hello")
	if got := r.channel("his").Overwrites; len(got) != 2 {
		t.Errorf("rules = %+v", got)
	}
	if p, err := r.Permissions("bot", "#his"); err != nil || p != 0 {
		t.Errorf("the bot has %v there, %v; want nothing, because it shut itself out", p, err)
	}
}

func TestChannelsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a Cat:category Closed:category\nmember bob\nthread \"t\" in #a\nbot B: View Channel, Manage Channels, Manage Roles\ndeny Closed bot: Manage Channels")
	cat := string(r.channel("Cat").ID)
	for _, tt := range []struct {
		name, body   string
		status, code int
	}{
		{"no name", `{}`, 400, 50035},
		{"nothing but space", `{"name":"   "}`, 400, 50035},
		{"a long name", `{"name":"` + strings.Repeat("🌻", 51) + `"}`, 400, 50035},
		{"a long topic", `{"name":"x","topic":"` + strings.Repeat("x", 1025) + `"}`, 400, 50035},
		{"a long topic of a forum", `{"name":"x","type":15,"topic":"` + strings.Repeat("x", 4097) + `"}`, 400, 50035},
		{"a thread", `{"name":"x","type":11}`, 400, 50035},
		{"before the first", `{"name":"x","position":-1}`, 400, 50035},
		{"in no category", `{"name":"x","parent_id":"123456789012345678"}`, 400, 50035},
		{"in a channel", `{"name":"x","parent_id":"` + string(r.channel("#a").ID) + `"}`, 400, 50035},
		{"a category in a category", `{"name":"x","type":4,"parent_id":"` + cat + `"}`, 400, 50035},
		{"in a category that the bot does not manage", `{"name":"x","parent_id":"` + string(r.channel("Closed").ID) + `"}`, 403, 50013},
		{"a rule for nobody", `{"name":"x","permission_overwrites":[{"id":"123456789012345678","type":0}]}`, 400, 50035},
		{"a rule about what the bot cannot do", `{"name":"x","permission_overwrites":[{"id":"` + string(r.user("bob")) + `","type":1,"allow":"4"}]}`, 403, 50013},
		{"a rule about rules", `{"name":"x","permission_overwrites":[{"id":"` + string(r.user("bob")) + `","type":1,"allow":"268435456"}]}`, 403, 50013},
		{"a rule that is no number", `{"name":"x","permission_overwrites":[{"id":"` + string(r.user("bob")) + `","type":1,"allow":"all"}]}`, 400, 50035},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := r.sendAnyway("POST", r.guildPath("/channels"), tt.body)
			reply.t = t
			reply.want(tt.status, tt.code)
		})
	}
	r.sendAnyway("POST", "/guilds/123456789012345678/channels", `{"name":"x"}`).want(404, 10004)
	r.must(r.SetPermission("bot", chat.ManageChannels, false))
	r.send("POST", r.guildPath("/channels"), `{"name":"x"}`).want(403, 50013)
	r.must(r.Allow("Cat", "bot", chat.ManageChannels))
	r.send("POST", r.guildPath("/channels"), `{"name":"y","parent_id":"`+cat+`"}`).want(201, 0)
}

func TestACategoryAndAGuildCanBeFull(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a"+strings.Repeat(" #b", 446)+"\ncategory Cat: #c1"+strings.Repeat(" #c", 48)+"\nthread \"threads do not count\" in #a")
	cat := string(r.channel("Cat").ID)
	r.send("POST", r.guildPath("/channels"), `{"name":"x","parent_id":"`+cat+`"}`).want(201, 0)
	full := r.send("POST", r.guildPath("/channels"), `{"name":"x","parent_id":"`+cat+`"}`).want(400, 50035)
	if !strings.Contains(encode(full), "CHANNEL_PARENT_MAX_CHANNELS") {
		t.Errorf("refused with %v", full)
	}
	r.send("PATCH", r.in("#a", ""), `{"parent_id":"`+cat+`"}`).want(400, 50035)
	r.send("PATCH", r.in("#c1", ""), `{"parent_id":"`+cat+`","name":"still-here"}`).want(200, 0)
	for range 2 {
		r.send("POST", r.guildPath("/channels"), `{"name":"x"}`).want(201, 0)
	}
	r.send("POST", r.guildPath("/channels"), `{"name":"x"}`).want(400, 30013)
}

func second[T any](_ T, err error) error { return err }

func TestChannelsAreEdited(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a talk:voice Cat:category")
	cat := string(r.channel("Cat").ID)
	got := r.send("PATCH", r.in("#a", ""), `{"name":"New Name","topic":"what for","position":7,"parent_id":"`+cat+`"}`).want(200, 0)
	a := r.channel("new-name")
	if a.Topic != "what for" || a.Position != 7 || string(a.Parent) != cat || got["name"] != "new-name" || got["parent_id"] != cat {
		t.Errorf("the channel is %+v, and the answer was %v", a, got)
	}
	r.send("PATCH", r.in("new-name", ""), `{"topic":null,"parent_id":null}`).want(200, 0)
	if a := r.channel("new-name"); a.Topic != "" || a.Parent != "" || a.Position != 7 {
		t.Errorf("the channel is %+v, want neither topic nor category", a)
	}
	r.send("PATCH", r.in("talk", ""), `{"name":"Loud Talk","topic":"ignored"}`).want(200, 0)
	if talk := r.channel("Loud Talk"); talk.Topic != "" {
		t.Errorf("a voice channel has the topic %q", talk.Topic)
	}
	r.send("PATCH", r.in("Cat", ""), `{"name":"New Cat"}`).want(200, 0)
	r.send("PATCH", r.in("New Cat", ""), `{}`).want(200, 0)
}

func TestEditsOfChannelsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #hidden talk:voice Cat:category Closed:category\nmember bob\nbot B: View Channel, Manage Channels, Send Messages\ndeny #hidden bot: View Channel\ndeny Closed bot: Manage Channels")
	r.say("bob", "@bot", "hi")
	for _, tt := range []struct {
		channel, body string
		status, code  int
	}{
		{"#a", `{"name":""}`, 400, 50035},
		{"#a", `{"name":"` + strings.Repeat("x", 101) + `"}`, 400, 50035},
		{"#a", `{"topic":"` + strings.Repeat("x", 1025) + `"}`, 400, 50035},
		{"#a", `{"parent_id":"123456789012345678"}`, 400, 50035},
		{"#a", `{"parent_id":"` + string(r.channel("talk").ID) + `"}`, 400, 50035},
		{"#a", `{"parent_id":"` + string(r.channel("Closed").ID) + `"}`, 403, 50013},
		{"Cat", `{"parent_id":"` + string(r.channel("Closed").ID) + `"}`, 400, 50035},
		{"#a", `{"available_tags":[]}`, 400, 50024},
		{"#hidden", `{"name":"x"}`, 403, 50001},
		{"Closed", `{"name":"x"}`, 403, 50013},
		{"@bob", `{"name":"x"}`, 403, 50003},
	} {
		r.sendAnyway("PATCH", r.in(tt.channel, ""), tt.body).want(tt.status, tt.code)
	}
	r.send("PATCH", "/channels/123456789012345678", `{"name":"x"}`).want(404, 10003)
	if got := r.channel("#a"); got.Name != "a" || got.Parent != "" {
		t.Errorf("a refused edit made it %+v", got)
	}
	if r.sendAnyway("PATCH", r.in("#a", ""), `{"nsfw":true}`).want(501, 0); len(r.Unbuilt()) != 1 {
		t.Errorf("not built: %v", r.Unbuilt())
	}
}

func TestChannelsAreDeleted(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #rules Cat:category\ncategory Cat: #inside talk:voice\nthread \"t\" in #a\nthread \"u\" in #inside\nbot B: View Channel, Manage Channels")
	r.say("ada", "#a", "soon gone")
	r.say("ada", "t", "me too")
	r.send("DELETE", r.in("t", ""), "").want(403, 50013)
	r.must(r.SetPermission("bot", chat.ManageThreads, true))
	r.send("DELETE", r.in("u", ""), "").want(200, 0)
	if got := r.send("DELETE", r.in("#a", ""), "").want(200, 0); got["name"] != "a" {
		t.Errorf("the answer is %v", got)
	}
	r.send("DELETE", r.in("Cat", ""), "").want(200, 0)
	r.must(r.MakeRules("#rules"))
	if got := r.send("GET", r.guildPath(""), "").want(200, 0)["rules_channel_id"]; got != string(r.channel("#rules").ID) {
		t.Errorf("the rules are in %v", got)
	}
	r.send("DELETE", r.in("#rules", ""), "").want(400, 50074)
	r.send("DELETE", "/channels/123456789012345678", "").want(404, 10003)
	r.must(r.SetPermission("bot", chat.ManageChannels, false))
	r.send("DELETE", r.in("#inside", ""), "").want(403, 50013)
	var left []string
	for _, c := range r.Channels() {
		left = append(left, c.Name)
		if c.Parent != "" {
			t.Errorf("%s is in a category that is gone", c.Name)
		}
	}
	if diff := cmp.Diff([]string{"rules", "inside", "talk"}, left); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
	if got := r.Transcript(); got != "" {
		t.Errorf("the messages are still there:\n%s", got)
	}
}

func TestChannelsAreArranged(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #b #c Cat:category\nmember bob\ndeny Cat bob: View Channel")
	id := func(name string) string { return string(r.channel(name).ID) }
	r.send("PATCH", r.guildPath("/channels"), `[{"id":"`+id("#a")+`","position":2},{"id":"`+id("#c")+`","position":0}]`).want(204, 0)
	if a, c := r.channel("#a"), r.channel("#c"); a.Position != 2 || c.Position != 0 {
		t.Errorf("positions %d and %d, want 2 and 0", a.Position, c.Position)
	}
	r.send("PATCH", r.guildPath("/channels"), `[{"id":"`+id("#a")+`","parent_id":"`+id("Cat")+`"}]`).want(204, 0)
	if a := r.channel("#a"); string(a.Parent) != id("Cat") || a.Position != 2 {
		t.Errorf("moved without its rules: %+v", a)
	}
	r.say("bob", "#a", "still here")
	r.send("PATCH", r.guildPath("/channels"), `[{"id":"`+id("#b")+`","parent_id":"`+id("Cat")+`","lock_permissions":true}]`).want(204, 0)
	if _, err := r.Say("bob", "#b", "still here?"); err == nil {
		t.Error("the channel has not taken over the rules of the category")
	}
	r.send("PATCH", r.guildPath("/channels"), `[{"id":"`+id("#a")+`","parent_id":null,"position":null}]`).want(204, 0)
	if a := r.channel("#a"); a.Parent != "" || a.Position != 2 {
		t.Errorf("taken out of its category: %+v", a)
	}
}

func TestArrangementsAreRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #b #hidden #fixed Cat:category Closed:category\nthread \"t\" in #a\nbot B: View Channel, Manage Channels\ndeny #hidden bot: View Channel\ndeny #fixed bot: Manage Channels\ndeny Closed bot: Manage Channels")
	id := func(name string) string { return string(r.channel(name).ID) }
	good := `{"id":"` + id("#a") + `","position":9},`
	for _, tt := range []struct {
		name, body   string
		status, code int
	}{
		{"an unknown channel", good + `{"id":"123456789012345678","position":1}`, 404, 10003},
		{"a thread", good + `{"id":"` + id("t") + `","position":1}`, 404, 10003},
		{"before the first", good + `{"id":"` + id("#b") + `","position":-1}`, 400, 50035},
		{"a hidden channel", good + `{"id":"` + id("#hidden") + `","position":1}`, 403, 50001},
		{"one that the bot does not manage", good + `{"id":"` + id("#fixed") + `","position":1}`, 403, 50013},
		{"into such a category", good + `{"id":"` + id("#b") + `","parent_id":"` + id("Closed") + `"}`, 403, 50013},
		{"into a channel", good + `{"id":"` + id("#b") + `","parent_id":"` + id("#a") + `"}`, 400, 50035},
		{"two into a category", `{"id":"` + id("#a") + `","parent_id":"` + id("Cat") + `"},{"id":"` + id("#b") + `","parent_id":"` + id("Cat") + `"}`, 400, 40009},
		{"nonsense for a category", good + `{"id":"` + id("#b") + `","parent_id":7}`, 400, 50035},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := r.sendAnyway("PATCH", r.guildPath("/channels"), "["+tt.body+"]")
			reply.t = t
			reply.want(tt.status, tt.code)
		})
	}
	r.sendAnyway("PATCH", r.guildPath("/channels"), `{}`).want(400, 50035)
	r.sendAnyway("PATCH", "/guilds/123456789012345678/channels", `[]`).want(404, 10004)
	if a := r.channel("#a"); a.Position == 9 || a.Parent != "" {
		t.Errorf("half of a refused request was done: %+v", a)
	}
}

func TestTheBotGetsChannelEvents(t *testing.T) {
	bubble(t, "guild d: #a Cat:category Secret:category\ncategory Cat: #inside\nthread \"t\" in #a\ndeny Secret bot: View Channel\nallow Secret bot: Manage Channels", usual, func(w *discordtest.World, s *session) {
		s.heard()
		id := func(name string) string { return string(w.ChannelID(name)) }
		guild := "/guilds/" + string(w.GuildID()) + "/channels"
		for _, tt := range []struct{ method, path, body, want string }{
			{"POST", guild, `{"name":"new"}`, "CHANNEL_CREATE"},
			{"PATCH", "/channels/" + id("#a"), `{"name":"b"}`, "CHANNEL_UPDATE"},
			{"PATCH", guild, `[{"id":"` + id("#a") + `","position":5},{"id":"` + id("Cat") + `","position":4}]`, "CHANNEL_UPDATE CHANNEL_UPDATE"},
			{"PATCH", "/channels/" + id("t"), `{"archived":true}`, "THREAD_UPDATE"},
			{"PATCH", "/channels/" + id("t"), `{"archived":false,"name":"u"}`, "THREAD_UPDATE MESSAGE_CREATE THREAD_MEMBERS_UPDATE"},
			{"DELETE", "/channels/" + id("t"), "", "THREAD_DELETE"},
			{"DELETE", "/channels/" + id("Cat"), "", "CHANNEL_DELETE CHANNEL_UPDATE"},
			{"DELETE", "/channels/" + id("#a"), "", "CHANNEL_DELETE"},
		} {
			if status := ask(s.t, w, tt.method, tt.path, tt.body); status >= 300 {
				t.Fatalf("%s %s: status %d", tt.method, tt.path, status)
			}
			if got := names(s.heard()); !sameNames(got, tt.want) {
				t.Errorf("after %s %s %s: heard %s, want %s", tt.method, tt.path, tt.body, got, tt.want)
			}
		}
	})
}

// ask makes a request as the bot over the network and returns the status.
func ask(t *testing.T, w *discordtest.World, method, path, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.APIURL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+w.Token())
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	client := w.HTTP()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// sameNames compares lists of events in any order.
func sameNames(a, b string) bool {
	return cmp.Equal(slices.Sorted(strings.SplitSeq(a, " ")), slices.Sorted(strings.SplitSeq(b, " ")))
}

func TestTheRulesOfACategoryAreThoseOfItsChannels(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob\ncategory Old Stuff: #x #y\ndeny #y bob: Send Messages\ndeny #x @everyone: Add Reactions")
	r.must(r.Deny(string(r.channel("Old Stuff").ID), "bob", chat.ViewChannel))
	if p, _ := r.Permissions("bob", "#x"); p == 0 {
		t.Error("a channel with rules of its own has lost them")
	}
	r = newRig(t, "guild d: #a\nmember bob\ncategory Old: #x #y\ndeny #y bob: Send Messages")
	r.must(r.Deny("Old", "bob", chat.ViewChannel))
	for channel, sees := range map[string]bool{"Old": false, "#x": false, "#y": true, "#a": true} {
		if p, _ := r.Permissions("bob", channel); (p != 0) != sees {
			t.Errorf("bob sees %s: %v, want %v", channel, p != 0, sees)
		}
	}
}
