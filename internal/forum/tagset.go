package forum

import (
	"maps"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// A TagSet is what the tags of a forum mean.
type TagSet struct {
	Guild chat.GuildID
	Forum chat.ChannelID
	IDs   map[string]string // by name, in small letters
	Names map[string]string // by ID
}

// NewTagSet names the tags of a forum: as the map of IDs by name does, or else as the forum does.
func NewTagSet(forum chat.Channel, named map[string]string) TagSet {
	s := TagSet{Guild: forum.Guild, Forum: forum.ID, IDs: map[string]string{}, Names: map[string]string{}}
	for _, t := range forum.Tags {
		s.IDs[strings.ToLower(t.Name)] = t.ID
		s.Names[t.ID] = t.Name
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		id := named[name]
		if _, there := s.Names[id]; there { // a tag that was deleted stays in the file
			s.IDs[strings.ToLower(name)] = id
			s.Names[id] = name
		}
	}
	return s
}
