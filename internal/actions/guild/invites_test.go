package guild_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
)

func TestInviteCreate(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		code := func() string { all := w.Invites(); return all[len(all)-1].Code }
		invite := func(in, channel, terms string) {
			t.Helper()
			got := w.Run("eve", `{"type":"inviteCreate"`+in+`}`)[0]
			if want := w.WithIDs("Done: created the invite https://discord.gg/" + code() + " to <#{" + channel + "}> (" + terms + ")"); got != want {
				t.Errorf("%s\n got %s\nwant %s", in, got, want)
			}
		}
		invite(``, "general", "until <t:1772539200:f>, any number of uses")
		invite(`,"channel":"ops","maxAge":0,"maxUses":3,"temporary":true`, "ops", "never ends, 3 uses, for a visit only")
		invite(`,"channelId":"talk","maxAge":3600`, "talk", "until <t:1772456400:f>, any number of uses")
		invite(`,"channel":"ideas","max_age":604800,"max_uses":100`, "ideas", "until <t:1773057600:f>, 100 uses")
		n := len(w.Invites())
		w.RequirePart("eve", `{"type":"inviteCreate"}`, "Done: created the invite ")
		if len(w.Invites()) != n {
			t.Error("an invite that is just like another was made")
		}
		invite(`,"unique":true`, "general", "until <t:1772539200:f>, any number of uses")
		w.AskIn("A plan") // a thread of #ops
		invite(`,"maxAge":60`, "ops", "until <t:1772452860:f>, any number of uses")
		if log := w.AuditLog(); !strings.HasPrefix(log[len(log)-1].Reason, "asked by eve") {
			t.Errorf("the log says %+v", log[len(log)-1])
		}
	})
}

func TestInviteCreateRefuses(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		const failed = "Failed: inviteCreate: "
		w.Require("ada", `{"type":"inviteCreate","maxAge":5184001}`, failed+"maxAge: 5184001 is not 0 to 5184000")
		w.Require("ada", `{"type":"inviteCreate","maxAge":-1}`, failed+"maxAge: -1 is not 0 to 5184000")
		w.Require("ada", `{"type":"inviteCreate","maxUses":101}`, failed+"maxUses: 101 is not 0 to 100")
		w.Require("ada", `{"type":"inviteCreate","channel":"A plan"}`, failed+"nobody can be invited to a thread; choose a channel")
		w.Require("ada", `{"type":"inviteCreate","channel":"Projects"}`, failed+"nobody can be invited to a category; choose a channel")
		w.RequirePart("ada", `{"type":"inviteCreate","channel":"basement"}`, `I can't see a channel #basement`)
		w.Must(w.Deny("#ops", "eve", chat.CreateInvite))
		w.Require("eve", `{"type":"inviteCreate","channel":"ops"}`, failed+"you need *Create Invite* in <#{ops}> for that")
		w.Must(w.Deny("#ops", "eve", chat.ViewChannel))
		w.RequirePart("eve", `{"type":"inviteCreate","channel":"ops"}`, failed+`I can't see a channel #ops`)
		w.Must(w.Deny("#ops", "bot", chat.CreateInvite))
		w.RequirePart("ada", `{"type":"inviteCreate","channel":"ops"}`, failed+"I need *Create Invite* in <#{ops}>")
		if n := len(w.Invites()); n != 0 {
			t.Errorf("%d invites were made", n)
		}
	})
}

func TestInviteList(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		w.Require("ada", `{"type":"inviteList"}`, "Done: No invites")
		w.Do("ada", `{"type":"inviteCreate","channel":"general","maxAge":0}`)
		w.Do("ada", `{"type":"inviteCreate","channel":"ops","maxUses":2}`)
		all := w.Invites()
		general := "https://discord.gg/" + all[0].Code + " to #general by DiscoClaw — used 0 times, never ends, any number of uses"
		ops := "https://discord.gg/" + all[1].Code + " to #ops by DiscoClaw — used 0 times, until 2026-03-03 12:00:00 UTC, 2 uses"
		w.Require("bob", `{"type":"inviteList"}`, "Done: Invites (2):\n"+general+"\n"+ops)
		w.Require("bob", `{"type":"inviteList","channel":"ops"}`, "Done: Invites (1):\n"+ops)
		w.Require("eve", `{"type":"inviteList"}`, "Failed: inviteList: you need *Manage Server* for that")
		w.Require("eve", `{"type":"inviteList","channel":"ops"}`, "Failed: inviteList: you need *Manage Channels* in <#{ops}> for that")
		w.Must(w.Deny("#ops", "bob", chat.ViewChannel))
		w.Require("bob", `{"type":"inviteList"}`, "Done: Invites (1):\n"+general)
		w.Must(w.SetPermission("bot", chat.ManageServer, false))
		w.Require("ada", `{"type":"inviteList"}`, "Failed: inviteList: I need *Manage Server* for that; an admin can give it to my role under Server Settings → Roles")
		w.Must(w.Deny("#ops", "bot", chat.ManageChannels))
		w.RequirePart("ada", `{"type":"inviteList","channel":"ops"}`, "I need *Manage Channels* in <#{ops}>")
		time.Sleep(24 * time.Hour)
		w.Must(w.SetPermission("bot", chat.ManageServer, true))
		w.Require("ada", `{"type":"inviteList"}`, "Done: Invites (1):\n"+general)
	})
}
