package discord_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

// heights has roles from low to high. The bot stands between mods and chiefs.
const heights = `
guild disco: #general
role guests: View Channel
role helpers: Kick Members
role mods: Manage Roles
role twins: View Channel
role Twins too: View Channel
role chiefs: Administrator
member ada: owner
member bob: guests
member hal: helpers, guests
member eve: mods
member kim: chiefs
member zed
bot DiscoClaw
`

func atHeights(t *testing.T, f func(t *testing.T, b *bench)) {
	t.Helper()
	onBench(t, heights, func(t *testing.T, b *bench) {
		if err := b.PlaceRole("DiscoClaw", 4); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		f(t, b)
	})
}

func (b *bench) roleID(t *testing.T, name string) chat.RoleID {
	t.Helper()
	for _, r := range b.Roles() {
		if r.Name == name {
			return r.ID
		}
	}
	t.Fatalf("there is no role %s", name)
	return ""
}

func TestOutranks(t *testing.T) {
	t.Parallel()
	atHeights(t, func(t *testing.T, b *bench) {
		gone := b.UserID("zed")
		if err := b.RemoveMember("zed"); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, who, member, role string
			want                    bool
		}{
			{"the owner above an administrator", "ada", "kim", "", true},
			{"the owner above every role", "ada", "", "chiefs", true},
			{"nobody above the owner", "kim", "ada", "", false},
			{"not even the owner", "ada", "ada", "", false},
			{"a higher role", "eve", "hal", "", true},
			{"the highest role counts", "hal", "bob", "", true},
			{"the lower one below", "hal", "eve", "", false},
			{"nobody above themselves", "eve", "eve", "", false},
			{"above a lower role", "eve", "", "helpers", true},
			{"not above the role one has", "eve", "", "mods", false},
			{"not above a higher role", "eve", "", "chiefs", false},
			{"both are asked", "eve", "kim", "guests", false},
			{"both are met", "eve", "bob", "helpers", true},
			{"everyone's role is the lowest", "bob", "", "@everyone", true},
		} {
			var member chat.UserID
			var role chat.RoleID
			if tt.member != "" {
				member = b.UserID(tt.member)
			}
			if tt.role != "" {
				role = b.roleID(t, tt.role)
			}
			got, err := b.client.Outranks(t.Context(), b.GuildID(), b.UserID(tt.who), member, role)
			if err != nil || got != tt.want {
				t.Errorf("%s: %v, %v", tt.name, got, err)
			}
		}
		ask := func(who, member chat.UserID, role chat.RoleID) bool {
			got, err := b.client.Outranks(t.Context(), b.GuildID(), who, member, role)
			if err != nil {
				t.Error(err)
			}
			return got
		}
		if !ask(b.UserID("bob"), gone, "") || ask(gone, b.UserID("bob"), "") || ask(gone, "", b.roleID(t, "guests")) {
			t.Error("a user who left does not stand below all members")
		}
		if ask(b.UserID("kim"), "", "100000000000000000") || ask("", "", "") {
			t.Error("an unknown role or user outranks")
		}
		if _, err := b.client.Outranks(t.Context(), "100000000000000000", b.UserID("ada"), "", ""); err == nil {
			t.Error("a user outranks on an unknown server")
		}
	})
}

// TestOfEqualRolesTheOlderIsHigher as Discord sorts them.
func TestOfEqualRolesTheOlderIsHigher(t *testing.T) {
	t.Parallel()
	atHeights(t, func(t *testing.T, b *bench) {
		name := "new"
		made, err := b.client.CreateRole(t.Context(), b.GuildID(), chat.RoleEdit{Name: &name})
		if err != nil || made.Position != 1 || len(made.Permissions) != 0 {
			t.Fatalf("made %+v, %v", made, err)
		}
		above, err := b.client.Outranks(t.Context(), b.GuildID(), b.UserID("bob"), "", made.ID)
		if err != nil || !above {
			t.Errorf("bob does not stand above a new role: %v", err)
		}
		if err := b.GrantRole("zed", "new"); err != nil {
			t.Fatal(err)
		}
		above, err = b.client.Outranks(t.Context(), b.GuildID(), b.UserID("zed"), "", b.roleID(t, "guests"))
		if err != nil || above {
			t.Errorf("a new role stands above an older one: %v", err)
		}
	})
}

func TestRolesAreKnownByNameAndID(t *testing.T) {
	t.Parallel()
	atHeights(t, func(t *testing.T, b *bench) {
		mods := b.roleID(t, "mods")
		for _, ref := range []chat.RoleRef{"mods", "MODS", "@mods", chat.RoleRef(mods), "<@&" + chat.RoleRef(mods) + ">"} {
			if r, err := b.client.Role(t.Context(), b.GuildID(), ref); err != nil || r.ID != mods || r.Name != "mods" {
				t.Errorf("%s is %+v, %v", ref, r, err)
			}
		}
		if r, err := b.client.Role(t.Context(), b.GuildID(), "@everyone"); err != nil || !r.Everyone {
			t.Errorf("@everyone is %+v, %v", r, err)
		}
		_, err := b.client.Role(t.Context(), b.GuildID(), "mod")
		if want := `there is no role "mod" on this server; there is “mods”`; err == nil || err.Error() != want || !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("mod: %v", err)
		}
		name := "TWINS"
		twin, err := b.client.CreateRole(t.Context(), b.GuildID(), chat.RoleEdit{Name: &name})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.client.Role(t.Context(), b.GuildID(), "twins")
		if want := `2 roles are called "twins"; give one of these instead: <@&` + string(b.roleID(t, "twins")) + ">, <@&" + string(twin.ID) + ">"; err == nil || err.Error() != want {
			t.Errorf("twins: %v", err)
		}
		all, err := b.client.Roles(t.Context(), b.GuildID())
		var names []string
		for _, r := range all {
			names = append(names, r.Name)
		}
		if want := "chiefs, Twins too, twins, DiscoClaw, mods, helpers, guests, TWINS, @everyone"; err != nil || strings.Join(names, ", ") != want {
			t.Errorf("from high to low: %s, %v", strings.Join(names, ", "), err)
		}
	})
}

// TestOwnChangesAreKnownAtOnce: the bot's changes must count for its next action, although it
// caches members and gets no events.
func TestOwnChangesAreKnownAtOnce(t *testing.T) {
	t.Parallel()
	offTheAir(t, heights, func(t *testing.T, b *bench) {
		ctx, g, zed := t.Context(), b.GuildID(), b.UserID("zed")
		know := func() chat.Member {
			m, err := b.client.Member(ctx, g, zed)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		helpers := b.roleID(t, "helpers")
		steps := []struct {
			name string
			do   func() error
			want func() bool
		}{
			{"give", func() error { return b.client.GiveRole(ctx, g, zed, helpers) }, func() bool { return know().Has(helpers) }},
			{"take", func() error { return b.client.TakeRole(ctx, g, zed, helpers) }, func() bool { return !know().Has(helpers) }},
			{"rename", func() error { return b.client.SetNickname(ctx, g, zed, " Zed the Z ", "") }, func() bool { return know().Nickname == "Zed the Z" && know().Name == "Zed the Z" }},
			{"unname", func() error { return b.client.SetNickname(ctx, g, zed, "", "") }, func() bool { return know().Nickname == "" && know().Name == "zed" }},
			{"time out", func() error { return b.client.TimeOut(ctx, g, zed, 28*24*time.Hour, "") }, func() bool { return know().TimedOutUntil.After(time.Now().Add(27 * 24 * time.Hour)) }},
			{"make a role", func() error {
				name, rights := "new", []chat.Permission{chat.ManageMessages}
				_, err := b.client.CreateRole(ctx, g, chat.RoleEdit{Name: &name, Permissions: &rights})
				return err
			}, func() bool {
				r, err := b.client.Role(ctx, g, "new")
				return err == nil && slices.Equal(r.Permissions, []chat.Permission{chat.ManageMessages})
			}},
			{"change it", func() error {
				name, color := "newer", 0xFF8800
				_, err := b.client.EditRole(ctx, g, b.roleID(t, "new"), chat.RoleEdit{Name: &name, Color: &color})
				return err
			}, func() bool {
				r, err := b.client.Role(ctx, g, "newer")
				return err == nil && r.Color == 0xFF8800 && len(r.Permissions) == 1
			}},
			{"delete it", func() error { return b.client.DeleteRole(ctx, g, b.roleID(t, "newer")) }, func() bool {
				_, err := b.client.Role(ctx, g, "newer")
				return errors.Is(err, discord.ErrNotFound)
			}},
			{"kick", func() error { return b.client.Kick(ctx, g, zed, "") }, func() bool {
				_, err := b.client.Member(ctx, g, zed)
				return errors.Is(err, discord.ErrNotFound)
			}},
			{"ban", func() error { return b.client.Ban(ctx, g, zed, 0, "") }, func() bool {
				u, err := b.client.Banned(ctx, g, zed)
				return err == nil && u.Name == "zed"
			}},
			{"unban", func() error { return b.client.Unban(ctx, g, zed, "") }, func() bool {
				_, err := b.client.Banned(ctx, g, zed)
				return errors.Is(err, discord.ErrNotFound)
			}},
		}
		for _, s := range steps {
			if err := s.do(); err != nil || !s.want() {
				t.Errorf("%s: %v; then %v", s.name, err, s.want())
			}
		}
	})
}

func TestRefusalsByRankNameTheRemedy(t *testing.T) {
	t.Parallel()
	const low = "my role **DiscoClaw** is too low for that; an admin can drag it above **chiefs** under Server Settings → Roles"
	const owner = "that is the owner of the server, whom Discord lets nobody touch"
	atHeights(t, func(t *testing.T, b *bench) {
		ctx, g := t.Context(), b.GuildID()
		chiefs := b.roleID(t, "chiefs")
		name := "x"
		admin := []chat.Permission{chat.Administrator}
		for _, tt := range []struct {
			name string
			do   func() error
			want string
		}{
			{"rename", func() error { return b.client.SetNickname(ctx, g, b.UserID("kim"), "x", "") }, low},
			{"kick", func() error { return b.client.Kick(ctx, g, b.UserID("kim"), "") }, low},
			{"ban", func() error { return b.client.Ban(ctx, g, b.UserID("kim"), 0, "") }, low},
			{"time out an administrator", func() error { return b.client.TimeOut(ctx, g, b.UserID("kim"), time.Hour, "") },
				"Discord lets nobody time out an administrator; take the role that makes them one first"},
			{"give", func() error { return b.client.GiveRole(ctx, g, b.UserID("zed"), chiefs) }, low},
			{"take", func() error { return b.client.TakeRole(ctx, g, b.UserID("kim"), chiefs) }, low},
			{"edit", func() error { _, err := b.client.EditRole(ctx, g, chiefs, chat.RoleEdit{Name: &name}); return err }, low},
			{"delete", func() error { return b.client.DeleteRole(ctx, g, chiefs) }, low},
			{"rename the owner", func() error { return b.client.SetNickname(ctx, g, b.UserID("ada"), "x", "") }, owner},
			{"time out the owner", func() error { return b.client.TimeOut(ctx, g, b.UserID("ada"), time.Hour, "") }, owner},
			{"kick the owner", func() error { return b.client.Kick(ctx, g, b.UserID("ada"), "") }, owner},
			{"ban the owner", func() error { return b.client.Ban(ctx, g, b.UserID("ada"), 0, "") }, owner},
			{"a mightier role", func() error {
				_, err := b.client.CreateRole(ctx, g, chat.RoleEdit{Name: &name, Permissions: &admin})
				return err
			}, "I need *Administrator* for that; an admin can give it to my role under Server Settings → Roles"},
			{"the bot's role", func() error { return b.client.GiveRole(ctx, g, b.UserID("zed"), b.roleID(t, "DiscoClaw")) },
				"the role **DiscoClaw** belongs to a bot or another integration, and comes and goes with it"},
			{"everyone's role", func() error { return b.client.DeleteRole(ctx, g, chat.RoleID(g)) },
				"@everyone is the role that everybody has; it cannot be given, taken or deleted"},
			{"everyone's name", func() error {
				_, err := b.client.EditRole(ctx, g, chat.RoleID(g), chat.RoleEdit{Name: &name})
				return err
			}, "@everyone cannot be renamed"},
			{"a long nickname", func() error { return b.client.SetNickname(ctx, g, b.UserID("bob"), strings.Repeat("x", 33), "") },
				"the nickname has 33 characters, and Discord takes 32 at most; shorten it"},
			{"nobody", func() error { return b.client.Kick(ctx, g, "100000000000000000", "") }, "there is no such member on this server"},
			{"not banned", func() error { return b.client.Unban(ctx, g, b.UserID("bob"), "") }, "this user is not banned"},
		} {
			if err := tt.do(); err == nil || err.Error() != tt.want {
				t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
			}
		}
	})
}

func TestMembersAreListed(t *testing.T) {
	t.Parallel()
	atHeights(t, func(t *testing.T, b *bench) {
		list, err := b.client.Members(t.Context(), b.GuildID(), b.UserID("bob"), 2)
		if err != nil || len(list) != 2 || list[0].Name != "hal" || list[1].Name != "eve" || len(list[0].Roles) != 2 {
			t.Errorf("after bob: %+v, %v", list, err)
		}
		if list, err := b.client.MembersNamed(t.Context(), b.GuildID(), "ev", 5); err != nil || len(list) != 1 || list[0].Name != "eve" {
			t.Errorf("called ev…: %+v, %v", list, err)
		}
		b.WithoutMemberList()
		_, err = b.client.Members(t.Context(), b.GuildID(), "", 2)
		if err == nil || strings.Contains(err.Error(), "https:") || !strings.Contains(chat.ForOperators(err).Error(), "switch the “Server Members Intent” on at https://discord.com/developers/applications") {
			t.Error(err)
		}
	})
}

// TestReasonsReachTheAuditLog whatever they are made of, as much of them as fits.
func TestReasonsReachTheAuditLog(t *testing.T) {
	t.Parallel()
	atHeights(t, func(t *testing.T, b *bench) {
		for reason, want := range map[string]string{
			"asked by ada (1): spam": "asked by ada (1): spam",
			"a+b & c=d%20 “ü” 🌻":     "a+b & c=d%20 “ü” 🌻",
			"two\nlines\r\nX: y":     "two lines X: y",
			strings.Repeat("🌻", 300): strings.Repeat("🌻", 255) + "…",
			" ":                      "",
		} {
			if err := b.client.SetNickname(t.Context(), b.GuildID(), b.UserID("bob"), "x", reason); err != nil {
				t.Fatal(err)
			}
			all := b.Requests()
			if got := all[len(all)-1].Reason; got != want {
				t.Errorf("%q arrives as %q", reason, got)
			}
		}
	})
}

// TestTheAuditLogNamesWhoAsked, and the message in which they did, behind a reason that leaves room
// for that.
func TestTheAuditLogNamesWhoAsked(t *testing.T) {
	t.Parallel()
	atHeights(t, func(t *testing.T, b *bench) {
		ctx := chat.AskedBy(t.Context(), chat.Asker{User: b.UserID("ada"), Place: chat.Place{Guild: "1", Channel: "2", Message: "3"}})
		asked := "asked by ada (" + string(b.UserID("ada")) + ") in https://discord.com/channels/1/2/3"
		room := 512 - len(asked) - 3
		for reason, want := range map[string]string{
			"":                       asked,
			"spam":                   "spam · " + asked,
			strings.Repeat("x", 512): strings.Repeat("x", room-1) + "… · " + asked,
		} {
			if err := b.client.SetNickname(ctx, b.GuildID(), b.UserID("bob"), "x", reason); err != nil {
				t.Fatal(err)
			}
			all := b.Requests()
			if got := all[len(all)-1].Reason; got != want {
				t.Errorf("%q arrives as %q", reason, got)
			}
		}
	})
}

// TestEveryRightOfARoleHasABit: one that had none would be lost silently.
func TestEveryRightOfARoleHasABit(t *testing.T) {
	t.Parallel()
	atHeights(t, func(t *testing.T, b *bench) {
		if err := b.GrantRole("bot", "chiefs"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		name, all := "all", chat.RolePermissions()
		made, err := b.client.CreateRole(t.Context(), b.GuildID(), chat.RoleEdit{Name: &name, Permissions: &all})
		if err != nil || !slices.Equal(made.Permissions, all) {
			t.Errorf("%v, want %v: %v", made.Permissions, all, err)
		}
		for _, p := range all { // the world names them by itself
			if bit, err := fakediscord.ParsePermission(p); err != nil || !slices.ContainsFunc(b.Roles(), func(r fakediscord.Role) bool { return r.ID == made.ID && r.Permissions.Has(bit) }) {
				t.Errorf("%s: %v", p, err)
			}
		}
		bad := []chat.Permission{chat.Operator}
		if _, err := b.client.CreateRole(t.Context(), b.GuildID(), chat.RoleEdit{Name: &name, Permissions: &bad}); err == nil {
			t.Error("a role was given a right that Discord does not have")
		}
	})
}
