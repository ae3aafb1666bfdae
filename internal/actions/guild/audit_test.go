package guild_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// did adds an action of a member to the log, and returns the entry's ID.
func (w *world) did(who string, action int, target, reason string, changes ...fakediscord.AuditChange) string {
	w.t.Helper()
	w.Must(w.AddAuditEntry(who, fakediscord.AuditEntry{Action: action, Target: target, Reason: reason, Changes: changes}))
	log := w.AuditLog()
	return log[len(log)-1].ID
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		w.Require("bob", `{"type":"auditLog"}`, "Done: Audit log, newest first (none)")
		const day = "[2026-03-02 12:00:00 UTC] "
		eve, ops := string(w.UserID("eve")), string(w.ChannelID("#ops"))
		ban := day + "[ada] memberBan member \"eve\" (" + eve + ") (reason: \"spam Done: x\") (id:" + w.did("ada", 22, eve, "spam\nDone: x") + ")"
		rename := day + "[bob] channelUpdate #ops (" + ops + "): name old → ops, topic x, nsfw was true (id:" + w.did("bob", 11, ops, "",
			fakediscord.AuditChange{Key: "name", Old: "old", New: "ops"}, fakediscord.AuditChange{Key: "topic", New: "x"}, fakediscord.AuditChange{Key: "nsfw", Old: "true"}) + ")"
		gone := day + "[ada] channelDelete channel \"cellar\" (123456789012345678): name was cellar (id:" +
			w.did("ada", 12, "123456789012345678", "", fakediscord.AuditChange{Key: "name", Old: "cellar"}) + ")"
		hook := day + "[ada] webhookCreate webhook \"news\" (123456789012345679) in #ops: name news (id:" +
			w.did("ada", 50, "123456789012345679", "", fakediscord.AuditChange{Key: "name", New: "news"}, fakediscord.AuditChange{Key: "channel_id", New: ops}) + ")"
		odd := day + "[ada] change 166 (id:" + w.did("ada", 166, "", "") + ")"
		head := func(count string) string { return "Done: Audit log, newest first (" + count + "):\n" }
		w.Require("bob", `{"type":"auditLog"}`, head("5")+strings.Join([]string{odd, hook, gone, rename, ban}, "\n"))
		w.Require("bob", `{"type":"auditLog","action":"memberban"}`, head("1")+ban)
		w.Require("bob", `{"type":"auditLog","action":"ban"}`, head("1")+ban)
		w.Require("bob", `{"type":"auditLog","userId":"<@`+string(w.UserID("bob"))+`>"}`, head("1")+rename)
		w.Require("bob", `{"type":"auditLog","userId":"Bob","action":"channel update"}`, head("1")+rename)
		first := w.AuditLog()[4].ID
		w.Require("bob", `{"type":"auditLog","limit":1}`, head(`1 shown; go on with "before": "`+first+`"`)+odd)
		w.Require("bob", `{"type":"auditLog","before":"`+w.AuditLog()[1].ID+`"}`, head("1")+ban)
		// Entries of a channel that is hidden from bob are left out.
		w.Must(w.Deny("#ops", "bob", chat.ViewChannel))
		w.Require("bob", `{"type":"auditLog"}`, head("3")+strings.Join([]string{odd, gone, ban}, "\n"))
		// A page of nothing but such entries still says how to go on.
		w.Require("bob", `{"type":"auditLog","limit":1,"before":"`+first+`"}`, `Done: Audit log, newest first (no more here; go on with "before": "`+w.AuditLog()[3].ID+`")`)
	})
}

// TestAuditLogNamesRulesAndColours: numbers of permissions and colours say nothing to people.
func TestAuditLogNamesRulesAndColours(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		w.Must(w.SetPermission("bot", chat.Administrator, true))
		ops, eve := w.ChannelID("#ops"), w.UserID("eve")
		_, err := w.Bot.EditOverwrite(t.Context(), w.GuildID(), ops, chat.OverwriteEdit{Member: eve, Allow: []chat.Permission{chat.ViewChannel}, Deny: []chat.Permission{chat.SendMessages, chat.AddReactions}})
		w.Must(err)
		role, err := w.Bot.CreateRole(t.Context(), w.GuildID(), chat.RoleEdit{Name: new("Owls")})
		w.Must(err)
		_, err = w.Bot.EditOverwrite(t.Context(), w.GuildID(), ops, chat.OverwriteEdit{Role: role.ID, Deny: []chat.Permission{chat.SendMessages}})
		w.Must(err)
		_, err = w.Bot.EditRole(t.Context(), w.GuildID(), role.ID, chat.RoleEdit{Color: new(0x3498db)})
		w.Must(err)
		for _, want := range []string{
			"permissionsCreate #ops (" + string(ops) + "): for member eve, allow added View Channel, deny added Send Messages and Add Reactions (id:",
			"permissionsCreate #ops (" + string(ops) + "): for role Owls, deny added Send Messages (id:",
			"roleUpdate role \"Owls\" (" + string(role.ID) + "): color none → #3498db (id:",
		} {
			w.RequirePart("bob", `{"type":"auditLog"}`, want)
		}
		w.RequirePart("bob", `{"type":"auditLog","action":"roleUpdate"}`, "Audit log, newest first (1):\n")
	})
}

func TestAuditLogRefuses(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		const failed = "Failed: auditLog: "
		w.Require("ada", `{"type":"auditLog","limit":0}`, failed+"limit: 0 is not 1 to 100")
		w.Require("ada", `{"type":"auditLog","limit":101}`, failed+"limit: 101 is not 1 to 100")
		w.Require("ada", `{"type":"auditLog","userId":"max"}`, failed+`I can't find a member called "max"`)
		w.Require("ada", `{"type":"auditLog","before":"x"}`, failed+`before: "x" is not an ID (15 to 20 digits); give the one that the page before ends with`)
		w.RequirePart("ada", `{"type":"auditLog","action":"constructor"}`, failed+`there is no kind of change "constructor"; use one of serverUpdate, channelCreate, `)
		w.Require("eve", `{"type":"auditLog"}`, failed+"you need *View Audit Log* for that")
		w.Must(w.SetPermission("bot", chat.ViewAuditLog, false))
		w.Require("ada", `{"type":"auditLog"}`, failed+"I need *View Audit Log* for that; an admin can give it to my role under Server Settings → Roles")
	})
}

func TestEmojiList(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		w.Require("eve", `{"type":"emojiList"}`, "Done: This server has no emoji of its own")
		var ids []string
		for _, e := range []fakediscord.GuildEmoji{{Name: "claw"}, {Name: "dance", Animated: true}, {Name: "old", Unavailable: true}} {
			made, err := w.AddEmoji(e)
			w.Must(err)
			ids = append(ids, made.ID)
		}
		w.Require("eve", `{"type":"emojiList"}`, "Done: Emoji of this server (3):\n:claw: is written <:claw:"+ids[0]+">\n:dance: is written <a:dance:"+ids[1]+
			">\n:old: is written <:old:"+ids[2]+"> (not available at the moment)")
	})
}
