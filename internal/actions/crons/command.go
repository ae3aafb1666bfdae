package crons

import (
	"context"
	"strings"

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
	if times, prompt = strings.TrimSpace(times), strings.TrimSpace(prompt); times == "" || prompt == "" {
		return nil, "", &commands.UsageError{Problem: "Say when, a | and what to do, as in `!cron new weekdays at 7:00 | Say what the weather will be.`"}
	}
	return Create{Name: engine.NameOf(prompt), Schedule: times, Prompt: prompt}, "", nil
}
