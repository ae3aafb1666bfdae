package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// maxAuditEntries is how many entries of an audit log come at once.
const maxAuditEntries = 100

// An audited is a kind of entry in an audit log.
type audited struct {
	number discordgo.AuditLogAction
	name   chat.AuditAction
	target string // kind of the entry's target
}

// auditActions are the kinds of entries with a name.
// https://discord.com/developers/docs/resources/audit-log#audit-log-entry-object-audit-log-events
var auditActions = []audited{
	{discordgo.AuditLogActionGuildUpdate, "serverUpdate", ""},
	{discordgo.AuditLogActionChannelCreate, "channelCreate", "channel"},
	{discordgo.AuditLogActionChannelUpdate, "channelUpdate", "channel"},
	{discordgo.AuditLogActionChannelDelete, "channelDelete", "channel"},
	{discordgo.AuditLogActionChannelOverwriteCreate, "permissionsCreate", "channel"},
	{discordgo.AuditLogActionChannelOverwriteUpdate, "permissionsUpdate", "channel"},
	{discordgo.AuditLogActionChannelOverwriteDelete, "permissionsDelete", "channel"},
	{discordgo.AuditLogActionMemberKick, "memberKick", "member"},
	{discordgo.AuditLogActionMemberPrune, "memberPrune", ""},
	{discordgo.AuditLogActionMemberBanAdd, "memberBan", "member"},
	{discordgo.AuditLogActionMemberBanRemove, "memberUnban", "member"},
	{discordgo.AuditLogActionMemberUpdate, "memberUpdate", "member"},
	{discordgo.AuditLogActionMemberRoleUpdate, "memberRoleUpdate", "member"},
	{discordgo.AuditLogActionMemberMove, "memberMove", "member"},
	{discordgo.AuditLogActionMemberDisconnect, "memberDisconnect", "member"},
	{discordgo.AuditLogActionBotAdd, "botAdd", "member"},
	{discordgo.AuditLogActionRoleCreate, "roleCreate", "role"},
	{discordgo.AuditLogActionRoleUpdate, "roleUpdate", "role"},
	{discordgo.AuditLogActionRoleDelete, "roleDelete", "role"},
	{discordgo.AuditLogActionInviteCreate, "inviteCreate", "invite"},
	{discordgo.AuditLogActionInviteUpdate, "inviteUpdate", "invite"},
	{discordgo.AuditLogActionInviteDelete, "inviteDelete", "invite"},
	{discordgo.AuditLogActionWebhookCreate, "webhookCreate", "webhook"},
	{discordgo.AuditLogActionWebhookUpdate, "webhookUpdate", "webhook"},
	{discordgo.AuditLogActionWebhookDelete, "webhookDelete", "webhook"},
	{discordgo.AuditLogActionEmojiCreate, "emojiCreate", "emoji"},
	{discordgo.AuditLogActionEmojiUpdate, "emojiUpdate", "emoji"},
	{discordgo.AuditLogActionEmojiDelete, "emojiDelete", "emoji"},
	{discordgo.AuditLogActionMessageDelete, "messageDelete", "member"},
	{discordgo.AuditLogActionMessageBulkDelete, "messageBulkDelete", "channel"},
	{discordgo.AuditLogActionMessagePin, "messagePin", "member"},
	{discordgo.AuditLogActionMessageUnpin, "messageUnpin", "member"},
	{discordgo.AuditLogActionIntegrationCreate, "integrationCreate", "integration"},
	{discordgo.AuditLogActionIntegrationUpdate, "integrationUpdate", "integration"},
	{discordgo.AuditLogActionIntegrationDelete, "integrationDelete", "integration"},
	{discordgo.AuditLogActionStickerCreate, "stickerCreate", "sticker"},
	{discordgo.AuditLogActionStickerUpdate, "stickerUpdate", "sticker"},
	{discordgo.AuditLogActionStickerDelete, "stickerDelete", "sticker"},
	{discordgo.AuditLogGuildScheduledEventCreate, "eventCreate", "event"},
	{discordgo.AuditLogGuildScheduledEventUpdate, "eventUpdate", "event"},
	{discordgo.AuditLogGuildScheduledEventDelete, "eventDelete", "event"},
	{discordgo.AuditLogActionThreadCreate, "threadCreate", "thread"},
	{discordgo.AuditLogActionThreadUpdate, "threadUpdate", "thread"},
	{discordgo.AuditLogActionThreadDelete, "threadDelete", "thread"},
	{discordgo.AuditLogActionAutoModerationRuleCreate, "autoModRuleCreate", "rule"},
	{discordgo.AuditLogActionAutoModerationRuleUpdate, "autoModRuleUpdate", "rule"},
	{discordgo.AuditLogActionAutoModerationRuleDelete, "autoModRuleDelete", "rule"},
}

// wireAudit is a page of an audit log.
type wireAudit struct {
	Entries []wireAuditEntry `json:"audit_log_entries" wire:"optional"`
	Users   []wireUser       `json:"users" wire:"optional"`
}

type wireAuditEntry struct {
	ID      string                   `json:"id"`
	Action  discordgo.AuditLogAction `json:"action_type"`
	User    string                   `json:"user_id"`
	Target  string                   `json:"target_id" wire:"optional"`
	Reason  string                   `json:"reason" wire:"optional"`
	Options map[string]any           `json:"options" wire:"optional"`
	Changes []struct {
		Key string          `json:"key"`
		Old json.RawMessage `json:"old_value"`
		New json.RawMessage `json:"new_value"`
	} `json:"changes" wire:"optional"`
}

// AuditLog fetches entries of a server's audit log, newest first.
func (c *Client) AuditLog(ctx context.Context, g chat.GuildID, q chat.AuditQuery) ([]chat.AuditEntry, error) {
	query := pageOf(min(max(q.Limit, 1), maxAuditEntries), "before", q.Before)
	if q.By != "" {
		query.Set("user_id", string(q.By))
	}
	if q.Action != "" {
		kind, err := auditNamed(q.Action)
		if err != nil {
			return nil, err
		}
		query.Set("action_type", strconv.Itoa(int(kind.number)))
	}
	page, err := fetch[wireAudit](ctx, c, onServer(http.MethodGet, g, "/audit-logs").Needing(chat.ViewAuditLog).WithQuery(query))
	if err != nil {
		return nil, err
	}
	people := map[string]chat.User{}
	for _, u := range page.Users {
		people[u.ID] = userFrom(u, nil)
	}
	names := map[string]string{}
	roles, _ := c.cache.rolesOf(g)
	for _, r := range roles {
		names[string(r.ID)] = r.Name
	}
	return each(page.Entries, func(w wireAuditEntry) chat.AuditEntry { return w.entry(people, names) }), nil
}

// auditNamed finds a kind of entry by its name, whatever the case and the dividers. The word member at its beginning may be missing:
// "kick" is memberKick.
func auditNamed(name chat.AuditAction) (audited, error) {
	letters := chat.Letters(string(name))
	for _, wanted := range []string{letters, "member" + letters} {
		if i := slices.IndexFunc(auditActions, func(kind audited) bool { return chat.Letters(string(kind.name)) == wanted }); i >= 0 {
			return auditActions[i], nil
		}
	}
	all := each(auditActions, func(kind audited) string { return string(kind.name) })
	return audited{}, fmt.Errorf("there is no kind of change %q; use one of %s", chat.Clip(string(name), 40), strings.Join(all, ", "))
}

// entry makes an entry of it, with the users of the log and the names of the server's roles.
func (w wireAuditEntry) entry(people map[string]chat.User, roles map[string]string) chat.AuditEntry {
	kind := audited{name: chat.AuditAction(fmt.Sprintf("change %d", w.Action))}
	if i := slices.IndexFunc(auditActions, func(known audited) bool { return known.number == w.Action }); i >= 0 {
		kind = auditActions[i]
	}
	e := chat.AuditEntry{
		ID: w.ID, At: sentAt(w.ID), Action: kind.name, By: chat.User{ID: chat.UserID(w.User)}, Reason: w.Reason,
		Target: chat.AuditTarget{Kind: kind.target, ID: w.Target, Name: cmp.Or(people[w.Target].Handle, roles[w.Target])},
	}
	if by, known := people[w.User]; known {
		e.By = by
	}
	if kind.target == "channel" || kind.target == "thread" {
		e.Channel = chat.ChannelID(w.Target)
	}
	if id, ok := w.Options["channel_id"].(string); ok {
		e.Channel = chat.ChannelID(id)
	}
	if ruled, ok := w.Options["id"].(string); ok {
		e.Changes = append(e.Changes, chat.AuditChange{Property: "for", New: w.ruled(ruled, people, roles)})
	}
	for _, change := range w.Changes {
		was, is := valueOf(change.Old), valueOf(change.New)
		if told, worth := inWords(change.Key, was, is); worth {
			e.Changes = append(e.Changes, told)
		}
		switch change.Key {
		case "name", "code":
			e.Target.Name = cmp.Or(is, was, e.Target.Name)
		case "channel_id":
			if e.Channel == "" {
				e.Channel = chat.ChannelID(cmp.Or(is, was))
			}
		}
	}
	return e
}

// ruled names the role or the member of an overwrite.
func (w wireAuditEntry) ruled(id string, people map[string]chat.User, roles map[string]string) string {
	if w.Options["type"] == "1" {
		return "member " + cmp.Or(people[id].Handle, id)
	}
	name, _ := w.Options["role_name"].(string)
	return "role " + cmp.Or(name, roles[id], id)
}

// inWords tells a change to people: permissions by their names, and colours as they are written. It returns false for
// what is no change, and for a colour that is told twice.
func inWords(key, was, is string) (chat.AuditChange, bool) {
	change := chat.AuditChange{Property: key, Old: was, New: is}
	switch key {
	case "allow", "deny", "permissions":
		before, _ := strconv.ParseInt(was, 10, 64)
		after, _ := strconv.ParseInt(is, 10, 64)
		var parts []string
		for _, part := range []struct {
			word string
			bits int64
		}{{"added", after &^ before}, {"removed", before &^ after}} {
			if names := rightNames(part.bits); len(names) > 0 {
				parts = append(parts, part.word+" "+chat.And(chat.As[string](names)))
			}
		}
		change.Old, change.New = "", strings.Join(parts, ", ")
		return change, len(parts) > 0
	case "color":
		change.Old, change.New = colour(was), colour(is)
	case "colors":
		return change, false
	}
	return change, was != is || was == ""
}

// colour is a colour as people write it. Discord has 0 for none.
func colour(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n == 0 {
		return "none"
	}
	return fmt.Sprintf("#%06x", n)
}

// valueOf returns a value of a change as text, without quotes. Roles that were given or taken
// are listed by name.
func valueOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var things []struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(raw, &things) != nil || len(things) == 0 {
		return string(raw)
	}
	names := make([]string, len(things))
	for i, thing := range things {
		names[i] = thing.Name
	}
	return strings.Join(names, ", ")
}
