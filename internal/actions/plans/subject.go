package plans

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

const (
	maxDescription  = 2000
	maxSaid         = 3000 // characters of what was said before
	maxSaidMessages = 10
)

// Subject reads what !plan and !forge are to make a plan for, with what it refers to: the message that they reply to, the task of the
// thread, and what was said in the thread. It returns a [Create] and the outside text in it.
func (c *Category) Subject(ctx context.Context, m chat.Message, text string) (input any, outside chat.Sources, err error) {
	in := Create{Description: strings.TrimSpace(text)}
	const project = "project:"
	first, rest := commands.CutWords(in.Description, 1)
	if rest != "" && len(first) > len(project) && strings.EqualFold(first[:len(project)], project) {
		in.Project, in.Description = first[len(project):], rest
	}
	if chat.Length(in.Description) > maxDescription {
		const tooLong = "That is too long: put it into at most %d characters, or reply to a message that says it."
		return nil, "", &commands.UsageError{Problem: fmt.Sprintf(tooLong, maxDescription)}
	}
	var parts []string
	task, err := c.work.Plans.Tasks.InThread(ctx, m.Place.Channel)
	switch {
	case err == nil && task.Guild == m.Place.Guild:
		if forge.Vague(in.Description) {
			in.Description = task.Title
		}
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("The task %s, %s\n%s", task.ID, task.Title, task.Description)))
		outside.Add(task.Outside)
	case err != nil && !errors.Is(err, tasks.ErrNotFound):
		return nil, "", err
	}
	if said := m.Answers; said != nil && said.Text != "" {
		parts = append(parts, saidLine(*said))
		outside.Add(said.Outside(c.source))
	}
	in.Context = chat.Clip(strings.Join(slices.Concat(parts, c.saidInThread(ctx, m)), "\n\n"), maxSaid)
	return in, outside, nil
}

func saidLine(m chat.Message) string { return m.Author.Name + " wrote: " + m.Text }

// saidInThread returns what was said last in the thread of a command, the oldest first, without outside text. It is empty elsewhere, and
// if it cannot be read.
func (c *Category) saidInThread(ctx context.Context, m chat.Message) []string {
	if m.Place.Parent == "" {
		return nil
	}
	list, err := c.server.Messages(ctx, m.Place.Channel, m.ID, maxSaidMessages)
	if err != nil {
		c.work.Log.WarnContext(ctx, "thread not read for a plan", "channel", m.Place.Channel, "err", err)
	}
	var lines []string
	for _, said := range slices.Backward(list) {
		isCommand := strings.HasPrefix(said.Text, "!")
		if said.Text != "" && !said.System && !isCommand && said.ID != m.ReplyTo && said.Outside(c.source) == "" {
			lines = append(lines, saidLine(said))
		}
	}
	return lines
}
