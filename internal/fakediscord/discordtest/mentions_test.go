package discordtest_test

import (
	"testing"

	"discoclaw/internal/fakediscord/discordtest"
)

func TestPossibleMentionsFailTheTest(t *testing.T) {
	for name, tt := range map[string]struct {
		path, body string
		fails      bool
	}{
		"closed":          {"messages", `{"content":"@everyone","allowed_mentions":{"parse":[]}}`, false},
		"not said":        {"messages", `{"content":"hi"}`, true},
		"open":            {"messages", `{"content":"hi","allowed_mentions":{"parse":["everyone"]}}`, true},
		"one person":      {"messages", `{"content":"hi","allowed_mentions":{"parse":[],"users":["123456789012345678"]}}`, true},
		"who is answered": {"messages", `{"content":"hi","allowed_mentions":{"parse":[],"replied_user":true}}`, true},
		"a post":          {"threads", `{"name":"x","message":{"content":"hi"}}`, true},
		"a closed post":   {"threads", `{"name":"x","message":{"content":"hi","allowed_mentions":{"parse":[]}}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noted := &witness{T: t} // the description of the API covers some of these
			w := discordtest.New(noted, "guild disco: #general ideas:forum\nbot DiscoClaw: Administrator")
			channel := "general"
			if tt.path == "threads" {
				channel = "ideas"
			}
			send(t, w, "POST", "/channels/"+string(w.ChannelID(channel))+"/"+tt.path, tt.body)
			seen := &witness{T: t}
			w.RequireNoMentions(seen)
			if failed := seen.end() != ""; failed != tt.fails {
				t.Errorf("failed = %v", failed)
			}
			noted.end()
		})
	}
}
