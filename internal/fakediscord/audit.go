package fakediscord

import (
	"fmt"
	"slices"
	"strconv"

	"discoclaw/internal/chat"
)

// What the audit log tells about, by Discord's numbers.
// https://discord.com/developers/docs/resources/audit-log#audit-log-entry-object-audit-log-events
const (
	auditChannelCreate   = 10
	auditChannelUpdate   = 11
	auditChannelDelete   = 12
	auditOverwriteCreate = 13
	auditOverwriteUpdate = 14
	auditOverwriteDelete = 15
	auditInviteCreate    = 40
	auditWebhookCreate   = 50
	auditEmojiCreate     = 60
	auditEventCreate     = 100
	auditEventUpdate     = 101
	auditEventDelete     = 102
)

// mostAudited is how many entries are kept; Discord keeps them for 45 days.
const mostAudited = 1000

// An AuditEntry is a line of the guild's audit log.
type AuditEntry struct {
	ID      string
	Action  int
	By      chat.UserID
	Target  string // an ID, or empty
	Reason  string
	Changes []AuditChange
	Options map[string]string
}

// An AuditChange is one property that somebody changed.
type AuditChange struct {
	Key      string
	Old, New string // empty for none
}

// audit writes a line into the audit log. The world is locked.
func (w *World) audit(action int, by chat.UserID, target, reason string, changes ...AuditChange) *AuditEntry {
	e := &AuditEntry{ID: w.newID(), Action: action, By: by, Target: target, Reason: reason, Changes: changes}
	w.auditLog = append(w.auditLog, e)
	if len(w.auditLog) > mostAudited {
		w.auditLog = slices.Delete(w.auditLog, 0, len(w.auditLog)-mostAudited)
	}
	o := w.auditJSON(e)
	o["guild_id"] = w.guild
	w.queue("GUILD_AUDIT_LOG_ENTRY_CREATE", intentModeration, nil, o, o, w.guildPermissions(w.botMember()).Has(viewAuditLog))
	return e
}

// about says which channel an entry is tied to; empty for none.
func (e *AuditEntry) about(ch chat.ChannelID) *AuditEntry {
	if ch != "" {
		e.Changes = append(e.Changes, AuditChange{Key: "channel_id", New: string(ch)})
	}
	return e
}

// with adds what the entry tells besides changes.
func (e *AuditEntry) with(options map[string]string) *AuditEntry {
	e.Options = options
	return e
}

// channelChanges are the properties in which a channel differs from before.
func channelChanges(before, after *Channel) []AuditChange {
	var all []AuditChange
	for _, c := range []AuditChange{{"name", before.Name, after.Name}, {"topic", before.Topic, after.Topic}} {
		if c.Old != c.New {
			all = append(all, c)
		}
	}
	return all
}

// reason is why the bot does what the request asks, as it says itself.
func (c *call) reason() string { return unescape(c.r.Header.Get("X-Audit-Log-Reason")) }

// AddAuditEntry lets the log tell of something that a member did elsewhere.
func (w *World) AddAuditEntry(by string, e AuditEntry) error {
	return w.change(func() error {
		who := w.member(by)
		if who == nil {
			return fmt.Errorf("there is no member %s", by)
		}
		w.audit(e.Action, who.ID, e.Target, e.Reason, slices.Clone(e.Changes)...).with(e.Options)
		return nil
	})
}

// AuditLog is the guild's audit log, oldest first.
func (w *World) AuditLog() []AuditEntry {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []AuditEntry
	for _, e := range w.auditLog {
		copied := *e
		copied.Changes = slices.Clone(e.Changes)
		all = append(all, copied)
	}
	return all
}

func (w *World) auditJSON(e *AuditEntry) object {
	changes := []object{}
	for _, c := range e.Changes {
		o := object{"key": c.Key}
		if c.Old != "" {
			o["old_value"] = c.Old
		}
		if c.New != "" {
			o["new_value"] = c.New
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
	before, err := c.snowflake("before")
	if err != nil {
		return answer{}, err
	}
	action := c.r.URL.Query().Get("action_type")
	entries, people := []object{}, []chat.UserID{}
	for _, e := range slices.Backward(c.auditLog) {
		switch {
		case len(entries) == limit:
		case by != "" && string(e.By) != by:
		case action != "" && strconv.Itoa(e.Action) != action:
		case before != "" && compareIDs(e.ID, before) >= 0:
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

// concerned are the people whom an entry names.
func (w *World) concerned(e *AuditEntry) []chat.UserID {
	people := []chat.UserID{e.By}
	if target := chat.UserID(e.Target); w.user(target) != nil {
		people = append(people, target)
	}
	return people
}
