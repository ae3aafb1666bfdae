package channels_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const rulesLayout = `
guild disco: #general #ops Staff:category
bot DiscoClaw: View Channel, Send Messages, Read Message History, Manage Channels, Manage Roles, Attach Files, Manage Messages, Manage Webhooks
member ada: owner
member bob: helpers
member eve
role helpers: View Channel, Send Messages, Attach Files, Manage Roles
role Mods: View Channel
deny #ops Mods: Attach Files
category Staff: #plans
thread "A plan" in #ops
`

// rule is the overwrite of a role or a member in a channel.
func (w *world) rule(channel string, role chat.RoleID, member chat.UserID) (fakediscord.Overwrite, bool) {
	w.t.Helper()
	for _, o := range w.must(channel).Overwrites {
		if o.Role == role && o.Member == member {
			return o, true
		}
	}
	return fakediscord.Overwrite{}, false
}

// roleID is the ID of a role, which must exist.
func (w *world) roleID(name string) chat.RoleID {
	w.t.Helper()
	for _, r := range w.Roles() {
		if r.Name == name {
			return r.ID
		}
	}
	w.t.Fatalf("there is no role %s", name)
	return ""
}

func TestChannelPermissionsChange(t *testing.T) {
	t.Parallel()
	onServer(t, rulesLayout, func(t *testing.T, w *world) {
		mods, eve := w.roleID("Mods"), w.UserID("eve")
		w.requireEach([]example{
			{"for a role", `{"type":"channelPermissions","channelId":"ops","role":"mods","allow":["send messages"],"deny":["VIEW_CHANNEL"],"clear":["Attach Files"]}`,
				"Done: in <#{ops}>, <@&{@Mods}> may now *Send Messages*, may no longer *View Channel* and may do here what the server's roles say about *Attach Files*"},
			{"what is not named stays", `{"type":"channelPermissions","channelId":"ops","role":"<@&` + string(mods) + `>","allow":["View Channel"]}`,
				"Done: in <#{ops}>, <@&{@Mods}> may now *View Channel*"},
			{"for a member", `{"type":"channelPermissions","channelId":"ops","userId":"<@` + string(eve) + `>","deny":["Send Messages"]}`,
				"Done: in <#{ops}>, <@{eve}> may no longer *Send Messages*"},
			{"for everyone", `{"type":"channelPermissions","channelId":"general","role":"@everyone","deny":["Send Messages"]}`,
				"Done: in <#{general}>, everyone may no longer *Send Messages*; I keep that right"},
			{"as it is already", `{"type":"channelPermissions","channelId":"general","role":"everyone","deny":["Send Messages"]}`,
				"Done: nothing to change: the rules for everyone in <#{general}> are like that already"},
			{"nothing is left", `{"type":"channelPermissions","channelId":"ops","userId":"` + string(eve) + `","clear":["Send Messages"]}`,
				"Done: in <#{ops}>, <@{eve}> may do here what the server's roles say about *Send Messages*"},
			{"a category", `{"type":"channelPermissions","channelId":"Staff","role":"everyone","deny":["View Channel"]}`,
				"Done: in <#{Staff}>, everyone may no longer *View Channel*; I keep that right"},
		})
		if _, there := w.rule("#ops", "", eve); there {
			t.Error("an empty overwrite was left behind")
		}
		if p, err := w.Permissions("eve", "#plans"); err != nil || p != 0 {
			t.Errorf("eve has %v in a channel of the category, %v", p, err)
		}
		log := w.AuditLog()
		if last := log[len(log)-1]; last.Reason != "asked by ada ("+string(w.UserID("ada"))+") in "+w.Asked.Place.Link() {
			t.Errorf("the audit log says %q", last.Reason)
		}
	})
}

func TestChannelPermissionsAreShown(t *testing.T) {
	t.Parallel()
	onServer(t, rulesLayout, func(t *testing.T, w *world) {
		mods := string(w.roleID("Mods"))
		w.requireEach([]example{
			{"all", `{"type":"channelPermissions","channelId":"ops"}`,
				"Done: Permissions in #ops that differ from those of the server:\nrole Mods (id:{@Mods}): denied Attach Files"},
			{"those of a role", `{"type":"channelPermissions","channelId":"ops","role":"Mods"}`,
				"Done: Permissions in #ops that differ from those of the server:\nrole Mods (id:{@Mods}): denied Attach Files"},
			{"those of another", `{"type":"channelPermissions","channelId":"ops","role":"helpers"}`,
				"Done: no permissions in #ops differ from those of the server for <@&{@helpers}>"},
			{"none", `{"type":"channelPermissions","channelId":"general"}`,
				"Done: no permissions in #general differ from those of the server"},
		})
		w.RequireShort("ada", `{"type":"channelPermissions","channelId":"ops"}`, "looked up <#{ops}>", "{ops}") // the rest is for the model
		w.RequirePart("eve", `{"type":"channelInfo","channelId":"ops"}`, "\nPermissions of role Mods (id:"+mods+"): denied Attach Files")
	})
}

func TestChannelPermissionsRefuse(t *testing.T) {
	t.Parallel()
	onServer(t, rulesLayout, func(t *testing.T, w *world) {
		before := w.Channels()
		w.requireEach([]example{
			{"no such permission", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Fly"]}`,
				`Failed: channelPermissions: allow[0]: there is no permission "Fly"; write it as Discord's settings do, such as "Manage Messages"`},
			{"an inherited name", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["constructor"]}`,
				`Failed: channelPermissions: allow[0]: there is no permission "constructor"; write it as Discord's settings do, such as "Manage Messages"`},
			{"for whom", `{"type":"channelPermissions","channelId":"ops","allow":["View Channel"]}`,
				"Failed: channelPermissions: give the role or the userId whose permissions shall change"},
			{"two of them", `{"type":"channelPermissions","channelId":"ops","role":"Mods","userId":"123456789012345678"}`,
				"Failed: channelPermissions: give a role or a userId, not both"},
			{"allowed and denied", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["View Channel"],"deny":["view channels"]}`,
				"Failed: channelPermissions: “View Channel” stands there twice; it can be allowed, denied or cleared"},
			{"nobody", `{"type":"channelPermissions","channelId":"ops","userId":"123456789012345678","deny":["Send Messages"]}`,
				"Failed: channelPermissions: <@123456789012345678> is not a member of this server"},
			{"a thread", `{"type":"channelPermissions","channelId":"A plan","role":"Mods","deny":["Send Messages"]}`,
				"Failed: channelPermissions: a thread has the permissions of its channel; change them there"},
		})
		w.RequirePart("ada", `{"type":"channelPermissions","channelId":"ops","role":"Pirates","deny":["Send Messages"]}`, "Failed: channelPermissions: ", `"Pirates"`)
		w.RequirePart("ada", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Priority Speaker"]}`, "I need *Priority Speaker* in <#{ops}>")
		w.RequirePart("ada", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Kick Members"]}`, "“Kick Members” is a right on the whole server, which no channel can give or take; use roleEdit")
		w.requireUnchanged(before)
	})
}

// TestRightsThatTheRequesterLacksCannotBeGiven: bob may change permissions, but only those
// he has.
func TestRightsThatTheRequesterLacksCannotBeGiven(t *testing.T) {
	t.Parallel()
	onServer(t, rulesLayout, func(t *testing.T, w *world) {
		w.RequirePart("eve", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Send Messages"]}`, "you need *Manage Permissions* in")
		w.RequirePart("bob", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Manage Messages"]}`, "you need *Manage Messages* in")
		w.RequirePart("bob", `{"type":"channelPermissions","channelId":"ops","role":"Mods","clear":["Manage Messages"]}`, "you need *Manage Messages* in")
		w.RequirePart("bob", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Manage Roles"]}`, "you need *Administrator* for that")
		w.RequirePart("bob", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Send Messages"]}`, "Done: ")
		if err := w.Deny("#ops", "bob", chat.AttachFiles); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("bob", `{"type":"channelPermissions","channelId":"ops","role":"Mods","deny":["Attach Files"]}`, "you need *Attach Files* in")
		if err := w.Deny("#ops", "bob", chat.ManageRoles); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("bob", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Send Messages"]}`, "you need *Manage Permissions* in")
		if err := w.Deny("#ops", "eve", chat.ViewChannel); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("eve", `{"type":"channelPermissions","channelId":"ops"}`, `I can't see a channel #ops`)
		if err := w.SetPermission("bot", chat.ManageRoles, false); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("ada", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["View Channel"]}`, "I need *Manage Permissions* in <#{ops}>")
	})
}

func TestChannelPermissionsAreRestored(t *testing.T) {
	t.Parallel()
	onServer(t, rulesLayout, func(t *testing.T, w *world) {
		mods := w.roleID("Mods")
		w.RequirePart("ada", `{"type":"channelPermissions","channelId":"ops","role":"Mods","allow":["Send Messages"]}`, "Done")
		before, _ := w.rule("#ops", mods, "")
		out := w.Do("ada", `{"type":"channelPermissions","channelId":"ops","role":"Mods","deny":["Send Messages"],"allow":["Attach Files","View Channel"]}`)[0]
		if out.Err != nil || len(out.Result.Undo) != 1 {
			t.Fatalf("outcome %+v", out)
		}
		undo := out.Result.Undo[0]
		if undo.Text != w.WithIDs("give <@&{@Mods}> back the permissions that they had in <#{ops}>") {
			t.Errorf("undo would %s", undo.Text)
		}
		w.RequirePart("ada", string(undo.Request.Args), "Done: in <#{ops}>, <@&{@Mods}> may now *Send Messages*, may no longer *Attach Files* and may do here what")
		if after, _ := w.rule("#ops", mods, ""); after != before {
			t.Errorf("the rule was %+v and is %+v", before, after)
		}
	})
}

func TestWebhooksAreListedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	onServer(t, rulesLayout, func(t *testing.T, w *world) {
		w.Require("ada", `{"type":"webhookList"}`, "Done: No webhooks")
		news, err := w.AddWebhook("ada", "#ops", "Build\nnews")
		if err != nil {
			t.Fatal(err)
		}
		secret, err := w.AddWebhook("ada", "#plans", "plans")
		if err != nil {
			t.Fatal(err)
		}
		first := "Build news (id:" + news.ID + ") in #ops by ada"
		w.Require("ada", `{"type":"webhookList"}`, "Done: Webhooks (2):\n"+first+"\nplans (id:"+secret.ID+") in #plans by ada")
		w.RequireShort("ada", `{"type":"webhookList"}`, "listed 2 webhooks")
		w.Require("ada", `{"type":"webhookList","channelId":"ops"}`, "Done: Webhooks (1):\n"+first)
		w.Require("ada", `{"type":"webhookList","channel":"general"}`, "Done: No webhooks")
		w.RequirePart("bob", `{"type":"webhookList"}`, "you need *Manage Webhooks* for that")
		w.RequirePart("bob", `{"type":"webhookList","channelId":"ops"}`, "you need *Manage Webhooks* in")
		if err := w.SetPermission("helpers", chat.ManageWebhooks, true); err != nil {
			t.Fatal(err)
		}
		if err := w.Deny("#plans", "bob", chat.ViewChannel); err != nil {
			t.Fatal(err)
		}
		w.Require("bob", `{"type":"webhookList"}`, "Done: Webhooks (1):\n"+first)
		for _, who := range []string{"ada", "bob"} {
			if got := w.Run(who, `{"type":"webhookList"}`)[0]; strings.Contains(got, news.Token) || strings.Contains(got, "/webhooks/") {
				t.Errorf("%s sees %s", who, got)
			}
		}
		if err := w.SetPermission("bot", chat.ManageWebhooks, false); err != nil {
			t.Fatal(err)
		}
		w.Require("ada", `{"type":"webhookList"}`, "Failed: webhookList: I need *Manage Webhooks* for that; an admin can give it to my role under Server Settings → Roles")
		w.RequirePart("ada", `{"type":"webhookList","channelId":"ops"}`, "I need *Manage Webhooks* in <#{ops}>")
	})
}
