package flow

import (
	"cmp"
	"context"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/history"
	"discoclaw/internal/turn/prompt"
)

// Attachments opens the attachments of messages.
type Attachments interface {
	// Open returns what it could open, one Opened for each message.
	Open(ctx context.Context, said ...chat.Message) []chat.Opened
}

// A Workspace holds the documents that people write for the bot.
type Workspace interface {
	// Persona returns the documents that describe who the bot is.
	Persona(ctx context.Context) ([]chat.Document, error)
	// Context returns the documents that the bot should know in a channel. For a thread, name is that of its
	// parent channel; in a direct message it is empty. The text of an error is shown to the user.
	Context(ctx context.Context, at chat.Place, name string) ([]chat.Document, error)
}

// prompts gathers what prompts are built from.
type prompts struct {
	*kit
	history history.Log
}

// lazyPrompt is a prompt that is built after the placeholder was posted, since gathering its content may take time.
type lazyPrompt struct {
	turn.Prompt
	gather func(context.Context) (turn.Prompt, error)
}

// First builds the prompt and returns its first request.
func (l *lazyPrompt) First(ctx context.Context) (llm.Request, error) {
	var err error
	if l.Prompt, err = l.gather(ctx); err != nil {
		return llm.Request{}, err
	}
	return l.Prompt.First(ctx)
}

// setting returns what the prompts of all sources have in common. If the workspace cannot be read, it returns the
// rest, and an error.
func (p *prompts) setting(ctx context.Context, at chat.Place, by chat.UserID, gate actions.Gate, outside *chat.Reading,
	before earlier) (prompt.Setting, error) {
	if !p.HistoryOutsiders && !before.asked {
		before = before.withoutOldMarks(by)
	}
	s := prompt.Setting{
		Gate: gate, Dialects: p.Dialects, Native: p.Native,
		Bot:      p.name(),
		Channel:  p.channelName(ctx, at),
		Guild:    at.Guild,
		Here:     at.Channel,
		Asker:    by,
		Operates: func() bool { return p.Operates == nil || p.Operates(ctx, by, at.Guild) },
		Now:      p.Now().In(p.zone()),
		Around:   p.Server.Surroundings(at, by),
		History:  forReader(before.lines, by),
		LeftOut:  before.leftOut,
		Outside:  outside, Taint: p.Taint, Source: p.Source, Titles: p.titles(at.Guild),
		Budget: p.HistoryBudget,
		Once:   p.FollowUps == 0,
	}
	if before.asked {
		s.Overheard = before.others[max(0, len(before.others)-linesElsewhere):]
		s.LeftOut -= len(s.Overheard)
		s.NothingOlder = before.whole
	}
	if self := p.self.Load(); self != nil {
		s.Self = self.ID
	}
	if at.Parent != "" {
		s.Parent = p.channelName(ctx, at.Top())
	}
	err := p.read(ctx, at, &s)
	return s, err
}

// Titles returns the outside texts of the titles of a server's posts that a text quotes.
type Titles func(g chat.GuildID, text string) chat.Sources

func (p *prompts) titles(g chat.GuildID) func(text string) chat.Sources {
	if p.Titles == nil || g == "" {
		return nil
	}
	return func(text string) chat.Sources { return p.Titles(g, text) }
}

// zone returns the time zone of times in prompts.
func (p *prompts) zone() *time.Location { return cmp.Or(p.Zone, time.Local) }

// news returns the startup note as a list of notes, which is empty if there is none for the user.
func (p *prompts) news(by chat.UserID) []string {
	if p.Startup == nil {
		return nil
	}
	if text := p.Startup(by); text != "" {
		return []string{text}
	}
	return nil
}

// read adds the documents of the workspace to a setting.
func (p *prompts) read(ctx context.Context, at chat.Place, s *prompt.Setting) (err error) {
	if p.Workspace == nil {
		return nil
	}
	if s.Persona, err = p.Workspace.Persona(ctx); err != nil {
		return err
	}
	name := s.Channel
	if s.Parent != "" {
		name = s.Parent
	}
	if s.Context, err = p.Workspace.Context(ctx, at, name); err != nil {
		return &turn.Failure{Err: err}
	}
	return nil
}

// open returns messages with their opened attachments.
func (p *prompts) open(ctx context.Context, said ...chat.Message) []prompt.Said {
	list := make([]prompt.Said, len(said))
	var enclosed []chat.Opened
	if p.Attachments != nil {
		enclosed = p.Attachments.Open(ctx, said...)
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

// channelName returns the name of a channel, or its ID if the name cannot be looked up, which is no reason to fail.
func (p *prompts) channelName(ctx context.Context, at chat.Place) string {
	if at.Guild == "" {
		return ""
	}
	ch, err := p.Server.ChannelByID(ctx, at.Channel)
	if err != nil {
		return string(at.Channel)
	}
	return ch.Name
}
