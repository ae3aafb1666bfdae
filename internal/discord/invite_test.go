package discord_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

func TestAGrantNamesEveryRightOnceInDiscordsOrder(t *testing.T) {
	t.Parallel()
	names, number := discord.Grant([]chat.Permission{
		chat.PinMessages, chat.SendMessages, chat.Operator, chat.ManagePermissions, chat.ManageRoles, chat.ViewChannel, chat.SendMessages,
	})
	if diff := cmp.Diff([]chat.Permission{chat.ViewChannel, chat.ManageRoles, chat.SendMessages, chat.PinMessages}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := int64(1<<10 | 1<<28 | 1<<11 | 1<<51); number != want {
		t.Errorf("the number is %d, want %d", number, want)
	}
}

func TestInviteURL(t *testing.T) {
	t.Parallel()
	const want = "https://discord.com/oauth2/authorize?client_id=123456789012345678&permissions=2251799813688320&scope=bot+applications.commands"
	if got := discord.InviteURL("123456789012345678", 1<<10|1<<11|1<<51); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestATokenBeginsWithItsApplication(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{
		"MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.secret-part":     "123456789012345678",
		"MTIzNDU2Nzg5MDEyMzQ1Njc4OQ==.Gabcde.secret":      "1234567890123456789",
		"MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.Gabcde.secret":        "1234567890123456789",
		"Bot MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.secret":      "",
		"MTIzNDU2Nzg5MDEyMzQ1Njc4":                        "",
		"MTIzNDU2Nzg5MDEyMzQ1Njc4..":                      "",
		"aGVsbG8.Gabcde.secret":                           "",
		"!!!.Gabcde.secret":                               "",
		"":                                                "",
		"hunter2":                                         "",
		"MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.secret.and.more": "",
	} {
		if got, ok := discord.ApplicationOf(token); got != want || ok != (want != "") {
			t.Errorf("%q is of %q, %v; want %q", token, got, ok, want)
		}
	}
}
