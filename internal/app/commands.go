package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/config"
	"discoclaw/internal/config/envfile"
	"discoclaw/internal/health"
	"discoclaw/internal/review"
	"discoclaw/internal/secrets"
	"discoclaw/internal/spend/cost"
)

// commands returns the table of commands, which run without a model.
func (b *Bot) commands() *commands.Table {
	c := b.core
	reporter := health.New(health.Options{
		Doctor: c.doctor, Flows: func() health.Flows { return b.flows }, Deferred: c.deferred, Operates: c.operates,
		Warnings: b.Warnings, Variables: c.Variables(), Env: b.env,
	})
	teller := cost.Teller{Meter: c.meter, Jobs: c.crons, Operates: b.operates}
	reviewer := &review.Review{Journal: b.journal, Cards: b.approvals, Undo: b.undo, Server: c.discord, Operates: b.operates, Log: c.log}
	return commands.New(b.operates, b.acts, append(slices.Concat(c.featureCommands(), reporter.Commands(),
		reviewer.Commands(), teller.Commands(), c.zones.Commands()),
		b.askCommand(),
		b.process.Command(),
		b.secretCommand(),
		commands.Command{Name: "stop", Summary: "Stop all answers that are being written.", Run: b.stop},
	)...)
}

// featureCommands returns the commands of the categories. Each is off where its category's part of the bot is.
func (c *Core) featureCommands() (list []commands.Command) {
	flags := actions.ForCommands(c.people, c.registry.Categories())
	for _, cat := range c.registry.Categories() {
		of, ok := cat.(commands.Commander)
		if !ok {
			continue
		}
		for _, command := range of.Commands() {
			if command.Off == nil {
				command.Off = func() string { return flags[cat.Name()].Remedy }
			}
			list = append(list, command)
		}
	}
	return list
}

func (b *Bot) secretCommand() commands.Command {
	o := secrets.Options{
		ReadOnly: b.out.ReadOnly, Env: b.env, Variables: b.core.Variables, Names: b.core.variableNames, Problems: b.unstartable,
		Delete: b.core.discord.Delete, Log: b.core.log,
	}
	if b.out.Settings != "" && !o.ReadOnly {
		o.File = envfile.Open(b.out.Settings)
	}
	return secrets.Command(o)
}

// unstartable returns the problems that would keep the bot from starting. They may quote values.
func (b *Bot) unstartable(env config.Env) []string {
	core, err := newCore(env, Externals{Runtime: b.out.Runtime})
	if core == nil {
		return problemsOf(err)
	}
	return core.problems(err).Problems
}

// operates reports whether the author of a message is an operator there.
func (b *Bot) operates(ctx context.Context, m chat.Message) bool {
	return b.core.operates(ctx, m.Author.ID, m.Place.Guild)
}

func (b *Bot) stop(_ context.Context, m chat.Message, args string) (string, error) {
	if err := commands.Alone(args, "It stops all answers. To stop a single one, press the button below it."); err != nil {
		return "", err
	}
	reply := stopped(b.flows.StopAll(m.Author.ID))
	if waiting := b.flows.Health().Waiting; waiting > 0 {
		reply += fmt.Sprintf(" %s to be answered next; if you delete yours, I leave it out.", chat.Counted(waiting, "message waits", "messages wait"))
	}
	return reply, nil
}

// stopped says what was stopped. All work besides turns is on plans.
func stopped(turns, plans int) string {
	var parts []string
	if turns > 0 {
		parts = append(parts, chat.Counted(turns, "answer", "answers"))
	}
	if plans > 0 {
		parts = append(parts, "the work on "+chat.Counted(plans, "plan", "plans"))
	}
	if len(parts) == 0 {
		return "Nothing is running."
	}
	return "🛑 Stopped " + strings.Join(parts, " and ") + "."
}
