package chat

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

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
