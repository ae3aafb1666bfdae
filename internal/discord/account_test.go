package discord_test

import (
	"net/http"
	"slices"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

// TestAnAdministratorLacksNothing: Discord leaves out the permissions that others imply; see permissions in
// https://discord.com/developers/docs/resources/guild#guild-object.
func TestAnAdministratorLacksNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, bits string
		want       []chat.Permission
	}{
		{"an administrator", "8", nil},
		{"somebody who may see channels", "1024", []chat.Permission{chat.SendMessages}},
		{"somebody who may do that", "3072", nil},
	} {
		c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: stubborn{http.StatusOK, `[{"id":"123456789012345678","name":"disco","permissions":"` + tt.bits + `"}]`}}})
		all, err := c.Memberships(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		if got := all[0].Lacks([]chat.Permission{chat.ViewChannel, chat.SendMessages}); !slices.Equal(got, tt.want) {
			t.Errorf("%s lacks %q, want %q", tt.name, got, tt.want)
		}
	}
}
