package channels

import (
	"context"
	"errors"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A ChannelCreate makes a channel.
type ChannelCreate struct {
	Name    Name            `json:"name" doc:"Its name." max:"100"`
	Parent  chat.ChannelRef `json:"parent,omitempty" alias:"category" doc:"Category to put it in, name or ID."`
	Topic   string          `json:"topic,omitempty" doc:"Its topic, for text and announcement channels and forums." max:"1024"`
	Kind    chat.Kind       `json:"channelType,omitempty" doc:"What kind of channel." enum:"text,voice,announcement,stage,forum" default:"text"`
	Limit   int             `json:"userLimit,omitempty" rare:"yes" doc:"How many people a voice channel lets in; 0 for any number." min:"0" max:"99"`
	Tags    []string        `json:"tags,omitempty" doc:"Names of a forum's tags." max:"20"`
	Private bool            `json:"private,omitempty" doc:"Hide it from all but the roles, who asks, and you."`
	Roles   []chat.RoleRef  `json:"roles,omitempty" doc:"Who sees a private channel, names or IDs." max:"50"`
}

func (in ChannelCreate) check() error {
	switch {
	case len(in.Tags) > 0 && in.Kind != chat.Forum:
		return errors.New("only a forum has tags; set channelType to forum, or leave tags out")
	case in.Limit > 0 && in.Kind != chat.Voice:
		return errors.New("only a voice channel has a user limit; set channelType to voice, or leave userLimit out")
	case len(in.Roles) > 0 && !in.Private:
		return errors.New("roles are those who see a private channel; set private to true, or leave roles out")
	}
	return nil
}

func (c *Category) channelCreate() *actions.Action {
	return actions.Define(actions.Spec[ChannelCreate]{
		Name:     "channelCreate",
		Aliases:  []string{"CREATE_CHANNEL", "NEW_CHANNEL", "ADD_CHANNEL"},
		Brief:    "private: for roles, asker and you",
		Summary:  "Create a channel, in a category if you name one.",
		Sentence: "Create the [{private?private} ]{channelType} channel {name}[ in {parent}][, for {roles}][, with the topic {topic}][, with the tags {tags}][, {userLimit?for up to $ people|without a user limit}]",
		Needs:    []chat.Permission{chat.ManageChannels},
		MayNeed:  []chat.Permission{chat.ViewChannel},
		Examples: []ChannelCreate{{Name: "ideas", Parent: "Projects", Topic: "What we could do next"}, {Name: "mods", Private: true, Roles: []chat.RoleRef{"Mods"}}},
		Check:    ChannelCreate.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in ChannelCreate) (chat.ChannelID, error) {
			if in.Parent == "" {
				return "", nil
			}
			parent, err := c.category(ctx, call, in.Parent)
			return parent.ID, err
		},
		// Discord lets those who make a channel allow and deny in it what they have themselves.
		AlsoNeeds: func(_ context.Context, call actions.Call, in ChannelCreate) ([]actions.Demand, error) {
			if !in.Private {
				return nil, nil
			}
			where, _ := call.Checked()
			return []actions.Demand{{Channel: where, Rights: []chat.Permission{chat.ViewChannel}}}, nil
		},
		Do: c.doChannelCreate,
	})
}

func (c *Category) doChannelCreate(ctx context.Context, call actions.Call, in ChannelCreate) (actions.Result, error) {
	n := chat.NewChannel{Name: string(in.Name), Kind: in.Kind, Topic: in.Topic, Limit: in.Limit}
	for _, name := range in.Tags {
		n.Tags = append(n.Tags, chat.Tag{Name: name})
	}
	under := ""
	if in.Parent != "" {
		parent, err := c.category(ctx, call, call.About(in.Parent))
		if err != nil {
			return actions.Result{}, err
		}
		n.Parent, under = parent.ID, " in "+c.named(ctx, call, parent)
	}
	audience, err := c.audience(ctx, call, in, &n)
	if err != nil {
		return actions.Result{}, err
	}
	ch, err := c.create(ctx, call, n)
	limit := ""
	if ch.Limit > 0 {
		limit = " for up to " + chat.Counted(ch.Limit, "person", "people")
	}
	return actions.Done(err, "created "+ch.ID.Mention()+limit+under+audience, unmake(ch))
}

// audience sets who sees a new private channel: the roles, and the requester. It returns that in
// words, which are empty for a channel that is not private.
func (c *Category) audience(ctx context.Context, call actions.Call, in ChannelCreate, n *chat.NewChannel) (string, error) {
	if !in.Private {
		return "", nil
	}
	g, err := call.Guild()
	if err != nil {
		return "", err
	}
	var names []string
	for _, ref := range in.Roles {
		r, err := c.server.Role(ctx, g, ref)
		switch {
		case err != nil:
			return "", err
		case r.ID == chat.RoleID(g):
			return "", errors.New("a channel that everyone sees is not private; name other roles, or leave out private")
		}
		n.Roles, names = append(n.Roles, r.ID), append(names, r.Mention())
	}
	who, err := c.server.Member(ctx, g, call.Origin.Requester)
	if err != nil {
		return "", err
	}
	n.Private, n.Members = true, []chat.UserID{who.ID}
	return ", private to " + chat.And(append(names, who.ID.Mention(), "me")), nil
}

// unmake deletes a new channel, with the messages there since.
func unmake(ch chat.Channel) actions.Inverse {
	text := "delete " + ch.ID.Mention() + " with everything in it"
	if ch.Kind == chat.CategoryKind {
		text = "delete the category " + ch.ID.Mention() + ", whose channels stay"
	}
	return actions.Reverse(text, "channelDelete", Target{chat.ChannelRef(ch.ID)})
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
		Sentence: "Create the category {name}[, at position {position}]",
		Needs:    []chat.Permission{chat.ManageChannels},
		Examples: []CategoryCreate{{Name: "Projects"}},
		Do: func(ctx context.Context, call actions.Call, in CategoryCreate) (actions.Result, error) {
			name := chat.OneLine(in.Name)
			made, err := c.create(ctx, call, chat.NewChannel{Name: name, Kind: chat.CategoryKind, Position: in.Position.OrNil()})
			return actions.Done(err, "created the category "+made.ID.Mention(), unmake(made))
		},
	})
}
