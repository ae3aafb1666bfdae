package channels

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// maxListed bounds the list of a large server.
const maxListed = 100

// A directory lists the channels that are visible to the requester. Hidden ones are neither
// listed nor counted.
type directory struct {
	groups []*group
	room   int // how many more fit
	more   int // channels and threads that did not fit
}

// A group is a category, or the channels outside of all categories.
type group struct {
	id       chat.ChannelID
	title    string
	channels []*entry
}

// An entry is a channel with its threads.
type entry struct {
	channel chat.Channel
	threads []chat.Channel
}

// directoryOf lists visible channels, in their order. If there is not enough room, channels
// come before threads.
func directoryOf(seen []chat.Channel) directory {
	d := directory{room: maxListed}
	for _, ch := range seen {
		if ch.Kind != chat.CategoryKind && ch.Kind != chat.Thread && d.takes() {
			g := d.group(ch.Parent, seen)
			g.channels = append(g.channels, &entry{channel: ch})
		}
	}
	for _, ch := range seen {
		if ch.Kind != chat.Thread {
			continue
		}
		if around := d.entry(ch.Parent); around == nil {
			d.more++
		} else if d.takes() {
			around.threads = append(around.threads, ch)
		}
	}
	return d
}

// takes reports whether one more fits, and counts it.
func (d *directory) takes() bool {
	if d.room == 0 {
		d.more++
		return false
	}
	d.room--
	return true
}

// group finds the group of a category, or begins it.
func (d *directory) group(category chat.ChannelID, seen []chat.Channel) *group {
	for _, g := range d.groups {
		if g.id == category {
			return g
		}
	}
	g := &group{id: category, title: title(category, seen)}
	d.groups = append(d.groups, g)
	return g
}

// title is the name of a category, unless it is hidden from the requester.
func title(category chat.ChannelID, seen []chat.Channel) string {
	if category == "" {
		return "(no category)"
	}
	i := slices.IndexFunc(seen, func(ch chat.Channel) bool { return ch.ID == category })
	if i < 0 {
		return "(hidden category)"
	}
	return chat.OneLine(seen[i].Name)
}

// entry is that of a channel, nil if it is not listed.
func (d *directory) entry(ch chat.ChannelID) *entry {
	for _, g := range d.groups {
		for _, e := range g.channels {
			if e.channel.ID == ch {
				return e
			}
		}
	}
	return nil
}

func (d directory) String() string {
	if len(d.groups) == 0 {
		return "(no visible channels)"
	}
	var lines []string
	for _, g := range d.groups {
		lines = append(lines, g.lines()...)
	}
	if d.more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", d.more))
	}
	return strings.Join(lines, "\n")
}

// lines are one for the channels, and one for each of them that has threads.
func (g *group) lines() []string {
	var names, below []string
	for _, e := range g.channels {
		name := listed(e.channel)
		if e.channel.Kind != chat.TextChannel {
			name += " " + string(e.channel.Kind)
		}
		names = append(names, name)
		if len(e.threads) > 0 {
			var threads []string
			for _, t := range e.threads {
				threads = append(threads, listed(t))
			}
			below = append(below, fmt.Sprintf("- threads in %s: %s", called(e.channel), strings.Join(threads, ", ")))
		}
	}
	return append([]string{g.title + ": " + strings.Join(names, ", ")}, below...)
}
