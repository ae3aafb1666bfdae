package gather

import (
	"context"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/history"
	"discoclaw/internal/turn/prompt"
)

// setting returns what the prompts of all sources have in common. If the workspace cannot be read, it returns the
// rest, and an error.
func (g *Gatherer) setting(ctx context.Context, r Request, before []history.Line) (prompt.Setting, error) {
	at, by := r.Origin.Place, r.By
	s := prompt.Setting{
		Who: prompt.Who{Bot: g.self.Name(), Asker: by},
		Where: prompt.Where{Guild: at.Guild, Here: at.Channel, Channel: g.ChannelName(ctx, at),
			Around: g.o.Server.Surroundings(at, by), Now: g.o.Now().In(g.o.Zone(ctx, by))},
		Heard:    prompt.Heard{History: forReader(before, by), Budget: g.o.HistoryBudget},
		Gate:     r.Gate,
		Handles:  r.Handles,
		Dialects: g.o.Dialects,
		Native:   g.o.Native,
		Outside:  r.Outside,
		Taint:    g.o.Taint,
		Source:   g.o.Source,
		Titles:   g.titles(at.Guild),
		Once:     g.o.FollowUps == 0,
		Tools:    g.o.Tools != nil && g.o.Tools(ctx, by, at.Guild),
	}
	if self := g.self.User(); self != nil {
		s.Self = self.ID
	}
	if at.Parent != "" {
		s.Parent = g.ChannelName(ctx, at.Top())
	}
	err := g.read(ctx, at, &s)
	return s, err
}

func (g *Gatherer) titles(of chat.GuildID) func(text string) chat.Sources {
	if g.o.Titles == nil || of == "" {
		return nil
	}
	return func(text string) chat.Sources { return g.o.Titles(of, text) }
}

// news returns the startup note as a list of notes, which is empty if there is none for the user.
func (g *Gatherer) news(by chat.UserID) []string {
	if g.o.Startup == nil {
		return nil
	}
	if text := g.o.Startup(by); text != "" {
		return []string{text}
	}
	return nil
}

// read adds the documents of the workspace to a setting.
func (g *Gatherer) read(ctx context.Context, at chat.Place, s *prompt.Setting) (err error) {
	if g.o.Workspace == nil {
		return nil
	}
	if s.Persona, err = g.o.Workspace.Persona(ctx); err != nil {
		return err
	}
	name := s.Channel
	if s.Parent != "" {
		name = s.Parent
	}
	if s.Context, err = g.o.Workspace.Context(ctx, at, name); err != nil {
		return &turn.Failure{Err: err}
	}
	return nil
}

// Open returns messages with their opened attachments.
func (g *Gatherer) Open(ctx context.Context, said ...chat.Message) []prompt.Said {
	list := make([]prompt.Said, len(said))
	var enclosed []chat.Opened
	if g.o.Attachments != nil {
		enclosed = g.o.Attachments.Open(ctx, said...)
	}
	for i, m := range said {
		list[i].Message = m
		if i < len(enclosed) {
			list[i].Opened = enclosed[i]
			if spoken := enclosed[i].Spoken; spoken != "" {
				list[i].Text = strings.TrimSpace(m.Text + "\n(a voice message, transcribed:) " + spoken)
			}
		}
	}
	return list
}

// ChannelName returns the name of a channel, or its ID if the name cannot be looked up, which is no reason to fail.
func (g *Gatherer) ChannelName(ctx context.Context, at chat.Place) string {
	if at.Guild == "" {
		return ""
	}
	ch, err := g.o.Server.ChannelByID(ctx, at.Channel)
	if err != nil {
		return string(at.Channel)
	}
	return ch.Name
}
