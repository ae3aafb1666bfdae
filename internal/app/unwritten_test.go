package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// keepsNothing runs a bot whose database refuses a change. What ada says to it is told with
// the bot's last words there; crashes has it crash and begin again with a database that
// takes everything, and returns its settings file.
func keepsNothing(t *testing.T, w *discordtest.World, change, file string) (tells func(channel, text string) string, crashes func() string) {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "settings.env")
	if err := os.WriteFile(settings, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	ada, ben := string(w.UserID("ada")), string(w.UserID("ben"))
	env := inWorld(t, w, "DISCORD_ALLOW_USER_IDS="+ada+","+ben, "DISCOCLAW_OPERATOR_USER_IDS="+ada)
	out := Outside{HTTP: w.HTTP(), Runtime: script.New(), Log: t.Output(), Settings: settings}
	bot, stop := begins(t, env, out)
	bot.refuse(t, change)
	tells = func(channel, text string) string {
		w.MustSay("ada", channel, text)
		time.Sleep(10 * time.Second)
		return last(w, channel)
	}
	crashes = func() string {
		crash(bot, w, stop)
		w.Gateway().ForgetSessions()
		takesAgain(t, filepath.Join(env["DISCOCLAW_DATA_DIR"], store.FileName), change)
		_, stop = begins(t, env, out)
		time.Sleep(time.Minute)
		_, _ = stop()
		kept, err := os.ReadFile(settings)
		if err != nil {
			t.Error(err)
		}
		return string(kept)
	}
	return tells, crashes
}

// TestACommandThatCannotBeWrittenDownIsNotRunUnlessItIsHarmless: after a crash nobody would
// know that it was, and it would be run again.
func TestACommandThatCannotBeWrittenDownIsNotRunUnlessItIsHarmless(t *testing.T) {
	t.Parallel()
	const file = "OPENAI_API_KEY=sk-1\n"
	for _, change := range []string{"INSERT ON inbox", "UPDATE ON inbox"} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember ben\n")
				if _, err := w.OpenDM("ada"); err != nil {
					t.Fatal(err)
				}
				tells, crashes := keepsNothing(t, w, change, file)
				for _, tt := range []struct{ channel, text, want string }{
					{"general", "!undo", "`!undo` was " + actions.NotWritten},
					{"general", "!confirm abcdef12", actions.NotWritten},
					{"general", "!restart", actions.NotWritten},
					{"@ada", "!secret set OPENAI_API_KEY=sk-2", actions.NotWritten},
					{"@ada", "!secret unset OPENAI_API_KEY", actions.NotWritten},
					{"@ada", "!secret list", "`OPENAI_API_KEY`"},
					{"@ada", "!secret Help", "Keys that I read"},
					{"general", "!restart status", "Up for"},
					{"general", "!status", "**Status**"},
					{"general", "!health", "**Health**"},
					{"general", "!doctor", "**Check-up**"},
					{"general", "!stop", "Nothing is running."},
					{"general", "!trace", ""},
					{"general", "!why", "Usage: `!why"},
					{"general", "!help", "**Commands**"},
				} {
					got := tells(tt.channel, tt.text)
					if !strings.Contains(got, tt.want) || strings.Contains(got, actions.NotWritten) != strings.Contains(tt.want, actions.NotWritten) {
						t.Errorf("%s: %s", tt.text, got)
					}
				}
				for _, tt := range []struct{ who, line, want string }{
					{"ada", "/discoclaw undo", actions.NotWritten},
					{"ada", "/discoclaw status", "**Status**"},
					{"ben", "/discoclaw restart", "is for operators"},
				} {
					_, err := w.Run(tt.who, "general", tt.line)
					time.Sleep(10 * time.Second)
					if got := last(w, "general"); err != nil || !strings.Contains(got, tt.want) {
						t.Errorf("%s of %s: %s, %v", tt.line, tt.who, got, err)
					}
				}
				before := w.Transcript()
				kept := crashes()
				if after := w.Transcript(); after != before {
					t.Errorf("after a crash, something was said again: before\n%s\nafter\n%s", before, after)
				}
				if kept != file {
					t.Errorf("the settings are %q", kept)
				}
			})
		})
	}
}

// TestASecretForAllToReadIsDeletedAlsoIfNothingCanBeWrittenDown: that cannot wait.
func TestASecretForAllToReadIsDeletedAlsoIfNothingCanBeWrittenDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember ben\n")
		tells, crashes := keepsNothing(t, w, "INSERT ON inbox", "")
		got := tells("general", "!secret set OPENAI_API_KEY=sk-2")
		if !strings.Contains(got, "I have deleted your message") || strings.Contains(w.Transcript(), "sk-2") {
			t.Errorf("%s", w.Transcript())
		}
		crashes()
	})
}
