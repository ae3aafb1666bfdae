package fakegateway

import (
	"encoding/json"
	"errors"
	"strconv"
)

// A Shard says which guilds a session is for. The zero value is for all of them.
// https://discord.com/developers/docs/events/gateway#sharding
type Shard struct{ Number, Count int }

// UnmarshalJSON reads the pair of numbers that a client sends.
func (s *Shard) UnmarshalJSON(text []byte) error {
	var pair []int
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a shard is two numbers")
	}
	s.Number, s.Count = pair[0], pair[1]
	return nil
}

// exists reports whether there can be such a shard.
func (s Shard) exists() bool { return s.Number >= 0 && s.Number < s.Count }

// Has reports whether the events of a guild are for the shard. What belongs to no guild, with an empty ID, is for the first shard.
func (s Shard) Has(guild string) bool {
	if s.Count == 0 {
		return true
	}
	if guild == "" {
		return s.Number == 0
	}
	id, _ := strconv.ParseUint(guild, 10, 64) // the IDs of our guilds are numbers
	return int(id>>22%uint64(s.Count)) == s.Number
}
