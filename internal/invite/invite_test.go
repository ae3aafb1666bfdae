package invite_test

import (
	"os"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/app"
	"discoclaw/internal/config"
	"discoclaw/internal/invite"
	"discoclaw/internal/test/golden"
)

// everything has all actions of the bot.
func everything(t *testing.T) *actions.Registry {
	t.Helper()
	d, err := app.NewDoctor(config.Env{}, app.Externals{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Registry
}

// TestPermissionTables: the rest of the page is written by hand.
func TestPermissionTables(t *testing.T) {
	const page, begin, end = "../../docs/discord-bot-setup.md", "from the code: change it there, then run make golden. -->\n", "<!-- End of what is generated. -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s does not say where the tables are", page)
	}
	made, err := tables(everything(t))
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, page, before+begin+"\n"+made+"\n"+end+after)
}

func TestBotNeedsListsActionsWithoutNeeds(t *testing.T) {
	registry := everything(t)
	for _, a := range registry.All() {
		_, listed := invite.BotNeeds[a.Name]
		if bounded := (actions.Bound{Action: a}).Bounded(); bounded && len(a.Needs) == 0 && !listed {
			t.Errorf("%s asks people for rights, but Needs does not say which: put what the bot needs for it into botNeeds", a.Name)
		}
	}
	for name := range invite.BotNeeds {
		if _, known := registry.Lookup(name); !known {
			t.Errorf("botNeeds has %s, which is no action", name)
		}
	}
}
