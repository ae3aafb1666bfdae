package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/memory"
)

// Commands implements [commands.Commander]: !memory shows and changes what is remembered, without a model.
func (c *Category) Commands() []commands.Command {
	return []commands.Command{{
		Name: "memory", Args: "[show | list | remember text | forget text | reset | export | erase]", Summary: "See and change what the bot remembers about you.",
		Off: c.off, Always: []string{"erase"},
		Verbs: []commands.Verb{
			{Name: "show", Run: bare(c.items(false))},
			{Name: "list", Run: bare(c.items(true))},
			{Name: "remember", Type: "memoryRemember", Missing: "Say what to remember, such as `!memory remember I like tea`."},
			{Name: "forget", Run: c.forgetText},
			{Name: "reset", Run: c.reset},
			{Name: "export", Run: bare(c.export)},
			{Name: "erase", Type: "memoryErase"},
		},
		Options: []commands.Option{
			{Name: commands.What, Summary: "What to do."},
			{Name: "text", Summary: "What to remember or to forget."},
		},
	}}
}

func (c *Category) off() string {
	switch {
	case !c.Durable:
		return "set DISCOCLAW_DURABLE_MEMORY_ENABLED=1"
	case !c.CommandsOn:
		return "set DISCOCLAW_MEMORY_COMMANDS_ENABLED=1"
	}
	return ""
}

// bare runs a verb that takes no text.
func bare(run func(ctx context.Context, m chat.Message) (string, error)) func(context.Context, chat.Message, string) (string, error) {
	return func(ctx context.Context, m chat.Message, text string) (string, error) {
		if text != "" {
			return "", &commands.UsageError{Problem: "Nothing follows that word."}
		}
		return run(ctx, m)
	}
}

// reset drops the summary of a conversation. The word rolling may name it.
func (c *Category) reset(ctx context.Context, m chat.Message, text string) (string, error) {
	if text != "" && text != "rolling" {
		return "", &commands.UsageError{Problem: "It drops my summary of this conversation, and nothing follows it."}
	}
	if err := c.Engine.Reset(ctx, m.Place.Channel); err != nil {
		return "", err
	}
	return "I have dropped my summary of this conversation.", nil
}

// items lists the memories of a person in an answer that only that person reads: with IDs all of them, otherwise the active ones.
func (c *Category) items(whole bool) func(context.Context, chat.Message) (string, error) {
	return func(ctx context.Context, m chat.Message) (string, error) {
		if m.Place.Guild != "" && m.ID != "" {
			return "What I remember about you is not for everybody here. Use `/discoclaw memory`, whose answer only you see, or write to me in a direct message.", nil
		}
		all, err := c.Engine.Items(ctx, m.Author.ID)
		return listed(all, whole), err
	}
}

func listed(all []memory.Item, whole bool) string {
	var lines []string
	idle := 0
	for _, it := range all {
		line := fmt.Sprintf("- %s (%s)", chat.Literal(it.Text), it.Kind)
		if whole {
			line = fmt.Sprintf("- `%s` %s", it.ID, chat.Literal(it.Text))
		}
		if !it.Active {
			idle++
			line += " *(not used any more, stored until you erase it)*"
		}
		if it.Active || whole {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 && idle == 0 {
		return "I remember nothing about you yet. Tell me something worth keeping, or write `!memory remember …`."
	}
	text := "**What I remember about you**\n" + strings.Join(lines, "\n")
	if idle > 0 && !whole {
		text += fmt.Sprintf("\n-# %s that I do not use any more: `!memory list`", chat.Counted(idle, "thing", "things"))
	}
	return text
}

func (c *Category) forgetText(ctx context.Context, m chat.Message, text string) (string, error) {
	if text == "" {
		return "", &commands.UsageError{Problem: "Say what to forget, such as `!memory forget I like tea`."}
	}
	gone, near, err := c.Engine.Forget(ctx, m.Author.ID, text)
	switch {
	case err != nil:
		return "", err
	case len(gone) > 0:
		var texts []string
		for _, it := range gone {
			texts = append(texts, "“"+chat.Literal(it.Text)+"”")
		}
		return "I won't use this any more: " + chat.And(texts) + ".\n-# `!memory erase` removes everything for good.", nil
	case len(near) == 0:
		return "I remember nothing like that about you.", nil
	case m.Place.Guild != "" && m.ID != "":
		return "I am not sure which memory you mean; I need most of its words. `/discoclaw memory` shows you what I remember, and nobody else.", nil
	}
	lines := []string{"Do you mean one of these? `!memory forget` and its ID forgets it:"}
	for _, it := range near {
		lines = append(lines, fmt.Sprintf("- `%s` %s", it.ID, chat.Literal(it.Text)))
	}
	return strings.Join(lines, "\n"), nil
}

// eraseAbout removes everything that is stored about a person.
func (c *Category) eraseAbout(ctx context.Context, who chat.UserID) (string, error) {
	c.Talk.Forget(who)
	jobs, err := c.Jobs.DeleteOf(ctx, who) // their posts and the chains of other jobs follow
	if err != nil {
		return "", err
	}
	n, err := c.DB.Erase(ctx, string(who))
	if err != nil {
		return "", err
	}
	if n+jobs == 0 {
		return "there was nothing to erase", nil
	}
	return "erased everything that I had stored about " + who.Mention(), nil
}

// Stored returns everything that is stored about a person. Summaries and tasks are the words of others, too: they are left out
// where the person may not read them in Discord now.
func (c *Category) Stored(ctx context.Context, who chat.UserID) (map[string][]map[string]any, error) {
	found, err := c.DB.Export(ctx, string(who))
	for _, row := range slices.Concat(found["talks"], found["old_summaries"]) {
		ch, err := c.Server.ChannelByID(ctx, chat.ChannelID(fmt.Sprint(row["talk"])))
		var missing []chat.Permission
		if err == nil && ch.Guild != "" {
			missing, err = c.Server.MissingPermissions(ctx, ch.Guild, who, ch.ID, []chat.Permission{chat.ViewChannel, chat.ReadHistory})
		}
		if err != nil || len(missing) > 0 {
			delete(row, "summary")
			delete(row, "capsule")
		}
	}
	for _, row := range found["tasks"] {
		if !c.ReadsTasks(ctx, chat.GuildID(fmt.Sprint(row["guild"])), who) {
			for _, text := range []string{"title", "description", "labels", "reason", "base", "sent"} {
				delete(row, text)
			}
		}
	}
	return found, err
}

// export posts everything that is stored about the author, as a file in a direct message.
func (c *Category) export(ctx context.Context, m chat.Message) (string, error) {
	if m.Place.Guild != "" {
		return "I send that in a direct message: write `!memory export` to me there.", nil
	}
	found, err := c.Stored(ctx, m.Author.ID)
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return "", err
	}
	file := chat.File{Name: "discoclaw-about-you.json", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
	_, err = c.Server.Send(ctx, m.Place.Channel, chat.Outgoing{Text: "Everything that I have stored about you:", Files: []chat.File{file}, ReplyTo: m.ID})
	return "", err
}
