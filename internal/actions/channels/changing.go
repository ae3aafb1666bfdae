package channels

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// mayManage is needed to change a channel.
var mayManage = []chat.Permission{chat.ManageChannels}

// A ChannelEdit changes a channel's name, topic, slow mode or user limit, or whether the posts of a forum need a tag.
type ChannelEdit struct {
	Target
	Name       Name               `json:"name,omitempty" doc:"New name." max:"100"`
	Topic      schema.Opt[string] `json:"topic,omitzero" doc:"New topic; an empty text removes it." max:"1024"`
	Slowmode   schema.Opt[int]    `json:"slowmode,omitzero" alias:"rateLimitPerUser" doc:"Seconds that members wait between their messages; 0 is off." min:"0" max:"21600"`
	Limit      schema.Opt[int]    `json:"userLimit,omitzero" rare:"yes" doc:"How many people a voice channel lets in; 0 for any number." min:"0" max:"99"`
	RequireTag schema.Opt[bool]   `json:"requireTag,omitzero" rare:"yes" doc:"Whether new posts of a forum need a tag."`
}

func (in ChannelEdit) check() error {
	if in.Name == "" && !in.Topic.Given && !in.Slowmode.Given && !in.Limit.Given && !in.RequireTag.Given {
		return errors.New("nothing to change; give a name, a topic, a slowmode, a userLimit or requireTag")
	}
	return nil
}

func (c *Category) channelEdit() *actions.Action {
	return define(c, actions.Spec[ChannelEdit]{
		Name:     "channelEdit",
		Brief:    "slowmode in seconds",
		Summary:  "Change a channel or category, that is, its name, topic, slow mode or user limit.",
		Sentence: "Change {channelId}:[, rename it to {name}][, {topic?set its topic to $|remove its topic}][, {slowmode:second?set slow mode to $|switch slow mode off}][, {userLimit?let in up to $ people|remove its user limit}][, {requireTag?require a tag on new posts|no longer require a tag on new posts}]",
		Needs:    mayManage,
		Examples: []ChannelEdit{{Target: Target{"general"}, Topic: schema.Some("Everything and nothing")}},
		Check:    ChannelEdit.check,
	}, c.doChannelEdit)
}

func (c *Category) doChannelEdit(ctx context.Context, call actions.Call, ch chat.Channel, in ChannelEdit) (actions.Result, error) {
	if ch.Kind == chat.Thread {
		return actions.Result{}, fmt.Errorf("%s is a thread, and is edited as one", ch.ID.Mention())
	}
	edit := chat.ChannelEdit{Topic: in.Topic.OrNil(), Limit: in.Limit.OrNil(), RequireTag: in.RequireTag.OrNil()}
	if in.Name != "" {
		edit.Name = (*string)(&in.Name)
	}
	if in.Slowmode.Given {
		edit.Slowmode = new(time.Duration(in.Slowmode.Value) * time.Second)
	}
	was := c.named(ctx, call, ch)
	now, err := c.server.EditChannel(ctx, ch.ID, edit)
	return actions.Done(err, in.changed(was, c.named(ctx, call, now), now), editBack(ch, was, in))
}

// changed says what was changed: "renamed **#old** to **#new** and changed its topic".
func (in ChannelEdit) changed(was, is string, now chat.Channel) string {
	var parts []string
	it := now.ID.Mention()
	its := it + "’s"
	if in.Name != "" {
		parts, its = append(parts, renamed(was, is)), "its"
	}
	switch {
	case in.Topic.Given && in.Topic.Value == "":
		parts = append(parts, "removed "+its+" topic")
	case in.Topic.Given:
		parts = append(parts, "changed "+its+" topic")
	}
	parts = append(parts, in.slowed(it, len(parts) == 0)...)
	parts = append(parts, in.limited(it, len(parts) == 0)...)
	if len(parts) > 0 {
		it = "it"
	}
	switch {
	case in.RequireTag.Given && in.RequireTag.Value:
		parts = append(parts, "made a tag required for new posts in "+it)
	case in.RequireTag.Given:
		parts = append(parts, "made tags optional for new posts in "+it)
	}
	return chat.And(parts)
}

// renamed says that a channel has a new name, in words that stay true when it is renamed again. The names are not for everybody if
// they are written as a mention.
func renamed(was, now string) string {
	if was == now {
		return "renamed " + now
	}
	return "renamed " + was + " to " + now
}

// slowed says what became of the slow mode: in a sentence of its own, or after other changes.
func (in ChannelEdit) slowed(it string, alone bool) []string {
	pause := chat.Span(time.Duration(in.Slowmode.Value) * time.Second)
	switch off := in.Slowmode.Value == 0; {
	case !in.Slowmode.Given:
		return nil
	case alone && off:
		return []string{"switched slow mode off in " + it}
	case alone:
		return []string{"set slow mode to " + pause + " in " + it}
	case off:
		return []string{"switched its slow mode off"}
	}
	return []string{"set its slow mode to " + pause}
}

// limited says how many people a voice channel lets in: in a sentence of its own, or after other changes.
func (in ChannelEdit) limited(it string, alone bool) []string {
	if !alone {
		it = "it"
	}
	switch {
	case !in.Limit.Given:
		return nil
	case in.Limit.Value == 0:
		return []string{"removed the user limit of " + it}
	}
	return []string{fmt.Sprintf("limited %s to %s", it, chat.Counted(in.Limit.Value, "person", "people"))}
}

// editBack restores a channel's name, topic, slow mode, user limit and rule for tags, as far as they were changed.
// Called is what the readers of the turn may know it by.
func editBack(was chat.Channel, called string, in ChannelEdit) actions.Inverse {
	back := ChannelEdit{Target: Target{chat.ChannelRef(was.ID)}}
	var what []string
	if in.Name != "" {
		back.Name = Name(was.Name)
		name := "the name " + chat.Bold(was.Name)
		if called == was.ID.Mention() {
			name = "its old name"
		}
		what = append(what, name)
	}
	if in.Topic.Given {
		back.Topic = schema.Some(was.Topic)
		what = append(what, "its old topic")
	}
	if in.Slowmode.Given {
		back.Slowmode = schema.Some(int(was.Slowmode / time.Second))
		what = append(what, "its old slow mode")
	}
	if in.Limit.Given {
		back.Limit = schema.Some(was.Limit)
		what = append(what, "its old user limit")
	}
	if in.RequireTag.Given {
		back.RequireTag = schema.Some(was.RequireTag)
		what = append(what, "its old rule for tags")
	}
	return actions.Reverse(fmt.Sprintf("give %s back %s", was.ID.Mention(), chat.And(what)), "channelEdit", back)
}

// A ChannelMove changes the position or the category of a channel.
type ChannelMove struct {
	Target
	Parent   schema.Opt[chat.ChannelRef] `json:"parent,omitzero" alias:"category" doc:"New category, name or ID; an empty text for none."`
	Position schema.Opt[int]             `json:"position,omitzero" doc:"Place among its neighbours, 0 for the first." min:"0"`
}

func (in ChannelMove) check() error {
	if !in.Parent.Given && !in.Position.Given {
		return errors.New("nothing to change; give a parent, a position or both")
	}
	return nil
}

func (c *Category) channelMove() *actions.Action {
	return define(c, actions.Spec[ChannelMove]{
		Name:      "channelMove",
		Brief:     "0: top",
		Summary:   "Move a channel to another category or position.",
		Sentence:  "Move {channelId}[ {parent?to $|out of its category}][, to position {position}]",
		Needs:     mayManage,
		Examples:  []ChannelMove{{Target: Target{"general"}, Parent: schema.Some[chat.ChannelRef]("Projects")}},
		Check:     ChannelMove.check,
		AlsoNeeds: c.makesRoom,
	}, c.doChannelMove)
}

func (c *Category) doChannelMove(ctx context.Context, call actions.Call, ch chat.Channel, in ChannelMove) (actions.Result, error) {
	to, err := c.newParent(ctx, call, in.Parent.Value)
	if err != nil {
		return actions.Result{}, err
	}
	var parent *chat.ChannelID
	if in.Parent.Given {
		parent = &to.ID
	}
	from, err := c.around(ctx, call, ch)
	if err != nil {
		return actions.Result{}, err
	}
	back := c.moveBack(ctx, ch) // before the neighbours have moved
	err = c.server.MoveChannel(ctx, call.Origin.Place.Guild, ch.ID, parent, in.Position.OrNil())
	return actions.Done(err, "moved "+ch.ID.Mention()+c.whereTo(ctx, call, in, from, to), back)
}

// whereTo says where a channel was moved, and from which category: " from **Work** to the top of **Projects**". That is
// empty if there was none, or none that the requester sees.
func (c *Category) whereTo(ctx context.Context, call actions.Call, in ChannelMove, from, to chat.Channel) string {
	place, out := "", "its category"
	if from.ID != "" {
		out = c.named(ctx, call, from)
	}
	switch {
	case in.Position.Given && in.Position.Value == 0:
		place = " to the top"
	case in.Position.Given:
		place = fmt.Sprintf(" to place %d", in.Position.Value+1)
	}
	switch {
	case !in.Parent.Given:
		return place
	case to.ID == "":
		return " out of " + out + strings.Replace(place, " to", ", to", 1)
	}
	if place += " of "; !in.Position.Given {
		place = " to "
	}
	if from.ID != "" && from.ID != to.ID {
		place = " from " + out + place
	}
	return place + c.named(ctx, call, to)
}

// moveBack moves a channel to its present place.
func (c *Category) moveBack(ctx context.Context, was chat.Channel) actions.Inverse {
	back := ChannelMove{Target: Target{chat.ChannelRef(was.ID)}, Parent: schema.Some(chat.ChannelRef(was.Parent))}
	if all, err := c.server.Channels(ctx, was.Guild); err == nil {
		back.Position = schema.Some(place(was, all))
	}
	return actions.Reverse(fmt.Sprintf("move %s back to where it was", was.ID.Mention()), "channelMove", back)
}

// place is the number of channels above one among those that it is ordered with. All are
// in the order in which Discord shows them.
func place(was chat.Channel, all []chat.Channel) int {
	n := 0
	for _, ch := range all {
		switch {
		case ch.ID == was.ID:
			return n
		case ch.Parent == was.Parent && ch.Kind != chat.Thread && isVocal(ch) == isVocal(was) &&
			(ch.Kind == chat.CategoryKind) == (was.Kind == chat.CategoryKind):
			n++
		}
	}
	return n
}

// isVocal: Discord shows voice channels below all others.
func isVocal(ch chat.Channel) bool { return ch.Kind == chat.Voice || ch.Kind == chat.Stage }

// makesRoom: a move shifts other channels, so it needs more than a right in this one.
func (c *Category) makesRoom(ctx context.Context, call actions.Call, in ChannelMove) ([]actions.Demand, error) {
	ch, err := c.channel(ctx, call, in.Channel)
	if err != nil {
		return nil, err
	}
	among := ch.Parent
	if in.Parent.Given {
		to, err := c.newParent(ctx, call, in.Parent.Value)
		if err != nil {
			return nil, err
		}
		among = to.ID
	}
	return []actions.Demand{{Channel: among, Rights: mayManage}}, nil
}

// newParent finds the category to move a channel to. It is empty for none.
func (c *Category) newParent(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	if ref == "" {
		return chat.Channel{}, nil
	}
	return c.category(ctx, call, ref)
}

func (c *Category) channelDelete() *actions.Action {
	return define(c, actions.Spec[Target]{
		Name:        "channelDelete",
		Summary:     "Delete a channel with all its messages, or a category without its channels.",
		Needs:       mayManage,
		MayNeed:     []chat.Permission{chat.ManageThreads},
		Destructive: true,
		Examples:    []Target{{Channel: "old-ideas"}},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in Target) ([]actions.Demand, error) {
			ch, err := c.channel(ctx, call, in.Channel)
			if err != nil || ch.Kind != chat.Thread {
				return nil, err
			}
			return []actions.Demand{{Channel: ch.ID, Rights: []chat.Permission{chat.ManageThreads}}}, nil
		},
		Ask: func(ctx context.Context, call actions.Call, in Target) (Target, string, error) {
			ch, err := c.channel(ctx, call, in.Channel)
			what := fmt.Sprintf("Delete <#%s> with all its messages.", ch.ID)
			if err == nil && ch.Kind == chat.CategoryKind {
				what = fmt.Sprintf("Delete the category %s, but not its channels.", c.named(ctx, call, ch))
			}
			return Target{chat.ChannelRef(ch.ID)}, what, err
		},
	}, func(ctx context.Context, call actions.Call, ch chat.Channel, _ Target) (actions.Result, error) {
		name := c.named(ctx, call, ch)
		return actions.Done(c.server.DeleteChannel(ctx, ch.ID), "deleted "+name)
	})
}
