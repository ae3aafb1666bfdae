package crons

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	engine "discoclaw/internal/cron"
)

// Commands implements [commands.Commander]: !cron manages scheduled jobs without a model.
func (c *Category) Commands() []commands.Command {
	return []commands.Command{{
		Name: "cron", Args: "[list | new weekdays at 7:00 | what to do | show, pause, resume, run, delete or webhook <job>]",
		Summary: "Schedule, list, show, pause, resume, run or delete jobs.", Where: commands.OnServers,
		Hidden: "Not everybody here may see these jobs. Ask me in their channel, or with `/discoclaw cron`, which answers you alone.",
		Verbs: []commands.Verb{
			{Name: "list", Type: "cronList", Example: "!cron list"},
			{Name: "new", Type: "cronCreate", Read: readNew},
			{Name: "show", Type: "cronShow", Missing: whichJob},
			{Name: "pause", Type: "cronPause", Missing: whichJob},
			{Name: "resume", Type: "cronResume", Missing: whichJob},
			{Name: "run", Type: "cronTrigger", Missing: whichJob},
			{Name: "delete", Type: "cronDelete", Missing: whichJob},
			{Name: "webhook", Run: c.showWebhook},
			{Name: "new-secret", Run: c.renewSecret},
		},
		Options: []commands.Option{
			{Name: commands.What, Summary: "What to do; a list of all jobs if left out."},
			{Name: "job", Summary: "Which job, by its ID or name; for new its times, a | and what to do."},
		},
	}}
}

const whichJob = "Say which job, by its ID or name; `!cron list` shows them."

// readNew reads the times of a new job and what it is to do.
func readNew(_ context.Context, _ chat.Message, text string) (any, chat.Sources, error) {
	times, prompt, _ := strings.Cut(text, "|")
	if times, prompt = unquoted(times), unquoted(prompt); times == "" || prompt == "" {
		return nil, "", &commands.UsageError{Problem: "Say when, a | and what to do, as in `!cron new weekdays at 7:00 | Say what the weather will be.`"}
	}
	return Create{Name: engine.NameOf(prompt), Schedule: times, Prompt: prompt}, "", nil
}

// unquoted is a text without quotes around all of it, which people write where they would quote what is to be said.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	for _, q := range [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}} {
		if inner, ok := strings.CutPrefix(text, q[0]); ok && strings.HasSuffix(inner, q[1]) && strings.Count(inner, q[1]) == 1 {
			return strings.TrimSpace(strings.TrimSuffix(inner, q[1]))
		}
	}
	return text
}

// showWebhook is !cron webhook, which shows the address and the secret of a job's webhook.
func (c *Category) showWebhook(ctx context.Context, m chat.Message, job string) (string, error) {
	return c.answerWebhook(ctx, m, job, false)
}

// renewSecret is !cron new-secret.
func (c *Category) renewSecret(ctx context.Context, m chat.Message, job string) (string, error) {
	return c.answerWebhook(ctx, m, job, true)
}

// answerWebhook shows a webhook in the form from the menu alone: its answer is for one person, and neither others nor models read it.
func (c *Category) answerWebhook(ctx context.Context, m chat.Message, job string, renew bool) (string, error) {
	off, remedy := "", ""
	switch {
	case job == "":
		return "", &commands.UsageError{Problem: whichJob}
	case c.Webhooks == "":
		off, remedy = "Webhooks are switched off here.", "Set `DISCOCLAW_WEBHOOK_ENABLED=1`."
	case m.ID != "" && !c.Slash:
		off, remedy = "I show a webhook only in answers that nobody else sees, those of slash commands, and these are switched off here.", "Set `DISCOCLAW_SLASH_COMMANDS=1`."
	case m.ID != "":
		return "Everybody here could read the answer. Choose `/discoclaw cron` from the menu instead, which answers you alone.", nil
	}
	if off != "" {
		if c.operates(ctx, m.Author.ID, m.Place.Guild) {
			off += " " + remedy
		}
		return off, nil
	}
	j, secret, err := c.webhook(ctx, actions.Origin{Flow: actions.FlowCommand, Place: m.Place, Requester: m.Author.ID}, job, renew)
	if err != nil {
		return chat.Capital(err.Error()) + ".", nil
	}
	what := "Secret"
	if renew {
		c.Log.InfoContext(ctx, "a webhook has a new secret", "job", j.ID, "user", m.Author.ID)
		what = "New secret, and the only one from now on"
	}
	return fmt.Sprintf("%s runs once for each call that is signed with its secret.\nAddress: `%s%s`\n%s: `%s`\n-# Whoever has both can run it. `/discoclaw cron new-secret` replaces the secret.",
		chat.Bold(j.Name), c.Webhooks, j.ID, what, secret), nil
}

// webhook returns a job and the secret of its webhook, for its author and operators. With renew it gets a new secret. It is no
// action, because models must not see it. An error is a sentence for people.
func (c *Category) webhook(ctx context.Context, o actions.Origin, ref string, renew bool) (engine.Job, string, error) {
	call := actions.Call{Origin: o}
	j, err := c.find(ctx, call, ref)
	if err != nil {
		return j, "", err
	}
	if !c.theirs(ctx, o, j) {
		return j, "", fmt.Errorf("%s belongs to %s; I show its webhook only to them and the people who run me", c.name(ctx, call, j), j.Author.Mention())
	}
	get := c.engine.Secret
	if renew {
		get = c.engine.RenewSecret
	}
	secret, err := get(ctx, j.ID)
	if errors.Is(err, engine.ErrNotFound) {
		err = fmt.Errorf("%s has no webhook: it runs %s", c.name(ctx, call, j), c.words(j.Definition))
	}
	return j, secret, err
}
