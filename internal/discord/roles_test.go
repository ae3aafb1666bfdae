package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

// TestMovedRolesShareThePositionsThatThereAre: the bot cannot give others to roles above its own. Roles that were made since have the
// same position, and those above them make room.
func TestMovedRolesShareThePositionsThatThereAre(t *testing.T) {
	t.Parallel()
	offTheAir(t, "guild disco: #general\nrole a\nrole gone\nrole b\nrole c\nmember ada: owner\nbot DiscoClaw: Administrator", func(t *testing.T, b *bench) {
		ctx, g := t.Context(), b.GuildID()
		id := func(name string) chat.RoleID {
			r, err := b.client.Role(ctx, g, chat.RoleRef(name))
			if err != nil {
				t.Fatal(err)
			}
			return r.ID
		}
		require := func(name, above string, want ...any) {
			t.Helper()
			before := len(b.Requests())
			moved, err := b.client.MoveRole(ctx, g, id(name), id(above))
			if err != nil || moved != (len(want) > 0) {
				t.Fatalf("%s above %s: %v, %v", name, above, moved, err)
			}
			got := ""
			for _, r := range b.Requests()[before:] {
				got += string(r.Request)
			}
			var places []string
			for i := 0; i < len(want); i += 2 {
				places = append(places, fmt.Sprintf(`{"id":"%s","position":%d}`, id(want[i].(string)), want[i+1]))
			}
			text := ""
			if len(places) > 0 {
				text = "[" + strings.Join(places, ",") + "]"
			}
			if got != text {
				t.Errorf("%s above %s: sent %s, want %s", name, above, got, text)
			}
		}
		if err := b.client.DeleteRole(ctx, g, id("gone")); err != nil {
			t.Fatal(err)
		}
		require("b", "a") // it is there
		require("a", "b", "b", 1, "a", 3)
		require("c", "everyone", "c", 1, "b", 2, "a", 3) // Discord has closed the gap
		if _, err := b.client.CreateRole(ctx, g, chat.RoleEdit{Name: new("new")}); err != nil {
			t.Fatal(err)
		}
		require("new", "c", "new", 2, "b", 3, "a", 4, "DiscoClaw", 5)
	})
}
