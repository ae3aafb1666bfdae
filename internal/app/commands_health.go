package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/doctor"
	"discoclaw/internal/flow"
	"discoclaw/internal/inspect"
	"discoclaw/internal/journal"
	"discoclaw/internal/llm/roles"
)

// Arguments of !health.
const (
	verbose = "verbose"
	tools   = "tools"
	checkup = "doctor"
)

// status reports what the bot is doing right now.
func (b *Bot) status(ctx context.Context, m chat.Message, args string) (string, error) {
	if err := alone(args, "It tells what the bot is doing, and nothing else. For more there is `!health`."); err != nil {
		return "", err
	}
	h, now := b.flows.Health(), time.Now()
	lines := []string{
		"**Status**",
		fmt.Sprintf("- Running for %s, version %s", chat.Lasting(now.Sub(h.Since)), inspect.VersionText()),
		connection(h, now),
		"- Last message: " + since(h.LastMessage, now),
		"- Model: " + chat.Literal(b.core.models.Resolved(roles.Chat).String()),
		"- Answers: " + load(h),
	}
	if !m.InDM() {
		later, err := b.core.deferred.Pending(ctx, m.Place.Guild)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("- Follow-ups on this server: %d waiting", len(later)))
		if silent := b.flows.Silent(m.Place.Guild); len(silent) > 0 {
			lines = append(lines, "- Quiet until I am addressed there: "+strings.Join(silent, ", "))
		}
	}
	if b.operates(ctx, m) {
		for _, w := range b.Warnings() {
			lines = append(lines, "- ⚠️ "+chat.Literal(w))
		}
	}
	return strings.Join(lines, "\n"), nil
}

func connection(h flow.Health, now time.Time) string {
	if h.Sessions == 0 {
		return "- Not connected to Discord yet"
	}
	return fmt.Sprintf("- Connected to Discord for %s (%s since I started)", chat.Lasting(now.Sub(h.Online)), chat.Counted(h.Sessions, "connection", "connections"))
}

func load(h flow.Health) string {
	return fmt.Sprintf("%d being written, %d waiting", h.Running, h.Waiting)
}

func since(at, now time.Time) string {
	if at.IsZero() {
		return "none yet"
	}
	return chat.Lasting(now.Sub(at)) + " ago"
}

func (b *Bot) healthOff() string {
	if b.core.Config.Commands.Health {
		return ""
	}
	return "set DISCOCLAW_HEALTH_COMMANDS_ENABLED=1"
}

// health reports the counters since the start, and more if an argument asks for it.
func (b *Bot) health(ctx context.Context, m chat.Message, args string) (string, error) {
	operator := b.operates(ctx, m)
	basic := b.counters(operator)
	switch strings.ToLower(args) {
	case "":
		return basic, nil
	case verbose:
		if !b.showsSettings(m.Author.ID) {
			if operator {
				return basic + "\nDISCOCLAW\\_HEALTH\\_VERBOSE\\_ALLOWLIST does not let you see the settings.", nil
			}
			return basic + "\nOnly the people who run me see the settings.", nil
		}
		return basic + "\n" + b.settings(), nil
	case tools:
		return b.abilities(operator), nil
	case checkup:
		return b.examine(ctx, m), nil
	}
	return "", &commands.UsageError{Problem: "It takes one of these words, or nothing."}
}

func (b *Bot) checkUp(ctx context.Context, m chat.Message, args string) (string, error) {
	if err := alone(args, "It looks at everything, and changes nothing."); err != nil {
		return "", err
	}
	return b.examine(ctx, m), nil
}

// counters lists what was counted since the start. Operators also read how long answers took.
func (b *Bot) counters(operator bool) string {
	h := b.flows.Health()
	var all flow.FlowHealth
	var times []string
	for _, f := range h.Flows {
		all.Done, all.Failed, all.Stopped = all.Done+f.Done, all.Failed+f.Failed, all.Stopped+f.Stopped
		times = append(times, fmt.Sprintf("  - begun by %s: %d given, %d failed, %d stopped; half took at most %s, 95 of 100 at most %s",
			journal.Kind(f.Flow), f.Done, f.Failed, f.Stopped, brief(f.Half), brief(f.Most)))
	}
	lines := []string{
		fmt.Sprintf("**Health** of the last %s, since I started", chat.Lasting(time.Since(h.Since))),
		fmt.Sprintf("- I was sent %s and %s", chat.Counted(h.Messages, "message", "messages"), chat.Counted(h.Commands, "command", "commands")),
		"- Answers now: " + load(h),
		fmt.Sprintf("- Answers so far: %d given, %d failed, %d stopped", all.Done, all.Failed, all.Stopped),
	}
	if p := b.core.discord.Paused(); !p.From.IsZero() {
		lines = append(lines, "- "+paused(p.From, p.Until, time.Now()))
	}
	if operator {
		lines = append(lines, times...)
	}
	lines = append(lines, fmt.Sprintf("- Look-ups and changes: %d done, %d failed, %d put up for approval", h.Done, h.Failed, h.Pending))
	for _, what := range slices.Sorted(maps.Keys(h.Faults)) {
		lines = append(lines, fmt.Sprintf("- ⚠️ What failed: %s, %s", what, chat.Counted(h.Faults[what], "time", "times")))
	}
	return strings.Join(lines, "\n")
}

// paused tells of Discord's global rate limit.
func paused(from, until, now time.Time) string {
	if until.After(now) {
		return fmt.Sprintf("⚠️ Discord takes nothing from me until <t:%d:t>, because I sent too much", until.Unix())
	}
	return fmt.Sprintf("Discord took nothing from me for %s, because I sent too much; that was <t:%d:R>", chat.Lasting(until.Sub(from)), until.Unix())
}

// brief formats a short duration.
func brief(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func (b *Bot) showsSettings(u chat.UserID) bool {
	list := b.core.Config.Commands.Verbose
	return !list.Set() || slices.Contains(ids[chat.UserID](list), u)
}

// settings lists the settings that are set, without secrets. Variables that nothing reads are left
// out, since nobody knows whether they are secret.
func (b *Bot) settings() string {
	hide := journal.Hiding(b.core.Config.Secrets()...)
	lines := []string{"**Settings**; all others are at their defaults"}
	for _, v := range b.core.Variables() {
		value, set := b.env[v.Name]
		switch {
		case !set:
		case v.Secret:
			lines = append(lines, fmt.Sprintf("- `%s`: set", v.Name))
		default:
			lines = append(lines, fmt.Sprintf("- `%s`: %s", v.Name, chat.Literal(hide(value))))
		}
	}
	return strings.Join(lines, "\n")
}

// abilities lists the categories of actions. For operators, it also has their names, and says how to
// switch the others on.
func (b *Bot) abilities(operator bool) string {
	lines := []string{"**What I can do here**, for people who have the rights:"}
	for _, cat := range b.core.registry.Categories() {
		state := actions.InWords(cat.Name()) + " on"
		if sw := b.core.flags[cat.Name()]; !sw.On {
			state = sw.Why
			if operator && sw.Remedy != "" {
				state += "; " + sw.Remedy
			}
		}
		if operator {
			state += " (" + cat.Name() + ")"
		}
		if line := "- " + chat.Literal(chat.Capital(state)); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if operator {
		lines = append(lines, "On my own machine, "+chat.Literal(b.core.doctor.MachineTools().State)+".")
	}
	return strings.Join(lines, "\n")
}

// examine runs the checks of Doctor with the settings that the bot was started with. For operators who
// may not see the settings, paths and addresses are redacted; members read plain words.
func (b *Bot) examine(ctx context.Context, m chat.Message) string {
	list := b.core.doctor.Check(ctx)
	if !b.operates(ctx, m) {
		return plainly(list)
	}
	cfg := b.core.Config
	unseen := cfg.Secrets()
	if !b.showsSettings(m.Author.ID) {
		unseen = append(unseen, b.core.dataDir, b.core.settingsFile, cfg.Operation.Workspace, cfg.Operation.Content, string(cfg.OpenAI.BaseURL))
	}
	hide := journal.Hiding(unseen...)
	signs := []string{"❌", "⚠️", "✅"} // what has to be fixed comes first, since a long list is cut off
	lines := make([][]string, len(signs))
	for _, f := range list {
		at := 2
		switch {
		case f.Wrong:
			at = 0
		case f.Note:
			at = 1
		}
		lines[at] = append(lines[at], fmt.Sprintf("%s %s: %s", signs[at], f.What, chat.Literal(hide(f.State))))
	}
	return oneMessage("**Check-up**", slices.Concat(lines...))
}

// maxAnswer is how long an answer may be that fits into one message. Discord takes 2000 UTF-16 units.
const maxAnswer = 2000

// oneMessage joins a headline and as many lines as fit into one message, and says how many do not.
func oneMessage(headline string, lines []string) string {
	text := headline
	for i, line := range lines {
		rest := fmt.Sprintf("\n… and %d more; `discoclaw doctor` on my machine shows everything.", len(lines)-i)
		if len(lines)-i > 1 && chat.Length(text)+1+chat.Length(line)+chat.Length(rest) > maxAnswer || chat.Length(text)+1+chat.Length(line) > maxAnswer {
			return text + rest
		}
		text += "\n" + line
	}
	return text
}

// plainly is the check-up for members: what they can make use of, and whether operators have something
// to fix.
func plainly(list []doctor.Finding) string {
	var lines []string
	amiss := 0
	for _, f := range list {
		line := "- " + chat.Capital(f.Plain)
		switch {
		case f.Plain == "" && (f.Wrong || f.Note):
			amiss++
		case f.Plain != "" && !slices.Contains(lines, line): // all categories may be off for one reason
			lines = append(lines, line)
		}
	}
	verdict := "✅ Everything else is fine."
	if amiss > 0 {
		verdict = fmt.Sprintf("⚠️ The people who run me have %s to look at.", chat.Counted(amiss, "thing", "things"))
	}
	return strings.Join(append(append([]string{"**Check-up**"}, lines...), verdict), "\n")
}
