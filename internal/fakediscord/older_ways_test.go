package fakediscord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// TestWaysThatDiscordNoLongerDescribes are those of clients that are older than its description.
func TestWaysThatDiscordNoLongerDescribes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember ada: owner\nbot B: Administrator")
	r.doc = nil
	thread, err := r.StartThread("ada", "#a", "talk")
	r.must(err)
	members := "/channels/" + string(thread.ID) + "/thread-members"
	r.sendAnyway("POST", members+"/@me", "").want(204, 0)
	r.sendAnyway("GET", members+"/"+string(r.user("bot")), "").want(200, 0)

	nick := r.sendAnyway("PATCH", "/guilds/"+string(r.GuildID())+"/members/@me/nick", `{"nick":"claw"}`).want(200, 0)
	if bot, _ := r.Member("bot"); nick["nick"] != "claw" || bot.Nick != "claw" {
		t.Errorf("the answer is %v, the bot is called %q", nick, bot.Nick)
	}
	for _, x := range r.Requests() {
		if isOld := x.Method == "POST" || x.Method == "PATCH"; x.Undescribed != isOld {
			t.Errorf("%s: undescribed = %v", x.Route, x.Undescribed)
		}
	}
}

// TestAPresenceInItsFormerFormIsTaken: a game instead of activities, and no status for an online one.
func TestAPresenceInItsFormerFormIsTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild d: #a")
		s := connectAs(t, w, map[string]any{
			"token": w.Token(), "intents": 1, "properties": map[string]any{},
			"presence": map[string]any{"status": nil, "game": map[string]any{"name": "tests", "type": 0}, "since": 0, "afk": false},
		})
		want := fakediscord.Presence{Status: "online", Activities: []fakediscord.Activity{{Name: "tests"}}}
		if diff := cmp.Diff(want, w.BotPresence()); diff != "" {
			t.Errorf("at login (-want +got):\n%s", diff)
		}
		s.say(`{"op":3,"d":{"status":"idle","activities":[],"game":{"name":"old"},"since":0,"afk":false}}`)
		if got := w.BotPresence(); got.Status != "idle" || len(got.Activities) > 0 {
			t.Errorf("activities do not come before the game: %+v", got)
		}
	})
}

func TestANonceComesBackAsItWasSent(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: Administrator")
	for _, nonce := range []string{`1234`, `"1234"`} {
		told := ""
		r.Watch(func(e fakediscord.Event) {
			if e.Name == "MESSAGE_CREATE" {
				told = string(e.Data)
			}
		})
		sent := r.send("POST", r.in("#a", "/messages"), `{"content":"x","nonce":`+nonce+`,`+quiet+`}`)
		if want := `"nonce":` + nonce; !strings.Contains(string(sent.body), want) || !strings.Contains(told, want) {
			t.Errorf("%s: sent %s, told %s", nonce, sent.body, told)
		}
	}
}

func TestANewChannelHasItsSlowmode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: Administrator")
	made := r.send("POST", "/guilds/"+string(r.GuildID())+"/channels", `{"name":"slow","rate_limit_per_user":5}`).want(201, 0)
	if made["rate_limit_per_user"] != 5.0 {
		t.Errorf("made %v", made)
	}
}

// TestAFileInAnEmbedIsNotAnAttachment: Discord shows it in its embed, and lists it as an attachment only after an edit takes it out of there.
func TestAFileInAnEmbedIsNotAnAttachment(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: Administrator")
	r.SetURL("http://fake.discord")
	body := `{"embeds":[{"title":"p","image":{"url":"attachment://dot.png"},"footer":{"text":"f","icon_url":"attachment://gone.png"}}],
		"attachments":[{"id":"0","filename":"dot.png"},{"id":"1","filename":"notes.txt"}],` + quiet + `}`
	form := "--x\r\nContent-Disposition: form-data; name=\"payload_json\"\r\nContent-Type: application/json\r\n\r\n" + body
	for i, name := range []string{"dot.png", "notes.txt"} {
		form += fmt.Sprintf("\r\n--x\r\nContent-Disposition: form-data; name=\"files[%d]\"; filename=%q\r\n\r\nx", i, name)
	}
	var sent struct {
		ID     string `json:"id"`
		Embeds []struct {
			Image  struct{ URL string }
			Footer struct {
				Icon string `json:"icon_url"`
			}
		}
		Attachments []struct{ Filename string }
	}
	got := r.sendRaw("POST", r.in("#a", "/messages"), "multipart/form-data; boundary=x", strings.NewReader(form+"\r\n--x--"))
	if err := json.Unmarshal(got.body, &sent); err != nil || got.status != 200 {
		t.Fatalf("%d %s: %v", got.status, got.body, err)
	}
	a, _ := r.Channel("#a")
	if image := sent.Embeds[0].Image.URL; !strings.HasPrefix(image, "http://fake.discord/attachments/"+string(a.ID)+"/") || !strings.HasSuffix(image, "/dot.png") {
		t.Errorf("the picture is at %s", image)
	}
	if icon := sent.Embeds[0].Footer.Icon; icon != "attachment://gone.png" {
		t.Errorf("the icon, which was not sent, is at %s", icon)
	}
	if len(sent.Attachments) != 1 || sent.Attachments[0].Filename != "notes.txt" {
		t.Errorf("attachments %v", sent.Attachments)
	}
	edited := r.send("PATCH", r.in("#a", "/messages/"+sent.ID), `{"embeds":[],`+quiet+`}`).want(200, 0)
	if files := edited["attachments"].([]any); len(files) != 2 {
		t.Errorf("without the embed, attachments %v", files)
	}
}

func TestAMemberIsMovedBetweenVoiceChannels(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a talk:voice hall:voice\nmember ada: owner\nmember bob\nbot B: Move Members")
	bob := "/guilds/" + string(r.GuildID()) + "/members/" + string(r.user("bob"))
	hall, _ := r.Channel("hall")
	to := func(id string) string { return `{"channel_id":` + id + `}` }
	r.send("PATCH", bob, to(`"`+string(hall.ID)+`"`)).want(400, 40032)
	r.must(r.EnterVoice("bob", "talk"))
	r.send("PATCH", bob, to(`"`+string(hall.ID)+`"`)).want(200, 0)
	if v, _ := r.VoiceState("bob"); v.Channel != hall.ID {
		t.Errorf("moved to %s", v.Channel)
	}
	r.send("PATCH", bob, to("null")).want(200, 0)
	if v, inside := r.VoiceState("bob"); inside {
		t.Errorf("disconnected, and in %s", v.Channel)
	}
	r.must(r.EnterVoice("bob", "talk"))
	r.must(r.SetPermission("B", "Move Members", false))
	r.send("PATCH", bob, to("null")).want(403, 50013)
}

// TestAFormInRowsComesBackInRows, as it did before there were labels.
func TestAFormInRowsComesBackInRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		m := r.card()
		var filled json.RawMessage
		r.Watch(func(e fakediscord.Event) {
			var p struct {
				pressed
				Type int
				Data struct{ Components json.RawMessage } `json:"data"`
			}
			if e.Name != "INTERACTION_CREATE" {
				return
			}
			if err := json.Unmarshal(e.Data, &p); err != nil {
				t.Error(err)
			}
			answer := `{"type":9,"data":{"custom_id":"m","title":"Form","components":[{"type":1,"components":[{"type":4,"custom_id":"t","style":1,"label":"Text","max_length":6}]}]}}`
			if p.Type == 5 {
				filled, answer = p.Data.Components, `{"type":4,"data":{"content":"thanks",`+quiet+`}}`
			}
			go r.send("POST", p.callback(), answer).want(204, 0)
		})
		shown, err := r.Press("bob", m.ID, "yes")
		if err != nil || len(shown.Form.Fields) != 1 || shown.Form.Fields[0] != (fakediscord.FormField{ID: "t", Label: "Text", Required: true, Longest: 6}) {
			t.Fatalf("shown %+v, %v", shown.Form, err)
		}
		if _, err := r.Submit("bob", "#a", "m", map[string]string{"t": "filled"}); err != nil {
			t.Fatal(err)
		}
		if want := `[{"components":[{"custom_id":"t","id":2,"type":4,"value":"filled"}],"id":1,"type":1}]`; string(filled) != want {
			t.Errorf("the bot is told %s, want %s", filled, want)
		}
	})
}
