package app

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/flow"
	"discoclaw/internal/review"
)

// askCommand returns the command that asks the model from the menu. The question is posted for all to read, as a message would be.
func (b *Bot) askCommand() commands.Command {
	return commands.Command{
		Name: commands.Ask, Args: "<question>", Summary: "Ask me something, visible to everyone in this channel.", MenuOnly: true, Run: b.askHere,
		Options: []commands.Option{{Name: commands.AskQuestion, Summary: "What you want; at the end, perhaps, the link of a message here that it is about.", Required: true}},
	}
}

// askHere posts a question and has it answered. It is refused to a person who could not write it there themselves.
func (b *Bot) askHere(ctx context.Context, m chat.Message, args string) (string, error) {
	question, about := cutLink(args)
	question = strings.TrimSpace(chat.Visible(question))
	if problem := b.unfitQuestion(question); problem != "" {
		return "", &commands.UsageError{Problem: problem}
	}
	needs := []chat.Permission{chat.ViewChannel, chat.SendMessages}
	if about != (chat.Place{}) {
		if about.Channel != m.Place.Channel {
			return "", &commands.UsageError{Problem: "That message is in another channel. Ask about it there."}
		}
		needs = append(needs, chat.ReadHistory)
	}
	if m.Place.Guild != "" {
		emoji, err := questionCall(m).Emoji(ctx, b.core.discord, m.Place.Channel, question)
		if err != nil {
			return "", err
		}
		for _, demand := range emoji {
			needs = append(needs, demand.Rights...)
		}
		missing, err := b.core.discord.MissingPermissions(ctx, m.Place.Guild, m.Author.ID, m.Place.Channel, needs)
		if err != nil {
			return "", err
		}
		if len(missing) > 0 {
			return fmt.Sprintf("You need %s here for that.", chat.Rights(missing)), nil
		}
	}
	if about.Message != "" {
		said, err := b.core.discord.Message(ctx, about.Channel, about.Message)
		if err != nil {
			return "I can't read that message. It may have been deleted.", nil
		}
		said.Place = m.Place
		said.Place.Message = said.ID
		m.ReplyTo, m.Answers = said.ID, &said
	}
	if slow, err := b.paceQuestion(ctx, m, func() error { return b.postQuestion(ctx, m, question) }); slow != "" || err != nil {
		return slow, err
	}
	return "Your question is in the channel. The answer follows there.", nil
}

// questionCall stands for the question among actions, so that what binds people in those binds them here.
func questionCall(m chat.Message) actions.Call {
	return actions.Call{Origin: actions.Origin{Flow: actions.FlowMessage, Place: m.Place, Requester: m.Author.ID}}
}

// paceQuestion posts a question, unless slow mode keeps its author from writing: then it says so.
func (b *Bot) paceQuestion(ctx context.Context, m chat.Message, post func() error) (slow string, err error) {
	if m.Place.Guild == "" {
		return "", post()
	}
	ch, err := b.core.discord.ChannelByID(ctx, m.Place.Channel)
	if err != nil {
		return "", err
	}
	free := false
	err = questionCall(m).Paced(ctx, b.core.discord, ch, func() error {
		free = true
		return post()
	})
	if err != nil && !free {
		return chat.Capital(err.Error()) + ".", nil
	}
	return "", err
}

// unfitQuestion says why a question cannot be posted; empty if it can.
func (b *Bot) unfitQuestion(question string) string {
	switch n := chat.Length(question); {
	case n == 0:
		return "There is no question."
	case n > flow.MaxQuestion:
		return fmt.Sprintf("The question has %d characters, and may have %d at most.", n, flow.MaxQuestion)
	case commands.Secret(question) || b.flows.IsCommand(question):
		return "That is a command. Write it as a message, or choose it from this menu."
	}
	return ""
}

// postQuestion posts a question in the name of its author, and has it answered as if they had written it.
func (b *Bot) postQuestion(ctx context.Context, m chat.Message, question string) error {
	ctx = chat.AskedBy(ctx, chat.Asker{User: m.Author.ID, Place: m.Place})
	id, err := b.core.outbox.Of(newTurn(), nil).Post(ctx, "question", m.Place.Channel, chat.Outgoing{
		Text: m.Author.ID.Mention() + " asks:\n>>> " + question, ReplyTo: m.ReplyTo,
	})
	if err != nil {
		return err
	}
	m.ID, m.Text, m.Sent = id, question, b.core.discord.Now()
	m.Place.Message = id
	b.flows.Ask(ctx, m)
	return nil
}

// cutLink cuts the link of a message off the end of a text.
func cutLink(text string) (before string, at chat.Place) {
	i := strings.LastIndexAny(text, " \n") + 1
	link := review.MessageLink().FindStringSubmatch(text[i:])
	if link == nil {
		return text, chat.Place{}
	}
	return text[:i], chat.Place{Channel: chat.ChannelID(link[2]), Message: chat.MessageID(link[3])}
}
