package fakediscord_test

import (
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestPermissionsAreWorkedOutAsDiscordDoes(t *testing.T) {
	t.Parallel()
	const base = "guild d: #a talk:voice\nrole mods: Manage Messages\nrole quiet: Kick Members\n" +
		"role boss: Administrator\nmember ada: owner\nmember bob\nmember eve: mods, quiet\nmember max: boss\nthread \"t\" in #a\n"
	for _, tt := range []struct {
		name, lines, member, channel string
		right                        chat.Permission
		want                         bool
	}{
		{"everyone's rights hold for all", "", "bob", "#a", chat.SendMessages, true},
		{"a role adds its own", "", "eve", "#a", chat.ManageMessages, true},
		{"and only for those who have it", "", "bob", "#a", chat.ManageMessages, false},
		{"the owner has every right", "deny #a ada: View Channel", "ada", "#a", "Ban Members", true},
		{"an administrator has every right", "deny #a max: View Channel", "max", "#a", "Ban Members", true},
		{"a denial for everyone", "deny #a @everyone: Send Messages", "bob", "#a", chat.SendMessages, false},
		{"a role's allowance beats it", "deny #a @everyone: Send Messages\nallow #a mods: Send Messages", "eve", "#a", chat.SendMessages, true},
		{"in whatever order they stand", "allow #a mods: Send Messages\ndeny #a @everyone: Send Messages", "eve", "#a", chat.SendMessages, true},
		{"of two roles the allowance wins", "deny #a quiet: Send Messages\nallow #a mods: Send Messages", "eve", "#a", chat.SendMessages, true},
		{"a member's denial beats both", "allow #a mods: Send Messages\ndeny #a eve: Send Messages", "eve", "#a", chat.SendMessages, false},
		{"a member's allowance beats a role's denial", "deny #a mods: Send Messages\nallow #a eve: Send Messages", "eve", "#a", chat.SendMessages, true},
		{"who does not see cannot act", "deny #a eve: View Channel", "eve", "#a", chat.ManageMessages, false},
		{"who cannot write cannot attach", "deny #a bob: Send Messages", "bob", "#a", chat.AttachFiles, false},
		{"who cannot write can still react", "deny #a bob: Send Messages", "bob", "#a", chat.AddReactions, true},
		{"who cannot join a voice channel cannot write in it", "deny talk bob: Connect", "bob", "talk", chat.SendMessages, false},
		{"a thread has the rights of its channel", "deny #a bob: Add Reactions", "bob", "t", chat.AddReactions, false},
		{"writing in threads is a right of its own", "deny #a bob: Send Messages", "bob", "t", "Send Messages in Threads", true},
		{"with all that goes with it", "deny #a bob: Send Messages", "bob", "t", chat.AttachFiles, true},
		{"and can be denied alone", "deny #a bob: Send Messages in Threads", "bob", "t", chat.AttachFiles, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, base+tt.lines)
			got, err := r.Permissions(tt.member, tt.channel)
			r.must(err)
			right, err := fakediscord.ParsePermission(tt.right)
			r.must(err)
			if got.Has(right) != tt.want {
				t.Errorf("with %q: %s of %s in %s = %v, want %v (has %s)", tt.lines, tt.right, tt.member, tt.channel, got.Has(right), tt.want, got)
			}
		})
	}
}

func TestAPrivateThreadIsVisibleToItsMembersAndToThreadManagers(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nrole mods: Manage Threads\nmember bob\nmember eve: mods\nthread \"p\" in #a: private")
	for member, want := range map[string]bool{"ada": true, "eve": true, "bob": false} {
		p, err := r.Permissions(member, "p")
		r.must(err)
		if got := p != 0; got != want {
			t.Errorf("%s sees the private thread: %v, want %v", member, got, want)
		}
	}
}

func TestATimedOutMemberCanOnlyRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a\nmember bob")
		r.must(r.TimeOut("bob", time.Hour))
		if _, err := r.Say("bob", "#a", "let me out"); err == nil {
			t.Error("bob wrote although he was timed out")
		}
		p, err := r.Permissions("bob", "#a")
		r.must(err)
		if got := p.String(); got != "View Channel, Read Message History" {
			t.Errorf("a timed out member has %s", got)
		}
		time.Sleep(time.Hour)
		r.say("bob", "#a", "thank you")
	})
}
