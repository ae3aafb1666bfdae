package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/turn/render"
)

// settled returns a bot that was started with a settings file and never went online.
func settled(t *testing.T, file string, more ...string) *Bot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.env")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := config.Read(append(more, "DISCORD_TOKEN=secret-of-the-bot", "DISCORD_ALLOW_USER_IDS=123456789012345678", "DISCOCLAW_DATA_DIR="+t.TempDir()), path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBot(env, Externals{Settings: path})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ask sends a command in a direct message, and returns the reply.
func (b *Bot) ask(t *testing.T, text string) string {
	t.Helper()
	table := b.commands()
	c, args, ok := table.Find(text)
	if !ok {
		t.Fatalf("%s is no command", text)
	}
	reply, err := table.Answer(t.Context(), c, chat.Message{ID: "1", Author: chat.User{ID: "123456789012345678"}, Place: chat.Place{Channel: "2"}}, args)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return reply
}

// TestASettingThatWouldPreventAStartIsRefused: an operator whose bot does not start could not fix
// that from Discord.
func TestASettingThatWouldPreventAStartIsRefused(t *testing.T) {
	t.Parallel()
	const file = "OPENAI_API_KEY=sk-1\nLOG_LEVEL=info # usual\n"
	for _, tt := range []struct{ text, want, file string }{
		{"!secret unset OPENAI_API_KEY", "could not start without `OPENAI_API_KEY`, so nothing was changed: no model is set up", file},
		{"!secret set OPENAI_API_KEY=", "Nothing was changed", file},
		{"!secret set LOG_LEVEL=loud", "It takes one of these: debug, info, warn, error.", file},
		{"!secret set RUNTIME_TIMEOUT_MS=soon", "How many milliseconds an answer may take in total.", file},
		{"!secret set RUNTIME_MODEL=two words", "could not start with that value", file},
		{"!secret set OPENAI_API_KEY=\"sk-2\"", "`OPENAI_API_KEY` is set", "OPENAI_API_KEY=sk-2\nLOG_LEVEL=info # usual\n"},
		{"!secret unset LOG_LEVEL", "`LOG_LEVEL` is removed", "OPENAI_API_KEY=sk-1\n"},
		{"!secret list", "`OPENAI_API_KEY`, `LOG_LEVEL`", file},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			b := settled(t, file)
			if got := b.ask(t, tt.text); !strings.Contains(got, tt.want) {
				t.Errorf("%s", got)
			}
			if data, err := os.ReadFile(b.out.Settings); err != nil || string(data) != tt.file {
				t.Errorf("the file is %q, %v", data, err)
			}
		})
	}
}

// TestABrokenSettingsFileCanBeFixedFromDiscord: a problem that the file has already is no reason to
// refuse another change.
func TestABrokenSettingsFileCanBeFixedFromDiscord(t *testing.T) {
	t.Parallel()
	b := settled(t, "OPENAI_API_KEY=sk-1\n")
	if err := os.WriteFile(b.out.Settings, []byte("LOG_LEVEL=loud\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := b.ask(t, "!secret set LOG_LEVEL=debug"); !strings.Contains(got, "`LOG_LEVEL` is set") {
		t.Errorf("%s", got)
	}
}

func TestHealthVerboseShowsNoSecrets(t *testing.T) {
	t.Parallel()
	b := settled(t, "OPENAI_API_KEY=sk-swordfish\nDISCOCLAW_BOT_NAME=sk-swordfish\nDISCOCLAW_NOBODY_READS=sk-swordfish2\n", "PATH=/bin")
	got := b.ask(t, "!health verbose")
	for _, want := range []string{"`DISCORD_TOKEN`: set", "`OPENAI_API_KEY`: set", "`DISCOCLAW_BOT_NAME`: ", "`DISCORD_ALLOW_USER_IDS`: 123456789012345678"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for _, not := range []string{"swordfish", "secret-of-the-bot", "/bin"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in\n%s", not, got)
		}
	}
}

// TestDoctorHidesAddressesFromPeopleWhoMayNotSeeSettings: the addresses are paths on this machine
// and URLs of others.
func TestDoctorHidesAddressesFromPeopleWhoMayNotSeeSettings(t *testing.T) {
	t.Parallel()
	for list, shown := range map[string]bool{"": true, "123456789012345678": true, "999999999999999999": false} {
		b := settled(t, "OPENAI_BASE_URL=https://models.internal/v1\n", "DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST="+list)
		for _, text := range []string{"!doctor", "!health doctor"} {
			reply := strings.ReplaceAll(b.ask(t, text), `\`, "")
			for _, address := range []string{b.core.dataDir, b.core.settingsFile, "models.internal"} {
				if strings.Contains(reply, address) != shown {
					t.Errorf("%s, with the list %q:\n%s", text, list, reply)
				}
			}
		}
	}
}

func TestDoctorCommandsShowTheFindings(t *testing.T) {
	t.Parallel()
	b := settled(t, "OPENAI_API_KEY=sk-1\nDISCOCLAW_DISCORD_ACTIONS_CONFIRM=off\n")
	for _, text := range []string{"!doctor", "!health doctor"} {
		got := b.ask(t, text)
		for _, want := range []string{"✅ people: the bot answers 1 person", "⚠️ approval: the bot does not ask", "❌ token: ", "actions: off: moderation"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
	}
}

// TestDoctorAnswersInOneMessage, also if more is to be said than fits: what has to be fixed comes first, and the rest is counted.
func TestDoctorAnswersInOneMessage(t *testing.T) {
	t.Parallel()
	var former strings.Builder
	for _, name := range ofTheTypeScriptVersion {
		if _, ok := config.Former(name); ok && len(config.Env{name: "1"}.Refused()) == 0 {
			former.WriteString(name + "=1\n")
		}
	}
	for _, tt := range []struct {
		name, settings string
		want           []string
		cut            bool
	}{
		{"usual settings", "OPENAI_API_KEY=sk-1\n", []string{"✅ actions: off: web"}, false},
		{"everything on, and much to say", "OPENAI_API_KEY=sk-1\nDISCOCLAW_DISCORD_ACTIONS_MODERATION=1\nDISCOCLAW_DISCORD_ACTIONS_VOICE=1\nDISCOCLAW_VOICE_ENABLED=1\nDISCOCLAW_DISCORD_ACTIONS_IMAGEGEN=1\n" +
			"DISCOCLAW_MCP_ENABLED=1\nDISCOCLAW_MCP_USER=123456789012345678\nDISCOCLAW_WEBHOOK_ENABLED=1\nDISCOCLAW_RUNTIME_TOOLS=shell\nDISCOCLAW_TAINT=off\nDISCOCLAW_DISCORD_ACTIONS_CONFIRM=off\n" +
			former.String(), []string{"⚠️ settings: ", " more; `discoclaw doctor` on my machine shows everything."}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, who := range []string{"", "999999999999999999"} {
				b := settled(t, tt.settings, "DISCOCLAW_OPERATOR_USER_IDS="+who)
				got := b.ask(t, "!doctor")
				if parts := render.Chunks(got); len(parts) != 1 {
					t.Errorf("it takes %d messages:\n%s", len(parts), got)
				}
				if who != "" {
					continue // members read plain words
				}
				if strings.Contains(got, "… and ") != tt.cut {
					t.Errorf("it is cut off: %v\n%s", !tt.cut, got)
				}
				for _, want := range tt.want {
					if !strings.Contains(got, want) {
						t.Errorf("%q is missing in\n%s", want, got)
					}
				}
			}
		})
	}
}

func TestWhatWasStoppedIsCounted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		turns, plans int
		want         string
	}{
		{0, 0, "Nothing is running."},
		{1, 0, "🛑 Stopped 1 answer."},
		{0, 2, "🛑 Stopped the work on 2 plans."},
		{2, 1, "🛑 Stopped 2 answers and the work on 1 plan."},
	} {
		if got := stopped(tt.turns, tt.plans); got != tt.want {
			t.Errorf("%d and %d: %s, want %s", tt.turns, tt.plans, got, tt.want)
		}
	}
}

// TestSecretsAreNotSetInThePlayground, whose settings file may be that of a real bot.
func TestSecretsAreNotSetInThePlayground(t *testing.T) {
	given := settled(t, "OPENAI_API_KEY=k\n")
	b, err := NewBot(given.env, Externals{Settings: given.out.Settings, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	reply := b.ask(t, "!secret set LOG_LEVEL=debug")
	if data, err := os.ReadFile(given.out.Settings); err != nil || string(data) != "OPENAI_API_KEY=k\n" || !strings.Contains(reply, "edit the settings file") {
		t.Errorf("%s: %q, %v", reply, data, err)
	}
}
