package chat

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Mention is the channel as a link. Discord shows its name to those only who may see it.
func (id ChannelID) Mention() string { return "<#" + string(id) + ">" }

// Mention is the user as a link. It notifies nobody, unless a message says so besides.
func (id UserID) Mention() string { return "<@" + string(id) + ">" }

// Mention is the role as a link. That of everyone would be shown with two signs.
func (r Role) Mention() string {
	if r.Everyone {
		return "everyone"
	}
	return "<@&" + string(r.ID) + ">"
}

// Mentioned returns the users whom a text mentions.
func Mentioned(text string) map[UserID]bool {
	found := map[UserID]bool{}
	for {
		_, after, ok := strings.Cut(text, "<@")
		if !ok {
			return found
		}
		after = strings.TrimPrefix(after, "!")
		text = strings.TrimLeft(after, "0123456789")
		if n := len(after) - len(text); n > 0 && strings.HasPrefix(text, ">") {
			found[UserID(after[:n])] = true
		}
	}
}

// channelLink is the mention of a channel, or the link to it or to a message there.
var channelLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<#(\d+)>|/channels/(?:\d+|@me)/(\d+)`) })

// Linked returns the channels and threads that a text mentions or links to.
func Linked(text string) (list []ChannelID) {
	for _, found := range channelLink().FindAllStringSubmatch(text, -1) {
		list = append(list, ChannelID(found[1]+found[2]))
	}
	return list
}

// Link leads to the event, in every Discord client.
func (e Event) Link(g GuildID) string {
	return fmt.Sprintf("https://discord.com/events/%s/%s", g, e.ID)
}

// Bold is a name in bold, as Literal.
func Bold(name string) string { return "**" + Literal(name) + "**" }

// Clock is a time that Discord shows in the reader's own zone.
func Clock(t time.Time) string { return fmt.Sprintf("<t:%d:f>", t.Unix()) }

// FromNow is a time that Discord shows as the distance to it: "in 10 minutes".
func FromNow(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) }

// Span is a length of time in words, in the largest unit that fits: "30 minutes".
func Span(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		whole, rest := Counted(int(d/unit.size), unit.name, unit.name+"s"), d%unit.size
		switch {
		case d < unit.size:
		case rest == 0:
			return whole
		case rest%(unit.size/60) == 0 || unit.name == "day" && rest%time.Hour == 0:
			return whole + " " + Span(rest)
		}
	}
	if d == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}

// PermissionNames lists permissions, separated by commas.
func PermissionNames(list []Permission) string { return strings.Join(As[string](list), ", ") }

// Rights lists permissions in a sentence, in italics.
func Rights[S ~string](list []S) string {
	var names []string
	for _, p := range list {
		names = append(names, "*"+string(p)+"*")
	}
	return And(names)
}

// And joins the parts of a sentence: "a, b and c".
func And(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// Handles are short names for the messages that one turn shows to the model: m1, m2 and so on. Outside
// of the turn they mean nothing, so what the model writes with them is turned into links before it is
// done or stored. Nil has no handles and gives none. Handles are not safe for concurrent use.
type Handles struct {
	places map[string]Place
	names  map[MessageID]string
	last   int
}

// Of returns the handle of the message of a place, a new one if it has none. It is empty if there is no message.
func (h *Handles) Of(p Place) string {
	if h == nil || p.Message == "" {
		return ""
	}
	if name, ok := h.names[p.Message]; ok {
		return name
	}
	for {
		h.last++
		name := "m" + strconv.Itoa(h.last)
		if _, taken := h.places[name]; !taken {
			h.Restore(map[string]Place{name: p})
			return name
		}
	}
}

// Restore gives handles the meaning that they had when the turn was interrupted.
func (h *Handles) Restore(known map[string]Place) {
	if h.places == nil {
		h.places, h.names = map[string]Place{}, map[MessageID]string{}
	}
	for name, p := range known {
		h.places[name], h.names[p.Message] = p, name
	}
}

// handle finds handles in texts, but no square metres.
var handle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d\s?)?\bm[1-9]\d{0,3}\b`) })

// In returns the handles that occur in a text, with their meaning.
func (h *Handles) In(text string) map[string]Place {
	found := map[string]Place{}
	if h == nil || len(h.places) == 0 {
		return found
	}
	for _, name := range handle().FindAllString(strings.ToLower(text), -1) {
		if p, ok := h.places[name]; ok {
			found[name] = p
		}
	}
	return found
}

// Link returns the link to a message by its handle, and any other text as it is.
func (h *Handles) Link(name string) string {
	if h == nil {
		return name
	}
	if p, ok := h.places[strings.ToLower(strings.TrimSpace(name))]; ok {
		return p.Link()
	}
	return name
}

// LinkAll replaces the handles in a text by links.
func (h *Handles) LinkAll(text string) string { return handle().ReplaceAllStringFunc(text, h.Link) }
