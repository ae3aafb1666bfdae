package userapi_test

import (
	"testing"
	"testing/synctest"
)

func TestPeopleUseSlashCommands(t *testing.T) {
	quiet := map[string]any{"parse": []string{}}
	bubble(t, village, func(r *rig) {
		use := func(command string) reply {
			return r.send("POST", r.in("a", "/commands", "bob"), `{"command":"`+command+`"}`)
		}
		use("/bot stop").refused(400, "there is no slash command /bot")
		r.bot("POST", "/applications/"+string(r.UserID("bot"))+"/commands", map[string]any{
			"name": "bot", "description": "All of it.", "options": []any{map[string]any{"type": 1, "name": "stop", "description": "Stop."}},
		})
		use("/bot dance").refused(400, `no subcommand "dance"`)
		use("").refused(400, "no slash command")
		use("/bot stop").refused(504, "did not answer")
		r.onPress(
			map[string]any{"type": 5, "data": map[string]any{"flags": 64, "allowed_mentions": quiet}},
			map[string]any{"content": "Stopped.", "allowed_mentions": quiet})
		if got := use("/bot stop").want(200); got["text"] != "" {
			t.Errorf("bob is told %q at once", got["text"])
		}
		synctest.Wait()
		shown := r.send("GET", r.in("a", "/messages", "bob"), "").want(200)["messages"].([]any)[0].(map[string]any)
		if shown["content"] != "Stopped." || shown["onlyYou"] != true || shown["system"] != "" {
			t.Errorf("bob sees %v", shown)
		}
		if others := r.send("GET", r.in("a", "/messages", "ada"), "").want(200)["messages"].([]any); len(others) > 0 {
			t.Errorf("ada sees %v", others)
		}
	})
}
