package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

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
	var list []chat.AuditEntry
	for _, w := range page.Entries {
		list = append(list, w.entry(people, names))
	}
	return list, nil
}

// auditNamed finds a kind of entry by its name, or by the words that people use for it: "kick", "deleted channels". The word member may be
// missing, unless that makes it the name of another kind: roleUpdate is not memberRoleUpdate.
func auditNamed(name chat.AuditAction) (audited, error) {
	wanted := auditWords(string(name))
	for _, kind := range auditActions {
		if strings.EqualFold(string(kind.name), string(name)) || auditWords(string(kind.name)) == wanted {
			return kind, nil
		}
	}
	wanted = withoutMember(wanted)
	wanted = cmp.Or(auditPhrases[wanted], wanted)
	var all []string
	for _, kind := range auditActions {
		if withoutMember(auditWords(string(kind.name))) == wanted {
			return kind, nil
		}
		all = append(all, string(kind.name))
	}
	return audited{}, fmt.Errorf("there is no kind of change %q; use one of %s", chat.Clip(string(name), 40), strings.Join(all, ", "))
}

// withoutMember leaves the word member out of words.
func withoutMember(words string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(words), func(word string) bool { return word == "member" }), " ")
}

// auditWords returns the words of a kind of entry in a form in which other forms and orders of them are the same.
func auditWords(name string) string {
	spaced := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return ' '
		}
		return r
	}, capitals().ReplaceAllString(name, "$1 $2"))
	var words []string
	for _, word := range strings.Fields(strings.ToLower(spaced)) {
		if plain, known := auditSynonyms[word]; known {
			word = plain
		} else if len(word) > 3 {
			word = strings.TrimSuffix(word, "s")
		}
		if word != "" {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

var capitals = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([a-z])([A-Z])`) })

// auditSynonyms has other words for those in the names of kinds. Words without meaning become nothing.
var auditSynonyms = map[string]string{
	"created": "create", "new": "create", "made": "create", "make": "create", "add": "create", "added": "create",
	"deleted": "delete", "remove": "delete", "removed": "delete",
	"updated": "update", "edit": "update", "edited": "update", "change": "update", "changed": "update", "renamed": "update", "rename": "update",
	"kicked": "kick", "banned": "ban", "unbanned": "unban", "pruned": "prune", "moved": "move", "disconnected": "disconnect", "pinned": "pin", "unpinned": "unpin",
	"guild": "server", "overwrite": "permission", "overwrites": "permission", "timeouts": "timeout",
	"user": "member", "users": "member", "the": "", "of": "", "a": "",
}

// auditPhrases are kinds by words that their names do not have.
var auditPhrases = map[string]string{
	"ban create": "ban", "ban delete": "unban", "timeout": "update", "untimeout": "update", "nickname": "update", "nickname update": "update",
	"pin": "message pin", "unpin": "message unpin", "bulk delete": "bulk delete message",
	"permission": "permission update", "channel permission": "permission update",
}

// entry makes an entry of it, with the users of the log and the names of the server's roles.
func (w wireAuditEntry) entry(people map[string]chat.User, roles map[string]string) chat.AuditEntry {
	kind := audited{name: chat.AuditAction(fmt.Sprintf("change %d", w.Action))}
	for _, known := range auditActions {
		if known.number == w.Action {
			kind = known
		}
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
				parts = append(parts, part.word+" "+chat.And(plain(names)))
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

func plain(rights []chat.Permission) (names []string) {
	for _, r := range rights {
		names = append(names, string(r))
	}
	return names
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
