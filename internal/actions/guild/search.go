package guild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// How far a search goes.
const (
	maxMatches    = 50
	maxPages      = 10
	maxTextLength = 150
	maxListLength = 7000 // of all matches, so that the model gets all of them
)

// A SearchMessages looks for a text in a channel, or for words in all channels, and for what a user wrote.
type SearchMessages struct {
	Query   string          `json:"query,omitempty" doc:"Text to look for; case makes no difference. Needed without userId." max:"200"`
	User    chat.UserRef    `json:"userId,omitempty" alias:"author" doc:"Only messages of this user: a name, mention or ID."`
	Channel chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Channel or forum, name or ID; if left out, all channels that who asks may read."`
	Limit   int             `json:"limit,omitempty" rare:"yes" doc:"How many matches, 1 to 50." default:"25"`
	Pages   int             `json:"maxPages,omitempty" rare:"yes" doc:"With a channel: how many pages of 100 messages to read, 1 to 10." default:"5"`
	Before  Bound           `json:"before,omitempty" doc:"Only messages older than this: a message ID or a time."`
	After   Bound           `json:"after,omitempty" doc:"Only messages newer than this: a message ID or a time."`
}

func (in SearchMessages) check() error {
	if strings.TrimSpace(in.Query) == "" && in.User == "" {
		return errors.New("query: missing; give a text, or a userId")
	}
	return nil
}

// sought says what was searched for, with a word before the text.
func (in SearchMessages) sought(before string) (words string) {
	if query := strings.TrimSpace(in.Query); query != "" {
		words = fmt.Sprintf(` %s "%s"`, before, chat.OneLine(query))
	}
	if in.User != "" {
		words += " by " + in.User.ID().Mention()
	}
	return words
}

func (c *Category) searchMessages() *actions.Action {
	return actions.Define(actions.Spec[SearchMessages]{
		Name:     "searchMessages",
		Summary:  "Search all channels, or a recent part of one, for a text or a user's messages.",
		Effect:   actions.Queries,
		Reads:    actions.Messages,
		Needs:    []chat.Permission{chat.ViewChannel, chat.ReadHistory},
		Examples: []SearchMessages{{Query: "release notes"}, {Query: "release notes", Channel: "general"}, {User: "ada"}},
		Check:    SearchMessages.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in SearchMessages) (chat.ChannelID, error) {
			if in.Channel == "" {
				return call.Origin.Place.Channel, nil // searchAll checks the other channels one by one
			}
			ch, err := c.searchable(ctx, call, in.Channel)
			return ch.ID, err
		},
		Do: func(ctx context.Context, call actions.Call, in SearchMessages) (actions.Result, error) {
			if in.Channel == "" {
				return c.searchAll(ctx, call, in, chat.Channel{})
			}
			ch, err := c.searchable(ctx, call, in.Channel)
			switch {
			case err != nil:
				return actions.Result{}, err
			case ch.Kind.HasPosts():
				return c.searchAll(ctx, call, in, ch)
			}
			return c.searchOne(ctx, call, in, ch)
		},
	})
}

// searchable finds a channel with messages, or with posts.
func (c *Category) searchable(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	ch, err := call.Channel(ctx, c.server.Channel, ref)
	if err != nil || ch.Kind.HasPosts() {
		return ch, err
	}
	return ch, call.RequireText(ch, "")
}

// searchAll searches all channels that the people of the turn may read, or the posts of a forum. The
// rest of the server leaves no trace in the result.
func (c *Category) searchAll(ctx context.Context, call actions.Call, in SearchMessages, forum chat.Channel) (actions.Result, error) {
	where := "the channels that the asker may read"
	if forum.ID != "" {
		where = called(forum)
	}
	readable, err := c.readable(ctx, call, forum.ID)
	if err != nil {
		return actions.Result{}, err
	}
	limit := min(max(in.Limit, 1), maxMatches)
	found, more, err := c.server.SearchMessages(ctx, call.Origin.Place.Guild, readable, chat.Search{
		Text: strings.TrimSpace(in.Query), Author: in.User.ID(), Before: in.Before.ID(), After: in.After.ID(), Limit: limit,
	})
	if err != nil {
		return actions.Result{}, fmt.Errorf("search %s: %w", where, err)
	}
	// The question has the words, too.
	found = slices.DeleteFunc(found, func(m chat.Message) bool { return m.ID == call.Origin.Place.Message })
	f, from := c.listAll(ctx, call, found, more)
	if len(from) == 0 {
		return actions.Result{Found: fmt.Sprintf("No messages%s in %s", in.sought("matching"), where), Summary: "found no messages", Open: true}, nil
	}
	did := actions.Listed("found", len(f.lines), "message", "messages") + " in "
	res := actions.Result{From: from, Summary: did + "<#" + string(from[0]) + ">"}
	if len(from) > 1 {
		res.Summary = did + chat.Counted(len(from), "channel", "channels")
	}
	res.Found = fmt.Sprintf("Search results%s in %s (%d found%s):\n%s", in.sought("for"), where, len(f.lines), f.goOn(), strings.Join(f.lines, "\n"))
	return res.Showing(call, f.messages...), nil
}

// listAll lists messages of several channels, as far as they fit into a prompt, and returns the
// channels. More says that there are older ones.
func (c *Category) listAll(ctx context.Context, call actions.Call, found []chat.Message, more bool) (f findings, from []chat.ChannelID) {
	room, last := maxListLength, chat.MessageID("")
	for _, m := range found {
		ch, err := call.OtherChannel(ctx, c.server.AnyChannel, chat.ChannelRef(m.Place.Channel))
		if err != nil {
			continue // it is gone or hidden meanwhile
		}
		line := matchIn(m, ch)
		if room -= chat.Length(line) + 1; room < 0 {
			more = true
			break
		}
		f.lines, f.messages, last = append(f.lines, line), append(f.messages, m), m.ID
		if !slices.Contains(from, m.Place.Channel) {
			from = append(from, m.Place.Channel)
		}
	}
	if more {
		f.more = last
	}
	return f, from
}

// readable are the channels, or the posts of a forum, whose messages all people of the turn may
// read. Threads go by their channels; private ones are left out for all, because their members would
// take a request each.
func (c *Category) readable(ctx context.Context, call actions.Call, forum chat.ChannelID) ([]chat.ChannelID, error) {
	g, err := call.Guild()
	if err != nil {
		return nil, err
	}
	all, err := c.server.Channels(ctx, g)
	if err != nil {
		return nil, fmt.Errorf("list channels: %w", err)
	}
	var list []chat.ChannelID
	for _, ch := range all { // each channel comes before its threads
		if ch.Kind == chat.CategoryKind || ch.Private || forum != "" && ch.ID != forum && ch.Parent != forum {
			continue
		}
		ok := slices.Contains(list, ch.Parent)
		if ch.Kind != chat.Thread {
			if ok, err = call.May(ctx, c.server.MissingPermissions, ch.ID, chat.ViewChannel); err == nil && ok {
				ok, err = call.May(ctx, c.server.MissingPermissions, ch.ID, chat.ReadHistory)
			}
			if err != nil {
				return nil, err
			}
		}
		if ok {
			list = append(list, ch.ID)
		}
	}
	return list, nil
}

// matchIn is a message of some channel in the list of results.
func matchIn(m chat.Message, ch chat.Channel) string {
	where := called(ch)
	if ch.Kind == chat.Thread {
		where = "thread " + where
	}
	return match(m, " in "+where)
}

// searchOne reads the latest messages of a channel, and finds a text also inside of words.
func (c *Category) searchOne(ctx context.Context, call actions.Call, in SearchMessages, ch chat.Channel) (actions.Result, error) {
	found, err := c.scan(ctx, ch.ID, in)
	if err != nil {
		return actions.Result{}, err
	}
	did := actions.Listed("found", len(found.lines), "message", "messages") + " in"
	if len(found.lines) == 0 {
		return actions.FoundIn(fmt.Sprintf("No messages%s in %s (scanned %d messages%s)", in.sought("matching"), called(ch), found.scanned, found.goOn()), did, ch), nil
	}
	head := fmt.Sprintf("Search results%s in %s (%d found, %d scanned%s):", in.sought("for"), called(ch), len(found.lines), found.scanned, found.goOn())
	return actions.FoundIn(head+"\n"+strings.Join(found.lines, "\n"), did, ch).Showing(call, found.messages...), nil
}

// findings are the results of a search.
type findings struct {
	lines    []string
	messages []chat.Message
	scanned  int
	more     chat.MessageID // where to go on; empty at the end
}

// goOn says how to get the rest.
func (f findings) goOn() string {
	if f.more == "" {
		return ""
	}
	return `; older ones are left, go on with "before": "` + string(f.more) + `"`
}

// scan reads page after page until there are enough results, or no more messages.
func (c *Category) scan(ctx context.Context, ch chat.ChannelID, in SearchMessages) (findings, error) {
	var f findings
	needle := strings.ToLower(strings.TrimSpace(in.Query))
	limit, pages := min(max(in.Limit, 1), maxMatches), min(max(in.Pages, 1), maxPages)
	before := in.Before.ID()
	for range pages {
		page, next, err := c.server.HistoryPage(ctx, ch, before)
		if err != nil {
			return f, err
		}
		for _, m := range page {
			if in.After != "" && !m.ID.After(in.After.ID()) {
				f.more = ""
				return f, nil
			}
			f.scanned++
			// Not even the presence of a text in a secret may be found out.
			if _, secret := chat.CutSecret(m.Text); secret || !strings.Contains(strings.ToLower(m.Text), needle) ||
				in.User != "" && m.Author.ID != in.User.ID() {
				continue
			}
			f.lines, f.messages = append(f.lines, match(m, "")), append(f.messages, m)
			if len(f.lines) == limit {
				f.more = m.ID
				return f, nil
			}
		}
		if f.more = next; next == "" {
			return f, nil
		}
		before = next
	}
	return f, nil
}

// match is a message in the list of results. The name is the user name, which is unique,
// and cannot end the brackets it stands in.
func match(m chat.Message, where string) string {
	name := chat.InBrackets(chat.Name(cmp.Or(m.Author.Handle, m.Author.Name, "Unknown")))
	return fmt.Sprintf("[%s]%s [%s] %s (id:%s)", m.Sent.UTC().Format(moment), where, name, chat.Clip(chat.OneLine(m.Text), maxTextLength), m.ID)
}
