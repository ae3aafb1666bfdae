package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/history"
	"discoclaw/internal/turn"
)

const (
	historyLines = 10 // earlier messages that a prompt may quote
	fetchedLines = 20 // that are fetched, since not all may be fit for it

	fetchTime = 5 * time.Second // how long a turn waits for them
)

// hear remembers what was said in a channel, whoever said it: it is what a later
// question may be about. It steers nothing.
func (f *Flows) hear(m chat.Message) {
	if f.isSelf(m.Author.ID) || !f.Access.Hears(m.Author, m.Place) {
		return
	}
	if line, ok := f.line(m); ok {
		f.history.Add(m.Place.Channel, line)
	}
}

// rehear takes note of a change.
func (f *Flows) rehear(m chat.Message) {
	if line, ok := f.line(m); ok {
		f.history.Change(m.Place.Channel, m.ID, line.Text)
		return
	}
	f.history.Remove(m.Place.Channel, m.ID)
}

// line is a message as it is remembered, unless nobody should be told of it later: a
// command was for the bot alone, and may hold a secret.
func (f *Flows) line(m chat.Message) (history.Line, bool) {
	id := m.ID
	if m.System {
		if m.Answers == nil {
			return history.Line{}, false
		}
		m = *m.Answers // what a thread is about
	}
	m = f.uncalled(m)
	text := m.Text
	for _, a := range m.Attachments {
		text += fmt.Sprintf("\n(attached: %s)", chat.Clip(chat.OneLine(a.Name), 100))
	}
	if text = strings.TrimSpace(text); text == "" || f.isCommand(m) || commands.Secret(m.Text) {
		return history.Line{}, false
	}
	return history.Line{ID: id, Author: f.called(m), Mine: f.isSelf(m.Author.ID), Text: text}, true
}

// longestName is how long people's names may be on Discord. Those of webhooks may be
// longer, and a long name must not push away what is said about it.
const longestName = 32

// called is how somebody is quoted later. Anybody may take another's name; the handle
// behind it is their own.
func (f *Flows) called(m chat.Message) string {
	u := m.Author
	name := chat.Clip(chat.OneLine(u.Name), longestName)
	var notes []string
	if u.Handle != "" && !strings.EqualFold(u.Handle, u.Name) {
		notes = append(notes, "@"+chat.Clip(chat.OneLine(u.Handle), longestName))
	}
	switch {
	case m.Webhook:
		notes = append(notes, "a webhook")
	case u.Bot:
		notes = append(notes, "another bot")
	case f.Access.Admit(access.ByMessage, u, m.Place) == access.NotServed:
		notes = append(notes, "a stranger to you")
	}
	if len(notes) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(notes, ", "))
}

// isBlind says whether somebody is known not to see what was said in a place before they
// came. It is asked when they do something, since later nobody may know.
func (f *Flows) isBlind(at chat.Place, who chat.UserID) bool {
	return f.HistoryBudget > 0 && f.Server.Lacks(at, who, chat.ReadHistory)
}

// isBlindByNow is isBlind for what was done a while ago, when nobody heard of who did it what
// they may see. If that cannot be found out, they are blind.
func (f *Flows) isBlindByNow(ctx context.Context, at chat.Place, who chat.UserID) bool {
	if f.HistoryBudget == 0 || at.Guild == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	missing, err := f.Server.Missing(ctx, at.Guild, who, at.Channel, []chat.Permission{chat.ReadHistory})
	return err != nil || len(missing) > 0
}

// earlier is what a turn should know of what was said before the messages that it is
// about. Those from before the bot listened are fetched first, back from the place's
// message. Nobody who is blind is told of them.
func (f *Flows) earlier(ctx context.Context, at chat.Place, blind bool, about ...chat.MessageID) []history.Line {
	if f.HistoryBudget == 0 {
		return nil
	}
	if !blind {
		f.fill(ctx, at)
	}
	lines := f.history.Before(at.Channel, historyLines, about...)
	return slices.DeleteFunc(lines, func(l history.Line) bool { return blind && l.Old })
}

// fill fetches what was said in a channel before the bot listened, if that is not known.
// Without it, a prompt knows less, which is no reason to fail.
func (f *Flows) fill(ctx context.Context, at chat.Place) {
	latest, known := f.Server.Past(at.Channel)
	err := f.history.Fill(at.Channel, latest, func() ([]history.Line, error) {
		if known && latest == "" {
			return nil, nil // there was nothing
		}
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		page, err := f.Server.Earlier(ctx, at, fetchedLines)
		return f.lines(page), err
	})
	if err != nil && ctx.Err() == nil {
		f.Log.WarnContext(ctx, "earlier messages not fetched", "channel", at.Channel, "err", err)
	}
}

// lines are the messages of a page that may be quoted. What answers a command goes with
// it.
func (f *Flows) lines(page []chat.Message) []history.Line {
	commands := map[chat.MessageID]bool{}
	for _, m := range page {
		commands[m.ID] = !f.isSelf(m.Author.ID) && f.isCommand(m)
	}
	var list []history.Line
	for _, m := range page {
		line, ok := f.line(m)
		if ok && line.Mine {
			line.Text = withoutNote(line.Text)
			ok = line.Text != "" && line.Text != turn.NoOutput && !m.Buttons && !commands[m.ReplyTo]
		}
		if ok {
			list = append(list, line)
		}
	}
	return list
}

// withoutNote takes off an answer what says that it was not finished: "*(…)*" on a line
// of its own at the end.
func withoutNote(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	if last := text[at:]; strings.HasPrefix(last, "*(") && strings.HasSuffix(last, ")*") {
		return strings.TrimSpace(text[:at])
	}
	return text
}
