// Package health has the commands that tell how the bot is doing: !status, !health and !doctor.
package health

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
	"discoclaw/internal/config"
	"discoclaw/internal/deferral"
	"discoclaw/internal/doctor"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/inspect"
	"discoclaw/internal/journal"
	"discoclaw/internal/llm/roles"
)

// Options are what the commands tell of.
type Options struct {
	Doctor   *doctor.Doctor
	Flows    func() Flows
	Deferred *deferral.Engine
	Operates func(ctx context.Context, who chat.UserID, g chat.GuildID) bool
	Warnings func() []string // for operators

	Variables []config.Variable
	Env       config.Env // their values
}

// Flows are what the bot is busy with.
type Flows interface {
	Health() pipeline.Health
	Silent(chat.GuildID) []string
}

// A Reporter answers the commands.
type Reporter struct{ Options }

// New returns a Reporter.
func New(o Options) *Reporter { return &Reporter{o} }

// Commands implements [commands.Commander].
func (r *Reporter) Commands() []commands.Command {
	return []commands.Command{
		{Name: "status", Summary: "Show what the bot is doing.", Run: r.status},
		{Name: "doctor", Summary: "Check the settings and what they lead to.", Off: r.off, Run: r.checkUp},
		{
			Name: "health", Args: "[verbose | tools | doctor]", Summary: "Show how the bot has been doing.", Off: r.off, Run: r.health,
			Options: []commands.Option{{Name: "what", Summary: "What else to show.", Choices: []string{verbose, tools, checkup}}},
		},
	}
}

// Arguments of !health.
const (
	verbose = "verbose"
	tools   = "tools"
	checkup = "doctor"
)

// status reports what the bot is doing right now.
func (r *Reporter) status(ctx context.Context, m chat.Message, args string) (string, error) {
	if err := commands.Alone(args, "It tells what the bot is doing, and nothing else. For more there is `!health`."); err != nil {
		return "", err
	}
	h, now := r.Flows().Health(), time.Now()
	lines := []string{
		"**Status**",
		fmt.Sprintf("- Running for %s, version %s", chat.Lasting(now.Sub(h.Since)), inspect.VersionText()),
		connection(h, now),
		"- Last message: " + since(h.LastMessage, now),
		"- Model: " + chat.Literal(r.Doctor.Models.Resolved(roles.Chat).String()),
		"- Answers: " + load(h),
	}
	if !m.InDM() {
		later, err := r.Deferred.Pending(ctx, m.Place.Guild)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("- Follow-ups on this server: %d waiting", len(later)))
		if silent := r.Flows().Silent(m.Place.Guild); len(silent) > 0 {
			lines = append(lines, "- Quiet until I am addressed there: "+strings.Join(silent, ", "))
		}
	}
	if r.Operates(ctx, m.Author.ID, m.Place.Guild) {
		for _, w := range r.Warnings() {
			lines = append(lines, "- ⚠️ "+chat.Literal(w))
		}
	}
	return strings.Join(lines, "\n"), nil
}

func connection(h pipeline.Health, now time.Time) string {
	if h.Sessions == 0 {
		return "- Not connected to Discord yet"
	}
	text := "- Connected to Discord for " + chat.Lasting(now.Sub(h.Online))
	if again := h.Sessions - 1; again > 0 {
		text += fmt.Sprintf(" (reconnected %s)", chat.Counted(again, "time", "times"))
	}
	return text
}

func load(h pipeline.Health) string {
	if h.Running+h.Waiting == 0 {
		return "none being written"
	}
	return fmt.Sprintf("%d being written, %d waiting", h.Running, h.Waiting)
}

func since(at, now time.Time) string {
	if at.IsZero() {
		return "none yet"
	}
	return chat.Lasting(now.Sub(at)) + " ago"
}

func (r *Reporter) off() string {
	if r.Doctor.Config.Commands.Health {
		return ""
	}
	return "set DISCOCLAW_HEALTH_COMMANDS_ENABLED=1"
}

// health reports the counters since the start, and more if an argument asks for it.
func (r *Reporter) health(ctx context.Context, m chat.Message, args string) (string, error) {
	operator := r.Operates(ctx, m.Author.ID, m.Place.Guild)
	basic := r.counters(operator)
	switch strings.ToLower(args) {
	case "":
		return basic, nil
	case verbose:
		if !r.showsSettings(m.Author.ID) {
			if operator {
				return basic + "\nDISCOCLAW\\_HEALTH\\_VERBOSE\\_ALLOWLIST does not let you see the settings.", nil
			}
			return basic + "\nOnly the people who run me see the settings.", nil
		}
		return basic + "\n" + r.settings(), nil
	case tools:
		return r.abilities(operator), nil
	case checkup:
		return r.examine(ctx, m), nil
	}
	return "", &commands.UsageError{Problem: "It takes one of these words, or nothing."}
}

func (r *Reporter) checkUp(ctx context.Context, m chat.Message, args string) (string, error) {
	if err := commands.Alone(args, "It looks at everything, and changes nothing."); err != nil {
		return "", err
	}
	return r.examine(ctx, m), nil
}

// counters lists what was counted since the start. Operators also read how long answers took.
func (r *Reporter) counters(operator bool) string {
	h := r.Flows().Health()
	var all pipeline.FlowHealth
	var times []string
	for _, f := range h.Flows {
		all.Done, all.Failed, all.Stopped = all.Done+f.Done, all.Failed+f.Failed, all.Stopped+f.Stopped
		times = append(times, fmt.Sprintf("  - begun by %s: %d given, %d failed, %d stopped; usually %s, rarely over %s",
			journal.Kind(f.Flow), f.Done, f.Failed, f.Stopped, brief(f.Half), brief(f.Most)))
	}
	lines := []string{
		fmt.Sprintf("**Health** since I started, %s ago", chat.Lasting(time.Since(h.Since))),
		fmt.Sprintf("- Received: %s and %s", chat.Counted(h.Messages, "message", "messages"), chat.Counted(h.Commands, "command", "commands")),
		"- Answers now: " + load(h),
		fmt.Sprintf("- Answers so far: %d given, %d failed, %d stopped", all.Done, all.Failed, all.Stopped),
	}
	if p := r.Doctor.Discord.Paused(); !p.From.IsZero() {
		lines = append(lines, "- "+paused(p.From, p.Until, time.Now()))
	}
	if operator {
		lines = append(lines, times...)
	}
	lines = append(lines, fmt.Sprintf("- Look-ups and changes: %d done, %d failed, %d held for approval", h.Done, h.Failed, h.Pending))
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

func (r *Reporter) showsSettings(u chat.UserID) bool {
	list := r.Doctor.Config.Commands.Verbose
	return !list.Set() || slices.Contains(list.Valid(), config.ID(u))
}

// settings lists the settings that are set, without secrets. Variables that nothing reads are left
// out, since nobody knows whether they are secret.
func (r *Reporter) settings() string {
	hide := journal.Hiding(r.Doctor.Config.Secrets()...)
	lines := []string{"**Settings**; all others are at their defaults"}
	for _, v := range r.Variables {
		value, set := r.Env[v.Name]
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
func (r *Reporter) abilities(operator bool) string {
	lines := []string{"**What I can do here**, for people who have the rights:"}
	for _, cat := range r.Doctor.Registry.Categories() {
		name, verb := actions.InWords(cat.Name())
		state := name + ": on"
		if sw := r.Doctor.Flags[cat.Name()]; !sw.On {
			state = strings.Replace(sw.Why, name+" "+verb+" ", name+": ", 1)
			if operator && sw.Remedy != "" {
				state += "; " + sw.Remedy
			}
		}
		if line := "- " + chat.Literal(chat.Capital(state)); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if operator {
		lines = append(lines, "On my own machine, "+chat.Literal(r.Doctor.MachineTools().State)+".")
	}
	return strings.Join(lines, "\n")
}

// examine runs the checks of Doctor with the settings that the bot was started with. For operators who
// may not see the settings, paths and addresses are redacted; members read plain words.
func (r *Reporter) examine(ctx context.Context, m chat.Message) string {
	list := r.Doctor.Check(ctx)
	if !r.Operates(ctx, m.Author.ID, m.Place.Guild) {
		return plainly(list)
	}
	cfg := r.Doctor.Config
	unseen := cfg.Secrets()
	if !r.showsSettings(m.Author.ID) {
		unseen = append(unseen, r.Doctor.DataDir, r.Doctor.SettingsFile, cfg.Operation.Workspace, cfg.Operation.Content,
			string(cfg.OpenAI.BaseURL))
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
		if len(lines)-i > 1 && chat.Length(text)+1+chat.Length(line)+chat.Length(rest) > maxAnswer ||
			chat.Length(text)+1+chat.Length(line) > maxAnswer {
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
