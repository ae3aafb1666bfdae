// Package gather collects what a prompt knows: who asks, where, what was said before, and what each part of the bot tells as an
// [Informer].
package gather

import (
	"context"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn/history"
	"discoclaw/internal/turn/prompt"
)

// Asked is the turn whose prompt is gathered.
type Asked struct {
	Origin actions.Origin
	About  string            // what the requester wrote
	Around chat.Surroundings // what the requester sees of the server
}

// An Informer is a category, or another part of the bot, that knows something which may matter in a turn, such as the open tasks of the
// server. Sections without text are left out. Without what an Informer fails to tell, the prompt is built all the same.
type Informer interface {
	Knows(ctx context.Context, asked Asked) ([]prompt.Known, error)
}

// Func is an Informer with a single section.
type Func func(ctx context.Context, o actions.Origin, about string) (prompt.Known, error)

// Knows implements [Informer].
func (f Func) Knows(ctx context.Context, asked Asked) ([]prompt.Known, error) {
	known, err := f(ctx, asked.Origin, asked.About)
	return []prompt.Known{known}, err
}

// Gather collects what a prompt knows. If the workspace cannot be read, it returns the rest, and an error.
func (g *Gatherer) Gather(ctx context.Context, r Request) (prompt.Setting, error) {
	var before []history.Line
	if r.History != nil {
		before = g.earlier(ctx, r.History.Before, r.History.Blind, r.About...)
	}
	answers := len(r.Said) > 0
	var last chat.Message
	if answers {
		last = r.Said[len(r.Said)-1]
	}
	s, err := g.setting(ctx, r, before)
	if err != nil && answers {
		return s, err
	}
	if answers {
		s.FromBot, s.Notes = last.Author.Bot, append(s.Notes, g.news(r.By)...)
	}
	if answers || r.Talk {
		g.inform(ctx, &s, r)
	}
	if answers {
		g.named(ctx, &s, r.Origin.Place, r.By, r.Text)
	}
	if answers || r.Talk {
		g.oldTalk(ctx, &s, r.Origin, r.Text, r.About...)
	}
	return s, err
}

// inform adds what the parts of the bot know. An error is only logged: the prompt then lacks that, which is no reason to fail.
func (g *Gatherer) inform(ctx context.Context, s *prompt.Setting, r Request) {
	if r.Origin.Requester == "" { // another bot
		return
	}
	for _, of := range g.o.Knowledge {
		known, err := of.Knows(ctx, Asked{Origin: r.Origin, About: r.Text, Around: s.Around})
		if err != nil {
			g.o.Log.WarnContext(ctx, "prompt lacks what is known", "user", r.Origin.Requester, "err", err)
			continue
		}
		for _, section := range known {
			if section.Text != "" {
				s.Known = append(s.Known, section)
			}
		}
	}
}
