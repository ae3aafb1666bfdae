package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/discord"
	"discoclaw/internal/llm"
)

// A Finding is one result of the check-up.
type Finding struct {
	What  string
	State string
	Plain string // the same for members, without settings; empty if it is no use to them
	Note  bool   // a warning; the bot can run
	Wrong bool   // it keeps the bot from running, or from something that is switched on

	Fault bool // of what is Wrong: a server does not answer or fails, which no setting mends

	unreached bool // a server did not answer at all
}

// Doctor checks the settings and the state of this machine that they refer to. It sends no requests
// and changes nothing, so a bot may be running here meanwhile. Of what is outside, it uses the settings file.
func Doctor(ctx context.Context, env config.Env, out Outside) []Finding {
	core, err := newCore(env, out)
	if core == nil {
		return []Finding{{What: "settings", State: err.Error(), Wrong: true}}
	}
	return append(core.findings(ctx, err, out), core.ports(out)...)
}

// findings checks the settings. err is that of newCore.
func (c *Core) findings(ctx context.Context, err error, out Outside) []Finding {
	var list []Finding
	if c.settingsFile != "" {
		list = append(list, Finding{What: "settings", State: SettingsSource(c.settingsFile)})
	}
	bad := new(config.Error)
	bad.Join(err)
	bad.Add(c.unfitToRun()...)
	for _, problem := range bad.Problems {
		list = append(list, Finding{What: "settings", State: problem, Wrong: true})
	}
	for _, warning := range c.Warnings {
		broken := slices.Contains(c.broken, warning)
		list = append(list, Finding{What: "settings", State: warning, Note: !broken, Wrong: broken})
	}
	for _, e := range c.exposures(out.Settings) {
		list = append(list, Finding{What: "secrets", State: e.String(), Note: true})
	}
	if c.Config.Discord.Token.Reveal() != "" {
		list = append(list, c.application())
	}
	if c.runtimes.Usable(c.runtimes.Primary) {
		text, odd := c.runtimes.DescribeChat()
		list = append(list, Finding{What: "model", State: text, Note: odd})
	}
	list = append(list, c.audience(), c.operators(), c.places())
	if only := c.Config.Discord.Guild; only != "" {
		list = append(list, c.fence(string(only)))
	}
	list = append(list, c.approval(), c.taint(), c.tools(), c.projects(), c.taskForum(), c.webhooks(), c.mcp())
	if c.Config.MCP.File != "" {
		list = append(list, c.mcpTools())
	}
	if c.dataDir != "" {
		list = append(list, c.data(ctx)...)
	}
	return append(list, c.switchboard()...)
}

// SettingsSource says whether the settings file was read.
func SettingsSource(path string) string {
	if _, err := os.Stat(path); err != nil {
		return fmt.Sprintf("there is no file %s, so only environment variables are used", path)
	}
	return fmt.Sprintf("read from %s; environment variables override it", path)
}

func (c *Core) application() Finding {
	token := c.Config.Discord.Token.Reveal()
	if scheme, _, found := strings.Cut(token, " "); found && strings.EqualFold(scheme, "Bot") {
		return Finding{What: "token", State: `DISCORD_TOKEN begins with "Bot "; leave out "Bot ", and set it to the token alone`, Wrong: true}
	}
	id, ok := discord.ApplicationOf(token)
	if !ok {
		return Finding{What: "token", State: "DISCORD_TOKEN does not look like a bot token; copy a new one from Discord's developer portal (Bot → Reset Token)", Wrong: true}
	}
	return Finding{What: "token", State: fmt.Sprintf("belongs to application %s; discoclaw invite prints its invite link", id)}
}

func (c *Core) audience() Finding {
	n := len(c.Config.Discord.Users.Valid())
	people := chat.Counted(n, "person", "people")
	switch {
	case n == 0 && len(c.Config.Discord.Bots.Valid()) == 0:
		return Finding{What: "people", State: "the bot answers nobody; add user IDs to DISCORD_ALLOW_USER_IDS", Wrong: true}
	case n == 0:
		return Finding{What: "people", State: "the bot answers other bots only; add user IDs to DISCORD_ALLOW_USER_IDS to have it answer people", Note: true}
	case c.addressedOnly():
		return Finding{What: "people", State: "the bot answers " + people + " when they mention it or reply to it; with DISCOCLAW_RESPOND=all, it answers everything they write",
			Plain: "I answer " + people + " when they mention me or reply to me"}
	}
	return Finding{What: "people", State: "the bot answers " + people + ", whatever they write", Plain: "I answer " + people + ", whatever they write"}
}

// operators says who may change the bot itself.
func (c *Core) operators() Finding {
	allowed := c.Config.Discord.Users.Valid()
	switch list := c.Config.Discord.Operators; {
	case list.Set() && len(list.Valid()) == 0:
		return Finding{What: "operators", State: "DISCOCLAW_OPERATOR_USER_IDS names nobody, so nobody can change the bot from Discord", Note: true}
	case list.Set():
		f := Finding{What: "operators", State: strings.Join(ids[string](list), ", ") + " (DISCOCLAW_OPERATOR_USER_IDS)"}
		served := ids[string](c.Config.Discord.Users)
		if unheard := slices.DeleteFunc(ids[string](list), func(id string) bool { return slices.Contains(served, id) }); len(unheard) > 0 {
			f.State += fmt.Sprintf("; the bot does not answer %s; add what is missing to DISCORD_ALLOW_USER_IDS", strings.Join(unheard, ", "))
			f.Note = true
		}
		return f
	case len(allowed) == 1:
		return Finding{What: "operators", State: string(allowed[0]) + ", the only user in DISCORD_ALLOW_USER_IDS"}
	}
	return Finding{What: "operators", State: "the users in DISCORD_ALLOW_USER_IDS who are administrators of the server; DISCOCLAW_OPERATOR_USER_IDS names others"}
}

func (c *Core) places() Finding {
	channels := c.Config.Discord.Channels
	n := len(channels.Valid())
	switch {
	case !channels.Set():
		return Finding{What: "channels", State: "the bot answers in every channel it can see", Plain: "I answer in every channel that I can see"}
	case n == 0:
		return Finding{What: "channels", State: "DISCORD_CHANNEL_IDS has no ID, so the bot answers only in direct messages", Plain: "I answer in direct messages only", Note: true}
	}
	return Finding{What: "channels", State: "the bot answers in " + chat.Counted(n, "channel", "channels") + " and the threads there (DISCORD_CHANNEL_IDS)",
		Plain: "I answer in " + chat.Counted(n, "channel", "channels") + ", and in the threads there"}
}

// fence says which servers are left out. Without a connection, they are not known.
func (c *Core) fence(only string) Finding {
	f := Finding{What: "servers", State: fmt.Sprintf("the bot answers only on server %s (DISCORD_GUILD_ID)", only)}
	switch others := c.leftOut(); {
	case c.isElsewhere():
		f.State, f.Wrong = wrongServer(chat.GuildID(only), c.serverNames()), true
	case len(others) > 0:
		f.State += "; it ignores " + strings.Join(others, ", ")
		f.Note = true
	}
	return f
}

// serverNames names the servers that the bot is on, with their IDs. Those that Discord has not described have no name.
func (c *Core) serverNames() []string {
	var list []string
	for _, g := range c.discord.Servers() {
		list = append(list, serverText(c.discord.ServerName(g), g))
	}
	for _, g := range c.discord.Undescribed() {
		list = append(list, string(g))
	}
	slices.Sort(list)
	return list
}

// isElsewhere reports whether the bot is online and not on the server of DISCORD_GUILD_ID.
func (c *Core) isElsewhere() bool {
	on := append(c.discord.Servers(), c.discord.Undescribed()...)
	only := chat.GuildID(c.Config.Discord.Guild)
	return only != "" && len(on) > 0 && !slices.Contains(on, only)
}

// leftOut names the servers on which the bot is and does not answer.
func (c *Core) leftOut() []string {
	var list []string
	for _, g := range c.discord.Servers() {
		if only := c.Config.Discord.Guild; only != "" && g != chat.GuildID(only) {
			list = append(list, serverText(c.discord.ServerName(g), g))
		}
	}
	slices.Sort(list)
	return list
}

// serverText names a server with its ID, for operators.
func serverText(name string, g chat.GuildID) string {
	return fmt.Sprintf("%s (%s)", chat.Clip(chat.OneLine(name), 60), g)
}

// taskForum says where the posts of tasks are. Which servers have such a forum is known only to a running bot.
func (c *Core) taskForum() Finding {
	if !c.Config.Tasks.Enabled {
		return Finding{What: "tasks", State: "tasks are off (DISCOCLAW_TASKS_ENABLED=0)"}
	}
	if id := c.Config.Tasks.Forum; id != "" {
		return Finding{What: "tasks", State: fmt.Sprintf("their posts are in forum %s (DISCOCLAW_TASKS_FORUM)", id)}
	}
	return Finding{What: "tasks", State: "their posts are in the forum named tasks on each server that has one; DISCOCLAW_TASKS_FORUM selects another"}
}

func (c *Core) approval() Finding {
	if c.Config.Actions.Confirm == "off" {
		return Finding{What: "approval", State: "the bot does not ask before it does something that cannot be undone; delete DISCOCLAW_DISCORD_ACTIONS_CONFIRM=off to be asked",
			Plain: "I do not ask before I do something that cannot be undone", Note: true}
	}
	return Finding{What: "approval", State: "the bot asks before it does something that cannot be undone", Plain: "I ask before I do something that cannot be undone"}
}

func (c *Core) taint() Finding {
	f := Finding{What: "outside text"}
	switch c.Config.Actions.Taint {
	case "off":
		f.State = "text by people who are not in DISCORD_ALLOW_USER_IDS can make the bot change things without asking; delete DISCOCLAW_TAINT=off to be asked"
		f.Plain, f.Note = "I do not ask before I act on text by people whom I do not answer", true
	case "refuse":
		f.State = "after reading text by people who are not in DISCORD_ALLOW_USER_IDS, the bot changes nothing"
	default:
		f.State = "after reading text by people who are not in DISCORD_ALLOW_USER_IDS, the bot asks before it changes anything"
	}
	return f
}

func (c *Core) tools() Finding {
	f := Finding{What: "tools"}
	switch level := c.toolLevel(); level {
	case llm.ToolsRead:
		f.State = "models can read files in the workspace and fetch web pages"
		if set := c.Config.Runtimes.Tools; set != config.Choice(level) {
			f.State += fmt.Sprintf("; DISCOCLAW_RUNTIME_TOOLS=%s allows no more while DISCORD_ALLOW_USER_IDS has users who are not in DISCOCLAW_OPERATOR_USER_IDS", set)
			f.Note = true
		}
	case llm.ToolsWrite:
		f.State = "models can read files in the workspace, fetch web pages and, for operators, change files in the workspace"
	case llm.ToolsShell:
		f.State = "for operators, models can run any command on this machine with all rights of this account (DISCOCLAW_RUNTIME_TOOLS=shell); run the bot under an account of its own"
		f.Note = true
	default:
		f.State = "models have no tools on this machine; DISCOCLAW_RUNTIME_TOOLS=read gives them some"
	}
	return f
}

// switchboard lists the categories of actions that are on, and those that are off with the same remedy together.
func (c *Core) switchboard() []Finding {
	var on, remedies []string
	off := map[string][]actions.Category{}
	for _, cat := range c.registry.Categories() {
		sw := c.flags[cat.Name()]
		remedy := cmp.Or(sw.Remedy, sw.Why)
		switch {
		case sw.On:
			on = append(on, cat.Name())
			continue
		case off[remedy] == nil:
			remedies = append(remedies, remedy)
		}
		off[remedy] = append(off[remedy], cat)
	}
	list := []Finding{{What: "actions", State: "on: " + cmp.Or(strings.Join(on, ", "), "none")}}
	for _, remedy := range remedies {
		var names []string
		for _, cat := range off[remedy] {
			names = append(names, cat.Name())
		}
		list = append(list, Finding{What: "actions", State: fmt.Sprintf("off: %s; %s", strings.Join(names, ", "), remedy), Plain: c.flags[off[remedy][0].Name()].Why})
	}
	return list
}
