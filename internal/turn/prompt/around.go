package prompt

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// maxChannelsLength bounds the list of channels, in bytes.
const maxChannelsLength = 700

// channels lists the channels of the server, by category, so that a model can name them. A long
// list is cut to what the turn may be about: this category first, then the names that are mentioned.
func (s Setting) channels(about string) string {
	list := slices.DeleteFunc(slices.Clone(s.Around.Channels), func(c chat.Channel) bool { return c.Kind == chat.CategoryKind })
	if len(list) == 0 {
		return ""
	}
	chosen := s.relevant(list, strings.ToLower(about))
	var groups []string
	group, category := "", chat.ChannelID("-")
	for _, c := range list {
		if !chosen[c.ID] {
			continue
		}
		if c.Parent != category {
			if group != "" {
				groups = append(groups, group)
			}
			group, category = s.heading(c.Parent), c.Parent
		} else {
			group += ", "
		}
		group += channelLabel(c)
	}
	text := "Channels: " + strings.Join(append(groups, group), "; ")
	if more := len(list) - len(chosen); more > 0 {
		text += fmt.Sprintf("; and %d more, which channelList finds", more)
	}
	return text
}

// heading is the name of a category, for a list.
func (s Setting) heading(category chat.ChannelID) string {
	i := slices.IndexFunc(s.Around.Channels, func(c chat.Channel) bool { return c.ID == category && category != "" })
	if i < 0 {
		return ""
	}
	return speaker(s.Around.Channels[i].Name) + ": "
}

// relevant chooses as many channels as there is room for.
func (s Setting) relevant(list []chat.Channel, about string) map[chat.ChannelID]bool {
	here := slices.IndexFunc(list, func(c chat.Channel) bool { return c.ID == s.Here })
	rank := func(c chat.Channel) int {
		switch {
		case here >= 0 && c.Parent == list[here].Parent:
			return 0
		case strings.Contains(about, strings.ToLower(c.Name)):
			return 1
		}
		return 2
	}
	byRank := slices.Clone(list)
	slices.SortStableFunc(byRank, func(a, b chat.Channel) int { return rank(a) - rank(b) })
	room, chosen := maxChannelsLength, map[chat.ChannelID]bool{}
	for _, c := range byRank {
		if room -= len(channelLabel(c)) + len(", "); room < 0 {
			break
		}
		chosen[c.ID] = true
	}
	return chosen
}

// channelLabel is a channel's name, with its kind unless it is a text channel.
func channelLabel(c chat.Channel) string {
	if c.Kind == chat.TextChannel {
		return speaker(c.Name)
	}
	return fmt.Sprintf("%s (%s)", speaker(c.Name), c.Kind)
}

// maxRoles is how many roles of a user are named.
const maxRoles = 6

// standing is what a user is on the server: roles, and rights that not everybody has.
func (s Setting) standing() string {
	var parts []string
	if roles := s.Around.Roles; len(roles) > 0 {
		var names []string
		for _, r := range roles[:min(len(roles), maxRoles)] {
			names = append(names, speaker(r))
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	switch {
	case s.Around.All:
		parts = append(parts, "may do everything")
	case len(s.Around.Rights) > 0:
		var names []string
		for _, r := range s.Around.Rights {
			names = append(names, string(r))
		}
		parts = append(parts, "may "+strings.Join(names, ", "))
	}
	return strings.Join(parts, "; ")
}

// asker is a user who began the turn.
func (s Setting) asker(u chat.User) string {
	standing := s.standing()
	if standing == "" {
		return person(u)
	}
	if u.Name == "" {
		return fmt.Sprintf("user %s (%s)", u.ID, standing)
	}
	return fmt.Sprintf("%s (user %s; %s)", speaker(u.Name), u.ID, standing)
}
