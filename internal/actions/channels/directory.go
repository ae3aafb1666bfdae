package channels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// maxPage is how many bytes of channels one list has, so that the model gets all of it, also
// beside other results.
const maxPage = 6000

// A directory lists channels that are visible to the requester. Hidden ones are neither listed
// nor counted.
type directory struct {
	all  []chat.Channel // that match, channels before threads
	page []chat.Channel // of these, the ones that are listed
	seen map[chat.ChannelID]chat.Channel
}

// directoryOf finds the visible channels that a list is about: those of a category, unless that is
// empty, with the letters of the query in their names.
func directoryOf(seen []chat.Channel, category chat.ChannelID, query string) directory {
	d := directory{seen: map[chat.ChannelID]chat.Channel{}}
	for _, ch := range seen {
		d.seen[ch.ID] = ch
	}
	var threads []chat.Channel
	for _, ch := range seen {
		top := ch
		if ch.Kind == chat.Thread {
			top = d.seen[ch.Parent]
		}
		switch {
		case ch.Kind == chat.CategoryKind, category != "" && top.Parent != category, !has(ch.Name, query):
		case ch.Kind == chat.Thread:
			threads = append(threads, ch)
		default:
			d.all = append(d.all, ch)
		}
	}
	d.all = append(d.all, threads...)
	return d
}

// has reports whether a name has the letters of a query, or all of it if it has none.
func has(name, query string) bool {
	if letters := chat.Letters(query); letters != "" {
		return strings.Contains(chat.Letters(name), letters)
	}
	return strings.Contains(name, strings.TrimSpace(query))
}

// turn chooses the page after a channel, or the first one. It returns false if that channel is not in
// the list.
func (d *directory) turn(after chat.ChannelID) bool {
	from := 0
	if after != "" {
		from = slices.IndexFunc(d.all, func(ch chat.Channel) bool { return ch.ID == after }) + 1
		if from == 0 {
			return false
		}
	}
	room, around, end := maxPage, chat.ChannelID("-"), from
	for ; end < len(d.all); end++ {
		ch := d.all[end]
		room -= len(listed(ch)) + len(", ")
		if ch.Parent != around {
			around = ch.Parent
			room -= len(d.seen[ch.Parent].Name) + len("- threads in #: ")
		}
		if room < 0 && end > from {
			break
		}
	}
	d.page = d.all[from:end]
	return true
}

// String is the page. How to go on comes first, where no cut removes it.
func (d *directory) String() string {
	if len(d.all) == 0 {
		return "(no visible channels)"
	}
	var lines []string
	if n := len(d.page); n > 0 && n < len(d.all) {
		from := slices.IndexFunc(d.all, func(ch chat.Channel) bool { return ch.ID == d.page[0].ID })
		head := fmt.Sprintf("Channels and threads %d to %d of %d", from+1, from+n, len(d.all))
		if from+n < len(d.all) {
			head += fmt.Sprintf(`; go on with "after": "%s", or give a query or a category`, d.page[n-1].ID)
		}
		lines = append(lines, head+":")
	}
	return strings.Join(append(lines, d.lines()...), "\n")
}

// lines are one for each category, below it one for each of its channels that has threads, and at
// the end those of threads whose channels are on another page.
func (d *directory) lines() []string {
	var lines []string
	threads, parents := map[chat.ChannelID][]string{}, []chat.ChannelID{}
	for _, ch := range d.page {
		if ch.Kind == chat.Thread {
			if threads[ch.Parent] == nil {
				parents = append(parents, ch.Parent)
			}
			threads[ch.Parent] = append(threads[ch.Parent], listed(ch))
		}
	}
	below := func(parent chat.ChannelID) {
		if list := threads[parent]; list != nil {
			lines = append(lines, fmt.Sprintf("- threads in %s: %s", called(d.seen[parent]), strings.Join(list, ", ")))
			delete(threads, parent)
		}
	}
	for i := 0; i < len(d.page) && d.page[i].Kind != chat.Thread; {
		first, names := i, []string{}
		for ; i < len(d.page) && d.page[i].Kind != chat.Thread && d.page[i].Parent == d.page[first].Parent; i++ {
			names = append(names, listed(d.page[i]))
		}
		lines = append(lines, d.title(d.page[first].Parent)+": "+strings.Join(names, ", "))
		for _, ch := range d.page[first:i] {
			below(ch.ID)
		}
	}
	for _, parent := range parents {
		below(parent)
	}
	return lines
}

// title is the name of a category, unless it is hidden from the requester.
func (d *directory) title(category chat.ChannelID) string {
	if category == "" {
		return "(no category)"
	}
	if ch, seen := d.seen[category]; seen {
		return chat.Name(ch.Name)
	}
	return "(hidden category)"
}

// called is a channel as people write it.
func called(ch chat.Channel) string { return "#" + chat.Name(ch.Name) }

// named is a channel that is going, or a category, for the readers of the turn: its name, or its mention
// if that must not be told to all of them.
func (c *Category) named(ctx context.Context, call actions.Call, ch chat.Channel) string {
	if !call.Tells(ctx, c.server.Readable, ch.ID) {
		return ch.ID.Mention()
	}
	if ch.Kind == chat.CategoryKind || ch.Kind == chat.Thread {
		return chat.Bold(chat.Name(ch.Name))
	}
	return chat.Bold(called(ch))
}

// listed is a channel in a list.
func listed(ch chat.Channel) string {
	text := fmt.Sprintf("%s (id:%s%s)", called(ch), ch.ID, activity(ch))
	if ch.Kind != chat.TextChannel && ch.Kind != chat.Thread {
		text += " " + string(ch.Kind)
	}
	return text
}

// activity is when something was last said in a channel, if ever.
func activity(ch chat.Channel) string {
	if ch.Active.IsZero() {
		return ""
	}
	return ", active " + ch.Active.UTC().Format("2006-01-02 15:04 UTC")
}

// A Name is a channel's new name. Members and models like to write the # in front of it,
// which is no part of the name.
type Name string

// UnmarshalText removes the #.
func (n *Name) UnmarshalText(text []byte) error {
	s := chat.OneLine(strings.TrimPrefix(strings.TrimSpace(string(text)), "#"))
	if s == "" {
		return errors.New("empty")
	}
	*n = Name(s)
	return nil
}

// maxViewers is how many roles and members are named of those who see a channel.
const maxViewers = 30

// viewersText describes the audience of a channel: "everyone, except role Muted".
func viewersText(a chat.Audience) string {
	if a.Invited {
		return "only those who were added to it, and those who may manage threads in its channel"
	}
	text := "everyone"
	if !a.Everyone {
		text = chat.And(atMost(append([]string{"the server's owner"}, viewerNames(a.Roles, a.Members)...)))
	}
	if except := viewerNames(a.ExceptRoles, a.ExceptMembers); len(except) > 0 && (a.Everyone || len(a.Roles) > 0) {
		text += ", except " + chat.And(atMost(except))
	}
	return text
}

// viewerNames has members as mentions: their names would take requests.
func viewerNames(roles []chat.Role, members []chat.UserID) []string {
	var names []string
	for _, r := range roles {
		names = append(names, roleName(r))
	}
	for _, u := range members {
		names = append(names, u.Mention())
	}
	return names
}

func atMost(names []string) []string {
	if more := len(names) - maxViewers; more > 0 {
		names = append(names[:maxViewers:maxViewers], fmt.Sprintf("%d more", more))
	}
	return names
}
