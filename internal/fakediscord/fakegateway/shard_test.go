package fakegateway_test

import (
	"fmt"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakegateway"
)

func TestAShardGetsTheEventsOfItsGuilds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, l := start(t, fakegateway.Options{})
		var shards []*client
		for n := range 2 {
			c := connect(t, l, address)
			c.say(fmt.Sprintf(`{"op":2,"d":{"token":"secret","intents":512,"shard":[%d,2]}}`, n))
			c.require("op 10", "READY 1")
			shards = append(shards, c)
			time.Sleep(5 * time.Second)
		}
		all := connect(t, l, address)
		all.say(identify)
		all.require("op 10", "READY 1")
		for _, guild := range []string{fmt.Sprint(4 << 22), fmt.Sprint(5<<22 + 1), ""} {
			s.Dispatch(512, fakegateway.Event{Name: "MESSAGE_CREATE", Guild: guild})
		}
		shards[0].require("MESSAGE_CREATE 2", "MESSAGE_CREATE 3") // direct messages, which have no guild, are for the first one
		shards[1].require("MESSAGE_CREATE 2")
		all.require("MESSAGE_CREATE 2", "MESSAGE_CREATE 3", "MESSAGE_CREATE 4")
	})
}

func TestAShardThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	for shard, want := range map[string]string{"[2,2]": "close 4010", "[-1,2]": "close 4010", "[0,0]": "close 4010", "[0]": "close 4002", `"first"`: "close 4002", "[1,2]": "READY 1", "null": "READY 1"} {
		t.Run(shard, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, l := start(t, fakegateway.Options{})
				c := connect(t, l, address)
				c.say(fmt.Sprintf(`{"op":2,"d":{"token":"secret","intents":512,"shard":%s}}`, shard))
				c.require("op 10", want)
			})
		})
	}
}
