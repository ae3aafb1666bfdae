package channels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/order"
)

// A ChannelList shows the channels of a server.
type ChannelList struct {
	Query    string          `json:"query,omitempty" doc:"Only channels and threads with this in their names." max:"100"`
	Category chat.ChannelRef `json:"category,omitempty" alias:"parent" doc:"Only channels of this category, name or ID."`
	After    chat.ChannelRef `json:"after,omitempty" rare:"yes" doc:"Go on after this channel: the ID that the last list ended with."`
}

// channelList needs no right: it shows only what is visible to the requester.
func (c *Category) channelList() *actions.Action {
	return actions.Define(actions.Spec[ChannelList]{
		Name:     "channelList",
		Aliases:  []string{"LIST_CHANNELS", "SHOW_CHANNELS"},
		Brief:    "with activity",
		Summary:  "List channels, by category, and their active threads, with last activity.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Examples: []ChannelList{{}, {Query: "design"}},
		Do: func(ctx context.Context, call actions.Call, in ChannelList) (actions.Result, error) {
			seen, err := c.seen(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			var category chat.Channel
			if in.Category != "" {
				if category, err = c.category(ctx, call, in.Category); err != nil {
					return actions.Result{}, err
				}
			}
			d := directoryOf(seen, category.ID, in.Query)
			if !d.turn(chat.ChannelID(in.After)) {
				return actions.Result{}, errors.New("after: that channel is not in this list; leave it out to begin again")
			}
			return listOf(d, seen), nil
		},
	})
}

// listOf is the result of a list of channels. Each of them may be hidden from others, and so may the
// categories in it and what is only counted.
func listOf(d directory, seen []chat.Channel) actions.Result {
	res := actions.Result{Found: d.String(), Open: true}
	for _, ch := range seen {
		res.From = append(res.From, ch.ID)
	}
	channels := len(slices.DeleteFunc(slices.Clone(d.page), func(ch chat.Channel) bool { return ch.Kind == chat.Thread }))
	res.Summary = actions.Listed("listed", channels, "channel", "channels")
	if threads := len(d.page) - channels; channels == 0 && threads > 0 {
		res.Summary = actions.Listed("listed", threads, "thread", "threads")
	}
	return res
}

// seen are the channels that are visible to the requester. Private threads are left out for
// all: their members would take a request each.
func (c *Category) seen(ctx context.Context, call actions.Call) ([]chat.Channel, error) {
	g, err := call.Guild()
	if err != nil {
		return nil, err
	}
	all, err := c.server.Channels(ctx, g)
	if err != nil {
		return nil, fmt.Errorf("I could not list the channels: %w", err)
	}
	var seen []chat.Channel
	for _, ch := range all {
		if ch.Private {
			continue
		}
		ok, err := call.May(ctx, c.server.MissingPermissions, ch.ID, chat.ViewChannel)
		if err != nil {
			return nil, err
		}
		if ok {
			seen = append(seen, ch)
		}
	}
	return seen, nil
}

func (c *Category) channelInfo() *actions.Action {
	return define(c, actions.Spec[Target]{
		Name:     "channelInfo",
		Brief:    "with threads, tags, viewers",
		Summary:  "Show a channel's kind, topic, tags, who sees it, permissions, a forum's posts.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Needs:    []chat.Permission{chat.ViewChannel},
		Examples: []Target{{Channel: "general"}},
	}, func(ctx context.Context, call actions.Call, ch chat.Channel, _ Target) (actions.Result, error) {
		around, err := c.around(ctx, call, ch)
		if err != nil {
			return actions.Result{}, err
		}
		rules, err := c.ruleLines(ctx, call, ch, subject{})
		if err != nil {
			return actions.Result{}, err
		}
		viewers, err := c.server.Viewers(ctx, ch.Guild, ch.ID)
		if err != nil {
			return actions.Result{}, err
		}
		threads, err := c.openThreads(ctx, call, ch)
		if err != nil {
			return actions.Result{}, err
		}
		text := strings.Join(append([]string{describe(ch, around, viewers, rules)}, threads...), "\n")
		res := actions.FoundIn(text, "looked up", ch, around)
		if ch.Topic != "" {
			res.Outside.Add(chat.Sources("the topic of " + ch.ID.Mention()))
		}
		return res, nil
	})
}

// around is the category of a channel, or the channel of a thread, unless it is hidden from
// the requester.
func (c *Category) around(ctx context.Context, call actions.Call, ch chat.Channel) (chat.Channel, error) {
	if ch.Parent == "" {
		return chat.Channel{}, nil
	}
	if ok, err := call.May(ctx, c.server.MissingPermissions, ch.Parent, chat.ViewChannel); err != nil || !ok {
		return chat.Channel{}, err
	}
	return call.OtherChannel(ctx, c.server.AnyChannel, chat.ChannelRef(ch.Parent))
}

func describe(ch, around chat.Channel, viewers chat.Audience, rules []string) string {
	lines := []string{"Name: " + called(ch), "ID: " + string(ch.ID), "Type: " + string(ch.Kind)}
	switch {
	case around.ID == "":
	case ch.Kind == chat.Thread:
		lines = append(lines, "Channel: "+called(around))
	default:
		lines = append(lines, "Category: "+chat.Name(around.Name))
	}
	if ch.Topic != "" {
		lines = append(lines, "Topic: "+chat.OneLine(ch.Topic))
	}
	if ch.Slowmode > 0 {
		lines = append(lines, "Slow mode: "+chat.Span(ch.Slowmode))
	}
	if ch.Limit > 0 {
		lines = append(lines, fmt.Sprintf("User limit: %d", ch.Limit))
	}
	if !ch.Created.IsZero() {
		lines = append(lines, "Created: "+ch.Created.UTC().Format("2006-01-02"))
	}
	if !ch.Active.IsZero() {
		lines = append(lines, "Last active: "+ch.Active.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if ch.Kind == chat.Thread {
		lines = append(lines, threadState(ch, around)...)
	}
	lines = append(lines, "Visible to: "+viewersText(viewers))
	for _, rule := range rules {
		lines = append(lines, "Permissions of "+rule)
	}
	return strings.Join(lines, "\n")
}

// threadState has the tags of a forum's post and whether it is pinned, whether a thread is archived and locked, and
// when it will be archived.
func threadState(thread, around chat.Channel) []string {
	yes := map[bool]string{true: "yes", false: "no"}
	lines := []string{"Archived: " + yes[thread.Archived], "Locked: " + yes[thread.Locked]}
	if thread.ArchiveAfter > 0 {
		lines = append(lines, "Archived when idle for: "+chat.Span(thread.ArchiveAfter))
	}
	if around.Kind.HasPosts() {
		lines = append([]string{"Tags: " + cmp.Or(strings.Join(applied(thread, around), ", "), "none")}, lines...)
		lines = append(lines, "Pinned: "+yes[thread.Pinned])
	}
	return lines
}

// applied are the names of a post's tags.
func applied(post, forum chat.Channel) []string {
	var names []string
	for _, id := range post.AppliedTags {
		for _, t := range forum.Tags {
			if t.ID == id {
				names = append(names, chat.Name(t.Name))
			}
		}
	}
	return names
}

// maxPosts is how many posts of a forum are shown.
const maxPosts = 50

// openThreads has the open threads of a channel, those with the latest messages first; of a forum its tags, and the
// pinned post before the others.
func (c *Category) openThreads(ctx context.Context, call actions.Call, around chat.Channel) ([]string, error) {
	if around.Kind == chat.CategoryKind || around.Kind == chat.Thread {
		return nil, nil
	}
	seen, err := c.seen(ctx, call)
	if err != nil {
		return nil, err
	}
	// Not private ones: readers of the answer may not see those.
	open := slices.DeleteFunc(seen, func(ch chat.Channel) bool { return ch.Parent != around.ID || ch.Private })
	rank := map[bool]int{true: 0, false: 1} // by Pinned
	order.By(open, func(a, b chat.Channel) int {
		return cmp.Or(cmp.Compare(rank[a.Pinned], rank[b.Pinned]), b.Active.Compare(a.Active))
	})
	var lines []string
	switch {
	case around.Kind.HasPosts():
		var tags []string
		for _, t := range around.Tags {
			tags = append(tags, chat.Name(t.Name)+sign(t.Emoji))
		}
		lines = []string{"Tags: " + cmp.Or(strings.Join(tags, ", "), "none")}
		if around.RequireTag {
			lines = append(lines, "New posts need a tag")
		}
		lines = append(lines, fmt.Sprintf("Open posts: %d", len(open)))
	case len(open) > 0:
		lines = []string{fmt.Sprintf("Open threads: %d", len(open))}
	}
	for _, post := range open[:min(len(open), maxPosts)] {
		line := "• " + listed(post)
		if names := applied(post, around); len(names) > 0 {
			line += " [" + strings.Join(names, ", ") + "]"
		}
		if post.Pinned {
			line += " pinned"
		}
		lines = append(lines, line)
	}
	if more := len(open) - maxPosts; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, which channelList finds", more))
	}
	return lines, nil
}
