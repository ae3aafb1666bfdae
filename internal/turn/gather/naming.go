package gather

import (
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
)

// maxLinks is how many links in a message are looked up.
const maxLinks = 5

// Posts returns the thread that the message stands in, and those that it links to: they may be the posts of what it is about.
func (a Asked) Posts() []chat.ChannelID {
	posts := chat.Linked(a.About)
	if posts = posts[:min(len(posts), maxLinks)]; a.Origin.Place.Parent != "" {
		posts = slices.Insert(posts, 0, a.Origin.Place.Channel)
	}
	return posts
}

// A Naming says how messages name things of a kind.
type Naming[T any] struct {
	Certain func(T) bool   // whether the message has the ID of one, or a link to it
	Name    func(T) string // which the message names it by as well
	Marked  func(T) bool   // whether outsiders may have chosen that name, so that a short one does not count
	Sees    func(T) bool   // whether the people of the turn may know of it
}

// maxNamed is how many things of a kind a prompt tells whole.
const maxNamed = 2

// In returns the things that a text names, at most two: by an ID or a link first, then by their whole names, the longest
// first. A name that is a part of a longer one does not count.
func (n Naming[T]) In(text string, list []T) []T {
	said := chat.WordingOf(text)
	var named, called []T
	for _, x := range list {
		switch {
		case n.Certain(x):
			if n.Sees(x) {
				named = append(named, x)
			}
		case said.Has(n.Name(x)) && (!n.Marked(x) || chat.IsTelling(n.Name(x))) && n.Sees(x):
			called = append(called, x)
		}
	}
	order.By(called, func(a, b T) int { return len(n.Name(b)) - len(n.Name(a)) })
	for i, x := range called {
		part := slices.ContainsFunc(called[:i], func(longer T) bool {
			return len(n.Name(longer)) > len(n.Name(x)) && chat.WordingOf(n.Name(longer)).Has(n.Name(x))
		})
		if !part {
			named = append(named, x)
		}
	}
	return named[:min(len(named), maxNamed)]
}
