package channels

import (
	"fmt"
	"slices"
	"strings"

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
