package gather

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/history"
)

const (
	historyLines = 30 // earlier messages that a prompt may quote
	fetchedLines = 40 // earlier messages that are fetched: more, since some may not be quoted

	maxNoteLength = 500 // characters of what an earlier message forwards or has in components

	fetchTime = 5 * time.Second // how long a turn waits for earlier messages
)

// Heard adds a message to the history of its channel, whoever wrote it, since a later question may be about
// it. It starts no turn.
func (g *Gatherer) Heard(m chat.Message) {
	if g.self.Is(m.Author.ID) || !g.o.Access.Hears(m.Author, m.Place) {
		return
	}
	if line, ok := g.line(m); ok {
		g.history.Add(m.Place.Channel, line)
		g.o.Recall.Heard(m)
	}
}

// Overheard adds what was said in a call to the history of its channel. It is no message, so it is not kept among old ones.
func (g *Gatherer) Overheard(m chat.Message) {
	if line, ok := g.line(m); ok && g.o.Access.Hears(m.Author, m.Place) {
		line.Author, line.Spoken = line.Author+" (in the call)", true
		g.history.Add(m.Place.Channel, line)
	}
}

// OwnPoll adds a message of the bot's own to the history if it is a poll, so that a later request can end it by its handle.
func (g *Gatherer) OwnPoll(m chat.Message) {
	if m.Poll == nil || !g.o.Access.Listens(m.Place) {
		return
	}
	if line, ok := g.line(m); ok {
		g.history.Add(m.Place.Channel, line)
	}
}

// Edited applies an edit to the history.
func (g *Gatherer) Edited(m chat.Message) {
	line, ok := g.line(m)
	if ok && g.o.Access.Hears(m.Author, m.Place) {
		g.o.Recall.Edited(m)
	} else {
		g.o.Recall.Deleted(m.Place)
	}
	if ok {
		g.history.Change(m.Place.Channel, m.ID, line)
		return
	}
	g.history.Remove(m.Place.Channel, m.ID)
}

// Missed forgets that the history is complete, since events were missed: on a server, or on all of them if it is empty.
func (g *Gatherer) Missed(guild chat.GuildID) {
	g.history.Missed()
	g.o.Recall.Missed(guild)
}

// Deleted removes a deleted message from the history.
func (g *Gatherer) Deleted(at chat.Place) {
	g.history.Remove(at.Channel, at.Message)
	g.o.Recall.Deleted(at)
}

// ChannelDeleted forgets the old talk of a channel or a thread.
func (g *Gatherer) ChannelDeleted(at chat.Place) { g.o.Recall.ChannelDeleted(at) }

// Forget removes a message of the bot from the history that another one replaces.
func (g *Gatherer) Forget(ch chat.ChannelID, m chat.MessageID) { g.history.Remove(ch, m) }

// Has reports whether the history has a message, and IsOwn whether that is one of the bot's.
func (g *Gatherer) Has(ch chat.ChannelID, m chat.MessageID) bool   { return g.history.Has(ch, m) }
func (g *Gatherer) IsOwn(ch chat.ChannelID, m chat.MessageID) bool { return g.history.Mine(ch, m) }

// isOutsider reports whether the author of a message is an outsider, whose text gives the bot no orders.
func (g *Gatherer) isOutsider(m chat.Message) bool {
	self := g.self.User()
	return self == nil || g.o.Access.Outsider(m, self.ID)
}

// line returns the line of the history for a message. It returns false if the message must not be quoted later: a
// command was for the bot alone, and may hold a secret.
func (g *Gatherer) line(m chat.Message) (history.Line, bool) {
	id, starter := m.ID, chat.Place{}
	if m.System {
		if m.Answers == nil {
			return history.Line{}, false
		}
		m = *m.Answers // the message that a thread was started from
		starter = m.Place
	}
	m = g.self.StripMention(m)
	outsider := g.isOutsider(m)
	if !outsider {
		m.Embeds = nil // previews of links, mostly: every turn after a link would have read outside text
	}
	text := strings.Join(append([]string{m.Text}, m.Notes(maxNoteLength)...), "\n")
	if text = strings.TrimSpace(text); text == "" || g.self.IsCommand(m) || commands.Secret(m.Text) {
		return history.Line{}, false
	}
	return history.Line{
		ID: id, Author: g.displayName(m), Who: m.Author.ID, Mine: g.self.Is(m.Author.ID), Text: text, Typed: m.Text, Starter: starter,
		Outsider: outsider, Outside: m.Outside(g.o.Source),
	}, true
}

// maxNameLength is the maximum length of a user name on Discord. Names of webhooks may be longer, and a long name
// must not push the notes after it out of sight.
const maxNameLength = 32

// displayName returns the name under which an author is quoted later. It includes the handle, which is unique, since
// anybody may take another's display name.
func (g *Gatherer) displayName(m chat.Message) string {
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
	case g.o.Access.Admit(access.ByMessage, u, m.Place) == access.NotServed:
		notes = append(notes, "a stranger to you")
	}
	if len(notes) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(notes, ", "))
}

// KnownToLackHistory reports whether a user is known to lack the right to read earlier messages in a place.
func (g *Gatherer) KnownToLackHistory(at chat.Place, who chat.UserID) bool {
	return g.o.HistoryBudget > 0 && g.o.Server.KnownToLack(at, who, chat.ReadHistory)
}

// LacksHistory reports whether a user may not be told of earlier messages in a place. It asks Discord, and returns true if that fails.
func (g *Gatherer) LacksHistory(ctx context.Context, at chat.Place, who chat.UserID) bool {
	if g.o.HistoryBudget == 0 || at.Guild == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	missing, err := g.o.Server.MissingPermissions(ctx, at.Guild, who, at.Channel, []chat.Permission{chat.ReadHistory})
	return err != nil || len(missing) > 0
}

// earlier returns the history before the messages that a turn is about. Messages from before the bot listened are
// fetched first, backwards from the message of the place. A user who is blind, that is, who may not read the
// history, does not get those.
func (g *Gatherer) earlier(ctx context.Context, at chat.Place, blind bool, about ...chat.MessageID) []history.Line {
	if g.o.HistoryBudget == 0 {
		return nil
	}
	if !blind {
		g.fill(ctx, at)
	}
	lines := g.marked(at, g.history.Before(at.Channel, historyLines, about...))
	lines = slices.DeleteFunc(lines, func(l history.Line) bool { return blind && l.Old })
	return g.withOutsiders(lines)
}

// withOutsiders leaves out messages of outsiders, except as many of the latest as the operator wants.
func (g *Gatherer) withOutsiders(lines []history.Line) (kept []history.Line) {
	room := g.o.HistoryOutsiders
	for _, l := range slices.Backward(lines) {
		if l.Outsider {
			room--
		}
		if !l.Outsider || room >= 0 {
			kept = append(kept, l)
		}
	}
	slices.Reverse(kept)
	return kept
}

// fill fetches the messages of a channel from before the bot listened, unless the history has them. An error is only
// logged: the prompt then lacks them, which is no reason to fail.
func (g *Gatherer) fill(ctx context.Context, at chat.Place) {
	latest, known := g.o.Server.LastMessage(at.Channel)
	err := g.history.Fill(at.Channel, latest, func() ([]history.Line, error) {
		if known && latest == "" {
			return nil, nil // the channel was empty
		}
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		page, err := g.o.Server.MessagesBefore(ctx, at, fetchedLines)
		return g.lines(page), err
	})
	if err != nil && ctx.Err() == nil {
		g.o.Log.WarnContext(ctx, "earlier messages not fetched", "err", err)
	}
}

// lines returns the lines for the messages of a page that may be quoted. A command is left out together with the
// bot's answer to it.
func (g *Gatherer) lines(page []chat.Message) []history.Line {
	commands := map[chat.MessageID]bool{}
	for _, m := range page {
		commands[m.ID] = !g.self.Is(m.Author.ID) && g.self.IsCommand(m)
	}
	var list []history.Line
	for _, m := range page {
		line, ok := g.line(m)
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

// withoutNote removes the note at the end of an answer that says it was not finished: "*(…)*" on a line of its own.
func withoutNote(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	if last := text[at:]; strings.HasPrefix(last, "*(") && strings.HasSuffix(last, ")*") {
		return strings.TrimSpace(text[:at])
	}
	return text
}

// Said adds what the bot said and did in a turn to the history, for later prompts.
func (g *Gatherer) Said(at chat.Place, by chat.UserID, r turn.Result) {
	line := history.Line{Author: g.self.Name(), Mine: true, Text: r.Text, Did: did(r.Outcomes()), By: by, Outside: r.Outside}
	for _, o := range r.Outcomes() {
		line.Passages = append(line.Passages, o.Request.Passages()...)
		g.sent(o, by, r.Outside)
	}
	switch {
	case r.Text != "" && r.Text != turn.NoOutput:
		line.ID = r.Receipts[len(r.Receipts)-1].Messages[0]
	case len(line.Did) > 0:
		line.ID, line.Text, line.Unposted = chat.FirstAt(g.o.Server.Now()), "", true
		if at.Message.After(line.ID) {
			line.ID = at.Message // clocks differ, and the line must not sort before its request
		}
	default:
		return
	}
	g.history.Add(at.Channel, line)
	if !line.Unposted {
		g.o.Recall.Said(recall.Answer{At: at, Messages: posted(r, line.ID), Text: r.Text, Asker: by, Outside: r.Outside, Sent: g.o.Server.Now()})
	}
}

// sent adds a message that an action has sent to another channel to the history there, since what people ask there may be about it.
func (g *Gatherer) sent(o actions.Outcome, by chat.UserID, outside chat.Sources) {
	var said struct {
		Content string `json:"content"`
	}
	var at struct {
		Channel chat.ChannelID `json:"channelId"`
		Message chat.MessageID `json:"messageId"`
	}
	if !o.Done() || len(o.Result.Undo) == 0 || o.Result.Undo[0].Request.Type != "deleteMessage" ||
		json.Unmarshal(o.Result.Undo[0].Request.Args, &at) != nil || json.Unmarshal(o.Request.Args, &said) != nil || said.Content == "" {
		return
	}
	g.history.Add(at.Channel, history.Line{ID: at.Message, Author: g.self.Name(), Mine: true, Text: said.Content, By: by, Outside: outside})
}

// posted lists the messages of an answer, with one of them in front.
func posted(r turn.Result, first chat.MessageID) []chat.MessageID {
	list := []chat.MessageID{first}
	for _, receipt := range r.Receipts {
		for _, m := range receipt.Messages {
			if m != first {
				list = append(list, m)
			}
		}
	}
	return list
}

// CardEnded adds the outcome of one of the bot's cards to the history, with what it was about, for later prompts.
func (g *Gatherer) CardEnded(card chat.Place, what, how string, by actions.Origin, outs []actions.Outcome) {
	g.history.Add(card.Channel, history.Line{
		ID: card.Message, Author: g.self.Name(), Mine: true, Text: chat.Clip(chat.OneLine(what),
			maxNoteLength), Card: chat.Clip(chat.OneLine(how), maxDid), By: by.Requester, Outside: by.Outside,
	})
	for _, o := range outs {
		g.sent(o, by.Requester, by.Outside)
	}
}

// forReader returns the history as it is shown to a user. The fields of requests are kept only in the user's own
// requests, since they may be about channels that others may not read.
func forReader(lines []history.Line, who chat.UserID) []history.Line {
	lines = slices.Clone(lines)
	for i, line := range lines {
		if line.By == who {
			continue
		}
		lines[i].Did = nil
		for _, d := range line.Did {
			typ, _, _ := strings.Cut(d, "{")
			if strings.HasSuffix(d, pending) {
				typ += pending
			}
			lines[i].Did = append(lines[i].Did, typ)
		}
	}
	return lines
}

// pending ends what is not done yet, failing what failed.
const (
	pending = " waits for approval"
	failing = ", which failed"
)

// maxDid is how many characters of one request the history keeps.
const maxDid = 240

// did lists the actions that changed something, in the form in which they were requested, so that a model can
// request the same again.
func did(outs []actions.Outcome) (list []string) {
	for _, o := range outs {
		if o.Action == nil || o.Action.Effect == actions.Queries || o.Found() || o.Repeated {
			continue
		}
		what := o.Action.Name + chat.Clip(chat.OneLine(o.Request.Arguments()), maxDid)
		what += before(o) + made(o)
		switch {
		case o.Err != nil: // left without its fields, since those may be wrong
			what = o.Action.Name + failing
		case o.Pending != nil:
			what += pending
		}
		list = append(list, what)
	}
	return list
}

// made returns the ID of what an action has made, in the field of the action that ends it, if nothing else tells it from others
// of its kind: a reminder, a follow-up, an event, a scheduled job.
func made(o actions.Outcome) string {
	if len(o.Result.Undo) != 1 {
		return ""
	}
	switch back := o.Result.Undo[0].Request; back.Type {
	case "remindCancel", "deferCancel", "eventDelete", "cronDelete":
		return ", made " + back.Arguments()
	}
	return ""
}

// before returns what an action has changed as it was, in the fields of the action, so that a model can put it back.
// One that is undone by another action needs no such note, and half of one would be wrong. So would be a note with a text that the
// turn has not read: an outsider may have written it.
func before(o actions.Outcome) string {
	if len(o.Result.Undo) != 1 || o.Result.Undo[0].Request.Type != o.Action.Name || hasText(o.Action, o.Result.Undo[0].Request) {
		return ""
	}
	was := chat.OneLine(o.Result.Undo[0].Request.Arguments())
	if chat.Length(was) > maxDid {
		return ""
	}
	return ", before: " + was
}

// hasText reports whether a request has a text other than a name, such as the topic of a channel.
func hasText(a *actions.Action, r actions.Request) bool {
	var members map[string]any
	if json.Unmarshal(r.Args, &members) != nil {
		return true
	}
	for _, f := range a.Fields() {
		text, _ := members[f.Name].(string)
		_, err := time.Parse(time.RFC3339, text)
		if text != "" && len(f.Enum) == 0 && !chat.IsID(text) && err != nil && f.Name != "name" && f.Name != "nickname" {
			return true
		}
	}
	return false
}
