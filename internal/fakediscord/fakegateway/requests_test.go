package fakegateway_test

import (
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakegateway"

	"github.com/google/go-cmp/cmp"
)

// TestRequestsAreAnsweredToTheSessionThatAsks, and to no other.
func TestRequestsAreAnsweredToTheSessionThatAsks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var asked []fakegateway.MembersRequest
		var sounds []string
		_, l := start(t, fakegateway.Options{
			Members: func(r fakegateway.MembersRequest) []fakegateway.Event {
				asked = append(asked, r)
				return []fakegateway.Event{{Name: "GUILD_MEMBERS_CHUNK"}, {Name: "GUILD_MEMBERS_CHUNK"}}
			},
			Sounds: func(guilds []string, _ fakegateway.Shard) []fakegateway.Event {
				sounds = guilds
				return []fakegateway.Event{{Name: "SOUNDBOARD_SOUNDS"}}
			},
		})
		other, c := connect(t, l, address), connect(t, l, address)
		other.say(identify)
		other.require("op 10", "READY 1")
		time.Sleep(5 * time.Second)
		c.say(`{"op":2,"d":{"token":"secret","intents":2,"shard":[1,2]}}`)
		c.say(`{"op":8,"d":{"guild_id":"7","query":"a","limit":5,"presences":true,"nonce":"n"}}`)
		c.say(`{"op":8,"d":{"guild_id":[8],"user_ids":["1",2]}}`)
		c.say(`{"op":8,"d":{"guild_id":9,"user_ids":"3"}}`)
		c.say(`{"op":31,"d":{"guild_ids":["7"]}}`)
		c.require("op 10", "READY 1", "GUILD_MEMBERS_CHUNK 2", "GUILD_MEMBERS_CHUNK 3", "GUILD_MEMBERS_CHUNK 4", "GUILD_MEMBERS_CHUNK 5",
			"GUILD_MEMBERS_CHUNK 6", "GUILD_MEMBERS_CHUNK 7", "SOUNDBOARD_SOUNDS 8")
		other.require()
		by := fakegateway.MembersRequest{Intents: 2, Shard: fakegateway.Shard{Number: 1, Count: 2}}
		first, second, third := by, by, by
		first.Guilds, first.Query, first.Limit, first.Presences, first.Nonce = []string{"7"}, "a", 5, true, "n"
		second.Guilds, second.Users = []string{"8"}, []string{"1", "2"}
		third.Guilds, third.Users = []string{"9"}, []string{"3"}
		if diff := cmp.Diff([]fakegateway.MembersRequest{first, second, third}, asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"7"}, sounds); diff != "" {
			t.Error(diff)
		}
	})
}
