package channels

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

func (c *Category) tags() []*actions.Action {
	return []*actions.Action{c.forumTagList(), c.forumTagCreate(), c.forumTagDelete()}
}

// A Forum is a channel that has posts.
type Forum struct {
	Channel chat.ChannelRef `json:"channelId" alias:"channel" doc:"Forum name or ID."`
}

func (in Forum) place() chat.ChannelRef { return in.Channel }

func (c *Category) forumTagList() *actions.Action {
	return define(c, actions.Spec[Forum]{
		Name:     "forumTagList",
		Summary:  "List the tags of a forum.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Needs:    []chat.Permission{chat.ViewChannel},
		Examples: []Forum{{Channel: "ideas"}},
		Do: func(ctx context.Context, call actions.Call, in Forum) (actions.Result, error) {
			forum, err := c.channel(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			tags, err := c.server.Tags(ctx, forum.ID)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.FoundIn(tagList(forum, tags), actions.Listed("listed", len(tags), "tag", "tags")+" in", forum), nil
		},
	})
}

func tagList(forum chat.Channel, tags []chat.Tag) string {
	if len(tags) == 0 {
		return "No tags on forum " + called(forum)
	}
	lines := []string{fmt.Sprintf("Tags on %s (%d):", called(forum), len(tags))}
	for _, t := range tags {
		lines = append(lines, fmt.Sprintf("• %s%s (id:%s)", chat.OneLine(t.Name), sign(t.Emoji), t.ID))
	}
	return strings.Join(lines, "\n")
}

// sign is an emoji in a list; of a custom one only the ID is known.
func sign(e chat.Emoji) string {
	if _, id, own := strings.Cut(string(e), ":"); own {
		return " (emoji:" + id + ")"
	}
	if e == "" {
		return ""
	}
	return " " + string(e)
}

// A ForumTagCreate adds a tag to a forum.
type ForumTagCreate struct {
	Forum
	Name  string   `json:"name" doc:"Its name." max:"20"`
	Emoji TagEmoji `json:"emoji,omitzero" doc:"Emoji before the name."`
}

// A TagEmoji is an emoji in Discord's form for tags.
type TagEmoji struct {
	Name string `json:"name,omitempty" doc:"The character itself."`
	ID   string `json:"id,omitempty" doc:"For the server's own emoji: its ID instead."`
}

// emoji converts it. A custom one is identified by its ID, whatever its name.
func (e TagEmoji) emoji() (found chat.Emoji, err error) {
	switch {
	case e.ID != "" && !chat.IsID(e.ID):
		return "", fmt.Errorf("emoji.id: %q is not an emoji's ID (15 to 20 digits)", chat.Clip(e.ID, 40))
	case e.ID != "":
		return chat.Emoji(":" + e.ID), nil
	case e.Name == "":
		return "", nil
	}
	if err := found.UnmarshalText([]byte(e.Name)); err != nil {
		return "", fmt.Errorf("emoji.name: %w", err)
	}
	return found, nil
}

func (in ForumTagCreate) check() error {
	_, err := in.Emoji.emoji()
	return err
}

func (c *Category) forumTagCreate() *actions.Action {
	return define(c, actions.Spec[ForumTagCreate]{
		Name:     "forumTagCreate",
		Summary:  "Add a tag to a forum.",
		Sentence: "Add the tag {name} to {channelId}[, with the emoji {emoji}]",
		Needs:    mayManage,
		Examples: []ForumTagCreate{{Forum: Forum{"ideas"}, Name: "done", Emoji: TagEmoji{Name: "✅"}}},
		Check:    ForumTagCreate.check,
		Do: func(ctx context.Context, call actions.Call, in ForumTagCreate) (actions.Result, error) {
			forum, err := c.channel(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			emoji, err := in.Emoji.emoji()
			if err != nil {
				return actions.Result{}, err
			}
			name := chat.OneLine(in.Name)
			made, err := c.server.CreateTag(ctx, forum.ID, chat.Tag{Name: name, Emoji: emoji})
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{
				Summary: fmt.Sprintf("created the tag %s in %s", chat.Bold(made.Name), forum.ID.Mention()),
				Undo: []actions.Inverse{actions.Reverse(fmt.Sprintf("delete the tag %s of %s", chat.Bold(made.Name), forum.ID.Mention()), "forumTagDelete",
					ForumTagDelete{Forum: Forum{chat.ChannelRef(forum.ID)}, Tag: made.ID})},
			}, nil
		},
	})
}

// A ForumTagDelete takes a tag off a forum.
type ForumTagDelete struct {
	Forum
	Tag string `json:"tagId" alias:"tag" doc:"Tag ID or name."`
}

func (c *Category) forumTagDelete() *actions.Action {
	return define(c, actions.Spec[ForumTagDelete]{
		Name:        "forumTagDelete",
		Summary:     "Delete a tag of a forum, which takes it off all posts.",
		Needs:       mayManage,
		Destructive: true,
		Examples:    []ForumTagDelete{{Forum: Forum{"ideas"}, Tag: "done"}},
		Ask: func(ctx context.Context, call actions.Call, in ForumTagDelete) (ForumTagDelete, string, error) {
			forum, err := c.channel(ctx, call, in.Channel)
			if err != nil {
				return in, "", err
			}
			tag, err := c.server.Tag(ctx, forum.ID, in.Tag)
			what := fmt.Sprintf("Delete the tag %s of <#%s>, which takes it off all posts.", actions.Quoted(tag.Name), forum.ID)
			return ForumTagDelete{Forum: Forum{chat.ChannelRef(forum.ID)}, Tag: tag.ID}, what, err
		},
		Do: func(ctx context.Context, call actions.Call, in ForumTagDelete) (actions.Result, error) {
			forum, err := c.channel(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			gone, err := c.server.DeleteTag(ctx, forum.ID, in.Tag)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: fmt.Sprintf("deleted the tag %s of %s", chat.Bold(gone.Name), forum.ID.Mention())}, nil
		},
	})
}
