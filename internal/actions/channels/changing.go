package channels

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

func (c *Category) changing() []*actions.Action {
	return []*actions.Action{c.channelEdit(), c.channelMove(), c.channelDelete()}
}

// mayManage is what it takes to change a channel.
var mayManage = []chat.Permission{chat.ManageChannels}

// A ChannelEdit changes a channel's name or topic.
type ChannelEdit struct {
	Target
	Name  Name               `json:"name,omitempty" doc:"New name." max:"100"`
	Topic schema.Opt[string] `json:"topic,omitzero" doc:"New topic; an empty text removes it." max:"1024"`
}

func (in ChannelEdit) check() error {
	if in.Name == "" && !in.Topic.Given {
		return errors.New("nothing to change; give a name, a topic or both")
	}
	return nil
}

func (c *Category) channelEdit() *actions.Action {
	return define(c, actions.Spec[ChannelEdit]{
		Name:     "channelEdit",
		Summary:  "Rename a channel or category, or change a channel's topic.",
		Needs:    mayManage,
		Examples: []ChannelEdit{{Target: Target{"general"}, Topic: schema.Some("Everything and nothing")}},
		Check:    ChannelEdit.check,
		Do:       c.doChannelEdit,
	})
}

func (c *Category) doChannelEdit(ctx context.Context, call actions.Call, in ChannelEdit) (actions.Result, error) {
	ch, err := c.channel(ctx, call, in.Channel)
	if err == nil && ch.Kind == chat.Thread {
		err = fmt.Errorf("%s is a thread; use threadEdit", called(ch))
	}
	if err != nil {
		return actions.Result{}, err
	}
	edit := chat.ChannelEdit{Topic: given(in.Topic)}
	if in.Name != "" {
		edit.Name = (*string)(&in.Name)
	}
	now, err := c.server.EditChannel(ctx, ch.ID, edit)
	if err != nil {
		return actions.Result{}, fmt.Errorf("edit %s: %w", called(ch), err)
	}
	var changes []string
	if in.Name != "" {
		changes = append(changes, "name → "+oneLine(now.Name))
	}
	switch {
	case in.Topic.Given && in.Topic.Value == "":
		changes = append(changes, "topic removed")
	case in.Topic.Given:
		changes = append(changes, "topic updated")
	}
	return actions.Result{Summary: fmt.Sprintf("Edited %s: %s", called(ch), strings.Join(changes, ", "))}, nil
}

// A ChannelMove changes where a channel stands.
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
		Name:     "channelMove",
		Summary:  "Move a channel to another category or position.",
		Needs:    mayManage,
		Examples: []ChannelMove{{Target: Target{"general"}, Parent: schema.Some[chat.ChannelRef]("Projects")}},
		Check:    ChannelMove.check,
		Do:       c.doChannelMove,
	})
}

func (c *Category) doChannelMove(ctx context.Context, call actions.Call, in ChannelMove) (actions.Result, error) {
	ch, err := c.channel(ctx, call, in.Channel)
	if err != nil {
		return actions.Result{}, err
	}
	var changes []string
	var parent *chat.ChannelID
	among := ch.Parent // whose channels make room
	if in.Parent.Given {
		to, err := c.newParent(ctx, call, in.Parent.Value)
		if err != nil {
			return actions.Result{}, err
		}
		parent, among = &to.ID, to.ID
		if to.ID == "" {
			changes = append(changes, "removed from category")
		} else {
			changes = append(changes, "moved to "+oneLine(to.Name))
		}
	}
	if in.Position.Given {
		changes = append(changes, fmt.Sprintf("position → %d", in.Position.Value))
	}
	// Others move aside, so it takes more than a right in this one channel.
	if err := c.require(ctx, call, among, chat.ManageChannels); err != nil {
		return actions.Result{}, err
	}
	if err := c.server.MoveChannel(ctx, call.Origin.Place.Guild, ch.ID, parent, given(in.Position)); err != nil {
		return actions.Result{}, fmt.Errorf("move %s: %w", called(ch), err)
	}
	return actions.Result{Summary: fmt.Sprintf("Moved %s: %s", called(ch), strings.Join(changes, ", "))}, nil
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
		Name:     "channelDelete",
		Summary:  "Delete a channel with all its messages, or a category without its channels.",
		Needs:    mayManage,
		Grave:    true,
		Examples: []Target{{Channel: "old-ideas"}},
		Do: func(ctx context.Context, call actions.Call, in Target) (actions.Result, error) {
			ch, err := c.channel(ctx, call, in.Channel)
			if err == nil && ch.Kind == chat.Thread {
				err = c.require(ctx, call, ch.ID, chat.ManageThreads)
			}
			if err != nil {
				return actions.Result{}, err
			}
			if err := c.server.DeleteChannel(ctx, ch.ID); err != nil {
				return actions.Result{}, fmt.Errorf("delete %s: %w", called(ch), err)
			}
			return actions.Result{Summary: "Deleted " + called(ch)}, nil
		},
	})
}
