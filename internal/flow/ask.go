package flow

import (
	"context"
	"strings"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/flow/pipeline"
)

// askForm begins the ID of the form in which people ask about a message. The rest is the message's ID.
const askForm = "ask:"

// MaxQuestion is how many characters a question from the menu may have. It is posted in one message.
const MaxQuestion = 1500

// Picked handles the bot's entries in the menu of a message. That for questions asks for the question.
func (f *Flows) Picked(ctx context.Context, p chat.Picked) {
	if why := f.access.Admit(access.BySlashCommand, p.User, p.Place); why != access.Admitted || !f.slash.on {
		f.log.DebugContext(ctx, "menu of a message ignored", "reason", string(why), "message", p.Place.Message, "channel", p.Place.Channel, "user", p.User.ID)
		return
	}
	if f.answered.picked(p) {
		return
	}
	f.pipe.Go("menu of a message", func(ctx context.Context) {
		form := chat.Form{
			ID: askForm + string(p.Place.Message), Title: "Ask about this message",
			Field: chat.FormField{ID: commands.AskQuestion, Label: "What do you want to know?", Longest: MaxQuestion},
		}
		if err := f.server.ShowForm(ctx, p.Answer, form); err != nil {
			f.log.WarnContext(ctx, "cannot show a form", "channel", p.Place.Channel, "user", p.User.ID, "err", err)
		}
	})
}

// Submitted handles the question about a message like the slash command that asks one.
func (f *Flows) Submitted(ctx context.Context, s chat.Submission) {
	m, ok := strings.CutPrefix(s.Form, askForm)
	if !ok {
		return
	}
	about := s.Place
	about.Message = chat.MessageID(m)
	f.SlashCommand(ctx, commands.Asked(s, about.Link()))
}

// IsCommand reports whether a text would be taken as a command if a person wrote it.
func (f *Flows) IsCommand(text string) bool { return f.self.IsCommand(chat.Message{Text: text}) }

// Ask answers a question that the bot has posted for a person, who is its author here.
func (f *Flows) Ask(ctx context.Context, m chat.Message) {
	if self := f.self.User(); self != nil {
		m.Mentions = append(m.Mentions, self.ID)
	}
	m.Posted = true
	f.router.tell(ctx, m, pipeline.Live)
}
