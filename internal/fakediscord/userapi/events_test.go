package userapi_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
	"discoclaw/internal/fakediscord/userapi"
)

func (p *page) wants(want string) {
	p.t.Helper()
	if got := p.told(); got != want {
		p.t.Errorf("told\n  %s\nwant\n  %s", got, want)
	}
}

func TestAStreamBeginsWithHello(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		r.MustSay("bob", "#a", "before")
		p := r.listen("bob")
		r.MustSay("bob", "#a", "after")
		got := p.heard()
		if len(got) == 0 || got[0] != (event{"1", "hello", "{}"}) {
			t.Fatalf("told %v", got)
		}
		for i, e := range got {
			if e.id != fmt.Sprint(i+1) {
				t.Errorf("event %d has the ID %s", i+1, e.id)
			}
		}
		if len(got) != 3 || got[1].decode(t)["content"] != "after" {
			t.Errorf("told %v", got)
		}
	})
}

func TestAStreamSendsEventsInOrder(t *testing.T) {
	const layout = "guild d: #a #b\nmember ada: owner\nmember bob"
	bubble(t, layout, func(r *rig) {
		p := r.listen("bob")
		p.wants("hello")

		m := r.MustSay("ada", "#a", "one")
		p.wants("message one; channel a")
		r.must(r.EditAs("ada", m.ID, "two"))
		p.wants("message two")
		for _, change := range []func(string, chat.MessageID, chat.Emoji) error{r.React, r.Unreact} {
			r.must(change("bob", m.ID, "👍"))
			p.wants("message two")
		}
		r.must(r.PinAs("ada", m.ID))
		p.wants("message two; channel a; message ") // the message, and the notice

		r.bot("POST", "/channels/"+string(m.Channel)+"/typing", nil)
		p.wants("typing DiscoClaw")
		answer := r.botSays("a", nil)
		p.wants("message hi; channel a")
		r.bot("PATCH", "/channels/"+string(m.Channel)+"/messages/"+string(answer.ID), map[string]any{
			"content": "hi there", "allowed_mentions": map[string]any{"parse": []string{}},
		})
		p.wants("message hi there")

		r.must(r.DeleteAs("ada", m.ID))
		p.wants("gone; channel a")
		notice := r.Messages("a")[0]
		r.bot("POST", "/channels/"+string(m.Channel)+"/messages/bulk-delete", map[string]any{"messages": []chat.MessageID{notice.ID, answer.ID}})
		p.wants("gone; gone; channel a; world")

		thread, err := r.StartThread("ada", "#a", "lunch")
		r.must(err)
		p.wants("channel a; channel lunch; world; message lunch")
		r.MustSay("ada", "lunch", "pizza")
		p.wants("message pizza; channel lunch")
		r.must(r.Archive("lunch"))
		p.wants("channel lunch")
		r.MustSay("ada", string(thread.ID), "or soup")
		p.wants("channel lunch; message or soup") // it was unarchived, and the count changed with that
		r.must(r.DeleteChannel("lunch"))
		p.wants("channelGone")

		_, err = r.AddChannel("#c")
		r.must(err)
		p.wants("channel c")
		r.must(r.RenameChannel("c", "d"))
		p.wants("channel d")
		r.must(r.DeleteChannel("d"))
		p.wants("channelGone")
	})
}

// TestAStreamFollowsVisibility: a channel that becomes hidden is deleted, one that becomes
// visible is new.
func TestAStreamFollowsVisibility(t *testing.T) {
	const layout = "guild d: #a #ops\nrole mods:\nmember ada: owner\nmember bob\nthread \"x\" in #ops\ndeny #ops @everyone: View Channel\nallow #ops mods: View Channel"
	bubble(t, layout, func(r *rig) {
		p, owner := r.listen("bob"), r.listen("ada")
		p.wants("hello")
		r.MustSay("ada", "#ops", "one")
		p.wants("")
		r.must(r.GrantRole("bob", "mods"))
		p.wants("channel ops; channel x; world")
		r.MustSay("ada", "#ops", "two")
		p.wants("message two; channel ops")
		r.must(r.Deny("#ops", "bob", chat.SendMessages))
		if got := p.heard(); len(got) != 1 || got[0].decode(t)["canSend"] != false {
			t.Errorf("told %v", got)
		}
		r.must(r.RevokeRole("bob", "mods"))
		p.wants("channelGone; channelGone; world")
		r.MustSay("ada", "#ops", "three")
		p.wants("")
		owner.wants("hello; message one; channel ops; world; message two; channel ops; world; message three; channel ops")

		r.must(r.RemoveMember("bob"))
		p.wants("channelGone; world")
		if err := <-p.ended; err != nil {
			t.Errorf("the stream of somebody who left ended with %v", err)
		}
	})
}

func TestDirectMessagesArePrivate(t *testing.T) {
	bubble(t, "guild d: #a\nmember ada: owner\nmember bob", func(r *rig) {
		p, other := r.listen("bob"), r.listen("ada")
		dm := r.bot("POST", "/users/@me/channels", map[string]any{"recipient_id": r.UserID("bob")})
		if string(r.ChannelID("@bob")) != dm["id"] {
			t.Fatal("there are two conversations")
		}
		r.botSays("@bob", nil)
		r.bot("POST", "/channels/"+dm["id"].(string)+"/typing", nil)
		p.wants("hello; message hi; channel DiscoClaw; typing DiscoClaw")
		other.wants("hello")
	})
}

// TestEphemeralMessagesReachOneMember: the answer to a button, as it is created, changed
// and deleted.
func TestEphemeralMessagesReachOneMember(t *testing.T) {
	bubble(t, "guild d: #a\nmember ada: owner\nmember bob", func(r *rig) {
		card := r.botSays("a", buttons)
		p, other := r.listen("bob"), r.listen("ada")
		quiet := map[string]any{"parse": []string{}}
		r.onPress(map[string]any{"type": 5, "data": map[string]any{"flags": 64}}, map[string]any{"content": "there", "allowed_mentions": quiet})
		r.send("POST", at(card, "/press", "bob"), `{"button":"yes"}`).want(200)
		got := p.heard()
		if len(got) != 4 || got[1].decode(t)["loading"] != true || got[2].name != "channel" ||
			got[3].decode(t)["content"] != "there" || got[3].decode(t)["onlyYou"] != true || got[3].decode(t)["loading"] != false {
			t.Errorf("bob is told %v", got)
		}
		hook := ""
		for _, x := range r.Requests() {
			if strings.HasPrefix(x.Path, "/webhooks/") {
				hook = x.Path
			}
		}
		r.bot("DELETE", hook, nil)
		p.wants("gone; channel a")
		other.wants("hello")
	})
}

func TestAnIdleStreamSendsComments(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		p := r.listen("bob")
		time.Sleep(44 * time.Second)
		synctest.Wait()
		if n := len(p.comments); n != 2 {
			t.Errorf("%d comments in 44 seconds", n)
		}
	})
}

func TestAPageCanReconnect(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		p := r.listen("bob")
		p.wants("hello")
		p.hangUp()
		synctest.Wait()
		r.MustSay("bob", "#a", "missed")
		p = r.listen("bob")
		r.MustSay("bob", "#a", "heard")
		p.wants("hello; message heard; channel a")
	})
}

// TestASlowReaderIsDisconnected: it reads nothing, and neither the world nor another page
// waits for it.
func TestASlowReaderIsDisconnected(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		slow, quick := r.open("bob"), r.listen("bob")
		began := time.Now()
		heard := 0
		for i := range 600 {
			r.MustSay("bob", "#a", fmt.Sprint(i))
			if i%100 != 99 {
				continue
			}
			for _, e := range quick.heard() {
				if e.name == "message" {
					heard++
				}
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the world waited for %v", took)
		}
		if heard != 600 {
			t.Errorf("the quick page heard of %d messages", heard)
		}
		time.Sleep(time.Second)
		go slow.read()
		<-slow.ended // with or without an error, depending on its last read
		got := slow.heard()
		if len(got) >= 600 {
			t.Errorf("the slow page was told %d events", len(got))
		}
		for i, e := range got {
			if e.id != fmt.Sprint(i+1) {
				t.Fatalf("event %d has the ID %s", i+1, e.id)
			}
		}
		again := r.listen("bob")
		again.wants("hello")
	})
}

// TestAHangingReaderTimesOut: it reads nothing, while there are few events.
func TestAHangingReaderTimesOut(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		p := r.open("bob")
		for range 20 {
			r.MustSay("bob", "#a", strings.Repeat("x", 2000))
		}
		time.Sleep(11 * time.Second)
		go p.read()
		if err := <-p.ended; err == nil {
			t.Error("the stream ended well")
		}
	})
}

func TestCloseEndsTheStreams(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		p, stuck := r.listen("bob"), r.open("bob")
		for range 20 {
			r.MustSay("bob", "#a", strings.Repeat("x", 2000))
		}
		synctest.Wait()
		began := time.Now()
		r.api.Close()
		if took := time.Since(began); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		if err := <-p.ended; err != nil {
			t.Errorf("a page that reads sees %v", err)
		}
		_ = stuck.response.Body.Close()
		r.send("GET", "/api/events?as=bob", "").refused(503, "closing")
		r.MustSay("bob", "#a", "nobody hears")
		r.api.Close()
	})
}

func TestStreamsHaveALimit(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		var last *page
		for range 64 {
			last = r.open("bob")
		}
		r.send("GET", "/api/events?as=bob", "").refused(429, "close some")
		last.hangUp()
		synctest.Wait()
		r.listen("bob").wants("hello")
	})
}

func TestThePlaygroundAddsEvents(t *testing.T) {
	var publish func(string, any)
	o := userapi.Options{Extra: func(p func(string, any)) { publish = p }}
	bubbleWith(t, "guild d: #a #ops\nmember ada: owner\nmember bob\ndeny #ops bob: View Channel", o, func(r *rig) {
		p, owner := r.listen("bob"), r.listen("ada")
		publish("turn", map[string]any{"id": "1", "channel": r.ChannelID("a")})
		publish("turn", map[string]any{"id": "2", "channel": r.ChannelID("ops")})
		publish("turn", map[string]any{"id": "3", "channel": "gone"})
		publish("note", []string{"line\nbreak"})
		p.wantsData("hello {}; turn {\"channel\":\"" + string(r.ChannelID("a")) + "\",\"id\":\"1\"}; note [\"line\\nbreak\"]")
		if got := owner.heard(); len(got) != 4 {
			t.Errorf("ada is told %v", got)
		}
		r.api.Close()
		publish("turn", map[string]any{})
	})
}

func (p *page) wantsData(want string) {
	p.t.Helper()
	var all []string
	for _, e := range p.heard() {
		all = append(all, e.name+" "+e.data)
	}
	if got := strings.Join(all, "; "); got != want {
		p.t.Errorf("told\n  %s\nwant\n  %s", got, want)
	}
}

// TestManyMembersAtOnce: every page gets every message, in the order of the world, while
// others write, react and save.
func TestManyMembersAtOnce(t *testing.T) {
	bubble(t, "guild d: #a\nmember ada: owner\nmember bob\nmember eve", func(r *rig) {
		names := []string{"ada", "bob", "eve"}
		pages := map[string]*page{}
		for _, name := range names {
			pages[name] = r.listen(name)
		}
		var writing sync.WaitGroup
		for _, name := range names {
			writing.Go(func() {
				for i := range 30 {
					got := r.send("POST", r.in("a", "/messages", name), fmt.Sprintf(`{"content":"%s %d"}`, name, i)).want(200)
					m := fakediscord.Message{ID: chat.MessageID(got["id"].(string)), Channel: r.ChannelID("a")}
					r.send("PUT", at(m, "/reactions/%F0%9F%91%8D", name), "").want(204)
				}
			})
		}
		writing.Go(func() {
			for range 5 {
				r.must(save.Write(io.Discard, r.World.World))
			}
		})
		writing.Wait()
		var want []string
		for _, m := range r.Messages("a") {
			want = append(want, string(m.ID))
		}
		for name, p := range pages {
			var heard []string
			for _, e := range p.heard() {
				if id, _ := e.decode(t)["id"].(string); e.name == "message" && !slices.Contains(heard, id) {
					heard = append(heard, id)
				}
			}
			if diff := cmp.Diff(want, heard); diff != "" || len(want) != 90 {
				t.Errorf("%s hears (-want +got):\n%s", name, diff)
			}
		}
	})
}
