package fakediscord_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// card is a message of the bot with two buttons, one of them disabled.
func (r *rig) card() fakediscord.Message {
	r.t.Helper()
	return r.message(r.send("POST", r.in("#a", "/messages"), `{"content":"sure?","components":[{"type":1,"components":[
		{"type":2,"style":3,"label":"Yes","custom_id":"yes"},
		{"type":2,"style":4,"label":"No","custom_id":"no","disabled":true}]}],`+quiet+`}`).want(200, 0))
}

// A pressed is the event of a button.
type pressed struct {
	ID     string `json:"id"`
	Token  string `json:"token"`
	App    string `json:"application_id"`
	Guild  string `json:"guild_id"`
	Member struct {
		User struct {
			ID chat.UserID `json:"id"`
		} `json:"user"`
	} `json:"member"`
	Data struct {
		CustomID string `json:"custom_id"`
	} `json:"data"`
	Message struct {
		ID chat.MessageID `json:"id"`
	} `json:"message"`
}

func (p pressed) callback() string { return "/interactions/" + p.ID + "/" + p.Token + "/callback" }

func (p pressed) hook(rest string) string { return "/webhooks/" + p.App + "/" + p.Token + rest }

// onPress calls f for every press, in a goroutine of its own like a bot.
func (r *rig) onPress(f func(pressed)) {
	r.Watch(func(e fakediscord.Event) {
		if e.Name != "INTERACTION_CREATE" {
			return
		}
		var p pressed
		if err := json.Unmarshal(e.Data, &p); err != nil {
			r.t.Error(err)
		}
		go f(p)
	})
}

func TestAPressIsAnswered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer string
		kind         fakediscord.AnswerKind
		want         string
	}{
		{"later", `{"type":6}`, fakediscord.UpdateDeferred, "#a bot: sure? [button Yes, button No]"},
		{"by an edit", `{"type":7,"data":{"content":"done","components":[],` + quiet + `}}`, fakediscord.Updated, "#a bot: done"},
		{"by a reply", `{"type":4,"data":{"content":"fine",` + quiet + `}}`, fakediscord.Replied, "#a bot: sure? [button Yes, button No]\n#a bot: fine"},
		{"in secret", `{"type":4,"data":{"content":"fine","flags":64,` + quiet + `}}`, fakediscord.Replied, "#a bot: sure? [button Yes, button No]\n#a bot (only for bob): fine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "guild d: #a\nmember bob")
				m := r.card()
				r.onPress(func(p pressed) {
					if p.Data.CustomID != "yes" || p.Member.User.ID != r.user("bob") || p.Guild != string(r.GuildID()) {
						t.Errorf("the bot is told %+v", p)
					}
					r.send("POST", p.callback(), tt.answer).want(204, 0)
					r.send("POST", p.callback(), tt.answer).want(400, 40060)
				})
				got, err := r.Press("bob", m.ID, "yes")
				r.must(err)
				if got.Kind != tt.kind || got.Message.ID == "" {
					t.Errorf("answer = %+v, want %s", got, tt.kind)
				}
				synctest.Wait()
				if text := strings.TrimSpace(r.Transcript()); text != tt.want {
					t.Errorf("transcript:\n%s\nwant:\n%s", text, tt.want)
				}
			})
		})
	}
}

func TestAPressWaitsThreeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		m := r.card()
		r.onPress(func(p pressed) {
			time.Sleep(4 * time.Second)
			r.send("POST", p.callback(), `{"type":6}`).want(404, 10062)
		})
		start := time.Now()
		if _, err := r.Press("bob", m.ID, "yes"); err == nil || !strings.Contains(err.Error(), "did not answer") {
			t.Errorf("Press = %v, want that the bot did not answer", err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("Press waited %v", took)
		}
		time.Sleep(2 * time.Second)
	})
}

func TestAnAnswerCanBeAddedTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		m := r.card()
		var p pressed
		r.onPress(func(it pressed) {
			p = it
			got := r.send("POST", it.callback()+"?with_response=true", `{"type":5}`).want(200, 0)
			if it, _ := got["interaction"].(map[string]any); it["response_message_loading"] != true {
				t.Errorf("the answer to a deferred reply is %v", got)
			}
		})
		answer, err := r.Press("bob", m.ID, "yes")
		r.must(err)
		synctest.Wait()
		if answer.Kind != fakediscord.ReplyDeferred {
			t.Errorf("answer = %+v", answer)
		}
		r.send("PATCH", p.hook("/messages/@original"), `{"content":"here",`+quiet+`}`).want(200, 0)
		r.send("GET", p.hook("/messages/@original"), "").want(200, 0)
		more := r.send("POST", p.hook(""), `{"content":"and more","flags":64,`+quiet+`}`).want(200, 0)
		r.send("PATCH", p.hook("/messages/"+more["id"].(string)), `{"content":"and less",`+quiet+`}`).want(200, 0)
		want := "#a bot: sure? [button Yes, button No]\n#a bot: here\n#a bot (only for bob): and less\n"
		if got := r.Transcript(); got != want {
			t.Errorf("transcript:\n%s\nwant:\n%s", got, want)
		}
		r.send("GET", r.in("#a", "/messages/"+more["id"].(string)), "").want(404, 10008) // it is ephemeral
		r.send("DELETE", p.hook("/messages/"+more["id"].(string)), "").want(204, 0)
		r.send("DELETE", p.hook("/messages/@original"), "").want(204, 0)
		r.send("PATCH", p.hook("/messages/@original"), `{"content":"x",`+quiet+`}`).want(404, 10008)
		r.sendAnyway("POST", "/webhooks/"+p.App+"/wrong", `{"content":"x"}`).want(404, 10015)
		time.Sleep(16 * time.Minute)
		r.send("POST", p.hook(""), `{"content":"late",`+quiet+`}`).want(401, 50027)
	})
}

func TestTheFirstFollowUpFillsADeferredReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		r.say("bob", "@bot", "hi")
		m := r.message(r.send("POST", r.in("@bob", "/messages"), `{"content":"sure?","components":[{"type":1,"components":[
			{"type":2,"style":3,"label":"Yes","custom_id":"yes"}]}],`+quiet+`}`).want(200, 0))
		r.onPress(func(p pressed) {
			if p.Guild != "" {
				t.Errorf("a press in a conversation of two names the guild %s", p.Guild)
			}
			r.send("POST", p.callback(), `{"type":5}`).want(204, 0)
			r.sendAnyway("POST", p.hook(""), `{}`).want(400, 50006)
			r.send("POST", p.hook(""), `{"content":"here",`+quiet+`}`).want(200, 0)
			r.send("POST", p.hook(""), `{"content":"and there",`+quiet+`}`).want(200, 0)
		})
		_, err := r.Press("bob", m.ID, "yes")
		r.must(err)
		synctest.Wait()
		want := "@bob bob: hi\n@bob bot: sure? [button Yes]\n@bob bot: here\n@bob bot: and there\n"
		if got := r.Transcript(); got != want {
			t.Errorf("transcript:\n%s\nwant:\n%s", got, want)
		}
	})
}

func TestAPressThatIsNotPossibleIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob\nmember eve\ndeny #a eve: View Channel")
	m := r.card()
	for _, tt := range []struct{ name, user, button, want string }{
		{"nobody", "max", "yes", "no member max"},
		{"who does not see it", "eve", "yes", "does not see"},
		{"no such button", "bob", "maybe", "has no button"},
		{"a disabled one", "bob", "no", "is disabled"},
	} {
		if _, err := r.Press(tt.user, m.ID, tt.button); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Press = %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestAFormOfAButton: what is submitted names the message with the button, which the answer may change.
func TestAFormOfAButton(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember ada")
	card := r.card()
	answers := make(chan reply, 2)
	r.onPress(func(p pressed) {
		body := `{"type":9,"data":{"custom_id":"why","title":"Why?","components":[{"type":18,"label":"Text","component":{"type":4,"custom_id":"t","style":1}}]}}`
		if p.Data.CustomID == "why" {
			if p.Message.ID != card.ID {
				t.Errorf("the form is of the message %q, want %q", p.Message.ID, card.ID)
			}
			body = `{"type":4,"data":{"content":"I see.",` + quiet + `}}`
		}
		answers <- r.send("POST", p.callback()+"?with_response=true", body)
	})
	_, err := r.Press("ada", card.ID, "yes")
	r.must(err)
	if got := (<-answers).want(200, 0); got["interaction"].(map[string]any)["type"] != 3.0 || got["resource"] != nil {
		t.Errorf("the form was shown with %v", got)
	}
	seen, err := r.Submit("ada", "#a", "why", map[string]string{"t": "because"})
	r.must(err)
	if got := (<-answers).want(200, 0); got["interaction"].(map[string]any)["type"] != 5.0 {
		t.Errorf("the form was answered with %v", got)
	}
	of := r.send("GET", r.at(seen.Message, ""), "").want(200, 0)["interaction_metadata"].(map[string]any)
	by, _ := of["triggering_interaction_metadata"].(map[string]any)
	if of["type"] != 5.0 || by["type"] != 3.0 || by["interacted_message_id"] != string(card.ID) {
		t.Errorf("the answer is to %v", of)
	}
}
