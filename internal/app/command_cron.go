package app

import (
	"context"
	"strings"

	cronact "discoclaw/internal/actions/crons"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/cron"
)

// cronVerbs are what !cron can do.
var cronVerbs = []string{"new", "list", "show", "pause", "resume", "run", "delete", showWebhook, newSecret}

// What !cron can do with webhooks.
const (
	showWebhook = "webhook"
	newSecret   = "new-secret"
)

// cronCommand returns !cron, which manages scheduled jobs without a model: each of its forms is one of the actions.
func (b *Bot) cronCommand() commands.Command {
	return commands.Command{
		Name: "cron", Args: "[list | new weekdays at 7:00 | what to do | show, pause, resume, run, delete or webhook <job>]",
		Summary: "Schedule, list, show, pause, resume, run or delete jobs.", Where: commands.OnServers, Off: func() string { return b.core.people["crons"].Remedy }, Run: b.cron,
		Options: []commands.Option{
			{Name: "what", Summary: "What to do; a list of all jobs if left out.", Choices: cronVerbs},
			{Name: "job", Summary: "Which job, by its ID or name; for new its times, a | and what to do."},
		},
	}
}

func (b *Bot) cron(ctx context.Context, m chat.Message, args string) (string, error) {
	verb, job := commands.CutWords(strings.TrimSpace(args), 1)
	if verb = strings.ToLower(strings.TrimSpace(verb)); verb == showWebhook || verb == newSecret {
		if job == "" {
			return "", &commands.UsageError{Problem: whichJob}
		}
		return b.webhook(ctx, m, job, verb == newSecret)
	}
	typ, input, err := cronRequest(args)
	if err != nil {
		return "", err
	}
	return b.answerWith(ctx, m, typ, input, "Not everybody here may see these jobs. Ask me in their channel, or with `/discoclaw cron`, which answers you alone.")
}

const whichJob = "Say which job, by its ID or name; `!cron list` shows them."

// cronRequest returns the action that the arguments of !cron ask for, and its input.
func cronRequest(args string) (typ string, input any, err error) {
	verb, rest := commands.CutWords(strings.TrimSpace(args), 1)
	verb, rest = strings.ToLower(strings.TrimSpace(verb)), strings.TrimSpace(rest)
	manage := map[string]string{"show": "cronShow", "pause": "cronPause", "resume": "cronResume", "run": "cronTrigger", "delete": "cronDelete"}
	switch typ := manage[verb]; {
	case verb == "" || verb == "list":
		return "cronList", cronact.List{}, nil
	case verb == "new":
		times, prompt, found := strings.Cut(rest, "|")
		if times, prompt = strings.TrimSpace(times), strings.TrimSpace(prompt); !found || times == "" || prompt == "" {
			return "", nil, &commands.UsageError{Problem: "Say when, a | and what to do, as in `!cron new weekdays at 7:00 | Say what the weather will be.`"}
		}
		return "cronCreate", cronact.Create{Name: cron.NameOf(prompt), Schedule: times, Prompt: prompt}, nil
	case typ != "" && rest == "":
		return "", nil, &commands.UsageError{Problem: whichJob}
	case typ != "":
		return typ, cronact.Which{ID: rest}, nil
	}
	return "", nil, &commands.UsageError{Problem: "I know " + strings.Join(cronVerbs, ", ") + "."}
}
