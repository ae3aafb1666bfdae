package app

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// card returns the token of the last approval that the bot asked for in a channel.
func card(t *testing.T, w *discordtest.World, channel string) (token string) {
	t.Helper()
	for _, m := range slices.Backward(w.Messages(channel)) {
		if _, after, found := strings.Cut(m.Content, "`!confirm "); found {
			token, _, _ := strings.Cut(after, "`")
			return token
		}
	}
	t.Fatalf("nobody is asked in %s:\n%s", channel, w.Transcript())
	return ""
}

// TestARestoredCopyRepeatsNothing: the database is damaged, and the bot restores a copy in which
// much is unfinished that has been finished since.
func TestARestoredCopyRepeatsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #old #status\nmember ada: owner\n")
		env := apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=status", "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1", "DISCOCLAW_DISCORD_ACTIONS_DEFER=1")
		model := script.New(
			script.Say(`I ask you. <discord-action>{"type":"reactionPrompt","question":"Tea?","choices":["👍","👎"]}</discord-action>`),
			script.Say(`I will delete it. <discord-action>{"type":"channelDelete","channelId":"`+string(w.ChannelID("old"))+`"}</discord-action>`),
			script.Say(`Soon. <discord-action>{"type":"defer","channel":"general","prompt":"say hello","delaySeconds":120}</discord-action>`),
			script.Say(`Later. <discord-action>{"type":"defer","channel":"general","prompt":"say goodbye","delaySeconds":1700}</discord-action>`),
			script.Answer{script.Pause(time.Minute), script.Text("That took a while.")},
		)
		bot, stop := begins(t, env, Externals{HTTP: w.HTTP(), Runtime: model, Log: t.Output()})
		say := func(text string) chat.MessageID {
			id := w.MustSay("ada", "general", text).ID
			time.Sleep(10 * time.Second)
			return id
		}
		say("ask me")
		say("delete #old")
		say("say hello in two minutes")
		say("say goodbye in half an hour")
		say("take your time")
		if err := bot.core.db.Copy(t.Context()); err != nil {
			t.Fatal(err)
		}

		model.Add(script.Say("Tea it is."), script.Say("Hello!"))
		question := slices.IndexFunc(w.Messages("general"), func(m fakediscord.Message) bool { return strings.Contains(m.Content, "Tea?") })
		asked := w.Messages("general")[question].ID
		time.Sleep(time.Minute)
		if err := w.React("ada", asked, "👍"); err != nil {
			t.Fatal(err)
		}
		token := card(t, w, "general")
		say("!confirm " + token)
		time.Sleep(2 * time.Minute)
		if _, err := stop(); err != nil {
			t.Fatal(err)
		}
		said := w.Transcript()
		for _, once := range []string{"Tea it is.", "That took a while.", "Hello!"} {
			if strings.Count(said, once) != 1 {
				t.Fatalf("%q is not there once:\n%s", once, said)
			}
		}

		path := filepath.Join(env["DISCOCLAW_DATA_DIR"], store.FileName)
		if err := os.WriteFile(path, []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.MustSay("ada", "general", "while you were away")
		said = apptest.Contents(w, "general")
		time.Sleep(time.Minute)
		_, stop = begins(t, env, Externals{HTTP: w.HTTP(), Runtime: model, Log: t.Output()})
		time.Sleep(time.Minute)
		if err := w.React("ada", asked, "👎"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if now := apptest.Contents(w, "general"); now != said {
			t.Errorf("something was done again:\n%s\nbefore:\n%s", now, said)
		}
		say("!confirm " + token)
		if got := apptest.Last(w, "general"); !strings.Contains(got, "I have no open question with that code") {
			t.Errorf("a question of the copy is answered with %q", got)
		}
		model.Add(script.Say("Goodbye!"), script.Say("Yes."))
		time.Sleep(30 * time.Minute)
		after := say("are you there?")
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if apptest.Answers(t, w, "general", after, "Yes.") != 1 || strings.Count(w.Transcript(), "Goodbye!") != 1 || strings.Count(w.Transcript(), "Hello!") != 1 || model.Left() != 0 {
			t.Errorf("afterwards, %d answers are left:\n%s", model.Left(), w.Transcript())
		}
		told := apptest.Contents(w, "status")
		for _, want := range []string{"The database could not be used: it is damaged", "discoclaw.db.aside-", "a copy of the database, made on ", "is forgotten"} {
			if strings.Count(told, want) != 1 {
				t.Errorf("%q is not said once:\n%s", want, told)
			}
		}
	})
}

// TestARestoredCopyAnnouncesNoRestart: the copy was made after a restart was requested, which has
// been announced since.
func TestARestoredCopyAnnouncesNoRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env, out := apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
		_, stop := begins(t, env, out)
		w.MustSay("ada", "general", "!restart")
		time.Sleep(time.Minute)
		if _, err := stop(); !errors.Is(err, ErrRestart) {
			t.Fatalf("it ended with %v", err)
		}
		path := filepath.Join(env["DISCOCLAW_DATA_DIR"], store.FileName)
		db, err := store.Open(t.Context(), path)
		if err == nil {
			err = errors.Join(db.Copy(t.Context()), db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		copied := strings.TrimSuffix(path, ".db") + "-copy.db"
		old, err := os.ReadFile(copied)
		if err != nil {
			t.Fatal(err)
		}
		_, stop = begins(t, env, out)
		time.Sleep(time.Hour)
		_, _ = stop()
		told := apptest.Last(w, "general")
		if !strings.Contains(told, "Restarted in") {
			t.Fatalf("nobody was told of the restart:\n%s", w.Transcript())
		}
		for name, text := range map[string][]byte{path: []byte("torn"), copied: old} {
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, stop = begins(t, env, out)
		time.Sleep(time.Minute)
		_, _ = stop()
		if again := apptest.Last(w, "general"); again != told {
			t.Errorf("it said %q, and now says %q", told, again)
		}
	})
}

// TestTheDatabaseIsCopiedPeriodically: copies are made at the start and every six hours. A new database is first copied after an hour.
func TestTheDatabaseIsCopiedPeriodically(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env := apptest.Env(t, w)
		path := filepath.Join(env["DISCOCLAW_DATA_DIR"], store.FileName)
		for _, tt := range []struct{ runs, copied time.Duration }{
			{time.Hour + time.Minute, time.Hour}, {time.Minute, 0}, {6*time.Hour + time.Minute, 6 * time.Hour},
		} {
			began := time.Now()
			_, stop := begins(t, env, Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()})
			time.Sleep(tt.runs)
			if _, err := stop(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			db, err := store.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := db.Beginning().Copied, began.Add(tt.copied); !got.Equal(want) {
				t.Errorf("after %v, the copy is of %v, want %v", tt.runs, got, want)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestLoginDoesNotWaitForHousekeeping: at the first request to Discord, neither the copy nor the
// reserve for a full disk exists. Both are written after the login.
func TestLoginDoesNotWaitForHousekeeping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\n")
		env := apptest.Env(t, w)
		size := func() (n int64) {
			for _, name := range []string{store.FileName, store.FileName + "-wal", "discoclaw-copy.db"} {
				if info, err := os.Stat(filepath.Join(env["DISCOCLAW_DATA_DIR"], name)); err == nil {
					n += info.Size()
				}
			}
			return n
		}
		first := sync.OnceValue(size)
		_, stop := begins(t, env, Externals{Runtime: script.New(), HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			first()
			return w.HTTP().Transport.RoundTrip(r)
		})}})
		time.Sleep(2 * time.Hour) // readers may get in the way of the first attempt, and a new database is copied later
		const room = 1 << 20      // of the reserve, in the database and in its WAL
		if before, after := first(), size(); after < before+2*room {
			t.Errorf("%d bytes before the login, %d after it", before, after)
		}
		_, _ = stop()
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOldRowsArePrunedPeriodically: rows are pruned at the start and every day.
func TestOldRowsArePrunedPeriodically(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env, out := apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
		bot, stop := begins(t, env, out)
		age := func() {
			t.Helper()
			if _, err := bot.core.db.ExecContext(t.Context(), "INSERT INTO posts (turn, part, channel, began, tried) VALUES ('old', '0', '1', 1, 1)"); err != nil {
				t.Fatal(err)
			}
		}
		pruned := func(after string) {
			t.Helper()
			var rows int
			if err := bot.core.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM posts").Scan(&rows); err != nil || rows != 0 {
				t.Errorf("after %s, %d old rows are there, %v", after, rows, err)
			}
		}
		age()
		time.Sleep(24*time.Hour + time.Minute)
		pruned("a day")
		age()
		if _, err := stop(); err != nil {
			t.Fatal(err)
		}
		bot, stop = begins(t, env, out)
		time.Sleep(time.Minute)
		pruned("a start")
		if _, err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}
