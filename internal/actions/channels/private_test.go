package channels_test

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const (
	hide     = `{"type":"channelPermissions","channelId":"staff","role":"everyone","deny":["View Channel"]}`
	putRule  = "PUT /channels/{channel}/permissions/{overwrite}"
	staffBot = "\nbot DiscoClaw: View Channel, Send Messages, Manage Roles"
	staff    = "guild disco: #general #staff\nmember ada: owner\nmember eve\nrole crew\nrole Mods: View Channel"
)

// changes are the routes of the requests that change something, since the given number of
// requests.
func (w *world) changes(since int) []string {
	var routes []string
	for _, x := range w.Requests()[since:] {
		if x.Method != "GET" {
			routes = append(routes, x.Route)
		}
	}
	return routes
}

// TestTheBotIsNotLockedOut: however a channel would be hidden from the bot, it still sees it
// afterwards, and undo leaves nothing behind.
func TestTheBotIsNotLockedOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, layout, in string
		requests         []string
	}{
		{"everyone is denied", staffBot + ", Manage Channels", hide, []string{putRule, putRule}},
		{"the bot may not manage the channel", staffBot, hide, []string{putRule, putRule}},
		{"its role is denied", staffBot + ", Manage Channels", `{"type":"channelPermissions","channelId":"staff","role":"{@DiscoClaw}","deny":["View Channel"]}`, []string{putRule, putRule}},
		{"what let its role in is cleared", staffBot + ", Manage Channels\ndeny #staff everyone: View Channel\nallow #staff crew: View Channel",
			`{"type":"channelPermissions","channelId":"staff","role":"crew","clear":["View Channel"]}`, []string{putRule, "DELETE /channels/{channel}/permissions/{overwrite}"}},
		{"everyone is denied to write", staffBot + ", Send Messages, Manage Channels", `{"type":"channelPermissions","channelId":"staff","role":"everyone","deny":["Send Messages"]}`, []string{putRule, putRule}},
		{"administrators see everything", "\nbot DiscoClaw: Administrator", hide, []string{putRule}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, staff+tt.layout, func(t *testing.T, w *world) {
				w.Must(w.GrantRole("DiscoClaw", "crew"))
				before, sent := w.must("staff").Overwrites, len(w.Requests())
				out := w.Do("ada", tt.in)[0]
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				if got := w.changes(sent); !slices.Equal(got, tt.requests) {
					t.Errorf("sent %q, want %q", got, tt.requests)
				}
				w.RequirePart("ada", `{"type":"channelInfo","channelId":"staff"}`, "Done: Name: #staff")
				w.Undo(out)
				if after := w.must("staff").Overwrites; !sameRules(before, after) {
					t.Errorf("the rules were %+v and are %+v", before, after)
				}
			})
		})
	}
}

// sameRules compares overwrites in any order.
func sameRules(a, b []fakediscord.Overwrite) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(o fakediscord.Overwrite) bool { return !slices.Contains(b, o) })
}

// TestNothingIsHiddenFromABotThatCannotStay: it refuses, and nothing has changed.
func TestNothingIsHiddenFromABotThatCannotStay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		fault          fakediscord.Fault
	}{
		{"it cannot let itself in", hide, "that would hide the channel from me, or take away what I need there, and I could not let myself in first, so nothing was changed: ", fakediscord.Fault{Match: putRule, Times: 1, Status: 403}},
		{"it let itself in for nothing", hide, "Discord refused that", fakediscord.Fault{Match: putRule, Skip: 1, Times: 1, Status: 403}},
		{"it is meant itself", `{"type":"channelPermissions","channelId":"staff","userId":"{bot}","deny":["View Channel"]}`, "that would hide the channel from me, and I could not undo it; change it in Discord", fakediscord.Fault{Match: "none"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, staff+staffBot, func(t *testing.T, w *world) {
				w.Fail(tt.fault)
				w.RequirePart("ada", tt.in, "Failed: channelPermissions: "+tt.want)
				if after := w.must("staff").Overwrites; len(after) > 0 {
					t.Errorf("the rules are %+v", after)
				}
			})
		})
	}
}

// privateLayout lets bob make channels; what a muted member may not do in the category is
// denied in each new channel too.
const privateLayout = `
guild disco: #general Staff:category
bot DiscoClaw: View Channel, Send Messages, Manage Channels
member ada: owner
member bob: makers
member mia: Mods
member eve: crew
role makers: Manage Channels
role Mods
role crew
role muted
allow Staff crew: View Channel
deny Staff muted: Send Messages
`

func TestAPrivateChannelIsMadeInOneRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"for roles", `{"type":"channelCreate","name":"plans","private":true,"roles":["mods"]}`, "Done: created <#{plans}>, private to <@&{@Mods}>, <@{bob}> and me"},
		{"for one role by its ID", `{"type":"channelCreate","name":"plans","private":true,"roles":"<@&{@Mods}>"}`, "Done: created <#{plans}>, private to <@&{@Mods}>, <@{bob}> and me"},
		{"in a category", `{"type":"channelCreate","name":"plans","private":true,"roles":["Mods"],"parent":"Staff"}`, "Done: created <#{plans}> in **Staff**, private to <@&{@Mods}>, <@{bob}> and me"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, privateLayout, func(t *testing.T, w *world) {
				sent := len(w.Requests())
				got := w.Run("bob", tt.in)[0]
				if want := w.WithIDs(tt.want); got != want {
					t.Fatalf("got %s\nwant %s", got, want)
				}
				if got := w.changes(sent); !slices.Equal(got, []string{"POST /guilds/{guild}/channels"}) {
					t.Errorf("sent %q", got)
				}
				for who, sees := range map[string]bool{"ada": true, "bob": true, "mia": true, "DiscoClaw": true, "eve": false} {
					if p, err := w.Permissions(who, "#plans"); err != nil || p != 0 != sees {
						t.Errorf("%s has %v there, %v", who, p, err)
					}
				}
				rule, there := w.rule("#plans", w.roleID("muted"), "")
				if strings.Contains(tt.in, "Staff") && (!there || rule.Deny == 0) {
					t.Error("the category's denials are lost")
				}
			})
		})
	}
}

func TestPrivateChannelsAreRefused(t *testing.T) {
	t.Parallel()
	onServer(t, privateLayout, func(t *testing.T, w *world) {
		before := w.Channels()
		w.requireEach([]example{
			{"no such role", `{"type":"channelCreate","name":"x","private":true,"roles":["Pirates"]}`, `Failed: channelCreate: there is no role "Pirates" on this server`},
			{"everyone", `{"type":"channelCreate","name":"x","private":true,"roles":["everyone"]}`, "Failed: channelCreate: a channel that everyone sees is not private; name other roles, or leave out private"},
			{"roles alone", `{"type":"channelCreate","name":"x","roles":["Mods"]}`, "Failed: channelCreate: roles are those who see a private channel; set private to true, or leave roles out"},
			{"tags of a text channel", `{"type":"channelCreate","name":"x","tags":["a"]}`, "Failed: channelCreate: only a forum has tags; set channelType to forum, or leave tags out"},
		})
		w.requireUnchanged(before)
		// Nobody gives what they do not have.
		if err := w.SetPermission("everyone", chat.ViewChannel, false); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("bob", `{"type":"channelCreate","name":"x","private":true}`, "you need *View Channel* for that")
		w.requireUnchanged(before)
	})
}

func TestAForumIsMadeWithItsTags(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.RequirePart("ada", `{"type":"channelCreate","name":"Help Desk","channelType":"forum","tags":["bug","good idea"]}`, "Done: created <#")
		forum := w.must("help-desk")
		if forum.Type != fakediscord.ForumChannel || len(forum.Tags) != 2 || forum.Tags[0].Name != "bug" || forum.Tags[1].Name != "good idea" {
			t.Errorf("made %+v", forum)
		}
		before := w.Channels()
		w.requireEach([]example{
			{"too many", `{"type":"channelCreate","name":"x","channelType":"forum","tags":[` + strings.Repeat(`"a",`, 20) + `"a"]}`, "Failed: channelCreate: tags: has 21 items, must have at most 20"},
			{"a long one", `{"type":"channelCreate","name":"x","channelType":"forum","tags":["` + strings.Repeat("a", 21) + `"]}`, "Failed: channelCreate: the tag's name has 21 characters, and Discord takes 20 at most; shorten it"},
			{"twice", `{"type":"channelCreate","name":"x","channelType":"forum","tags":["a","A"]}`, "Failed: channelCreate: the tag **A** stands there twice"},
		})
		w.requireUnchanged(before)
	})
}
