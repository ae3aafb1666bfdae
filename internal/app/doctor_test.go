package app

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
)

// TestServersThatAreLeftOutAreNamed: an operator who fences the bot in sees, in the log and in the check-up, where it does not answer.
func TestServersThatAreLeftOutAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\n\nguild lab: #general\nmember ada: owner\n")
		env := apptest.Env(t, w)
		env["DISCORD_GUILD_ID"] = string(w.State().Guild.ID)
		var log bytes.Buffer
		bot, err := NewBot(env, Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: &log})
		if err != nil {
			t.Fatal(err)
		}
		stop := apptest.Start(bot)
		time.Sleep(time.Minute)
		synctest.Wait()
		var found []string
		for _, f := range bot.core.doctor.Check(t.Context()) {
			if f.What == "servers" && f.Note {
				found = append(found, f.State)
			}
		}
		if len(found) != 1 || !strings.Contains(found[0], "; it ignores lab (") || strings.Contains(found[0], "disco (") {
			t.Errorf("found %q", found)
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if text := log.String(); !strings.Contains(text, "not answering on a server, because of DISCORD_GUILD_ID") || !strings.Contains(text, "lab (") {
			t.Errorf("the log says %s", text)
		}
	})
}

func TestABadPriceFileIsSaidAtTheStart(t *testing.T) {
	_, err := newCore(config.Env{"DISCOCLAW_DATA_DIR": t.TempDir(), "DISCOCLAW_PRICES_FILE": "missing.json"}, Externals{})
	if err == nil || !strings.Contains(err.Error(), "DISCOCLAW_PRICES_FILE: it cannot be read") {
		t.Errorf("got %v", err)
	}
}
