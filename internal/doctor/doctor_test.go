package doctor_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/doctor"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/smalldisk"
)

// kept creates the database of an earlier run, with a copy.
func kept(t *testing.T, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, store.FileName)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Copy(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mark returns the severity of a finding.
func mark(f doctor.Finding) string {
	switch {
	case f.Wrong:
		return "WRONG"
	case f.Note:
		return "note"
	}
	return "ok"
}

// newDoctor returns the check-up for settings.
func newDoctor(t *testing.T, env config.Env, out app.Externals) *doctor.Doctor {
	t.Helper()
	d, err := app.NewDoctor(env, out)
	must(t, err)
	return d
}

// aboutData are the findings about a data directory.
func aboutData(t *testing.T, dir string) []doctor.Finding {
	t.Helper()
	list := newDoctor(t, config.Env{"DISCOCLAW_DATA_DIR": dir}, app.Externals{}).Check(t.Context())
	return slices.DeleteFunc(list, func(f doctor.Finding) bool { return !slices.Contains([]string{"data", "database", "disk"}, f.What) })
}

func TestDoctorChecksTheDataDirectory(t *testing.T) {
	t.Parallel()
	const list = "This is a shopping list."
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, dir string)
		want []string // the findings about the data directory
	}{
		{"no directory", func(t *testing.T, dir string) { must(t, os.Remove(dir)) },
			[]string{"ok data: DIR", "ok database: none yet; the bot creates it when it starts"}},
		{"an empty directory", func(*testing.T, string) {},
			[]string{"ok data: DIR", "ok database: none yet; the bot creates it when it starts"}},
		{"all is well", func(t *testing.T, dir string) { kept(t, dir) },
			[]string{"ok data: DIR", "ok database: intact; its copy is 3 h 0 min old"}},
		{"no copy", func(t *testing.T, dir string) {
			kept(t, dir)
			must(t, os.Remove(filepath.Join(dir, "discoclaw-copy.db")))
		},
			[]string{"ok data: DIR", "ok database: intact; there is no copy yet, and the bot makes one when it starts"}},
		{"a torn copy", func(t *testing.T, dir string) {
			kept(t, dir)
			must(t, os.WriteFile(filepath.Join(dir, "discoclaw-copy.db"), []byte(list), 0o600))
		}, []string{"ok data: DIR", "note database: intact, but its copy cannot be used: it is damaged, or no database at all; the bot makes a new one when it starts"}},
		{"torn", func(t *testing.T, dir string) { must(t, os.WriteFile(kept(t, dir), []byte(list), 0o600)) },
			[]string{"ok data: DIR", "note database: discoclaw.db cannot be used: it is damaged, or no database at all; when the bot starts, it sets this file aside and continues with its copy, which is 3 h 0 min old"}},
		{"both torn", func(t *testing.T, dir string) {
			must(t, os.WriteFile(kept(t, dir), []byte(list), 0o600))
			must(t, os.WriteFile(filepath.Join(dir, "discoclaw-copy.db"), []byte(list), 0o600))
		}, []string{"ok data: DIR", "note database: discoclaw.db cannot be used: it is damaged, or no database at all; when the bot starts, it sets this file aside and continues with an empty database, because its copy cannot be used either (it is damaged, or no database at all); if you have a backup, put it there first"}},
		{"gone", func(t *testing.T, dir string) { must(t, os.Remove(kept(t, dir))) },
			[]string{"ok data: DIR", "note database: discoclaw.db cannot be used: it is gone; when the bot starts, it sets this file aside and continues with its copy, which is 3 h 0 min old"}},
		{"a log without its index", func(t *testing.T, dir string) { must(t, os.WriteFile(kept(t, dir)+"-wal", []byte(list), 0o600)) },
			[]string{"ok data: DIR", "note database: it cannot be checked before the bot starts, because its log (-wal) is there without the index (-shm)"}},
		{"a folder", func(t *testing.T, dir string) { must(t, os.Mkdir(filepath.Join(dir, store.FileName), 0o700)) },
			[]string{"ok data: DIR", "WRONG database: DIR/discoclaw.db is not a file; set it aside, or set DISCOCLAW_DATA_DIR to another folder"}},
		{"a newer one", func(t *testing.T, dir string) {
			db, err := store.Open(t.Context(), kept(t, dir))
			must(t, err)
			_, err = db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, 1)")
			must(t, err)
			must(t, db.Close())
		}, []string{"ok data: DIR", "WRONG database: the database DIR/discoclaw.db was made by a newer version of discoclaw (its tables are at 90000, this version knows "}},
		{"something set aside", func(t *testing.T, dir string) {
			path := kept(t, dir)
			for _, end := range []string{"", "-wal"} {
				must(t, os.WriteFile(path+".aside-20261115-120000"+end, make([]byte, 700_000), 0o600))
			}
		}, []string{"ok data: DIR", "ok database: intact; its copy is 3 h 0 min old", "note database: 2 files were set aside as discoclaw.db.aside-*, 1.4 MB in all; delete them when you no longer need them"}},
		{"a running bot", func(t *testing.T, dir string) {
			kept(t, dir)
			d, err := datadir.Open(dir)
			must(t, err)
			t.Cleanup(func() { _ = d.Close() })
			must(t, os.WriteFile(filepath.Join(dir, "discoclaw.lock"), []byte(`{"pid":77,"host":"elsewhere","since":"2026-11-15T12:00:00Z"}`), 0o600))
		}, []string{"ok data: DIR; a bot is running: process 77 on host elsewhere, since 2026-11-15 12:00 UTC, uses it", "ok database: intact; its copy is 3 h 0 min old"}},
		{"a running bot that makes no copies", func(t *testing.T, dir string) {
			kept(t, dir)
			d, err := datadir.Open(dir)
			must(t, err)
			t.Cleanup(func() { _ = d.Close() })
			time.Sleep(10 * time.Hour)
		}, []string{"ok data: DIR", "note database: intact, but its copy is 13 h 0 min old, although a running bot makes one every 6 hours; its log says why it could not"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				tt.do(t, dir)
				time.Sleep(3 * time.Hour)
				var got []string
				for _, f := range aboutData(t, dir) {
					got = append(got, fmt.Sprintf("%s %s: %s", mark(f), f.What, strings.ReplaceAll(f.State, dir, "DIR")))
				}
				if len(got) != len(tt.want) {
					t.Fatalf("it says %q", got)
				}
				for i, want := range tt.want {
					if got[i] != want && !(strings.HasSuffix(want, " ") && strings.HasPrefix(got[i], want)) {
						t.Errorf("it says %q, want %q", got[i], want)
					}
				}
			})
		})
	}
}

func TestDoctorWarnsOfAnAlmostFullDisk(t *testing.T) {
	t.Parallel()
	dir, ok := smalldisk.New(t, 8<<20)
	if !ok {
		return
	}
	kept(t, dir)
	list := aboutData(t, dir)
	f := list[len(list)-1]
	if !f.Note || f.What != "disk" || !strings.HasPrefix(f.State, "only 7.") || !strings.Contains(f.State, "free up at least 17") {
		t.Errorf("%+v", list)
	}
}

// TestDoctorSaysWhatWouldNotWork: each case is told with its remedy, and nothing else is.
func TestDoctorSaysWhatWouldNotWork(t *testing.T) {
	t.Parallel()
	other, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer other.Close()
	_, taken, _ := net.SplitHostPort(other.Addr().String())
	_, busy := (&net.ListenConfig{}).Listen(t.Context(), "tcp", other.Addr().String())
	const someone, another, forum = "123456789012345678", "123456789012345679", "123456789012345670"
	for _, tt := range []struct {
		name     string
		settings []string
		running  bool // a bot of this data directory
		want     []string
	}{
		{"nothing", nil, false, nil},
		{"one port for two servers", []string{"DISCOCLAW_WEBHOOK_ENABLED=1", "DISCOCLAW_MCP_ENABLED=1", "DISCOCLAW_MCP_CHANNEL=" + forum, "DISCOCLAW_MCP_PORT=9400"}, true,
			[]string{"WRONG settings: DISCOCLAW_MCP_PORT and DISCOCLAW_WEBHOOK_PORT are both 9400; set one of them to another port"}},
		{"a port that webhooks do not use", []string{"DISCOCLAW_MCP_ENABLED=1", "DISCOCLAW_MCP_CHANNEL=" + forum, "DISCOCLAW_MCP_PORT=9400"}, true, nil},
		{"ports that other programs use", []string{"DISCOCLAW_WEBHOOK_ENABLED=1", "DISCOCLAW_WEBHOOK_PORT=" + taken}, false,
			[]string{"WRONG ports: webhooks cannot be received (" + fmt.Sprint(busy) + "); set DISCOCLAW_WEBHOOK_PORT to a port that no other program uses, or DISCOCLAW_WEBHOOK_ENABLED=0"}},
		{"the port of another program, for MCP", []string{"DISCOCLAW_MCP_ENABLED=1", "DISCOCLAW_MCP_CHANNEL=" + forum, "DISCOCLAW_MCP_PORT=" + taken}, false,
			[]string{"WRONG ports: MCP clients cannot be answered (" + fmt.Sprint(busy) + "); set DISCOCLAW_MCP_PORT to a port that no other program uses, or DISCOCLAW_MCP_ENABLED=0"}},
		{"the port of the bot itself", []string{"DISCOCLAW_WEBHOOK_ENABLED=1", "DISCOCLAW_WEBHOOK_PORT=" + taken}, true, nil},
		{"a budget for models without a price", []string{"DISCOCLAW_BUDGET_DAY_USD=1", "OPENAI_MODEL=m-1", "DISCOCLAW_FALLBACK_MODELS=m-2"}, false, []string{
			`WRONG settings: the model of the role chat: the price of "m-1" is not known, so that no budget can be kept; add it to the file of DISCOCLAW_PRICES_FILE, or unset the budgets`,
			`WRONG settings: DISCOCLAW_FALLBACK_MODELS: the price of "m-2" is not known, so that no budget can be kept; add it to the file of DISCOCLAW_PRICES_FILE, or unset the budgets`,
		}},
		{"a budget for a model with a price", []string{"DISCOCLAW_BUDGET_DAY_USD=1"}, false, nil},
		{"models without a price", []string{"OPENAI_MODEL=m-1"}, false, nil},
		{"a default model for pictures without its key", []string{"DISCOCLAW_DISCORD_ACTIONS_IMAGEGEN=1", "IMAGEGEN_DEFAULT_MODEL=gemini-3-pro-image"}, false,
			[]string{"WRONG settings: IMAGEGEN_DEFAULT_MODEL: there is no key for gemini-3-pro-image; set IMAGEGEN_GEMINI_API_KEY, or name another model in IMAGEGEN_DEFAULT_MODEL"}},
		{"a model for pictures, which are off", []string{"IMAGEGEN_DEFAULT_MODEL=gemini-3-pro-image"}, false, nil},
		{"a model for pictures that ends", []string{"DISCOCLAW_DISCORD_ACTIONS_IMAGEGEN=1", "IMAGEGEN_DEFAULT_MODEL=gpt-image-1"}, false,
			[]string{"note settings: IMAGEGEN_DEFAULT_MODEL: its vendor retires gpt-image-1 on 2026-10-23; set it to gpt-image-2.5-flare"}},
		{"a server of one's own for pictures", []string{"DISCOCLAW_DISCORD_ACTIONS_IMAGEGEN=1", "IMAGEGEN_DEFAULT_MODEL=dall-e-3", "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_MODEL=m-1"}, false, nil},
		{"an operator whom the bot does not answer", []string{"DISCOCLAW_OPERATOR_USER_IDS=" + someone + "," + another}, false,
			[]string{"note operators: " + someone + ", " + another + " (DISCOCLAW_OPERATOR_USER_IDS); the bot does not answer " + another + "; add what is missing to DISCORD_ALLOW_USER_IDS"}},
		{"one forum for tasks and jobs", []string{"DISCOCLAW_TASKS_FORUM=" + forum, "DISCOCLAW_CRON_FORUM=" + forum}, false,
			[]string{"WRONG settings: DISCOCLAW_TASKS_FORUM and DISCOCLAW_CRON_FORUM are both " + forum + ", so that each post would be a task and a scheduled job; name two forums, or unset one of them"}},
		{"a forum for tasks, while jobs are off", []string{"DISCOCLAW_TASKS_FORUM=" + forum, "DISCOCLAW_CRON_FORUM=" + forum, "DISCOCLAW_CRON_ENABLED=0"}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if tt.running {
				d, err := datadir.Open(dir)
				must(t, err)
				defer d.Close()
			}
			env := config.Env{
				"DISCORD_TOKEN": "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.hunter2", "DISCORD_ALLOW_USER_IDS": someone, "OPENAI_API_KEY": "k", "DISCOCLAW_DATA_DIR": dir,
			}
			for _, line := range tt.settings {
				name, value, _ := strings.Cut(line, "=")
				env[name] = value
			}
			var got []string
			for _, f := range newDoctor(t, env, app.Externals{}).Check(t.Context()) {
				if mark(f) != "ok" {
					got = append(got, mark(f)+" "+f.What+": "+f.State)
				}
			}
			requireLines(t, got, tt.want)
		})
	}
}

// TestDoctorInARunningBotDoesNotReportItself: the check-up also does not disturb the bot.
func TestDoctorInARunningBotDoesNotReportItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		bot, err := app.NewBot(apptest.Env(t, w), app.Externals{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hi.")), Log: t.Output()})
		must(t, err)
		stop := apptest.Start(bot)
		time.Sleep(2 * time.Hour)
		for range 2 {
			w.MustSay("ada", "general", "!doctor")
			time.Sleep(time.Minute)
		}
		got := apptest.Last(w, "general")
		if !strings.Contains(got, "✅ database: intact; its copy is 1 h ") || strings.Contains(got, "a bot is running") {
			t.Errorf("%s", got)
		}
		w.MustSay("ada", "general", "hello")
		time.Sleep(time.Minute)
		if _, err := stop(); err != nil || apptest.Last(w, "general") != "Hi." {
			t.Errorf("%v:\n%s", err, w.Transcript())
		}
	})
}
