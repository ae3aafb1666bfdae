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

// A Forum is a channel that has posts.
type Forum struct {
	Channel chat.ChannelRef `json:"channelId" alias:"channel" doc:"Forum name or ID."`
}

func (in Forum) place() chat.ChannelRef { return in.Channel }

func (c *Category) forumTagList() *actions.Action {
	return define(c, actions.Spec[Forum]{
		Name:     "forumTagList",
		Rare:     true, // channelInfo has all but the IDs
		Summary:  "List the tags of a forum, with their IDs.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Needs:    []chat.Permission{chat.ViewChannel},
		Examples: []Forum{{Channel: "ideas"}},
	}, func(ctx context.Context, _ actions.Call, forum chat.Channel, _ Forum) (actions.Result, error) {
		tags, err := c.server.Tags(ctx, forum.ID)
		if err != nil {
			return actions.Result{}, err
		}
		return actions.FoundIn(tagList(forum, tags), actions.Listed("listed", len(tags), "tag", "tags")+" in", forum), nil
	})
}

func tagList(forum chat.Channel, tags []chat.Tag) string {
	if len(tags) == 0 {
		return "No tags on forum " + called(forum)
	}
	lines := []string{fmt.Sprintf("Tags on %s (%d):", called(forum), len(tags))}
	for _, t := range tags {
		lines = append(lines, fmt.Sprintf("• %s%s (id:%s)", chat.Name(t.Name), sign(t.Emoji), t.ID))
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

// shown is an emoji in a message. Discord shows a custom one by its ID, whatever name stands there.
func shown(e chat.Emoji) string {
	if _, id, own := strings.Cut(string(e), ":"); own {
		return "<:emoji:" + id + ">"
	}
	return string(e)
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

// tagEmoji converts an emoji back.
func tagEmoji(e chat.Emoji) TagEmoji {
	if _, id, own := strings.Cut(string(e), ":"); own {
		return TagEmoji{ID: id}
	}
	return TagEmoji{Name: string(e)}
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
	}, func(ctx context.Context, _ actions.Call, forum chat.Channel, in ForumTagCreate) (actions.Result, error) {
		emoji, err := in.Emoji.emoji()
		if err != nil {
			return actions.Result{}, err
		}
		made, err := c.server.CreateTag(ctx, forum.ID, chat.Tag{Name: chat.OneLine(in.Name), Emoji: emoji})
		back := actions.Reverse(fmt.Sprintf("delete the tag %s of %s", chat.Bold(made.Name), forum.ID.Mention()), "forumTagDelete",
			ForumTagDelete{Forum: Forum{chat.ChannelRef(forum.ID)}, Tag: made.ID})
		return actions.Done(err, fmt.Sprintf("created the tag %s in %s", chat.Bold(made.Name), forum.ID.Mention()), back)
	})
}

// A ForumTagEdit changes a tag of a forum.
type ForumTagEdit struct {
	Forum
	Tag   string               `json:"tagId" alias:"tag" doc:"Tag ID or name."`
	Name  string               `json:"name,omitempty" doc:"New name." max:"20"`
	Emoji schema.Opt[TagEmoji] `json:"emoji,omitzero" doc:"New emoji before the name; empty for none."`
}

func (in ForumTagEdit) check() error {
	if in.Name == "" && !in.Emoji.Given {
		return errors.New("nothing to change; give a name or an emoji")
	}
	_, err := in.Emoji.Value.emoji()
	return err
}

// edit is what changes.
func (in ForumTagEdit) edit() (e chat.TagEdit, err error) {
	if in.Name != "" {
		e.Name = new(chat.OneLine(in.Name))
	}
	if in.Emoji.Given {
		var emoji chat.Emoji
		emoji, err = in.Emoji.Value.emoji()
		e.Emoji = &emoji
	}
	return e, err
}

func (c *Category) forumTagEdit() *actions.Action {
	return define(c, actions.Spec[ForumTagEdit]{
		Name:     "forumTagEdit",
		Rare:     true,
		Summary:  "Rename a tag of a forum or change its emoji; posts keep it.",
		Sentence: "Change the tag {tagId} of {channelId}:[, rename it to {name}][, {emoji?give it the emoji $|remove its emoji}]",
		Needs:    mayManage,
		Examples: []ForumTagEdit{{Forum: Forum{"ideas"}, Tag: "bug", Name: "defect", Emoji: schema.Some(TagEmoji{Name: "🔧"})}},
		Check:    ForumTagEdit.check,
	}, func(ctx context.Context, _ actions.Call, forum chat.Channel, in ForumTagEdit) (actions.Result, error) {
		edit, err := in.edit()
		if err != nil {
			return actions.Result{}, err
		}
		was, now, err := c.server.EditTag(ctx, forum.ID, in.Tag, edit)
		return actions.Done(err, in.changed(forum, was, now), tagBack(forum, was, now, in))
	})
}

// changed says what was changed: "renamed the tag **bug** of <#1> to **defect** and gave it the emoji 🔧".
func (in ForumTagEdit) changed(forum chat.Channel, was, now chat.Tag) string {
	var parts []string
	it := fmt.Sprintf("the tag %s of %s", chat.Bold(was.Name), forum.ID.Mention())
	its := "the emoji of " + it
	if in.Name != "" {
		parts = append(parts, fmt.Sprintf("renamed %s to %s", it, chat.Bold(now.Name)))
		it, its = "it", "its emoji"
	}
	switch {
	case !in.Emoji.Given:
	case now.Emoji == "":
		parts = append(parts, "removed "+its)
	default:
		parts = append(parts, "gave "+it+" the emoji "+shown(now.Emoji))
	}
	return chat.And(parts)
}

// tagBack restores a tag, as far as it was changed.
func tagBack(forum chat.Channel, was, now chat.Tag, in ForumTagEdit) actions.Inverse {
	back := ForumTagEdit{Forum: Forum{chat.ChannelRef(forum.ID)}, Tag: was.ID}
	if in.Name != "" {
		back.Name = was.Name
	}
	if in.Emoji.Given {
		back.Emoji = schema.Some(tagEmoji(was.Emoji))
	}
	return actions.Reverse(fmt.Sprintf("change the tag %s of %s back", chat.Bold(now.Name), forum.ID.Mention()), "forumTagEdit", back)
}

// A ForumTagDelete takes a tag off a forum.
type ForumTagDelete struct {
	Forum
	Tag string `json:"tagId" alias:"tag" doc:"Tag ID or name."`
}

func (c *Category) forumTagDelete() *actions.Action {
	return define(c, actions.Spec[ForumTagDelete]{
		Name:        "forumTagDelete",
		Rare:        true,
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
	}, func(ctx context.Context, _ actions.Call, forum chat.Channel, in ForumTagDelete) (actions.Result, error) {
		gone, err := c.server.DeleteTag(ctx, forum.ID, in.Tag)
		return actions.Done(err, fmt.Sprintf("deleted the tag %s of %s", chat.Bold(gone.Name), forum.ID.Mention()))
	})
}
