package fakediscord_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/fakediscord"
)

func (r *rig) view(member string) fakediscord.View {
	r.t.Helper()
	v, err := r.ViewOf(member)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// seen lists the channels of a view, with * where the member cannot write.
func seen(v fakediscord.View) string {
	var all []string
	for _, c := range v.Channels() {
		name := c.String()
		if !c.CanSend {
			name += "*"
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func TestAViewHasOnlyVisibleChannels(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
guild d: #a #secret Work:category ideas:forum read:announcement
member bob
member eve
thread "t" in #a
thread "hush" in #a: private
thread "locked" in #a: locked
thread "deep" in #secret
deny #secret bob: View Channel
deny read bob: Send Messages
deny ideas eve: Send Messages
`)
	if _, err := r.OpenDM("bob"); err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]string{
		"ada": "#a #secret #Work* #ideas #read #t #hush #locked #deep",
		"bob": "#a #Work* #ideas #read* #t #locked* @bob",
		"eve": "#a #secret #Work* #ideas* #read #t #locked* #deep",
	} {
		if got := seen(r.view(member)); got != want {
			t.Errorf("%s sees %s, want %s", member, got, want)
		}
	}
	m := r.say("ada", "#secret", "psst")
	if _, ok := r.view("bob").Channel(m.Channel); ok {
		t.Error("bob sees #secret")
	}
	if _, ok := r.view("bob").Message(m.Channel, m.ID); ok {
		t.Error("bob sees what is said in #secret")
	}
	if page, _ := r.view("bob").Messages(m.Channel, "", 10); len(page) > 0 {
		t.Error("bob reads #secret")
	}
	if got, ok := r.view("eve").Message(m.Channel, m.ID); !ok || got.Content != "psst" {
		t.Errorf("eve sees %v", got)
	}
	if c, _ := r.view("eve").Channel(m.Channel); c.Messages != 1 || c.Last != m.ID {
		t.Errorf("eve sees %+v", c)
	}
	if _, err := r.ViewOf("max"); err == nil {
		t.Error("nobody has a view")
	}
}

func TestMembersOpenChannels(t *testing.T) {
	t.Parallel()
	const layout = "guild d: #a ideas:forum talk:voice\nmember bob\nmember eve\ntag x in ideas\ndeny #a eve: Create Public Threads\ndeny ideas eve: Send Messages"
	for _, tt := range []struct {
		name   string
		do     func(r *rig, m fakediscord.Message) (fakediscord.Channel, error)
		want   string // part of the refusal, or empty
		status int
	}{
		{"a thread", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartThreadOn("bob", m.ID, "x")
		}, "", 0},
		{"a thread without the right", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartThreadOn("eve", m.ID, "x")
		}, "eve cannot start threads in #a", 403},
		{"a thread twice", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			_, err := r.StartThreadOn("bob", m.ID, "x")
			r.must(err)
			return r.StartThreadOn("bob", m.ID, "y")
		}, "has a thread already", 403},
		{"a thread below a notice", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			r.must(r.PinAs("ada", m.ID))
			return r.StartThreadOn("bob", r.Messages("a")[1].ID, "x")
		}, "below such a message", 403},
		{"a thread in a voice channel", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartThreadOn("bob", r.say("bob", "talk", "x").ID, "x")
		}, "#talk has no threads", 403},
		{"a thread below nothing", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartThreadOn("bob", "1", "x")
		}, "no message 1", 403},
		{"a post", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartPost("bob", "ideas", "x", "text")
		}, "", 0},
		{"a post with nothing in it", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartPost("bob", "ideas", "x", " ")
		}, "begins with a message", 400},
		{"a post that is too long", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartPost("bob", "ideas", "x", strings.Repeat("x", 2001))
		}, "2001 characters", 403},
		{"a post without the right", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartPost("eve", "ideas", "x", "text")
		}, "Missing Permissions", 403},
		{"a post with a strange tag", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartPost("bob", "ideas", "x", "text", "77")
		}, "Unknown Tag", 404},
		{"a post without a tag", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			r.must(r.RequireTag("ideas"))
			return r.StartPost("bob", "ideas", "x", "text")
		}, "tag is required", 400},
		{"a post in a text channel", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartPost("bob", "a", "x", "text")
		}, "channel type", 400},
		{"a post nowhere", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) {
			return r.StartPost("bob", "b", "x", "text")
		}, "no channel b", 403},
		{"a conversation", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) { return r.OpenDM("eve") }, "", 0},
		{"the bot's conversation with itself", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) { return r.OpenDM("bot") }, "to itself", 403},
		{"nobody's conversation", func(r *rig, m fakediscord.Message) (fakediscord.Channel, error) { return r.OpenDM("max") }, "no member max", 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, layout)
			opened, err := tt.do(r, r.say("bob", "#a", "hello"))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want == "":
				if _, found := r.Channel(string(opened.ID)); !found {
					t.Errorf("%+v is not there", opened)
				}
			case err == nil || !strings.Contains(err.Error(), tt.want) || fakediscord.StatusOf(err) != tt.status:
				t.Errorf("got %v with %d, want a refusal with %q and %d", err, fakediscord.StatusOf(err), tt.want, tt.status)
			}
		})
	}
	if got := fakediscord.StatusOf(errors.New("x")); got != 403 {
		t.Errorf("the status of a sentence is %d", got)
	}
}

// TestAThreadOfAPersonLooksLikeOneOfTheBot compares the gateway's events.
func TestAThreadOfAPersonLooksLikeOneOfTheBot(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a ideas:forum\nmember bob")
	var told []string
	r.Watch(func(e fakediscord.Event) { told = append(told, e.Name) })
	first, second := r.say("bob", "#a", "one"), r.say("bob", "#a", "two")
	told = nil
	_, err := r.StartThreadOn("bob", first.ID, "x")
	r.must(err)
	_, err = r.StartPost("bob", "ideas", "x", "text")
	r.must(err)
	byPerson := strings.Join(told, " ")
	told = nil
	r.send("POST", r.at(second, "/threads"), `{"name":"y"}`).want(201, 0)
	r.send("POST", r.in("ideas", "/threads"), `{"name":"y","message":{"content":"text",`+quiet+`}}`).want(201, 0)
	if byBot := strings.Join(told, " "); byBot != byPerson {
		t.Errorf("the bot's threads cause %s, a person's %s", byBot, byPerson)
	}
}

// TestWatchersGetEphemeralMessages: an ephemeral message is an event for watchers of the
// world only.
func TestWatchersGetEphemeralMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		card := r.card()
		var told []string
		r.Watch(func(e fakediscord.Event) {
			if e.Name == fakediscord.Whisper {
				told = append(told, fmt.Sprint(e.Channel == card.Channel, " ", string(e.Data)))
			}
		})
		var hook string
		r.onPress(func(p pressed) {
			hook = p.hook("/messages/@original")
			r.send("POST", p.callback(), `{"type":5,"data":{"flags":64}}`).want(204, 0)
		})
		answer, err := r.Press("bob", card.ID, "yes")
		r.must(err)
		synctest.Wait()
		r.send("PATCH", hook, `{"content":"psst",`+quiet+`}`).want(200, 0)
		r.send("DELETE", hook, "").want(204, 0)
		want := fmt.Sprintf(`true {"id":%q,"user_id":%q}`, answer.Message.ID, r.user("bob"))
		if got := strings.Join(told, "\n"); got != strings.Join([]string{want, want, want}, "\n") {
			t.Errorf("told\n%s\nwant three times\n%s", got, want)
		}
		if !answer.Message.Loading() {
			t.Error("the first answer does not say that there will be another")
		}
	})
}
