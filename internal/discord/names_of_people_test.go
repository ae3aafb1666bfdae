package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/test/skip"
)

// crowd has members whose names are alike in all ways that people find.
const crowd = `
guild disco: #general
role Mods: Kick Members
role 🎮 Gamers: View Channel
member ada: owner
member bob: Mods
member eve
member kim
member lena
member zed
stranger max
bot DiscoClaw
`

// inACrowd gives some of them other names.
func inACrowd(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	onBench(t, crowd, func(t *testing.T, b *bench) {
		for _, err := range []error{
			b.SetNick("bob", "✨ Captain ✨"),
			b.SetDisplayName("kim", "Kimberly"),
			b.SetNick("kim", "K."),
			b.SetDisplayName("eve", "Lena"),
			b.SetNick("zed", "ADA"),
			b.RemoveMember("max"),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		test(t, b)
	})
}

// found returns who a reference of ada's means, or why nobody, with names for IDs.
func (b *bench) found(t *testing.T, ref string) string {
	t.Helper()
	m, err := b.client.User(t.Context(), b.GuildID(), b.UserID("ada"), chat.UserRef(ref))
	text := string(m.ID)
	if err != nil {
		text = err.Error()
	}
	for _, m := range b.Members() {
		text = strings.ReplaceAll(text, string(m.ID), m.Name)
	}
	return text
}

func TestUsersAreFoundByName(t *testing.T) {
	t.Parallel()
	inACrowd(t, func(t *testing.T, b *bench) {
		const joined = "joined <t:1772452800:d>"
		for ref, want := range map[string]string{
			string(b.UserID("bob")): "bob",
			"BOB":                   "bob",
			"✨ captain ✨":           "bob",
			"Captain":               "bob",
			"k.":                    "kim",
			"kimberly":              "kim",
			"Kim":                   "kim",
			"discoclaw":             "DiscoClaw",
			"captan":                "I can't find a member called \"captan\"; there is <@bob> (`bob`)",
			"nobody":                `I can't find a member called "nobody"`,
			"max":                   `I can't find a member called "max"`,
			"✨":                     `I can't find a member called "✨"`,
			"123456789012345678":    "<@123456789012345678> is not a member of this server",
			// A user name and another's nickname, and a user name and another's display name, by which Discord does not search.
			"ada":  "which ada, <@ada> (`ada`; no roles; " + joined + ") or <@zed> (`zed`; no roles; " + joined + ")? Give one of these mentions",
			"LENA": "which LENA, <@eve> (`eve`; no roles; " + joined + ") or <@lena> (`lena`; no roles; " + joined + ")? Give one of these mentions",
		} {
			if got := b.found(t, ref); got != want {
				t.Errorf("%q:\n got %s\nwant %s", ref, got, want)
			}
		}
		if _, err := b.client.User(t.Context(), b.GuildID(), b.UserID("max"), "bob"); err == nil || strings.Contains(err.Error(), "bob") {
			t.Errorf("a stranger is told: %v", err)
		}
		if _, err := b.client.User(t.Context(), "", b.UserID("ada"), "bob"); err == nil || !strings.Contains(err.Error(), "on a server") {
			t.Errorf("without a server: %v", err)
		}
	})
}

// TestANameIsNeverAnID, nor an ID a name: a member who calls themselves like one is not meant by it.
func TestANameIsNeverAnID(t *testing.T) {
	t.Parallel()
	inACrowd(t, func(t *testing.T, b *bench) {
		if err := b.SetNick("eve", "123456789012345678"); err != nil {
			t.Fatal(err)
		}
		if got := b.found(t, "123456789012345678"); got != "<@123456789012345678> is not a member of this server" {
			t.Error(got)
		}
		name := "987654321098765432"
		if _, err := b.client.CreateRole(t.Context(), b.GuildID(), chat.RoleEdit{Name: &name}); err != nil {
			t.Fatal(err)
		}
		if r, err := b.client.Role(t.Context(), b.GuildID(), chat.RoleRef(name)); err == nil {
			t.Errorf("the ID of no role is %+v", r)
		}
		if r, err := b.client.Role(t.Context(), b.GuildID(), "gamers"); err != nil || r.Name != "🎮 Gamers" {
			t.Errorf("gamers: %+v, %v", r, err)
		}
	})
}

// TestDecoratedTwinsAreAmbiguous: what is meant is not guessed.
func TestDecoratedTwinsAreAmbiguous(t *testing.T) {
	t.Parallel()
	inACrowd(t, func(t *testing.T, b *bench) {
		if err := b.SetNick("eve", "captain!"); err != nil {
			t.Fatal(err)
		}
		if got, want := b.found(t, "Captain"), "which Captain, <@bob> (`bob`; Mods; joined "; !strings.HasPrefix(got, want) || !strings.Contains(got, ") or <@eve> (`eve`; no roles; joined ") {
			t.Error(got)
		}
	})
}

// TestNamesWithoutTheMemberList are found by Discord's search, as far as they begin like that.
func TestNamesWithoutTheMemberList(t *testing.T) {
	t.Parallel()
	inACrowd(t, func(t *testing.T, b *bench) {
		b.WithoutMemberList()
		for ref, want := range map[string]string{
			"bob":     "bob",
			"k":       "kim", // K. by its letters
			"captain": `I can't find a member called "captain"`,
		} {
			if got := b.found(t, ref); got != want {
				t.Errorf("%q: %s, want %s", ref, got, want)
			}
		}
		if got := b.found(t, "ada"); !strings.HasPrefix(got, "which ada, ") {
			t.Error(got)
		}
		_, err := b.client.FindMembers(t.Context(), b.GuildID(), chat.MemberQuery{Role: b.roleID(t, "Mods"), Limit: 5})
		if err == nil || strings.Contains(err.Error(), "Intent") || !strings.Contains(chat.ForOperators(err).Error(), "switch the “Server Members Intent” on") {
			t.Errorf("the members of a role: %v", err)
		}
		page, err := b.client.FindMembers(t.Context(), b.GuildID(), chat.MemberQuery{Name: "k", Limit: 5})
		if err != nil || len(page.Members) != 1 || page.Lacking == "" {
			t.Errorf("by name: %+v, %v", page, err)
		}
	})
}

// TestMembersOfALargeServer are listed in at most ten requests, once for all names in a reply.
func TestMembersOfALargeServer(t *testing.T) {
	skip.UnderRace(t, "it is the client of the other tests, with many members")
	t.Parallel()
	var layout strings.Builder
	layout.WriteString("guild disco: #general\nrole Few\nmember ada: owner\nbot DiscoClaw\n")
	for i := range 10_100 {
		fmt.Fprintf(&layout, "member m%05d\n", i)
	}
	onBench(t, layout.String(), func(t *testing.T, b *bench) {
		for _, name := range []string{"m00001", "m05000", "m10099"} {
			if err := b.GrantRole(name, "Few"); err != nil {
				t.Fatal(err)
			}
		}
		before := len(b.Requests())
		for _, name := range []string{"m00007", "m10098"} { // the second is beyond what is listed
			if got := b.found(t, name); got != name {
				t.Error(got)
			}
		}
		if n := len(b.Requests()) - before; n > 14 { // ada, ten pages, and a search for each
			t.Errorf("%d requests", n)
		}
		page, err := b.client.FindMembers(t.Context(), b.GuildID(), chat.MemberQuery{Role: b.roleID(t, "Few"), Limit: 1})
		if err != nil || page.Total != 2 || !page.More || page.Members[0].Name != "m00001" || page.Lacking != "only the first 10000 members were looked at" {
			t.Errorf("%+v, %v", page, err)
		}
		page, err = b.client.FindMembers(t.Context(), b.GuildID(), chat.MemberQuery{Role: b.roleID(t, "Few"), After: page.Members[0].ID, Limit: 1})
		if err != nil || page.More || len(page.Members) != 1 || page.Members[0].Name != "m05000" {
			t.Errorf("the next page: %+v, %v", page, err)
		}
		time.Sleep(11 * time.Second)
		if before = len(b.Requests()); b.found(t, "m00007") != "m00007" || len(b.Requests()) == before {
			t.Error("the list is kept for longer than members are")
		}
	})
}

// TestAChangeByTheBotIsListed at once.
func TestAChangeByTheBotIsListed(t *testing.T) {
	t.Parallel()
	inACrowd(t, func(t *testing.T, b *bench) {
		mods := b.roleID(t, "Mods")
		count := func() int {
			page, err := b.client.FindMembers(t.Context(), b.GuildID(), chat.MemberQuery{Role: mods, Limit: 5})
			if err != nil {
				t.Fatal(err)
			}
			return page.Total
		}
		before := count()
		if err := b.client.GiveRole(t.Context(), b.GuildID(), b.UserID("eve"), mods); err != nil {
			t.Fatal(err)
		}
		if before != 1 || count() != 2 {
			t.Errorf("%d mods, and then %d", before, count())
		}
	})
}

func TestBannedUsersAreFoundByName(t *testing.T) {
	t.Parallel()
	inACrowd(t, func(t *testing.T, b *bench) {
		for _, name := range []string{"eve", "lena"} {
			if err := b.client.Ban(t.Context(), b.GuildID(), b.UserID(name), 0, ""); err != nil {
				t.Fatal(err)
			}
		}
		eve, lena := string(b.UserID("eve")), string(b.UserID("lena"))
		for ref, want := range map[string]string{
			"EVE":  eve,
			eve:    eve,
			"bob":  `nobody called "bob" is banned`,
			"lena": "2 users called \"lena\" are banned: <@" + eve + "> (`eve`), <@" + lena + "> (`lena`). Give one of these mentions",
		} {
			u, err := b.client.BannedUser(t.Context(), b.GuildID(), chat.BannedRef(ref))
			got := string(u.ID)
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%q:\n got %s\nwant %s", ref, got, want)
			}
		}
	})
}
