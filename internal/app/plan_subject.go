package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/forge"
	"discoclaw/internal/tasks"
)

// A planSubject is what a person wants a plan for.
type planSubject struct {
	description, context, project string
	outside                       chat.Sources // in it
}

const (
	maxDescription  = 2000
	maxPlanContext  = 3000 // characters of what was said before
	maxPlanMessages = 10
)

// planSubject reads the arguments of !plan and !forge, with what they refer to: the message that they reply to, the task of the thread,
// and what was said in the thread.
func (b *Bot) planSubject(ctx context.Context, m chat.Message, args string) (planSubject, error) {
	s := planSubject{description: strings.TrimSpace(args)}
	const project = "project:"
	if first, rest := commands.CutWords(s.description, 1); rest != "" && len(first) > len(project) && strings.EqualFold(first[:len(project)], project) {
		s.project, s.description = first[len(project):], rest
	}
	if chat.Length(s.description) > maxDescription {
		return s, &commands.UsageError{Problem: fmt.Sprintf("That is too long: put it into at most %d characters, or reply to a message that says it.", maxDescription)}
	}
	var parts []string
	task, err := b.core.tasks.InThread(ctx, m.Place.Channel)
	switch {
	case err == nil && task.Guild == m.Place.Guild:
		if forge.Vague(s.description) {
			s.description = task.Title
		}
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("The task %s, %s\n%s", task.ID, task.Title, task.Description)))
		s.outside.Add(task.Outside)
	case err != nil && !errors.Is(err, tasks.ErrNotFound):
		return s, err
	}
	if said := m.Answers; said != nil && said.Text != "" {
		parts = append(parts, saidLine(*said))
		s.outside.Add(said.Outside(b.core.sourceOf))
	}
	s.context = chat.Clip(strings.Join(slices.Concat(parts, b.saidInThread(ctx, m)), "\n\n"), maxPlanContext)
	return s, nil
}

func saidLine(m chat.Message) string { return m.Author.Name + " wrote: " + m.Text }

// saidInThread returns what was said last in the thread of a command, the oldest first, without outside text. It is empty elsewhere, and
// if it cannot be read.
func (b *Bot) saidInThread(ctx context.Context, m chat.Message) []string {
	if m.Place.Parent == "" {
		return nil
	}
	list, err := b.core.discord.Messages(ctx, m.Place.Channel, m.ID, maxPlanMessages)
	if err != nil {
		b.core.log.WarnContext(ctx, "thread not read for a plan", "channel", m.Place.Channel, "err", err)
	}
	var lines []string
	for _, said := range slices.Backward(list) {
		isCommand := strings.HasPrefix(said.Text, "!")
		if said.Text != "" && !said.System && !isCommand && said.ID != m.ReplyTo && said.Outside(b.core.sourceOf) == "" {
			lines = append(lines, saidLine(said))
		}
	}
	return lines
}
