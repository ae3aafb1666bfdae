package discord_test

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
)

// asking calls each method that sends a REST request, by its name.
func asking(t *testing.T, b *bench) map[string]func() error {
	c, ctx, g := b.client, t.Context(), b.GuildID()
	general, ideas, help := b.ChannelID("general"), b.ChannelID("ideas"), b.ChannelID("help")
	bob, guests := b.UserID("bob"), b.roleID(t, "guests")
	soon := time.Now().Add(time.Hour)
	const message, elsewhere = "123456789012345678", "123456789012345678"
	return map[string]func() error{
		"Anybody":         func() error { return second(c.Anybody(ctx, g, bob)) },
		"ActiveThreads":   func() error { return second(c.ActiveThreads(ctx, g)) },
		"ArchivedSince":   func() error { return second(c.ArchivedSince(ctx, ideas, soon)) },
		"ArchivedThreads": func() error { return second(c.ArchivedThreads(ctx, general, 5)) },
		"AuditLog":        func() error { return second(c.AuditLog(ctx, g, chat.AuditQuery{})) },
		"Ban":             func() error { return c.Ban(ctx, g, bob, 0, "") },
		"Banned":          func() error { return second(c.Banned(ctx, g, bob)) },
		"BulkDelete":      func() error { return c.BulkDelete(ctx, general, []chat.MessageID{message, "2"}) },
		"ChannelByID":     func() error { return second(c.ChannelByID(ctx, elsewhere)) },
		"ChannelInvites":  func() error { return second(c.ChannelInvites(ctx, general)) },
		"ChannelWebhooks": func() error { return second(c.ChannelWebhooks(ctx, general)) },
		"CreateChannel":   func() error { return second(c.CreateChannel(ctx, g, chat.NewChannel{Name: "x"})) },
		"CreateEvent": func() error {
			return second(c.CreateEvent(ctx, g, chat.NewEvent{Name: "x", Location: "y", Start: soon, End: soon.Add(time.Hour)}))
		},
		"CreateInvite":   func() error { return second(c.CreateInvite(ctx, general, chat.NewInvite{})) },
		"CreateRole":     func() error { return second(c.CreateRole(ctx, g, chat.RoleEdit{Name: new("x")})) },
		"CreateTag":      func() error { return second(c.CreateTag(ctx, ideas, chat.Tag{Name: "x"})) },
		"ChangeThread":   func() error { return second(c.ChangeThread(ctx, help, chat.ThreadEdit{Name: new("x")})) },
		"Crosspost":      func() error { return c.Crosspost(ctx, general, message) },
		"Delete":         func() error { return c.Delete(ctx, general, message) },
		"DeleteChannel":  func() error { return c.DeleteChannel(ctx, general) },
		"DeleteEvent":    func() error { return c.DeleteEvent(ctx, g, chat.Event{ID: "1"}) },
		"DeleteRole":     func() error { return c.DeleteRole(ctx, g, guests) },
		"DeleteTag":      func() error { return second(c.DeleteTag(ctx, ideas, "bug")) },
		"MessagesAfter":  func() error { return second(c.MessagesAfter(ctx, chat.Place{Guild: g, Channel: general}, 5)) },
		"MessagesBefore": func() error { return second(c.MessagesBefore(ctx, chat.Place{Guild: g, Channel: general}, 5)) },
		"Edit":           func() error { return c.Edit(ctx, general, message, chat.Outgoing{Text: "x"}) },
		"Replace":        func() error { return c.Replace(ctx, general, message, chat.Outgoing{Text: "x"}) },
		"EndPoll":        func() error { return second(c.EndPoll(ctx, general, message)) },
		"EditChannel":    func() error { return second(c.EditChannel(ctx, general, chat.ChannelEdit{Name: new("x")})) },
		"EditEvent": func() error {
			return second(c.EditEvent(ctx, g, chat.Event{ID: "1", Location: "y"}, chat.EventEdit{Name: new("x")}))
		},
		"EditOverwrite": func() error {
			_, err := c.EditOverwrite(ctx, g, general, chat.OverwriteEdit{Role: guests, Deny: []chat.Permission{chat.SendMessages}})
			return err
		},
		"EditRole": func() error { return second(c.EditRole(ctx, g, guests, chat.RoleEdit{Name: new("x")})) },
		"EditTag": func() error {
			_, _, err := c.EditTag(ctx, ideas, "bug", chat.TagEdit{Name: new("x")})
			return err
		},
		"EditThread":   func() error { _, _, err := c.EditThread(ctx, help, chat.ThreadEdit{Name: new("x")}); return err },
		"Emojis":       func() error { return second(c.Emojis(ctx, g)) },
		"Event":        func() error { return second(c.Event(ctx, g, "1")) },
		"Events":       func() error { return second(c.Events(ctx, g)) },
		"GiveRole":     func() error { return c.GiveRole(ctx, g, bob, guests) },
		"HistoryPage":  func() error { _, _, err := c.HistoryPage(ctx, general, ""); return err },
		"Invites":      func() error { return second(c.Invites(ctx, g)) },
		"AddToThread":  func() error { return c.AddToThread(ctx, help, bob) },
		"JoinThread":   func() error { return c.JoinThread(ctx, help) },
		"Kick":         func() error { return c.Kick(ctx, g, bob, "") },
		"LatestOwn":    func() error { return second(c.LatestOwn(ctx, general)) },
		"LiftTimeout":  func() error { return second(c.LiftTimeout(ctx, g, bob, "")) },
		"Member":       func() error { return second(c.Member(ctx, g, bob)) },
		"Members":      func() error { return second(c.Members(ctx, g, "", 5)) },
		"MembersNamed": func() error { return second(c.MembersNamed(ctx, g, "bob", 5)) },
		"Message":      func() error { return second(c.Message(ctx, general, message)) },
		"Messages":     func() error { return second(c.Messages(ctx, general, "", 5)) },
		"MissingPermissions": func() error {
			return second(c.MissingPermissions(ctx, g, bob, "", []chat.Permission{chat.KickMembers}))
		},
		"MoveChannel": func() error { return c.MoveChannel(ctx, g, general, nil, new(0)) },
		"MoveRole":    func() error { return second(c.MoveRole(ctx, g, guests, b.roleID(t, "DiscoClaw"))) },
		"Outranks":    func() error { return second(c.Outranks(ctx, g, bob, "", guests)) },
		"Pin":         func() error { return c.Pin(ctx, general, message) },
		"Pins":        func() error { return second(c.Pins(ctx, general)) },
		"BannedUser":  func() error { return second(c.BannedUser(ctx, g, "bob")) },
		"FindMembers": func() error { return second(c.FindMembers(ctx, g, chat.MemberQuery{Role: guests, Limit: 5})) },
		"User":        func() error { return second(c.User(ctx, g, bob, "eve")) },
		"FindOwn":     func() error { return second(c.FindOwn(ctx, general, time.Now(), chat.Outgoing{Text: "x"})) },
		"React":       func() error { return c.React(ctx, general, message, "👍") },
		"Reactors":    func() error { return second(c.Reactors(ctx, general, message, "👍")) },
		"RoleCounts":  func() error { return second(c.RoleCounts(ctx, g)) },
		"Send":        func() error { return second(c.Send(ctx, general, chat.Outgoing{Text: "x"})) },
		"SendPoll": func() error {
			return second(c.SendPoll(ctx, general, chat.Poll{Question: "x", Answers: []string{"y"}, Duration: time.Hour}))
		},
		"SetPinned":          func() error { return second(c.SetPinned(ctx, b.ChannelID("plan"), true)) },
		"SetArchived":        func() error { return second(c.SetArchived(ctx, help, true)) },
		"SetNickname":        func() error { return c.SetNickname(ctx, g, bob, "x", "") },
		"StartPost":          func() error { _, _, err := c.StartPost(ctx, ideas, "x", "y", nil, 0); return err },
		"StartPrivateThread": func() error { return second(c.StartPrivateThread(ctx, general, "x", 0)) },
		"StartThread":        func() error { return second(c.StartThread(ctx, general, "", "x", 0)) },
		"TakeName":           func() error { return c.TakeName(ctx, "x") },
		"TakeRole":           func() error { return c.TakeRole(ctx, g, bob, guests) },
		"TimeOut":            func() error { return c.TimeOut(ctx, g, bob, time.Hour, "") },
		"Unban":              func() error { return c.Unban(ctx, g, bob, "") },
		"Unpin":              func() error { return c.Unpin(ctx, general, message) },
		"Unreact":            func() error { return c.Unreact(ctx, general, message, "👍") },
		"Webhooks":           func() error { return second(c.Webhooks(ctx, g)) },
	}
}

// notAsking are the other methods: they read the cache, use the gateway, answer an
// interaction, change the bot's own menu, open direct messages, or ask about the bot itself, which needs no permission. Those that resolve a
// channel send the requests of ChannelByID, and SearchMessages sends none about channels that the bot
// may not read.
const notAsking = " AnyChannel Enterable GuildPending Category Channel ChannelAnywhere Channels ChosenNames Close Counting JoinVoice KnownToLack LeaveVoice Live Now OpenedThread Others Overwrites Pace LastMessage LastMessages OpenDirect Paused Presence Public Readable Role RoleOpens Roles Run SearchMessages Self ServerName Servers SetPresence Sparing Succeeded Surroundings Viewers" +
	" CheckOwn Tag Tags Thread UploadLimit VoiceChannel VoiceServer VoiceState RespondEphemeral" +
	" Application ApplicationID Memberships Undescribed" +
	" Acknowledge OfferMenu Respond FollowUp ShowForm Suggest WithdrawMenu WithoutGone "

// A closedDoor refuses requests with a code, except lookups of a known channel, which some methods
// do first.
type closedDoor struct {
	next    http.RoundTripper
	code    int // 0 refuses nothing
	refused int
}

var lookup = regexp.MustCompile(`/channels/1[^/]*$`)

func (d *closedDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	known := r.Method == http.MethodGet && lookup.MatchString(r.URL.Path) && !strings.HasSuffix(r.URL.Path, "/123456789012345678")
	if d.code == 0 || known {
		return d.next.RoundTrip(r)
	}
	d.refused++
	return stubborn{http.StatusForbidden, fmt.Sprintf(`{"code":%d,"message":"Missing"}`, d.code)}.RoundTrip(r)
}

var (
	namesPermission = regexp.MustCompile(`(?:\*|“)[A-Z][A-Za-z ]+(?:\*|”)`)
	namesPlace      = regexp.MustCompile(`Server Settings → Roles|Edit Channel → Permissions|Privileged Gateway Intents`)
)

// TestEveryRefusalNamesAPermissionAndThePlace, so that people know what to grant and where. The
// bot has all permissions in the cache, or next to none.
func TestEveryRefusalNamesAPermissionAndThePlace(t *testing.T) {
	t.Parallel()
	for what, code := range map[string]int{"Missing Permissions": 50013, "Missing Access": 50001} {
		for _, rights := range []string{"Administrator", "View Channel"} {
			t.Run(what+" with "+rights, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { atTheDoor(t, rights, code) })
			})
		}
	}
}

func atTheDoor(t *testing.T, rights string, code int) {
	w := discordtest.New(t, `
guild disco: #general ideas:forum
tag bug in ideas
post "plan" in ideas: x
thread "help" in #general
role guests: View Channel
member bob: guests
role @everyone: View Channel
bot DiscoClaw: `+rights)
	door := &closedDoor{next: w.HTTP().Transport}
	b := &bench{World: w, heard: &recorder{}, client: discord.New(discord.Options{
		Token: w.Token(), APIURL: w.APIURL(), HTTP: &http.Client{Transport: door},
	})}
	b.login(t)
	door.code = code
	calls := asking(t, b)
	for method := range reflect.TypeFor[*discord.Client]().Methods() {
		call, listed := calls[method.Name]
		if !listed {
			if !strings.Contains(notAsking, " "+method.Name+" ") {
				t.Errorf("%s is on neither list: say how to call it, or that it sends no request", method.Name)
			}
			continue
		}
		before := door.refused
		err := call()
		switch {
		case err == nil || door.refused == before:
			t.Errorf("%s was not refused: %v", method.Name, err)
		case !namesPermission.MatchString(chat.ForOperators(err).Error()) || !namesPlace.MatchString(chat.ForOperators(err).Error()):
			t.Errorf("%s: the sentence names no permission or no place: %v", method.Name, err)
		}
	}
}
