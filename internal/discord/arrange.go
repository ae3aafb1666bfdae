package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
	"discoclaw/internal/order"
)

// Discord shows the channels of a category by group, in a group by the number that
// each has, and those with one number by age. The numbers need not be without gaps,
// and mean nothing across groups and categories.

// A group is a group of channels that are shown together.
type group int

const (
	textGroup group = iota
	voiceGroup
	categoryGroup
	threadGroup
)

func groupOf(k chat.Kind) group {
	switch k {
	case chat.Voice, chat.Stage:
		return voiceGroup
	case chat.CategoryKind:
		return categoryGroup
	case chat.Thread:
		return threadGroup
	}
	return textGroup
}

// byPlace compares channels that stand in one category, or in none.
func byPlace(a, b chat.Channel) int {
	return cmp.Or(cmp.Compare(groupOf(a.Kind), groupOf(b.Kind)), cmp.Compare(a.Position, b.Position), byAge(a.ID, b.ID))
}

// inOrder sorts channels as Discord shows them.
func inOrder(list []chat.Channel) []chat.Channel {
	known := map[chat.ChannelID]bool{}
	for _, ch := range list {
		known[ch.ID] = true
	}
	t := tree{}
	for _, ch := range list {
		switch {
		case known[ch.Parent]:
			t[ch.Parent] = append(t[ch.Parent], ch)
		case ch.Kind != chat.Thread: // in no category, or in one that is hidden
			t[""] = append(t[""], ch)
		}
	}
	return t.below("")
}

// A tree has the channels below each channel.
type tree map[chat.ChannelID][]chat.Channel

func (t tree) below(id chat.ChannelID) []chat.Channel {
	order.By(t[id], byPlace)
	var all []chat.Channel
	for _, ch := range t[id] {
		all = append(all, ch)
		all = append(all, t.below(ch.ID)...)
	}
	return all
}

// A placeBody moves a channel. Nil fields stay as they are.
type placeBody struct {
	ID       chat.ChannelID `json:"id"`
	Position *int           `json:"position,omitempty"`
	Parent   *category      `json:"parent_id,omitempty"`
}

// A category is where channels can be; an empty one is none.
type category chat.ChannelID

// MarshalJSON writes null for none, which is how Discord has it.
func (c category) MarshalJSON() ([]byte, error) {
	if c == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(c))
}

// MoveChannel puts a channel into a category, or out of every category if parent is empty, and to
// a position among its neighbours there, the first being 0. Nil stays as it is. The
// permissions of the channel stay, too: it does not inherit those of the category.
func (c *Client) MoveChannel(ctx context.Context, g chat.GuildID, id chat.ChannelID, parent *chat.ChannelID, position *int) error {
	ch, err := c.channelOf(ctx, g, id)
	switch {
	case err != nil:
		return err
	case ch.Kind == chat.Thread:
		return fmt.Errorf("%s, which stays where it was started", nature(ch.Channel))
	}
	moved, to := placeBody{ID: id}, ch.Parent
	if parent != nil {
		to = *parent
		if err := c.checkCategory(ctx, g, ch.Kind, to); err != nil {
			return err
		}
		moved.Parent = (*category)(parent)
	}
	var aside []placeBody
	if position != nil {
		at, others, err := arrange(c.cache.neighbours(g, to, ch.Kind, id), *position)
		if err != nil {
			return err
		}
		moved.Position, aside = &at, others
	}
	about := id
	if !c.cache.botMeets(rest.Request{Channel: to, Needs: inChannel(to, chat.ManageChannels)}) {
		about = to // the subject of a refusal
	}
	return c.place(ctx, g, about, append([]placeBody{moved}, aside...))
}

// makeRoom moves channels aside for a new one, and returns the number that it needs. They keep
// their order, so that nothing changes for people if the new one is not made after all.
func (c *Client) makeRoom(ctx context.Context, g chat.GuildID, n chat.NewChannel) (int, error) {
	at, aside, err := arrange(c.cache.neighbours(g, n.Parent, kindOf(n), ""), *n.Position)
	if err != nil || len(aside) == 0 {
		return at, err
	}
	return at, c.place(ctx, g, n.Parent, aside)
}

// neighbours returns the channels that the bot sees in a category, or in none, and that are shown
// together with a kind, in order and without one of them. The bot cannot move others.
func (c *cache) neighbours(id chat.GuildID, parent chat.ChannelID, kind chat.Kind, without chat.ChannelID) []chat.Channel {
	list, _ := c.inSight(id) // of an unknown server, none
	list = slices.DeleteFunc(list, func(ch chat.Channel) bool {
		return ch.Parent != parent || groupOf(ch.Kind) != groupOf(kind) || ch.ID == without
	})
	order.By(list, byPlace)
	return list
}

// arrange returns the number for a channel at a place among others, and the others that have to
// move. A place beyond the end is the end.
func arrange(others []chat.Channel, at int) (number int, aside []placeBody, err error) {
	if at < 0 {
		return 0, nil, fmt.Errorf("position %d is not possible; the first is 0", at)
	}
	at = min(at, len(others))
	if at > 0 {
		number = others[at-1].Position + 1
	}
	taken := number
	for _, ch := range others[at:] {
		if ch.Position > taken {
			break // the numbers have a gap here
		}
		taken++
		next := taken
		aside = append(aside, placeBody{ID: ch.ID, Position: &next})
	}
	return number, aside, nil
}

// place moves channels. The permissions for it are those in the channel about.
func (c *Client) place(ctx context.Context, g chat.GuildID, about chat.ChannelID, list []placeBody) error {
	q := onServer(http.MethodPatch, g, "/channels").Needing(inChannel(about, chat.ManageChannels)...).WithBody(list)
	q.Channel = about
	err := c.rest.Do(ctx, q, nil)
	if err == nil {
		c.cache.change(g, func(g *guild) { g.place(list) })
	}
	return err
}

// place updates the positions of channels in the cache.
func (g *guild) place(list []placeBody) {
	for _, p := range list {
		ch, known := g.channels[p.ID]
		if !known {
			continue
		}
		if p.Position != nil {
			ch.Position = *p.Position
		}
		if p.Parent != nil {
			ch.Parent = chat.ChannelID(*p.Parent)
		}
		g.channels[p.ID] = ch
	}
}
