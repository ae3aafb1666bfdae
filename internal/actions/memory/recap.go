package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/memory"
)

// A Summary asks for a summary of what was said in the channel.
type Summary struct {
	Limit int `json:"limit,omitempty" doc:"How many of the latest messages." min:"10" max:"200" default:"50"`
}

// maxSummaries is how many summaries a turn may have, since each is a call of a model.
const maxSummaries = 3

func (c *Category) summary() *actions.Action {
	return actions.Define(actions.Spec[Summary]{
		Name:     "conversationSummary",
		Aliases:  []string{"SUMMARIZE_CONVERSATION", "SUMMARISE_CONVERSATION", "SUMMARIZE_CHAT", "SUMMARIZE_CHAT_HISTORY", "RECAP", "RECAP_CONVERSATION"},
		Rare:     true,
		Summary:  "Have the latest messages of this channel summed up.",
		Brief:    "of this channel, 10 to 200 messages",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Needs:    []chat.Permission{chat.ViewChannel, chat.ReadHistory},
		Examples: []Summary{{Limit: 100}},
		NeedsIn: func(_ context.Context, call actions.Call, _ Summary) (chat.ChannelID, error) {
			if call.Origin.Place.Channel == "" {
				return "", errors.New("there is no conversation here")
			}
			return call.Origin.Place.Channel, nil
		},
		Do: c.sumUp,
	})
}

func (c *Category) sumUp(ctx context.Context, call actions.Call, in Summary) (actions.Result, error) {
	at := chat.Channel{ID: call.Origin.Place.Channel}
	found, err := c.latest(ctx, call.Origin, in.Limit)
	if err != nil {
		return actions.Result{}, err
	}
	said, remarks := quotable(found)
	if len(said) == 0 {
		return actions.FoundIn("There are no messages to sum up here.", "found nothing to sum up in", at), nil
	}
	if !c.turns.Take(call.Origin.Turn, maxSummaries) {
		return actions.Result{}, fmt.Errorf("not summed up, because I do that at most %d times per request", maxSummaries)
	}
	text, err := memory.Recap(ctx, remarks, maxSummary, func(ctx context.Context, system, text string) (string, error) {
		return c.Ask(ctx, call.Origin, system, text)
	})
	if err != nil {
		return actions.Result{}, err
	}
	res := actions.FoundIn(fmt.Sprintf("Summary of the latest %d messages here, from %s to %s:\n%s", len(said), sent(said[0]), sent(said[len(said)-1]), text),
		"summed up "+chat.Counted(len(said), "message", "messages")+" in", at).Showing(call, said...)
	res.Shows = nil // a summary has no lines of messages
	return res, nil
}

// latest returns the latest messages of the channel, newest first, without the one that asks.
func (c *Category) latest(ctx context.Context, o actions.Origin, limit int) (all []chat.Message, err error) {
	const page = 100
	var before chat.MessageID
	if o.Flow == actions.FlowMessage {
		before = o.Place.Message
	}
	for len(all) < limit {
		asked := min(limit-len(all), page)
		found, err := c.Server.Messages(ctx, o.Place.Channel, before, asked)
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(found) < asked {
			break
		}
		before = found[len(found)-1].ID
	}
	return all, nil
}

// How much is summed up and how long a summary may be, in characters.
const (
	maxRemark  = 500
	maxQuoted  = 20_000
	maxSummary = 2000
)

// quotable returns what a model is shown of messages, which come newest first, in the order in which they were said. Secrets, embeds, and
// messages without words are left out, and so are the oldest that do not fit.
func quotable(found []chat.Message) (said []chat.Message, remarks []memory.Remark) {
	room := maxQuoted
	for _, m := range found {
		m.Embeds = nil // mostly previews of links
		_, secret := chat.CutSecret(m.Text)
		text := strings.TrimSpace(strings.Join(append([]string{m.Text}, m.Notes(maxRemark)...), " "))
		if secret || text == "" {
			continue
		}
		r := memory.Remark{
			Name: dialect.DefuseNames(dialect.Defuse(chat.Clip(cmp.Or(m.Author.Name, m.Author.Handle, "unknown"), 60))),
			Text: dialect.Defuse(chat.Clip(text, maxRemark)),
		}
		if room -= chat.Length(r.Name) + chat.Length(r.Text); room < 0 {
			break
		}
		said, remarks = append(said, m), append(remarks, r)
	}
	slices.Reverse(said)
	slices.Reverse(remarks)
	return said, remarks
}

func sent(m chat.Message) string { return m.Sent.UTC().Format("2 January 2006, 15:04 UTC") }
