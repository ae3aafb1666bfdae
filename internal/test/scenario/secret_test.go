package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/llm/script"
)

// canary is a secret that must be in the settings file only.
const canary = "swordfish"

// tellings are ways to give the bot a secret, well-formed or not.
var tellings = []string{
	"!secret set OPENAI_API_KEY=" + canary,
	"!SECRET SET OPENAI_API_KEY = '" + canary + "'",
	"!secret set OPENAI_API_KEY=" + canary + "\nand more",
	"!secret set " + canary + "=OPENAI_API_KEY",
	"!secret set OPENAI_API_KEY " + canary,
	"!secret set NO_SUCH_NAME=" + canary,
	"!secret set LOG_LEVEL=" + canary,
	"!secret set DISCORD_TOKEN=" + canary,
	"!secret unset " + canary,
	"!secret " + canary,
	"!secret" + canary,
	"!secrets " + canary,
	" ! secret: " + canary,
	"<@123456789012345678> !secret set OPENAI_API_KEY=" + canary,
}

// TestASecretIsNowhereButInTheFile: not in a reply, the log, the data directory or a
// prompt.
func TestASecretIsNowhereButInTheFile(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"@bot", "#general", "#sealed"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { tellSecrets(t, where) })
		})
	}
}

func tellSecrets(t *testing.T, where string) {
	st := newStage(t, "guild disco: #general #sealed\nbot DiscoClaw: View Channel, Send Messages, Read Message History, Manage Messages\n"+
		"deny #sealed DiscoClaw: Manage Messages\nmember ada: owner\n", "LOG_LEVEL=debug\nDISCOCLAW_REACTION_HANDLER=1\n")
	look := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		st.settle()
	}
	for _, text := range tellings {
		look(st.say("ada", where, text))
	}
	look(st.run("ada", where, "/discoclaw secret set OPENAI_API_KEY="+canary))
	st.mu.Lock()
	st.answers = []answer{{answer: script.Answer{script.Text("You said nothing.")}}}
	st.mu.Unlock()
	look(st.say("ada", where, "what did I say?"))
	st.stop()
	st.stop = func() {}

	for _, ch := range st.Channels() {
		for _, m := range st.Messages(string(ch.ID)) {
			if m.Author == st.UserID("bot") && strings.Contains(m.Content, canary) {
				t.Errorf("the bot says %q", m.Content)
			}
		}
	}
	for _, x := range st.Requests() {
		if strings.Contains(string(x.Request)+x.Path+x.Query+x.Reason, canary) {
			t.Errorf("Discord is told by %s", x.Route)
		}
	}
	if len(st.asked) != 1 || strings.Contains(st.asked[0].System+st.asked[0].Messages[0].Text, canary) {
		t.Errorf("the model was asked %d times: %+v", len(st.asked), st.asked)
	}
	if strings.Contains(st.log.String(), canary) {
		t.Error("it is in the log")
	}
	searchFiles(t, st.settings["DISCOCLAW_DATA_DIR"], where == "@bot")
}

// searchFiles searches all files of a folder for the secret. Only the settings may have it,
// and they must, if it was given in the right place.
func searchFiles(t *testing.T, dir string, told bool) {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), canary) {
			found = append(found, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if told {
		want = []string{"settings.env"}
	}
	if !slices.Equal(found, want) {
		t.Errorf("it is in %q, want %q", found, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "settings.env"))
	if told && (err != nil || string(data) != "OPENAI_API_KEY="+canary+"\n") {
		t.Errorf("the settings are %q, %v", data, err)
	}
}
