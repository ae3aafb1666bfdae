package userapi_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
)

func TestSlashCommandsAreListed(t *testing.T) {
	bubble(t, village, func(r *rig) {
		dm, err := r.OpenDM("bob")
		if err != nil {
			t.Fatal(err)
		}
		offered := func(channel chat.ChannelID) any {
			return r.send("GET", "/api/channels/"+string(channel)+"/commands?as=bob", "").want(200)["commands"]
		}
		a := r.ChannelID("a")
		if got := offered(a).([]any); len(got) > 0 {
			t.Errorf("before the bot said so, it offers %v", got)
		}
		r.bot("POST", "/applications/"+string(r.UserID("bot"))+"/commands", map[string]any{
			"name": "bot", "description": "All of it.", "contexts": []int{0}, "options": []any{
				map[string]any{"type": 1, "name": "stop", "description": "Stop."},
				map[string]any{"type": 1, "name": "why", "description": "Tell.", "options": []any{
					map[string]any{"type": 3, "name": "how", "description": "How long.", "required": true, "choices": []any{map[string]any{"name": "In short", "value": "short"}}},
					map[string]any{"type": 3, "name": "link", "description": "Of what.", "autocomplete": true},
				}},
			},
		})
		var want any
		if err := json.Unmarshal([]byte(`[
			{"name": "/bot stop", "summary": "Stop.", "options": []},
			{"name": "/bot why", "summary": "Tell.", "options": [
				{"name": "how", "summary": "How long.", "required": true, "suggests": false, "choices": ["short"]},
				{"name": "link", "summary": "Of what.", "required": false, "suggests": true, "choices": []}]}]`), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, offered(a)); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
		if got := offered(dm.ID).([]any); len(got) > 0 {
			t.Errorf("in a conversation with the bot, where it is of no use: %v", got)
		}
	})
}

func TestTheBotSuggestsWhileACommandIsTyped(t *testing.T) {
	bubble(t, village, func(r *rig) {
		typed := func(command string) reply {
			return r.send("POST", r.in("a", "/commands/suggestions", "bob"), `{"command":"`+command+`"}`)
		}
		r.bot("POST", "/applications/"+string(r.UserID("bot"))+"/commands", map[string]any{
			"name": "bot", "description": "All of it.", "options": []any{
				map[string]any{"type": 1, "name": "stop", "description": "Stop."},
				map[string]any{"type": 1, "name": "why", "description": "Tell.", "options": []any{map[string]any{"type": 3, "name": "link", "description": "Of what.", "autocomplete": true}}},
			},
		})
		typed("/bot dance ").refused(400, `no subcommand "dance"`)
		typed("/bot stop now").refused(400, "it takes no options")
		typed("/bot why o").refused(504, "did not answer")
		r.onPress(map[string]any{"type": 8, "data": map[string]any{"choices": []any{map[string]any{"name": "one", "value": "1"}, map[string]any{"name": "two", "value": "2"}}}})
		if diff := cmp.Diff([]any{"1", "2"}, typed("/bot why o").want(200)["suggestions"]); diff != "" {
			t.Errorf("suggestions (-want +got):\n%s", diff)
		}
	})
}

func TestPeopleUseSlashCommands(t *testing.T) {
	quiet := map[string]any{"parse": []string{}}
	bubble(t, village, func(r *rig) {
		use := func(command string) reply {
			return r.send("POST", r.in("a", "/commands", "bob"), `{"command":"`+command+`"}`)
		}
		use("/bot stop").refused(400, "there is no command bot")
		r.bot("POST", "/applications/"+string(r.UserID("bot"))+"/commands", map[string]any{
			"name": "bot", "description": "All of it.", "options": []any{map[string]any{"type": 1, "name": "stop", "description": "Stop."}},
		})
		use("/bot dance").refused(400, `no subcommand "dance"`)
		use("").refused(400, "there is no command")
		use("/bot stop").refused(504, "did not answer")
		r.onPress(
			map[string]any{"type": 5, "data": map[string]any{"flags": 64, "allowed_mentions": quiet}},
			map[string]any{"content": "Stopped.", "allowed_mentions": quiet})
		if got := use("/bot stop").want(200); got["text"] != "" {
			t.Errorf("bob is told %q at once", got["text"])
		}
		synctest.Wait()
		shown := r.send("GET", r.in("a", "/messages", "bob"), "").want(200)["messages"].([]any)[0].(map[string]any)
		if shown["content"] != "Stopped." || shown["onlyYou"] != true || shown["edited"] != false || shown["system"] != "" {
			t.Errorf("bob sees %v", shown)
		}
		if others := r.send("GET", r.in("a", "/messages", "ada"), "").want(200)["messages"].([]any); len(others) > 0 {
			t.Errorf("ada sees %v", others)
		}
	})
}
