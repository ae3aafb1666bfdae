package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
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
	env := apptest.Env(t, w, "DISCORD_ALLOW_USER_IDS="+ada+","+ben, "DISCOCLAW_OPERATOR_USER_IDS="+ada)
	out := Outside{HTTP: w.HTTP(), Runtime: script.New(), Log: t.Output(), Settings: settings}
	bot, stop := begins(t, env, out)
	bot.refuse(t, change)
	tells = func(channel, text string) string {
		w.MustSay("ada", channel, text)
		time.Sleep(10 * time.Second)
		return apptest.Last(w, channel)
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

// TestACommandThatCannotBeWrittenDownIsNotRun: after a crash nobody would know that it was, and
// it would be run again.
func TestACommandThatCannotBeWrittenDownIsNotRun(t *testing.T) {
	t.Parallel()
	const file = "OPENAI_API_KEY=sk-1\n"
	const refused = "so I cannot start anything safely."
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #ops\nmember ada: owner\nmember ben\n")
		if _, err := w.OpenDM("ada"); err != nil {
			t.Fatal(err)
		}
		tells, crashes := keepsNothing(t, w, "INSERT ON inbox", file)
		for channel, text := range map[string]string{"general": "!restart", "ops": "!undo", "@ada": "!secret set OPENAI_API_KEY=sk-2"} {
			if got := tells(channel, text); !strings.Contains(got, refused) {
				t.Errorf("%s: %s", text, got)
			}
		}
		_, err := w.Run("ada", "general", "/discoclaw undo")
		time.Sleep(10 * time.Second)
		if got := apptest.Last(w, "general"); err != nil || !strings.Contains(got, refused+" Please try again") {
			t.Errorf("from the menu: %s, %v", got, err)
		}
		time.Sleep(5 * time.Minute)
		if kept := crashes(); kept != file || strings.Count(w.Transcript(), "so I left it alone") != 3 {
			t.Errorf("the settings are %q\n%s", kept, w.Transcript())
		}
	})
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
