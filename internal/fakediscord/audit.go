package fakediscord

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Events of the audit log, by Discord's numbers.
// https://discord.com/developers/docs/resources/audit-log#audit-log-entry-object-audit-log-events
const (
	auditChannelCreate   = 10
	auditChannelUpdate   = 11
	auditChannelDelete   = 12
	auditOverwriteCreate = 13
	auditOverwriteUpdate = 14
	auditOverwriteDelete = 15
	auditKick            = 20
	auditBan             = 22
	auditUnban           = 23
	auditMemberUpdate    = 24
	auditMemberRoles     = 25
	auditRoleCreate      = 30
	auditRoleUpdate      = 31
	auditRoleDelete      = 32
	auditInviteCreate    = 40
	auditInviteDelete    = 42
	auditWebhookCreate   = 50
	auditEmojiCreate     = 60
	auditMessageDelete   = 72
	auditBulkDelete      = 73
	auditPin             = 74
	auditUnpin           = 75
	auditEventCreate     = 100
	auditEventUpdate     = 101
	auditEventDelete     = 102
	auditThreadCreate    = 110
	auditThreadUpdate    = 111
	auditThreadDelete    = 112
)

// maxAuditEntries is how many entries are kept; Discord keeps them for 45 days.
const maxAuditEntries = 1000

// An AuditEntry is a line of the guild's audit log.
type AuditEntry struct {
	ID      string            `json:"id"`
	Guild   chat.GuildID      `json:"guild,omitempty"`
	Action  int               `json:"action"`
	By      chat.UserID       `json:"by"`
	Target  string            `json:"target,omitempty"` // an ID, or empty
	Reason  string            `json:"reason,omitempty"`
	Changes []AuditChange     `json:"changes,omitempty"`
	Options map[string]string `json:"options,omitempty"`
}

// An AuditChange is one changed property.
type AuditChange struct {
	Key string `json:"key"`
	Old string `json:"old,omitempty"` // empty for none, as New
	New string `json:"new,omitempty"`
}

// audit adds an entry to the audit log of a guild. The world is locked.
func (w *World) audit(g *guild, action int, by chat.UserID, target, reason string, changes ...AuditChange) {
	w.auditEntry(g, AuditEntry{Action: action, By: by, Target: target, Reason: reason, Changes: changes})
}

// auditEntry is audit for entries with more fields.
func (w *World) auditEntry(g *guild, entry AuditEntry) {
	e := &entry
	e.ID, e.Guild = w.auditIDs.next(w.clock()), g.ID
	g.auditLog = append(g.auditLog, e)
	if len(g.auditLog) > maxAuditEntries {
		g.auditLog = slices.Delete(g.auditLog, 0, len(g.auditLog)-maxAuditEntries)
	}
	o := g.auditJSON(e)
	o["guild_id"] = g.ID
	w.queueOn(g, "GUILD_AUDIT_LOG_ENTRY_CREATE", intentModeration, o, o, w.guildPermissions(w.botOn(g)).Has(viewAuditLog))
}

// audit logs an action of the bot on the guild of the call.
func (c *call) audit(action int, by chat.UserID, target, reason string, changes ...AuditChange) {
	c.World.audit(c.guild, action, by, target, reason, changes...)
}

// auditMessages logs what the bot did with messages of a channel. Direct messages have no log.
func (c *call) auditMessages(action int, ch *Channel, target string, options map[string]string) {
	if ch.Type == DMChannel {
		return
	}
	options["channel_id"] = string(ch.ID)
	c.auditEntry(c.guild, AuditEntry{Action: action, By: c.bot.ID, Target: target, Reason: c.reason(), Options: options})
}

// auditChannel logs a change of a channel or a thread, whose kind of entry it is.
func (c *call) auditChannel(action int, ch *Channel, changes ...AuditChange) {
	if ch.Type.IsThread() {
		action += auditThreadCreate - auditChannelCreate
	}
	c.audit(action, c.bot.ID, string(ch.ID), c.reason(), changes...)
}

// of are the changes of a created or deleted object: its name and its channel, if it has
// one.
func of(name AuditChange, ch chat.ChannelID) []AuditChange {
	if ch == "" {
		return []AuditChange{name}
	}
	return []AuditChange{name, {Key: "channel_id", New: string(ch)}}
}

// memberChanges are the differences of a member, besides roles.
func memberChanges(before, after *Member) []AuditChange {
	var all []AuditChange
	if before.Nick != after.Nick {
		all = append(all, AuditChange{"nick", before.Nick, after.Nick})
	}
	if was, is := before.TimedOutUntil, after.TimedOutUntil; !was.Equal(is) {
		change := AuditChange{Key: "communication_disabled_until"}
		if !was.IsZero() {
			change.Old = timestamp(was)
		}
		if !is.IsZero() {
			change.New = timestamp(is)
		}
		all = append(all, change)
	}
	return all
}

// roleChanges are the roles that were added and removed.
func roleChanges(before, after *Member) []AuditChange {
	var all []AuditChange
	for _, id := range after.Roles {
		if !slices.Contains(before.Roles, id) {
			all = append(all, AuditChange{Key: "$add", New: string(id)})
		}
	}
	for _, id := range before.Roles {
		if !slices.Contains(after.Roles, id) {
			all = append(all, AuditChange{Key: "$remove", New: string(id)})
		}
	}
	return all
}

// channelChanges are the properties in which a channel differs from before.
func channelChanges(before, after *Channel) []AuditChange {
	var all []AuditChange
	for _, c := range []AuditChange{{"name", before.Name, after.Name}, {"topic", before.Topic, after.Topic},
		{"rate_limit_per_user", strconv.Itoa(before.Slowmode), strconv.Itoa(after.Slowmode)},
		{"user_limit", strconv.Itoa(before.UserLimit), strconv.Itoa(after.UserLimit)}} {
		if c.Old != c.New {
			all = append(all, c)
		}
	}
	return all
}

// reason is the bot's reason for the audit log. Version 9 of the API also takes it from the query.
func (c *call) reason() string {
	reason := unescape(c.r.Header.Get("X-Audit-Log-Reason"))
	if reason == "" && strings.HasPrefix(c.r.URL.Path, "/api/v9/") {
		reason = c.r.URL.Query().Get("reason")
	}
	return reason
}

// AddAuditEntry logs something that a member did elsewhere.
func (w *World) AddAuditEntry(by string, e AuditEntry) error {
	return w.change(func() error {
		who, err := w.soleMember(by)
		if err != nil {
			return err
		}
		e.By, e.Changes = who.ID, slices.Clone(e.Changes)
		w.auditEntry(w.guild(who.Guild), e)
		return nil
	})
}

// AuditLog is the first guild's audit log, oldest first.
func (w *World) AuditLog() []AuditEntry {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []AuditEntry
	for _, e := range w.first().auditLog {
		copied := *e
		copied.Changes = slices.Clone(e.Changes)
		all = append(all, copied)
	}
	return all
}

// typed is a value as Discord writes it: some properties are numbers, or true or false.
func (c AuditChange) typed(value string) any {
	switch c.Key {
	case "max_age", "max_uses", "uses", "flags":
		return json.Number(value)
	case "temporary":
		return value == "true"
	}
	return value
}

func (g *guild) auditJSON(e *AuditEntry) object {
	changes := []object{}
	for _, c := range e.Changes {
		o := object{"key": c.Key}
		if c.Old != "" {
			o["old_value"] = c.typed(c.Old)
		}
		if c.New != "" {
			o["new_value"] = c.typed(c.New)
		}
		if r := g.role(chat.RoleID(c.New)); r != nil && (c.Key == "$add" || c.Key == "$remove") {
			o["new_value"] = []object{{"id": r.ID, "name": r.Name}}
		}
		if c.Key == "color" { // a number, in Discord's log too
			o["old_value"], o["new_value"] = json.Number(cmp.Or(c.Old, "0")), json.Number(cmp.Or(c.New, "0"))
		}
		changes = append(changes, o)
	}
	o := object{"id": e.ID, "action_type": e.Action, "user_id": e.By, "target_id": idOrNull(e.Target), "changes": changes}
	if e.Reason != "" {
		o["reason"] = e.Reason
	}
	if len(e.Options) > 0 {
		o["options"] = e.Options
	}
	return o
}

func listAuditLog(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if !c.guildPermissions(c.bot).Has(viewAuditLog) {
		return answer{}, errMissingPermissions
	}
	limit, err := c.number("limit", 50, 1, 100)
	if err != nil {
		return answer{}, err
	}
	by, err := c.snowflake("user_id")
	if err != nil {
		return answer{}, err
	}
	target, err := c.snowflake("target_id")
	if err != nil {
		return answer{}, err
	}
	before, err := c.snowflake("before")
	if err != nil {
		return answer{}, err
	}
	after, err := c.snowflake("after")
	if err != nil {
		return answer{}, err
	}
	log := slices.Clone(c.auditLog)
	if after == "" {
		slices.Reverse(log) // only after an entry, the oldest come first
	}
	action := c.param("action_type")
	entries, people := []object{}, []chat.UserID{}
	for _, e := range log {
		switch {
		case len(entries) == limit:
		case by != "" && string(e.By) != by:
		case target != "" && e.Target != target:
		case action != "" && strconv.Itoa(e.Action) != action:
		case before != "" && compareIDs(e.ID, before) >= 0:
		case after != "" && compareIDs(e.ID, after) <= 0:
		default:
			entries = append(entries, c.auditJSON(e))
			people = append(people, c.concerned(e)...)
		}
	}
	slices.Sort(people)
	o := object{"audit_log_entries": entries, "users": c.usersJSON(slices.Compact(people))}
	for _, empty := range []string{"integrations", "webhooks", "guild_scheduled_events", "threads", "application_commands", "auto_moderation_rules"} {
		o[empty] = []any{}
	}
	return ok(o)
}

// concerned are the users that an entry names.
func (w *World) concerned(e *AuditEntry) []chat.UserID {
	people := []chat.UserID{e.By}
	if target := chat.UserID(e.Target); w.user(target) != nil {
		people = append(people, target)
	}
	if ruled := chat.UserID(e.Options["id"]); e.Options["type"] == "1" && w.user(ruled) != nil {
		people = append(people, ruled)
	}
	return people
}
