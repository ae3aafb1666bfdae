package channels

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

func (c *Category) making() []*actions.Action {
	return []*actions.Action{c.channelCreate(), c.categoryCreate()}
}

// A ChannelCreate makes a channel.
type ChannelCreate struct {
	Name   Name            `json:"name" doc:"Its name." max:"100"`
	Parent chat.ChannelRef `json:"parent,omitempty" alias:"category" doc:"Category to put it in, name or ID."`
	Topic  string          `json:"topic,omitempty" doc:"Its topic, for text and announcement channels." max:"1024"`
	Kind   chat.Kind       `json:"channelType,omitempty" doc:"What kind of channel." enum:"text,voice,announcement,stage" default:"text"`
}

func (c *Category) channelCreate() *actions.Action {
	return actions.Define(actions.Spec[ChannelCreate]{
		Name:     "channelCreate",
		Summary:  "Create a channel, in a category if you name one.",
		Needs:    []chat.Permission{chat.ManageChannels},
		Examples: []ChannelCreate{{Name: "ideas", Parent: "Projects", Topic: "What we could do next"}},
		NeedsIn: func(ctx context.Context, call actions.Call, in ChannelCreate) (chat.ChannelID, error) {
			if in.Parent == "" {
				return "", nil
			}
			parent, err := c.category(ctx, call, in.Parent)
			return parent.ID, err
		},
		Do: c.doChannelCreate,
	})
}

func (c *Category) doChannelCreate(ctx context.Context, call actions.Call, in ChannelCreate) (actions.Result, error) {
	n := chat.NewChannel{Name: string(in.Name), Kind: in.Kind, Topic: in.Topic}
	under := ""
	if in.Parent != "" {
		parent, err := c.category(ctx, call, call.About(in.Parent))
		if err != nil {
			return actions.Result{}, err
		}
		n.Parent, under = parent.ID, " under "+chat.OneLine(parent.Name)
	}
	ch, err := c.create(ctx, call, n)
	if err != nil {
		return actions.Result{}, fmt.Errorf("create #%s%s: %w", in.Name, under, err)
	}
	return actions.Result{Summary: fmt.Sprintf("Created %s%s (id %s)", called(ch), under, ch.ID), Undo: unmake(ch)}, nil
}

// unmake deletes a new channel, with the messages there since.
func unmake(ch chat.Channel) []actions.Inverse {
	text := "delete " + chat.Literal(called(ch)) + " with everything in it"
	if ch.Kind == chat.CategoryKind {
		text = "delete the category " + chat.Literal(ch.Name) + ", whose channels stay"
	}
	return []actions.Inverse{actions.Reverse(text, "channelDelete", Target{chat.ChannelRef(ch.ID)})}
}

func (c *Category) create(ctx context.Context, call actions.Call, n chat.NewChannel) (chat.Channel, error) {
	g, err := call.Guild()
	if err != nil {
		return chat.Channel{}, err
	}
	return c.server.CreateChannel(ctx, g, n)
}

// A CategoryCreate makes a category.
type CategoryCreate struct {
	Name     string          `json:"name" doc:"Its name." max:"100"`
	Position schema.Opt[int] `json:"position,omitzero" doc:"Place among the categories, 0 for the first." min:"0"`
}

func (c *Category) categoryCreate() *actions.Action {
	return actions.Define(actions.Spec[CategoryCreate]{
		Name:     "categoryCreate",
		Summary:  "Create a category for channels.",
		Needs:    []chat.Permission{chat.ManageChannels},
		Examples: []CategoryCreate{{Name: "Projects"}},
		Do: func(ctx context.Context, call actions.Call, in CategoryCreate) (actions.Result, error) {
			name := chat.OneLine(in.Name)
			made, err := c.create(ctx, call, chat.NewChannel{Name: name, Kind: chat.CategoryKind, Position: in.Position.OrNil()})
			if err != nil {
				return actions.Result{}, fmt.Errorf(`create category "%s": %w`, name, err)
			}
			return actions.Result{Summary: fmt.Sprintf(`Created category "%s" (id %s)`, chat.OneLine(made.Name), made.ID), Undo: unmake(made)}, nil
		},
	})
}
