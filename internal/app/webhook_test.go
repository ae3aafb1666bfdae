package app

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
)

// TestAPortInUse ends the start with a sentence that names the settings.
func TestAPortInUse(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	env := apptest.Env(t, discordtest.New(t, apptest.World), "DISCOCLAW_WEBHOOK_ENABLED=1", fmt.Sprint("DISCOCLAW_WEBHOOK_PORT=", other.Addr().(*net.TCPAddr).Port))
	bot, err := NewBot(env, Externals{Runtime: apptest.Talkative()})
	if err != nil {
		t.Fatal(err)
	}
	var mistake *config.Error
	if err := bot.Run(t.Context()); !errors.As(err, &mistake) || !strings.Contains(err.Error(), "address already in use") ||
		!strings.Contains(err.Error(), "set DISCOCLAW_WEBHOOK_PORT to a port that no other program uses, or DISCOCLAW_WEBHOOK_ENABLED=0") {
		t.Errorf("it ended with %v", err)
	}
}

// TestWebhooksAreOnThisMachineAlone, and off unless they are switched on and scheduled jobs are.
func TestWebhooksAreOnThisMachineAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		settings []string
		address  string
		doctor   string
		warns    bool
	}{
		{doctor: "off; DISCOCLAW_WEBHOOK_ENABLED=1"},
		{settings: []string{"DISCOCLAW_WEBHOOK_ENABLED=1"}, address: "127.0.0.1:9400", doctor: "signed requests to http://127.0.0.1:9400/webhook/"},
		{settings: []string{"DISCOCLAW_WEBHOOK_ENABLED=1", "DISCOCLAW_WEBHOOK_PORT=8123"}, address: "127.0.0.1:8123", doctor: "signed requests to http://127.0.0.1:8123/webhook/"},
		{settings: []string{"DISCOCLAW_WEBHOOK_ENABLED=1", "DISCOCLAW_CRON_ENABLED=0"}, doctor: "off; ", warns: true},
	} {
		env := apptest.Env(t, discordtest.New(t, apptest.World), tt.settings...)
		opened := ""
		bot, err := NewBot(env, Externals{Runtime: apptest.Talkative(), Listen: func(address string) (net.Listener, error) {
			opened = address
			return nil, errors.New("seen")
		}})
		if err != nil {
			t.Fatal(err)
		}
		if l, err := bot.core.listen(bot.out.openPort); (err != nil) != (tt.address != "") || l != nil || opened != tt.address {
			t.Errorf("%q: listens on %q, want %q: %v", tt.settings, opened, tt.address, err)
		}
		if f := bot.core.jobs.Check(t.Context())[0]; !strings.Contains(f.State, tt.doctor) {
			t.Errorf("%q: doctor says %q", tt.settings, f.State)
		}
		if warns := slices.ContainsFunc(bot.Warnings(), func(w string) bool { return strings.HasPrefix(w, "DISCOCLAW_WEBHOOK_ENABLED") }); warns != tt.warns {
			t.Errorf("%q: warnings %q", tt.settings, bot.Warnings())
		}
	}
}
