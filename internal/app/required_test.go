package app

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestTheListHasWhatAnActionMayNeed, and not only what it always needs.
func TestTheListHasWhatAnActionMayNeed(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"sendMessage":        "View Channel, Send Messages, Use External Emojis",
		"threadCreate":       "View Channel, Create Public Threads, Create Private Threads, Send Messages in Threads, Manage Threads, Use External Emojis",
		"channelDelete":      "Manage Channels, Manage Threads",
		"channelPermissions": "View Channel, Manage Permissions, Administrator",
		"memberNickname":     "Change Nickname, Manage Nicknames",
		"memberList":         "Ban Members",
		"inviteList":         "Manage Server, View Channel, Manage Channels",
		"eventCreate":        "Create Events, Manage Channels, Mute Members, Move Members",
		"pollEnd":            "Read Message History, View Channel, Send Messages, Create Polls, Manage Messages",
		"modelSet":           "Operator",
		"calculate":          "",
	}
	all, err := mustCore(t, nil).Inspect.List(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if needs, listed := want[l.Type]; listed && strings.Join(l.Permissions, ", ") != needs {
			t.Errorf("%s needs %q, want %q", l.Type, l.Permissions, needs)
		}
		delete(want, l.Type)
	}
	for name := range want {
		t.Errorf("%s is not listed", name)
	}
}

// withoutField are requests without a field of which a check says that it is needed: something else can stand in its place.
var withoutField = map[string]string{
	"searchMessages query":    `{"type":"searchMessages","userId":"ada"}`,
	"searchMessages userId":   `{"type":"searchMessages","query":"x"}`,
	"fetchMessage channelId":  `{"messageId":"LINK"}`,
	"react channelId":         `{"messageId":"LINK","emoji":"👍"}`,
	"unreact channelId":       `{"messageId":"LINK","emoji":"👍"}`,
	"editMessage channelId":   `{"messageId":"LINK","content":"x"}`,
	"deleteMessage channelId": `{"messageId":"LINK"}`,
	"crosspost channelId":     `{"messageId":"LINK"}`,
	"pinMessage channelId":    `{"messageId":"LINK"}`,
	"unpinMessage channelId":  `{"messageId":"LINK"}`,
	"channelCreate private":   `{"name":"x"}`,
	"channelEdit topic":       `{"channelId":"x","name":"y"}`,
	"channelMove parent":      `{"channelId":"x","position":0}`,
	"threadEdit appliedTags":  `{"threadId":"x","archived":true}`,
	"channelPermissions role": `{"channelId":"x"}`,
	"roleEdit name":           `{"role":"x","hoist":true}`,
	"eventEdit startTime":     `{"eventId":"1","name":"x"}`,
	"eventEdit endTime":       `{"eventId":"1","name":"x"}`,
	"taskUpdate status":       `{"taskId":"ws-001","title":"x"}`,
	"cronCreate schedule":     `{"name":"x","prompt":"y","triggerType":"manual"}`,
	"cronUpdate schedule":     `{"cronId":"cron-1a2b3c4d","prompt":"y"}`,
	"remind in":               `{"text":"x","at":"2027-05-01T18:00+02:00"}`,
	"remind at":               `{"text":"x","in":"20m"}`,
}

// TestWhatIsRequiredIsRequiredInTheSchema: a model that goes by the schema must not be refused for what it left out. Fields
// that another one can stand for are listed above.
func TestWhatIsRequiredIsRequiredInTheSchema(t *testing.T) {
	t.Parallel()
	for _, a := range mustCore(t, nil).registry.All() {
		for _, example := range a.Examples() {
			var request map[string]json.RawMessage
			if err := json.Unmarshal(example, &request); err != nil {
				t.Fatal(err)
			}
			for _, f := range a.Fields() {
				given, ok := request[f.Name]
				if f.Required || !ok {
					continue
				}
				delete(request, f.Name)
				text, err := json.Marshal(request)
				request[f.Name] = given
				if err != nil {
					t.Fatal(err)
				}
				_, refused := a.Bind(text)
				if instead, listed := withoutField[a.Name+" "+f.Name]; refused != nil && listed {
					_, refused = a.Bind(json.RawMessage(strings.ReplaceAll(instead, "LINK", "https://discord.com/channels/123456789012345678/123456789012345678/123456789012345678")))
				}
				if refused != nil {
					t.Errorf("%s: %s is optional, but without it: %v", a.Name, f.Name, refused)
				}
			}
		}
	}
}
