package app

import (
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/config"
	"discoclaw/internal/invite"
)

// inviteWorld has an object for every action. The permissions of the bot's role follow in each
// test; those of others make no difference, because the owner asks.
const inviteWorld = `
guild disco: #general #ops news:announcement ideas:forum Lounge:voice
category Projects: #plans
tag bug in ideas
thread "help" in #ops
role @everyone: Use Activities
role guests: Use Activities
member ada: owner
member bob: guests
bot DiscoClaw: `

// inviteRequests are requests of actions for which Discord requires permissions of the bot. Some
// need another request first.
var inviteRequests = map[string][]string{
	"sendMessage":        {tried("sendMessage")},
	"sendFile":           {tried("sendFile")},
	"react":              {tried("react")},
	"readMessages":       {tried("readMessages")},
	"fetchMessage":       {tried("fetchMessage")},
	"deleteMessage":      {tried("deleteMessage")},
	"bulkDelete":         {tried("bulkDelete")},
	"threadCreate":       {tried("threadCreate"), `{"type":"threadCreate","channelId":"ideas","name":"x","content":"y"}`, `{"type":"threadCreate","channelId":"ops","name":"x","private":true,"members":["{ada}"]}`},
	"pinMessage":         {tried("pinMessage")},
	"unpinMessage":       {tried("unpinMessage")},
	"listPins":           {tried("listPins")},
	"crosspost":          {`{"type":"sendMessage","channel":"news","content":"x"}`, `{"type":"crosspost","channelId":"news","messageId":"last"}`},
	"editMessage":        {tried("sendMessage"), `{"type":"editMessage","channelId":"ops","messageId":"last","content":"y"}`},
	"channelList":        {`{"type":"channelList"}`},
	"channelInfo":        {`{"type":"channelInfo","channelId":"ops"}`},
	"channelCreate":      {`{"type":"channelCreate","name":"x","parent":"Projects"}`},
	"categoryCreate":     {`{"type":"categoryCreate","name":"x"}`},
	"channelEdit":        {`{"type":"channelEdit","channelId":"ops","topic":"x"}`},
	"channelMove":        {`{"type":"channelMove","channelId":"ops","parent":"Projects"}`},
	"channelDelete":      {`{"type":"channelDelete","channelId":"plans"}`},
	"threadListArchived": {`{"type":"threadListArchived","channelId":"ops"}`},
	"threadEdit":         {`{"type":"threadEdit","threadId":"help","name":"x"}`},
	"forumTagList":       {`{"type":"forumTagList","channelId":"ideas"}`},
	"forumTagCreate":     {`{"type":"forumTagCreate","channelId":"ideas","name":"x"}`},
	"forumTagEdit":       {`{"type":"forumTagEdit","channelId":"ideas","tagId":"bug","name":"x"}`},
	"forumTagDelete":     {`{"type":"forumTagDelete","channelId":"ideas","tagId":"bug"}`},
	"channelPermissions": {`{"type":"channelPermissions","channelId":"ops","role":"guests","allow":["Send Messages"]}`},
	"webhookList":        {`{"type":"webhookList"}`},
	"memberInfo":         {`{"type":"memberInfo","userId":"{bob}"}`},
	"memberList":         {`{"type":"memberList"}`},
	"memberNickname":     {`{"type":"memberNickname","userId":"{bob}","nickname":"x"}`, `{"type":"memberNickname","userId":"{bot}","nickname":"x"}`},
	"roleInfo":           {`{"type":"roleInfo"}`},
	"roleCreate":         {`{"type":"roleCreate","name":"x"}`},
	"roleEdit":           {`{"type":"roleEdit","role":"guests","name":"x"}`},
	"roleAdd":            {`{"type":"roleAdd","userId":"{ada}","role":"guests"}`},
	"roleRemove":         {`{"type":"roleRemove","userId":"{bob}","role":"guests"}`},
	"roleDelete":         {`{"type":"roleDelete","role":"guests"}`},
	"timeout":            {`{"type":"timeout","userId":"{bob}"}`},
	"untimeout":          {`{"type":"timeout","userId":"{bob}"}`, `{"type":"untimeout","userId":"{bob}"}`},
	"kick":               {`{"type":"kick","userId":"{bob}"}`},
	"ban":                {`{"type":"ban","userId":"{bob}"}`},
	"unban":              {`{"type":"ban","userId":"{bob}"}`, `{"type":"unban","userId":"{bob}"}`},
	"searchMessages":     {`{"type":"searchMessages","query":"a message","channel":"ops"}`},
	"emojiList":          {`{"type":"emojiList"}`},
	"eventList":          {`{"type":"eventList"}`},
	"eventCreate":        {`{"type":"eventCreate","name":"x","startTime":"2100-05-01T18:00:00Z","location":"y"}`},
	"inviteCreate":       {`{"type":"inviteCreate","channel":"ops"}`},
	"inviteList":         {`{"type":"inviteList"}`, `{"type":"inviteList","channel":"ops"}`},
	"auditLog":           {`{"type":"auditLog"}`},
	"poll":               {`{"type":"poll","channel":"ops","question":"x?","answers":["y","z"]}`},
	"botSetNickname":     {`{"type":"botSetNickname","nickname":"x"}`},
}

// TestInvitedPermissionsAreEnoughForEachAction: the bot's role has exactly what an action is said
// to need, and invite.ToTalk. The fake refuses everything else.
func TestInvitedPermissionsAreEnoughForEachAction(t *testing.T) {
	core := mustCore(t, config.Env{})
	for name, requests := range inviteRequests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, known := core.registry.Lookup(name)
			if !known {
				t.Fatal("there is no such action")
			}
			var rights []string
			for _, p := range append(invite.Needs(a), invite.ToTalk...) {
				rights = append(rights, string(p))
			}
			for _, line := range byOwner(t, inviteWorld+strings.Join(rights, ", "), requests...) {
				if strings.HasPrefix(line, "Failed: ") {
					t.Errorf("with %s: %s", strings.Join(rights, ", "), line)
				}
			}
		})
	}
}

// byOwner runs several actions of one reply for the owner. {m} is the ID of a message in #ops, and
// {ada}, {bob} and {bot} are the IDs of users.
func byOwner(t *testing.T, layout string, payloads ...string) (lines []string) {
	t.Helper()
	inCourtOf(t, layout, func(c *court) {
		ids := strings.NewReplacer("{m}", string(c.said), "{ada}", string(c.UserID("ada")), "{bob}", string(c.UserID("bob")), "{bot}", string(c.core.discord.Self().ID))
		var requests []actions.Request
		for _, payload := range payloads {
			requests = append(requests, actions.Request{Type: typeOf.FindStringSubmatch(payload)[1], Args: []byte(ids.Replace(payload))})
		}
		lines = c.tryAll(c.from("ada"), requests...)
	})
	return lines
}
