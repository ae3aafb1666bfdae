package channels

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

func (c *Category) looking() []*actions.Action {
	return []*actions.Action{c.channelList(), c.channelInfo()}
}

// A ChannelList shows the channels of a server.
type ChannelList struct{}

// channelList needs no right: it shows only what is visible to the requester.
func (c *Category) channelList() *actions.Action {
	return actions.Define(actions.Spec[ChannelList]{
		Name:     "channelList",
		Summary:  "List the channels of this server, by category, and their active threads.",
		Effect:   actions.Queries,
		Examples: []ChannelList{{}},
		Do: func(ctx context.Context, call actions.Call, _ ChannelList) (actions.Result, error) {
			seen, err := c.seen(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			return listOf(seen), nil
		},
	})
}

// listOf is the result of a list of channels. Each of them may be hidden from others.
func listOf(seen []chat.Channel) actions.Result {
	res := actions.Result{Found: directoryOf(seen).String(), Open: true}
	for _, ch := range seen {
		res.From = append(res.From, ch.ID)
	}
	n := len(slices.DeleteFunc(slices.Clone(seen), func(ch chat.Channel) bool { return ch.Kind == chat.CategoryKind || ch.Kind == chat.Thread }))
	res.Summary = actions.Listed("listed", min(n, maxListed), "channel", "channels")
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
		Summary:  "Show a channel's kind, category, topic, age and permissions.",
		Effect:   actions.Queries,
		Needs:    []chat.Permission{chat.ViewChannel},
		Examples: []Target{{Channel: "general"}},
		Do: func(ctx context.Context, call actions.Call, in Target) (actions.Result, error) {
			ch, err := c.channel(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			around, err := c.around(ctx, call, ch)
			if err != nil {
				return actions.Result{}, err
			}
			rules, err := c.ruleLines(ctx, call, ch)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.FoundIn(describe(ch, around, rules), "looked up", ch, around), nil
		},
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

func describe(ch, around chat.Channel, rules []string) string {
	lines := []string{"Name: " + called(ch), "ID: " + string(ch.ID), "Type: " + string(ch.Kind)}
	switch {
	case around.ID == "":
	case ch.Kind == chat.Thread:
		lines = append(lines, "Channel: "+called(around))
	default:
		lines = append(lines, "Category: "+chat.OneLine(around.Name))
	}
	if ch.Topic != "" {
		lines = append(lines, "Topic: "+chat.OneLine(ch.Topic))
	}
	if !ch.Created.IsZero() {
		lines = append(lines, "Created: "+ch.Created.UTC().Format("2006-01-02"))
	}
	if ch.Archived {
		lines = append(lines, "Archived: yes")
	}
	for _, rule := range rules {
		lines = append(lines, "Permissions of "+rule)
	}
	return strings.Join(lines, "\n")
}
