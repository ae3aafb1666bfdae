package app

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
)

// TestEveryActionAcceptsUserNames: an action with a userId takes a name, which is resolved before
// anything is checked.
func TestEveryActionAcceptsUserNames(t *testing.T) {
	t.Parallel()
	find := func(_ context.Context, _ chat.GuildID, _ chat.UserID, ref chat.UserRef) (chat.Member, error) {
		if ref != "Ada L." {
			t.Errorf("looked for %q", ref)
		}
		return chat.Member{User: chat.User{ID: "123456789012345679"}}, nil
	}
	named := 0
	for _, c := range mustCore(t, config.Env{}).registry.Categories() {
		for _, a := range c.Actions() {
			for _, f := range a.Fields() {
				if f.Name != "userId" || a.Name == "unban" { // resolves names among the banned users
					continue
				}
				named++
				var args map[string]any
				if err := json.Unmarshal(a.Examples()[0], &args); err != nil {
					t.Fatal(err)
				}
				args["userId"] = "@Ada L."
				delete(args, "role") // channelPermissions takes either
				if a.Name == "roleAdd" || a.Name == "roleRemove" {
					args["role"] = "Mods"
				}
				raw, _ := json.Marshal(args)
				b, err := a.Bind(raw)
				if err != nil {
					t.Errorf("%s: %v", raw, err)
					continue
				}
				b, err = b.WithUsers(t.Context(), actions.Call{}, find)
				text, _ := json.Marshal(b.Input)
				if err != nil || !strings.Contains(string(text), `"userId":"123456789012345679"`) {
					t.Errorf("%s becomes %s, %v", raw, text, err)
				}
			}
		}
	}
	if named < 10 {
		t.Errorf("only %d actions have a userId", named)
	}
}
