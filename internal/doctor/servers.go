package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// LogLogin logs at a login where the bot does not answer.
func (d *Doctor) LogLogin(log *slog.Logger) {
	if d.isElsewhere() { // which has a warning of its own
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
	case d.isElsewhere():
		log.WarnContext(ctx, "DISCORD_GUILD_ID is not a server that the bot is on, so it answers on none; set it to one of these IDs, or delete it",
			"guild", d.Config.Discord.Guild, "servers", strings.Join(servers, ", "))
	}
}

// fence says which servers are left out. Without a connection, they are not known.
func (d *Doctor) fence(only string) Finding {
	f := Finding{What: "servers", State: fmt.Sprintf("the bot answers only on server %s (DISCORD_GUILD_ID)", only)}
	switch others := d.leftOut(); {
	case d.isElsewhere():
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

// isElsewhere reports whether the bot is online and not on the server of DISCORD_GUILD_ID.
func (d *Doctor) isElsewhere() bool {
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
