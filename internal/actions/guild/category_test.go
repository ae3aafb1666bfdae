package guild_test

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/guild"
)

// TestEachActionNamesWhatItNeeds pins the rights that a requester must have on the server.
// Their rank is in the other tests.
func TestEachActionNamesWhatItNeeds(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"memberInfo": "", "memberList": "Ban Members", "memberNickname": "Change Nickname, Manage Nicknames",
		"roleInfo": "", "roleAdd": "Manage Roles", "roleRemove": "Manage Roles", "roleCreate": "Manage Roles",
		"roleEdit": "Manage Roles", "roleDelete": "Manage Roles",
	}
	queries := []string{"memberInfo", "memberList", "roleInfo"}
	all := guild.New(nil).Actions()
	for name, needs := range want {
		i := slices.IndexFunc(all, func(a *actions.Action) bool { return a.Name == name })
		if i < 0 {
			t.Errorf("there is no %s", name)
			continue
		}
		var got []string
		for _, p := range all[i].Permissions() {
			got = append(got, string(p))
		}
		if strings.Join(got, ", ") != needs || all[i].Destructive != (name == "roleDelete") || (all[i].Effect == actions.Queries) != slices.Contains(queries, name) {
			t.Errorf("%s needs %v, destructive %v, effect %v", name, got, all[i].Destructive, all[i].Effect)
		}
	}
}

func TestDeletingARoleNeedsApproval(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		all, _ := w.Pending("bob", `{"type":"roleDelete","role":"Guests"}`)
		if len(all) != 1 {
			t.Fatalf("held: %+v", all)
		}
		held := all[0]
		if want := w.WithIDs(`Delete the role “guests” (<@&{@guests}>), which takes it from everybody who has it.`); held.What != want {
			t.Errorf("asked: %s", held.What)
		}
		if want := w.WithIDs(`{"type":"roleDelete","role":"{@guests}"}`); string(held.Request.Args) != want {
			t.Errorf("settled: %s", held.Request.Args)
		}
		if _, there := w.role("guests"); !there {
			t.Error("it was deleted without approval")
		}
	})
}

func TestOutsideOfAServerThereAreNoMembers(t *testing.T) {
	t.Parallel()
	category := guild.New(struct{ guild.Server }{}) // which must not be called
	for _, a := range category.Actions() {
		if got := actionstest.Run(t, category, string(a.Examples()[0]))[0]; !strings.HasSuffix(got, "this works on a server only") {
			t.Error(got)
		}
	}
}
