package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/discord"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

// A Finding is one result of the check-up.
type Finding struct {
	What  string
	State string
	Plain string // the same for members, without settings; empty if it is no use to them
	Note  bool   // a warning; the bot can run
	Wrong bool   // it keeps the bot from running, or from something that is switched on
}

// Doctor checks the settings and the state of this machine that they refer to. It sends no requests
// and changes nothing, so a bot may be running here meanwhile.
func Doctor(ctx context.Context, env config.Env, settings string) []Finding {
	core, err := newCore(env, Outside{})
	if err != nil {
		var list []Finding
		for _, problem := range problemsOf(err) {
			list = append(list, Finding{What: "settings", State: problem, Wrong: true})
		}
		return list
	}
	return core.findings(ctx, env, Outside{Settings: settings})
}

// findings checks settings that could be loaded.
func (c *Core) findings(ctx context.Context, env config.Env, out Outside) []Finding {
	var list []Finding
	for _, problem := range c.unfitToRun(out) {
		list = append(list, Finding{What: "settings", State: problem, Wrong: true})
	}
	for _, warning := range c.Warnings {
		list = append(list, Finding{What: "settings", State: warning, Note: warning != noImageKey, Wrong: warning == noImageKey})
	}
	for _, e := range c.exposures(out.Settings) {
		list = append(list, Finding{What: "secrets", State: e.String(), Note: true})
	}
	if c.Config.Discord.Token.Reveal() != "" {
		list = append(list, c.application())
	}
	list = append(list, c.audience(), c.operators(), c.places(), c.taskForum(), c.webhooks(), c.mcp())
	if c.Config.MCP.File != "" {
		list = append(list, c.mcpTools())
	}
	if only := c.Config.Discord.Guild; only != "" {
		list = append(list, c.fence(string(only)))
	}
	list = append(list, c.data(ctx)...)
	if k, _ := kindOf(c.primary); k.usable(c.Config) {
		list = append(list, c.model())
	}
	return append(append(list, c.approval(), c.taint(), c.tools(), c.projects()), c.switchboard()...)
}

func (c *Core) application() Finding {
	id, ok := discord.ApplicationOf(c.Config.Discord.Token.Reveal())
	if !ok {
		return Finding{What: "token", State: "DISCORD_TOKEN does not have the form of a bot's token; copy a fresh one from Discord's developer portal (Bot → Reset Token)", Note: true}
	}
	return Finding{What: "token", State: fmt.Sprintf("of application %s; discoclaw invite prints the link that puts it on a server", id)}
}

func (c *Core) audience() Finding {
	n := len(c.Config.Discord.Users.Valid())
	people, served := chat.Counted(n, "person", "people"), chat.Counted(n, "person is served", "people are served")
	switch {
	case n == 0:
		return Finding{What: "people", State: "nobody is served, so the bot answers nobody: put user IDs into DISCORD_ALLOW_USER_IDS", Note: true}
	case c.addressedOnly():
		return Finding{What: "people", State: served + " when they mention the bot or reply to it; DISCOCLAW_RESPOND=all answers everything",
			Plain: "I answer " + people + " when they mention me or reply to me"}
	}
	return Finding{What: "people", State: served + ", and everything they write is answered", Plain: "I answer " + people + ", whatever they write"}
}

// operators says who may change the bot itself.
func (c *Core) operators() Finding {
	served := c.Config.Discord.Users.Valid()
	switch list := c.Config.Discord.Operators; {
	case list.Set() && len(list.Valid()) == 0:
		return Finding{What: "operators", State: "DISCOCLAW_OPERATOR_USER_IDS has no valid ID, so nobody may change the bot from Discord", Note: true}
	case list.Set():
		return Finding{What: "operators", State: "those whom DISCOCLAW_OPERATOR_USER_IDS names: " + strings.Join(ids[string](list), ", ")}
	case len(served) == 1:
		return Finding{What: "operators", State: "the one person who is served: " + string(served[0])}
	}
	return Finding{What: "operators", State: "those served who are administrators of the server they speak on; DISCOCLAW_OPERATOR_USER_IDS names others"}
}

func (c *Core) places() Finding {
	channels := c.Config.Discord.Channels
	switch {
	case !channels.Set():
		return Finding{What: "channels", State: "the bot answers in every channel it can see", Plain: "I answer in every channel that I can see"}
	case len(channels.Valid()) == 0:
		return Finding{What: "channels", State: "DISCORD_CHANNEL_IDS has no valid ID, so the bot answers in direct messages only", Plain: "I answer in direct messages only", Note: true}
	}
	return Finding{What: "channels", State: fmt.Sprintf("the bot answers where DISCORD_CHANNEL_IDS says (%d), and in the threads there", len(channels.Valid())),
		Plain: "I answer in " + chat.Counted(len(channels.Valid()), "channel", "channels") + ", and in the threads there"}
}

// fence says which servers are left out. Without a connection, they are not known.
func (c *Core) fence(only string) Finding {
	f := Finding{What: "servers", State: fmt.Sprintf("the bot answers on server %s alone, as DISCORD_GUILD_ID says", only)}
	if others := c.leftOut(); len(others) > 0 {
		f.State += "; left out: " + strings.Join(others, ", ")
		f.Note = true
	}
	return f
}

// leftOut names the servers on which the bot is and does not answer.
func (c *Core) leftOut() []string {
	var list []string
	for _, g := range c.discord.Servers() {
		if only := c.Config.Discord.Guild; only != "" && g != chat.GuildID(only) {
			list = append(list, fmt.Sprintf("%s (%s)", chat.Clip(chat.OneLine(c.discord.ServerName(g)), 60), g))
		}
	}
	slices.Sort(list)
	return list
}

// taskForum says where the posts of tasks are. Which servers have such a forum is known only to a running bot.
func (c *Core) taskForum() Finding {
	if id := c.Config.Tasks.Forum; id != "" {
		return Finding{What: "tasks", State: fmt.Sprintf("their posts are in the forum %s, as DISCOCLAW_TASKS_FORUM says", id)}
	}
	return Finding{What: "tasks", State: "their posts are in the forum called tasks on each server that has one; DISCOCLAW_TASKS_FORUM names another"}
}

func (c *Core) model() Finding {
	k, _ := kindOf(c.primary)
	return Finding{What: "model", State: fmt.Sprintf("%s at %s", c.models.Resolved(roles.Chat), k.hostOf(c.Config))}
}

func (c *Core) approval() Finding {
	if c.Config.Actions.Confirm == "off" {
		return Finding{What: "approval", State: "nobody is asked before something is done that cannot be undone; take DISCOCLAW_DISCORD_ACTIONS_CONFIRM=off away to be asked",
			Plain: "I do not ask before I do something that cannot be undone", Note: true}
	}
	return Finding{What: "approval", State: "people are asked before something is done that cannot be undone", Plain: "I ask before I do something that cannot be undone"}
}

func (c *Core) taint() Finding {
	if c.Config.Actions.Taint == "off" {
		return Finding{What: "outside text", State: "the bot does what it was led to by text of people who are not served, without asking; take DISCOCLAW_TAINT=off away to be asked",
			Plain: "I do not ask before I act on what I read of people whom I do not serve", Note: true}
	}
	return Finding{What: "outside text", State: "changes that come up after reading text of people who are not served are not made by themselves"}
}

func (c *Core) tools() Finding {
	f := Finding{What: "tools"}
	switch level := c.toolLevel(); level {
	case llm.ToolsRead:
		f.State = "models read files of the workspace and fetch pages of the web"
		if set := c.Config.Runtimes.Tools; set != config.Choice(level) {
			f.State += fmt.Sprintf("; DISCOCLAW_RUNTIME_TOOLS=%s has no further effect while people are served who are not in DISCOCLAW_OPERATOR_USER_IDS", set)
			f.Note = true
		}
	case llm.ToolsWrite:
		f.State = "models read files of the workspace, fetch pages of the web, and change files of the workspace for operators"
	case llm.ToolsShell:
		f.State = "models run any command on this machine for operators, with all rights of this account, as DISCOCLAW_RUNTIME_TOOLS=shell says; an account of its own for the bot limits that"
		f.Note = true
	default:
		f.State = "models have no tools on this machine; DISCOCLAW_RUNTIME_TOOLS=read gives them some"
	}
	return f
}

// switchboard lists the categories of actions, with the reason for each that is off.
func (c *Core) switchboard() []Finding {
	var list []Finding
	for _, cat := range c.registry.Categories() {
		f := Finding{What: "actions", State: cat.Name() + ": on"}
		if sw := c.flags[cat.Name()]; !sw.On {
			f.State, f.Plain = cat.Name()+": off; "+strings.Trim(sw.Why+"; "+sw.Remedy, "; "), sw.Why
		}
		list = append(list, f)
	}
	return list
}
