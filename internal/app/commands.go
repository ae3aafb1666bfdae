package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/config"
	"discoclaw/internal/config/envfile"
	"discoclaw/internal/health"
	"discoclaw/internal/journal"
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
	teller := cost.Teller{Book: c.book, Jobs: c.crons, Operates: b.operates}
	return commands.New(b.operates, b.acts, append(slices.Concat(c.featureCommands(), reporter.Commands(), teller.Commands()),
		b.askCommand(),
		commands.Command{
			Name: "confirm", Args: "<token>", Summary: "Approve what the bot asks about on a card.", Run: b.confirm,
			Options: []commands.Option{{Name: "token", Summary: "The code from the bottom of the card.", Required: true, Complete: b.openQuestions}},
		},
		b.process.Command(),
		b.secretCommand(),
		commands.Command{Name: "stop", Summary: "Stop all answers that are being written.", Run: b.stop},
		commands.Command{Name: "trace", Summary: "Show what the bot did last in this channel.", Run: b.trace},
		commands.Command{
			Name: "undo", Args: "[earlier]", Summary: "Undo what the bot did last in this channel, where that is possible.", Run: b.takeBack,
			Options: []commands.Option{{Name: "what", Summary: "Undo what came before the last thing.", Choices: []string{undoEarlier}}},
		},
		commands.Command{
			Name: "why", Args: "<message link>", Summary: "Show what the bot did about a message, and why.", Run: b.why,
			Options: []commands.Option{{Name: "link", Summary: "The link of the message, of the bot's answer, or of a card.", Required: true, Complete: b.recentLinks}},
		},
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
	core, err := newCore(env, Outside{Runtime: b.out.Runtime})
	if core == nil {
		return problemsOf(err)
	}
	return core.problems(err).Problems
}

// operates reports whether the author of a message is an operator there.
func (b *Bot) operates(ctx context.Context, m chat.Message) bool {
	return b.core.operates(ctx, m.Author.ID, m.Place.Guild)
}

var tokenForm = regexp.MustCompile(`^[a-z0-9_-]+$`)

func (b *Bot) confirm(ctx context.Context, m chat.Message, args string) (string, error) {
	// Phones capitalise, and people copy the markup around the token.
	args = strings.ToLower(strings.Trim(args, "`<> "))
	if len(args) < 6 || len(args) > 64 || !tokenForm.MatchString(args) {
		return "", &commands.UsageError{Problem: "Add the code from the bottom of the card."}
	}
	return b.approvals.Confirm(ctx, args, m.Author, m.Place), nil
}

// openQuestions returns the tokens of a channel's open approvals, for completion.
func (b *Bot) openQuestions(ctx context.Context, _ chat.User, at chat.Place, _ string) []string {
	tokens, err := b.approvals.Open(ctx, at.Channel)
	if err != nil {
		b.core.log.WarnContext(ctx, "open questions not read", "err", err)
	}
	return tokens
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

// undoEarlier asks for what was done before the last thing.
const undoEarlier = "earlier"

func (b *Bot) takeBack(ctx context.Context, m chat.Message, args string) (string, error) {
	earlier := strings.EqualFold(args, undoEarlier)
	if args != "" && !earlier {
		return "", &commands.UsageError{Problem: "Just write `!undo`: it undoes what was done last. `!undo earlier` undoes what came before that."}
	}
	return b.undo.Offer(ctx, m, earlier)
}

// tracedTurns is how many turns !trace lists.
const tracedTurns = 10

func (b *Bot) trace(ctx context.Context, m chat.Message, args string) (string, error) {
	if err := commands.Alone(args, "It shows what was done last in this channel. For a single message there is `!why <message link>`."); err != nil {
		return "", err
	}
	turns, err := b.journal.Recent(ctx, m.Place.Channel, tracedTurns)
	if err != nil {
		return "", err
	}
	return journal.Trace(turns), nil
}

// recentLinks returns the links of the last turns in a channel, for completion.
func (b *Bot) recentLinks(ctx context.Context, _ chat.User, at chat.Place, _ string) []string {
	turns, err := b.journal.Recent(ctx, at.Channel, tracedTurns)
	if err != nil {
		b.core.log.WarnContext(ctx, "recent turns not read", "err", err)
	}
	var links []string
	for _, t := range turns {
		if link := t.Link(); link != "" {
			links = append(links, link)
		}
	}
	return links
}

var messageLink = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<?https?://[\w.]+/channels/(@me|[0-9]{15,20})/([0-9]{15,20})/([0-9]{15,20})>?$`)
})

// why describes one turn. The requester must be able to read the channel that it was in.
func (b *Bot) why(ctx context.Context, m chat.Message, args string) (string, error) {
	link := messageLink().FindStringSubmatch(args)
	if link == nil {
		return "", &commands.UsageError{Problem: "It needs the link of a message to me, of my answer or of a card (right-click it, Copy Message Link)."}
	}
	channel, message := chat.ChannelID(link[2]), chat.MessageID(link[3])
	unknown := "I know nothing about that message: it was not for me, or it is too long ago."
	if channel != m.Place.Channel {
		missing, err := b.core.discord.MissingPermissions(ctx, m.Place.Guild, m.Author.ID, channel, []chat.Permission{chat.ViewChannel, chat.ReadHistory})
		if err != nil || len(missing) > 0 {
			return unknown, nil // as for an unknown message, so that the reply does not reveal that it exists
		}
	}
	turn, found, err := b.about(ctx, channel, message)
	if err != nil {
		return "", fmt.Errorf("read the journal: %w", err)
	}
	if !found {
		return unknown, nil
	}
	return journal.Why(turn, b.operates(ctx, m)), nil
}

// about finds the turn of a message, which may also be a card.
func (b *Bot) about(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (journal.Turn, bool, error) {
	if turn, found, err := b.journal.About(ctx, ch, m); err != nil || found {
		return turn, found, err
	}
	id, found, err := b.approvals.TurnOf(ctx, ch, m)
	if err != nil || !found {
		return journal.Turn{}, false, err
	}
	return b.journal.ByID(ctx, id)
}
