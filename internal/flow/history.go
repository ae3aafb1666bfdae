package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/history"
)

const (
	historyLines = 30 // earlier messages that a prompt may quote
	fetchedLines = 40 // that are fetched, since not all may be fit for it

	maxNoteLength = 500 // characters of what one of them forwards, or has in components

	fetchTime = 5 * time.Second // how long a turn waits for them
)

// recordHistory remembers what was said in a channel, whoever said it: it is what a later
// question may be about. It steers nothing.
func (p *prompts) recordHistory(m chat.Message) {
	if p.isSelf(m.Author.ID) || !p.Access.Hears(m.Author, m.Place) {
		return
	}
	if line, ok := p.line(m); ok {
		p.history.Add(m.Place.Channel, line)
	}
}

// updateHistory takes note of a change.
func (p *prompts) updateHistory(m chat.Message) {
	if line, ok := p.line(m); ok {
		p.history.Change(m.Place.Channel, m.ID, line.Text)
		return
	}
	p.history.Remove(m.Place.Channel, m.ID)
}

// line is a message as it is remembered, unless nobody should be told of it later: a
// command was for the bot alone, and may hold a secret.
func (p *prompts) line(m chat.Message) (history.Line, bool) {
	id, starter := m.ID, chat.Place{}
	if m.System {
		if m.Answers == nil {
			return history.Line{}, false
		}
		m = *m.Answers // what a thread is about
		starter = m.Place
	}
	m = p.stripMention(m)
	text := strings.Join(append([]string{m.Text}, m.Notes(maxNoteLength)...), "\n")
	if text = strings.TrimSpace(text); text == "" || p.isCommand(m) || commands.Secret(m.Text) {
		return history.Line{}, false
	}
	return history.Line{ID: id, Author: p.displayName(m), Mine: p.isSelf(m.Author.ID), Text: text, Starter: starter}, true
}

// maxNameLength is how long people's names may be on Discord. Those of webhooks may be
// longer, and a long name must not push away what is said about it.
const maxNameLength = 32

// displayName is how somebody is quoted later. Anybody may take another's name; the handle
// behind it is their own.
func (p *prompts) displayName(m chat.Message) string {
	u := m.Author
	name := chat.Clip(chat.OneLine(u.Name), maxNameLength)
	var notes []string
	if u.Handle != "" && !strings.EqualFold(u.Handle, u.Name) {
		notes = append(notes, "@"+chat.Clip(chat.OneLine(u.Handle), maxNameLength))
	}
	switch {
	case m.Webhook:
		notes = append(notes, "a webhook")
	case u.Bot:
		notes = append(notes, "another bot")
	case p.Access.Admit(access.ByMessage, u, m.Place) == access.NotServed:
		notes = append(notes, "a stranger to you")
	}
	if len(notes) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(notes, ", "))
}

// knownToLackHistory says whether somebody is known not to see what was said in a place before
// they came.
func (p *prompts) knownToLackHistory(at chat.Place, who chat.UserID) bool {
	return p.HistoryBudget > 0 && p.Server.KnownToLack(at, who, chat.ReadHistory)
}

// lacksHistory says whether who began a turn may not be told what was said before. For an event
// that was not heard live, this is looked up; if it cannot be found out, they may not.
func lacksHistory[E any](ctx context.Context, p *prompts, e Event[E]) bool {
	if e.NoHistory || e.Arrival == Live || p.HistoryBudget == 0 || e.Place.Guild == "" {
		return e.NoHistory
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	missing, err := p.Server.MissingPermissions(ctx, e.Place.Guild, e.By.ID, e.Place.Channel, []chat.Permission{chat.ReadHistory})
	return err != nil || len(missing) > 0
}

// earlier is what a turn should know of what was said before the messages that it is
// about. Those from before the bot listened are fetched first, back from the place's
// message. Nobody who is blind is told of them.
func (p *prompts) earlier(ctx context.Context, at chat.Place, blind bool, about ...chat.MessageID) []history.Line {
	if p.HistoryBudget == 0 {
		return nil
	}
	if !blind {
		p.fill(ctx, at)
	}
	lines := p.history.Before(at.Channel, historyLines, about...)
	return slices.DeleteFunc(lines, func(l history.Line) bool { return blind && l.Old })
}

// fill fetches what was said in a channel before the bot listened, if that is not known.
// Without it, a prompt knows less, which is no reason to fail.
func (p *prompts) fill(ctx context.Context, at chat.Place) {
	latest, known := p.Server.LastMessage(at.Channel)
	err := p.history.Fill(at.Channel, latest, func() ([]history.Line, error) {
		if known && latest == "" {
			return nil, nil // there was nothing
		}
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		page, err := p.Server.MessagesBefore(ctx, at, fetchedLines)
		return p.lines(page), err
	})
	if err != nil && ctx.Err() == nil {
		p.Log.WarnContext(ctx, "earlier messages not fetched", "err", err)
	}
}

// lines are the messages of a page that may be quoted. What answers a command goes with
// it.
func (p *prompts) lines(page []chat.Message) []history.Line {
	commands := map[chat.MessageID]bool{}
	for _, m := range page {
		commands[m.ID] = !p.isSelf(m.Author.ID) && p.isCommand(m)
	}
	var list []history.Line
	for _, m := range page {
		line, ok := p.line(m)
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

// remember keeps what the bot said and did about a place, for later prompts.
func (p *prompts) remember(at chat.Place, by chat.UserID, r turn.Result) {
	line := history.Line{Author: p.name(), Mine: true, Text: r.Text, Did: did(r.Outcomes()), By: by}
	switch {
	case r.Text != "" && r.Text != turn.NoOutput:
		line.ID = r.Receipts[len(r.Receipts)-1].Messages[0]
	case len(line.Did) > 0:
		line.ID, line.Text, line.Unposted = chat.FirstAt(p.Server.Now()), "", true
		if at.Message.After(line.ID) {
			line.ID = at.Message // clocks differ
		}
	default:
		return
	}
	p.history.Add(at.Channel, line)
}

// CardEnded keeps how a card of the bot ended, and what it was about, for later prompts.
func (f *Flows) CardEnded(card chat.Place, what, how string) {
	f.prompts.history.Add(card.Channel, history.Line{
		ID: card.Message, Author: f.prompts.name(), Mine: true, Text: chat.Clip(chat.OneLine(what), maxNoteLength), Card: chat.Clip(chat.OneLine(how), maxDid),
	})
}

// forReader returns lines of the history with the fields of requests for the user alone who asked for them:
// others may not be allowed to read the channels that they are about.
func forReader(lines []history.Line, who chat.UserID) []history.Line {
	lines = slices.Clone(lines)
	for i, line := range lines {
		if line.By == who {
			continue
		}
		lines[i].Did = nil
		for _, d := range line.Did {
			typ, _, _ := strings.Cut(d, "{")
			lines[i].Did = append(lines[i].Did, typ)
		}
	}
	return lines
}

// maxDid bounds what is remembered of one request, in characters.
const maxDid = 160

// did lists what changed something, as it was asked for, so that the same can be asked for again.
func did(outs []actions.Outcome) (list []string) {
	for _, o := range outs {
		if o.Action == nil || o.Action.Effect == actions.Queries || o.Repeated {
			continue
		}
		what := o.Action.Name + chat.Clip(chat.OneLine(o.Request.Arguments()), maxDid)
		switch {
		case o.Err != nil: // without its fields, which may be wrong
			what = o.Action.Name + ", which failed"
		case o.Pending != nil:
			what += " waits for approval"
		}
		list = append(list, what)
	}
	return list
}
