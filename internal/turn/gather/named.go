package gather

import (
	"context"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn/history"
	"discoclaw/internal/turn/prompt"
)

// linesNamed is how many messages of a channel that a request names are read for its prompt.
const linesNamed = 12

// named adds to a setting what is known of the channels that a request names: their latest messages, their threads, and
// whether the requester may write there. A channel that not everybody here may read is left out: the answer is read here,
// and the model did not even look for it.
func (g *Gatherer) named(ctx context.Context, s *prompt.Setting, at chat.Place, by chat.UserID, text string) {
	if g.o.HistoryBudget == 0 || at.Guild == "" {
		return
	}
	channels := s.Named(text)
	if len(channels) == 0 && len(strings.Fields(text)) <= shortRequest {
		channels = s.Named(lastSaid(s.History, by))
	}
	for _, ch := range channels {
		if open, err := g.o.Server.Readable(ctx, at.Guild, at.Channel, ch.ID); err != nil || !open || !g.o.Access.Listens(ch.Place()) {
			continue
		}
		e := prompt.NamedChannel{Channel: ch, Silent: g.o.Server.KnownToLack(ch.Place(), by, chat.SendMessages)}
		if ch.Kind != chat.Thread {
			e.Rules = g.rules(ctx, ch, s.Self)
		}
		if !ch.Kind.HasPosts() {
			g.fill(ctx, ch.Place())
			e.Lines = forReader(g.withOutsiders(g.marked(ch.Place(), g.history.Latest(ch.ID, linesNamed))), by)
		}
		s.NamedChannels = append(s.NamedChannels, e)
	}
}

// shortRequest is how many words a request has at most that may go on from the one before: "no, the other one".
const shortRequest = 8

// lastSaid returns what a person last said before.
func lastSaid(lines []history.Line, who chat.UserID) string {
	for _, l := range slices.Backward(lines) {
		if l.Who == who {
			return l.Text
		}
	}
	return ""
}

// maxRules is how many overwrites of a channel a prompt has.
const maxRules = 4

// rules describes the permission overwrites of a channel, except the bot's own.
func (g *Gatherer) rules(ctx context.Context, ch chat.Channel, self chat.UserID) (rules []string) {
	list, err := g.o.Server.Overwrites(ctx, ch.Guild, ch.ID)
	if err != nil || len(list) > maxRules {
		return nil // channelInfo has them
	}
	for _, o := range list {
		who := o.Member.Mention()
		switch {
		case o.Role == chat.RoleID(ch.Guild):
			who = "everyone"
		case o.Role != "":
			who = chat.Role{ID: o.Role}.Mention()
		}
		if o.Member == self {
			continue
		}
		if len(o.Deny) > 0 {
			rules = append(rules, who+" denied "+chat.PermissionNames(o.Deny))
		}
		if len(o.Allow) > 0 {
			rules = append(rules, who+" allowed "+chat.PermissionNames(o.Allow))
		}
	}
	return rules
}
