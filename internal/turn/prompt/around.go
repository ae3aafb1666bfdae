package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// maxChannelsLength bounds the list of channels, in bytes.
const maxChannelsLength = 580

// channels lists the channels of the server, by category, so that a model can name them. A long
// list is cut to what the turn may be about: this category first, then the names that are mentioned,
// then where something was said last. Those that not everybody sees are apart: the others are the same in the prompts of all members.
func (w Where) channels(about string) (all, private string) {
	list := make([]*chat.Channel, 0, len(w.Around.Channels))
	for i := range w.Around.Channels {
		if c := &w.Around.Channels[i]; c.Kind != chat.CategoryKind {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return "", ""
	}
	chosen := w.relevant(list, about)
	var forAll, forSome []*chat.Channel
	for _, c := range list {
		switch {
		case !chosen[c.ID]:
		case slices.Contains(w.Around.Private, c.ID):
			forSome = append(forSome, c)
		default:
			forAll = append(forAll, c)
		}
	}
	all, private = w.grouped("Channels: ", forAll), w.grouped("Private channels that this person sees: ", forSome)
	if more := len(list) - len(chosen); more > 0 {
		all = strings.TrimPrefix(fmt.Sprintf("%s; and %d more, which channelList finds", all, more), "; ")
	}
	if len(forSome) > len(forAll) { // who may see anything here sees these
		return join(all, private), ""
	}
	return all, private
}

// grouped lists channels by category below a title. It is empty if there are none.
func (w Where) grouped(title string, list []*chat.Channel) string {
	var groups []string
	group, category := "", chat.ChannelID("-")
	for _, c := range list {
		if c.Parent != category {
			if group != "" {
				groups = append(groups, group)
			}
			group, category = w.heading(c.Parent), c.Parent
		} else {
			group += ", "
		}
		group += channelLabel(*c)
	}
	if group == "" {
		return ""
	}
	return title + strings.Join(append(groups, group), "; ")
}

// maxRolesLength bounds the list of roles, in bytes.
const maxRolesLength = 250

// roles lists the roles of the server, as far as there is room.
func (w Where) roles() string {
	text := ""
	for i, name := range w.Around.AllRoles {
		more := ", " + speaker(name)
		if len(text)+len(more) > maxRolesLength {
			text += fmt.Sprintf(", and %d more, which roleInfo lists", len(w.Around.AllRoles)-i)
			break
		}
		text += more
	}
	if text == "" {
		return ""
	}
	return "Roles, highest first: " + strings.TrimPrefix(text, ", ")
}

// heading is the name of a category, for a list.
func (w Where) heading(category chat.ChannelID) string {
	i := slices.IndexFunc(w.Around.Channels, func(c chat.Channel) bool { return c.ID == category && category != "" })
	if i < 0 {
		return ""
	}
	return speaker(w.Around.Channels[i].Name) + ": "
}

// relevant chooses as many channels as there is room for.
func (w Where) relevant(list []*chat.Channel, about string) map[chat.ChannelID]bool {
	here := slices.IndexFunc(list, func(c *chat.Channel) bool { return c.ID == w.Here })
	said, byRank := chat.WordingOf(about), [3][]*chat.Channel{}
	for _, c := range list {
		rank := 2
		switch {
		case here >= 0 && c.Parent == list[here].Parent:
			rank = 0
		case said.Has(c.Name):
			rank = 1
		}
		byRank[rank] = append(byRank[rank], c)
	}
	for _, same := range byRank {
		slices.SortStableFunc(same, func(a, b *chat.Channel) int { return b.Active.Compare(a.Active) })
	}
	room, chosen, headed := maxChannelsLength, map[chat.ChannelID]bool{}, map[chat.ChannelID]bool{}
	for _, c := range slices.Concat(byRank[:]...) {
		if room -= len(channelLabel(*c)) + len(", "); !headed[c.Parent] {
			headed[c.Parent] = true
			room -= len(w.heading(c.Parent))
		}
		if room < 0 {
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
func (w Where) standing() string {
	var parts []string
	if roles := w.Around.Roles; len(roles) > 0 {
		var names []string
		for _, r := range roles[:min(len(roles), maxRoles)] {
			names = append(names, speaker(r))
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	switch {
	case w.Around.Owner:
		parts = append(parts, "owns the server, may do everything")
	case w.Around.All:
		parts = append(parts, "may do everything")
	case len(w.Around.Rights) > 0:
		var names []string
		for _, r := range w.Around.Rights {
			names = append(names, string(r))
		}
		parts = append(parts, "may "+strings.Join(names, ", "))
	}
	return strings.Join(parts, "; ")
}

// asker is a user who began the turn.
func (w Where) asker(u chat.User) string {
	standing := w.standing()
	if standing == "" {
		return person(u)
	}
	if u.Name == "" {
		return fmt.Sprintf("user %s (%s)", u.ID, standing)
	}
	return fmt.Sprintf("%s (user %s; %s)", speaker(u.Name), u.ID, standing)
}

// among tells what the bot is called here, and in how large a server. Its size is approximate, since Discord does not tell
// bots who joins and leaves.
func (s Setting) among() string {
	called := s.Around.Name != "" && s.Around.Name != s.Bot
	switch n := s.Around.Members; {
	case called && n > 0:
		return fmt.Sprintf(" You are called %s here, in a server of about %d members.", speaker(s.Around.Name), n)
	case called:
		return fmt.Sprintf(" You are called %s here.", speaker(s.Around.Name))
	case n > 0:
		return fmt.Sprintf(" The server has about %d members.", n)
	}
	return ""
}

const (
	maxPeopleLength = 300 // of the line about people, in bytes
	maxNamed        = 6   // people whom a request names
)

// people describes those whom the request names and, if there is room, those who spoke in the history,
// the latest first.
func (s Setting) people(about string) string {
	said, text := chat.WordingOf(about), ""
	add := func(p chat.Person) {
		if one := s.person(p); len(peopleHeading)+len(text)+len(", ")+len(one) <= maxPeopleLength {
			text += ", " + one
		}
	}
	named, rest := 0, s.Around.People
	rest = slices.DeleteFunc(slices.Clone(rest), func(p chat.Person) bool {
		is := named < maxNamed && names(about, said, p)
		if is {
			named++
			add(p)
		}
		return is
	})
	for _, line := range slices.Backward(s.History) {
		if i := slices.IndexFunc(rest, func(p chat.Person) bool { return p.ID == line.Who && !line.Mine }); i >= 0 {
			add(rest[i])
			rest = slices.Delete(rest, i, i+1)
		}
	}
	if text == "" {
		return ""
	}
	s.readTitles(text)
	return peopleHeading + strings.TrimPrefix(text, ", ")
}

// peopleHeading says that roles may have changed since.
const peopleHeading = "People, as last seen: "

// names reports whether a text mentions a person or has one of their names.
func names(text string, said chat.Wording, p chat.Person) bool {
	return strings.Contains(text, p.Mention()) || strings.Contains(text, "<@!"+string(p.ID)+">") ||
		slices.ContainsFunc([]string{p.Name, p.Handle, p.DisplayName}, said.Has)
}

// person describes a member: "mia (Designers, Meter Club; here since 3 May 2025)".
func (w Where) person(p chat.Person) string {
	var roles []string
	for _, r := range p.RoleNames[:min(len(p.RoleNames), maxRoles)] {
		roles = append(roles, speaker(r))
	}
	facts := []string{cmp.Or(strings.Join(roles, ", "), "no roles")}
	if p.Handle != "" && !strings.EqualFold(p.Handle, p.Name) {
		facts = append([]string{"@" + speaker(p.Handle)}, facts...) // a member may take another's display name
	}
	switch {
	case p.Owner:
		facts = append(facts, "owns the server")
	case p.All:
		facts = append(facts, "may do everything")
	}
	if !p.Joined.IsZero() {
		facts = append(facts, "here since "+p.Joined.In(w.Now.Location()).Format("2 Jan 2006"))
	}
	return fmt.Sprintf("%s (%s)", speaker(p.Name), strings.Join(facts, "; "))
}
