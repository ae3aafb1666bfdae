package chat_test

import (
	"testing"

	"discoclaw/internal/chat"
)

func TestUserRef(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"123456789012345678":      "123456789012345678",
		" <@123456789012345678> ": "123456789012345678",
		"<@!123456789012345678>":  "123456789012345678",
		"<@&123456789012345678>":  `error: "<@&123456789012345678>" is not the mention of a user (<@ID>)`,
		"<#123456789012345678>":   `error: "<#123456789012345678>" is a channel, not a user`,
		"ada":                     "ada",
		" @Ada Lovelace ":         "Ada Lovelace",
		"12":                      "12",
		"<3 cats":                 "<3 cats",
		"<@>":                     `error: "<@>" is not the mention of a user (<@ID>)`,
		" ":                       "error: empty; give a user's ID, mention or name",
		"@":                       "error: empty; give a user's ID, mention or name",
	} {
		if got := unmarshal[chat.UserRef](in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
	for ref, want := range map[chat.UserRef]chat.UserID{"123456789012345678": "123456789012345678", "ada": "", "12": ""} {
		if id := ref.ID(); id != want {
			t.Errorf("the ID of %q is %q", ref, id)
		}
	}
}

func TestRoleRef(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Mods":                   "Mods",
		" @Mods ":                "Mods",
		"@everyone":              "everyone",
		"Old Hands":              "Old Hands",
		"<@&123456789012345678>": "123456789012345678",
		"123456789012345678":     "123456789012345678",
		"":                       "error: empty; give a role's name or ID",
		"@":                      "error: empty; give a role's name or ID",
		"<@&>":                   "error: empty; give a role's name or ID",
	} {
		if got := unmarshal[chat.RoleRef](in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
}

func TestPermissionsHaveSeveralNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Manage Messages":       "Manage Messages",
		"MANAGE_MESSAGES":       "Manage Messages",
		"manageMessages":        "Manage Messages",
		"Moderate Members":      "Timeout Members",
		"timeout members":       "Timeout Members",
		"administrator":         "Administrator",
		"VIEW_CHANNEL":          "View Channel",
		"View Channels":         "View Channel",
		"create public threads": "Create Public Threads",
		"Manage Mesages":        `error: there is no permission "Manage Mesages"; did you mean "Manage Messages"?`,
		"Fly":                   `error: there is no permission "Fly"; write it as Discord's settings do, such as "Manage Messages"`,
		"":                      `error: there is no permission ""; write it as Discord's settings do, such as "Manage Messages"`,
		"Operator":              `error: there is no permission "Operator"; write it as Discord's settings do, such as "Manage Messages"`,
		"constructor":           `error: there is no permission "constructor"; write it as Discord's settings do, such as "Manage Messages"`,
	} {
		if got := permission(in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
	for _, p := range chat.RolePermissions() {
		if got := permission(string(p)); got != string(p) {
			t.Errorf("%q is read as %q", p, got)
		}
	}
}

func permission(name string) string {
	p, err := chat.RolePermission(name)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(p)
}
