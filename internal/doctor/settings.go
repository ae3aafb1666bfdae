package doctor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/discord"
	"discoclaw/internal/llm"
)

// SettingsSource says whether the settings file was read.
func SettingsSource(path string) string {
	if _, err := os.Stat(path); err != nil {
		return fmt.Sprintf("there is no file %s, so only environment variables are used", path)
	}
	return fmt.Sprintf("read from %s; environment variables override it", path)
}

func (d *Doctor) application() Finding {
	token := d.Config.Discord.Token.Reveal()
	if scheme, _, found := strings.Cut(token, " "); found && strings.EqualFold(scheme, "Bot") {
		return Finding{What: "token", State: `DISCORD_TOKEN begins with "Bot "; leave out "Bot ", and set it to the token alone`, Wrong: true}
	}
	id, ok := discord.ApplicationOf(token)
	if !ok {
		return Finding{What: "token", State: "DISCORD_TOKEN does not look like a bot token; copy a new one from Discord's developer portal (Bot → Reset Token)", Wrong: true}
	}
	return Finding{What: "token", State: fmt.Sprintf("belongs to application %s; discoclaw invite prints its invite link", id)}
}

func (d *Doctor) audience() Finding {
	n := len(d.Config.Discord.Users.Valid())
	people := chat.Counted(n, "person", "people")
	switch {
	case n == 0 && len(d.Config.Discord.Bots.Valid()) == 0:
		return Finding{What: "people", State: "the bot answers nobody; add user IDs to DISCORD_ALLOW_USER_IDS", Wrong: true}
	case n == 0:
		return Finding{What: "people", State: "the bot answers other bots only; add user IDs to DISCORD_ALLOW_USER_IDS to have it answer people", Note: true}
	case d.AddressedOnly:
		return Finding{What: "people", State: "the bot answers " + people + " when they mention it or reply to it; with DISCOCLAW_RESPOND=all, it answers everything they write",
			Plain: "I answer " + people + " when they mention me or reply to me"}
	}
	return Finding{What: "people", State: "the bot answers " + people + ", whatever they write", Plain: "I answer " + people + ", whatever they write"}
}

// Operators returns the finding on the users who may change the bot itself.
func (d *Doctor) Operators() Finding {
	allowed := d.Config.Discord.Users.Valid()
	switch list := d.Config.Discord.Operators; {
	case list.Set() && len(list.Valid()) == 0:
		return Finding{What: "operators", State: "DISCOCLAW_OPERATOR_USER_IDS names nobody, so nobody can change the bot from Discord", Note: true}
	case list.Set():
		f := Finding{What: "operators", State: strings.Join(texts(list), ", ") + " (DISCOCLAW_OPERATOR_USER_IDS)"}
		served := texts(d.Config.Discord.Users)
		if unheard := slices.DeleteFunc(texts(list), func(id string) bool { return slices.Contains(served, id) }); len(unheard) > 0 {
			f.State += fmt.Sprintf("; the bot does not answer %s; add what is missing to DISCORD_ALLOW_USER_IDS", strings.Join(unheard, ", "))
			f.Note = true
		}
		return f
	case len(allowed) == 1:
		return Finding{What: "operators", State: string(allowed[0]) + ", the only user in DISCORD_ALLOW_USER_IDS"}
	}
	return Finding{What: "operators", State: "the users in DISCORD_ALLOW_USER_IDS who are administrators of the server; DISCOCLAW_OPERATOR_USER_IDS names others"}
}

func (d *Doctor) places() Finding {
	channels := d.Config.Discord.Channels
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

func (d *Doctor) approval() Finding {
	if d.Config.Actions.Confirm == "off" {
		return Finding{What: "approval", State: "the bot does not ask before it does something that cannot be undone; delete DISCOCLAW_DISCORD_ACTIONS_CONFIRM=off to be asked",
			Plain: "I do not ask before I do something that cannot be undone", Note: true}
	}
	return Finding{What: "approval", State: "the bot asks before it does something that cannot be undone", Plain: "I ask before I do something that cannot be undone"}
}

func (d *Doctor) taint() Finding {
	f := Finding{What: "outside text"}
	switch d.Config.Actions.Taint {
	case "off":
		f.State = "text by people who are not in DISCORD_ALLOW_USER_IDS can make the bot change things without asking; delete DISCOCLAW_TAINT=off to be asked"
		f.Plain, f.Note = "I do not ask before I act on text by people whom I do not answer", true
	case "refuse":
		f.State = "after reading text by people who are not in DISCORD_ALLOW_USER_IDS, the bot changes nothing"
	case "confirm":
		f.State = "after reading text by people who are not in DISCORD_ALLOW_USER_IDS, the bot asks before it changes anything"
	default:
		f.State = "after reading text by people who are not in DISCORD_ALLOW_USER_IDS, the bot asks before changes that the person who asks has not asked for"
	}
	return f
}

// MachineTools says what models can do on this machine.
func (d *Doctor) MachineTools() Finding {
	f := Finding{What: "tools"}
	switch level := d.Tools; level {
	case llm.ToolsRead:
		f.State = "models can read files in the workspace and fetch web pages"
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
func (d *Doctor) switchboard() []Finding {
	var on, remedies []string
	off := map[string][]actions.Category{}
	for _, cat := range d.Registry.Categories() {
		sw := d.Flags[cat.Name()]
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
		list = append(list, Finding{What: "actions", State: fmt.Sprintf("off: %s; %s", strings.Join(names, ", "), remedy), Plain: d.Flags[off[remedy][0].Name()].Why})
	}
	return list
}

func texts(list config.IDs) []string {
	var all []string
	for _, id := range list.Valid() {
		all = append(all, string(id))
	}
	return all
}

// LogLogin logs at a login where the bot does not answer.
func (d *Doctor) LogLogin(log *slog.Logger) {
	if d.onWrongServer() { // which has a warning of its own
		return
	}
	for _, other := range d.leftOut() {
		log.Warn("not answering on a server, because of DISCORD_GUILD_ID", "guild", other)
	}
}

// LogOnline logs where the bot is, and what of that the operator has to change.
func (d *Doctor) LogOnline(ctx context.Context, log *slog.Logger) {
	servers := d.serverNames()
	log.InfoContext(ctx, "online", "people", len(d.Config.Discord.Users.Valid()), "operators", d.Operators().State, "servers", strings.Join(servers, ", "))
	switch {
	case len(servers) == 0:
		log.WarnContext(ctx, "the bot is on no server; open the link to invite it", "link", d.inviteLink(d.Discord.ApplicationID()))
	case d.onWrongServer():
		log.WarnContext(ctx, "DISCORD_GUILD_ID is not a server that the bot is on, so it answers on none; set it to one of these IDs, or delete it",
			"guild", d.Config.Discord.Guild, "servers", strings.Join(servers, ", "))
	}
}

// fence says which servers are left out. Without a connection, they are not known.
func (d *Doctor) fence(only string) Finding {
	f := Finding{What: "servers", State: fmt.Sprintf("the bot answers only on server %s (DISCORD_GUILD_ID)", only)}
	switch others := d.leftOut(); {
	case d.onWrongServer():
		f.State, f.Wrong = wrongServer(chat.GuildID(only), d.serverNames()), true
	case len(others) > 0:
		f.State += "; it ignores " + strings.Join(others, ", ")
		f.Note = true
	}
	return f
}

// serverNames names the servers that the bot is on, with their IDs. Those that Discord has not described have no name.
func (d *Doctor) serverNames() []string {
	var list []string
	for _, g := range d.Discord.Servers() {
		list = append(list, serverText(d.Discord.ServerName(g), g))
	}
	for _, g := range d.Discord.Undescribed() {
		list = append(list, string(g))
	}
	slices.Sort(list)
	return list
}

// onWrongServer reports whether the bot is online and not on the server of DISCORD_GUILD_ID.
func (d *Doctor) onWrongServer() bool {
	on := append(d.Discord.Servers(), d.Discord.Undescribed()...)
	only := chat.GuildID(d.Config.Discord.Guild)
	return only != "" && len(on) > 0 && !slices.Contains(on, only)
}

// leftOut names the servers on which the bot is and does not answer.
func (d *Doctor) leftOut() []string {
	var list []string
	for _, g := range d.Discord.Servers() {
		if only := d.Config.Discord.Guild; only != "" && g != chat.GuildID(only) {
			list = append(list, serverText(d.Discord.ServerName(g), g))
		}
	}
	slices.Sort(list)
	return list
}

// serverText names a server with its ID, for operators.
func serverText(name string, g chat.GuildID) string {
	return fmt.Sprintf("%s (%s)", chat.Clip(chat.OneLine(name), 60), g)
}
