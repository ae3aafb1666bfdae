package guild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// History is the part of Discord that a search needs.
type History interface {
	// HistoryPage is 100 messages, newest first, before a message. next is the start of the
	// following page; empty if there is none.
	HistoryPage(ctx context.Context, ch chat.ChannelID, before chat.MessageID) (page []chat.Message, next chat.MessageID, err error)
}

// How far a search goes.
const (
	maxMatches    = 50
	maxPages      = 10
	maxTextLength = 150
)

func (c *Category) search() []*actions.Action { return []*actions.Action{c.searchMessages()} }

// A SearchMessages looks for a text in a channel.
type SearchMessages struct {
	Query   string          `json:"query" doc:"Text to look for; case makes no difference." max:"200"`
	Channel chat.ChannelRef `json:"channel,omitempty" alias:"channelId" doc:"Channel name or ID; the current one if left out."`
	Limit   int             `json:"limit,omitempty" doc:"How many matches, 1 to 50." default:"25"`
	Pages   int             `json:"maxPages,omitempty" doc:"How many pages of 100 messages to read, 1 to 10." default:"5"`
	Before  Bound           `json:"before,omitempty" doc:"Only messages older than this: a message ID or a time."`
	After   Bound           `json:"after,omitempty" doc:"Only messages newer than this: a message ID or a time."`
}

func (in SearchMessages) check() error {
	if strings.TrimSpace(in.Query) == "" {
		return errors.New("query: empty; every message would match")
	}
	return nil
}

func (c *Category) searchMessages() *actions.Action {
	return actions.Define(actions.Spec[SearchMessages]{
		Name:     "searchMessages",
		Summary:  "Search a channel's recent messages for a text.",
		Effect:   actions.Queries,
		Needs:    []chat.Permission{chat.ViewChannel, chat.ReadHistory},
		Examples: []SearchMessages{{Query: "release notes", Channel: "general"}},
		Check:    SearchMessages.check,
		NeedsIn: func(ctx context.Context, call actions.Call, in SearchMessages) (chat.ChannelID, error) {
			ch, err := c.textChannel(ctx, call, in.Channel)
			return ch.ID, err
		},
		Do: c.doSearch,
	})
}

// textChannel finds a channel with messages; without a reference, that of the turn.
func (c *Category) textChannel(ctx context.Context, call actions.Call, ref chat.ChannelRef) (chat.Channel, error) {
	return call.TextChannel(ctx, c.server.Channel, cmp.Or(ref, chat.ChannelRef(call.Origin.Place.Channel)), "")
}

func (c *Category) doSearch(ctx context.Context, call actions.Call, in SearchMessages) (actions.Result, error) {
	ch, err := c.textChannel(ctx, call, in.Channel)
	if err != nil {
		return actions.Result{}, err
	}
	found, err := c.scan(ctx, ch.ID, in)
	if err != nil {
		return actions.Result{}, err
	}
	did := actions.Listed("found", len(found.lines), "message", "messages") + " in"
	query := chat.OneLine(in.Query)
	if len(found.lines) == 0 {
		return actions.FoundIn(fmt.Sprintf(`No messages matching "%s" in %s (scanned %d messages%s)`, query, called(ch), found.scanned, found.goOn()), did, ch), nil
	}
	head := fmt.Sprintf(`Search results for "%s" in %s (%d found, %d scanned%s):`, query, called(ch), len(found.lines), found.scanned, found.goOn())
	return actions.FoundIn(head+"\n"+strings.Join(found.lines, "\n"), did, ch), nil
}

// findings are the results of a search.
type findings struct {
	lines   []string
	scanned int
	more    chat.MessageID // where to go on; empty at the end
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
			if _, secret := chat.CutSecret(m.Text); secret || !strings.Contains(strings.ToLower(m.Text), needle) {
				continue
			}
			f.lines = append(f.lines, match(m))
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
func match(m chat.Message) string {
	name := chat.InBrackets(cmp.Or(m.Author.Handle, m.Author.Name, "Unknown"))
	return fmt.Sprintf("[%s] [%s] %s (id:%s)", m.Sent.UTC().Format(moment), name, chat.Clip(chat.OneLine(m.Text), maxTextLength), m.ID)
}
