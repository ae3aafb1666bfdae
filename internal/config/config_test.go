package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	cfg, err := Load(NewEnv([]string{
		"DISCORD_TOKEN= abc ", "DISCORD_ALLOW_USER_IDS=123456789012345678, 223456789012345678",
		"DISCORD_GUILD_ID=323456789012345678", "DISCORD_CHANNEL_IDS=none", "DISCOCLAW_ACTION_FOLLOWUP_DEPTH=0",
		"RUNTIME_MODEL=big", "OPENAI_API_KEY=  ",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Discord.Token.Reveal(); got != "abc" {
		t.Errorf("token %q, want it trimmed", got)
	}
	if diff := cmp.Diff([]ID{"123456789012345678", "223456789012345678"}, cfg.Discord.Users.Valid()); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
	if l := cfg.Discord.Channels; !l.Set() || len(l.Valid()) != 0 {
		t.Errorf("channels %+v: an empty list must differ from an unset one", l)
	}
	if cfg.Discord.Operators.Set() {
		t.Error("operators count as set")
	}
	if cfg.Actions.FollowUps != 0 || cfg.Models.Chat != "big" || cfg.OpenAI.Key.Reveal() != "" || cfg.Discord.Guild != "323456789012345678" {
		t.Errorf("config %+v", cfg)
	}
}

func TestDefaults(t *testing.T) {
	cfg, err := Load(Env{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Actions{FollowUps: 3, Confirm: "destructive", Taint: "check", Position: "start", Like: "👍", Native: "off", DeferMaxDelay: 1800, DeferMaxPending: 5}, cfg.Actions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLimitsOfDeferredRuns(t *testing.T) {
	const delay, pending = "DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DELAY_SECONDS", "DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_CONCURRENT"
	cfg, err := Load(Env{delay: "0.5", pending: "1"})
	if err != nil || cfg.Actions.DeferMaxDelay != 0.5 || cfg.Actions.DeferMaxPending != 1 {
		t.Errorf("%+v, %v", cfg.Actions, err)
	}
	for _, env := range []Env{{delay: "0"}, {delay: "-1"}, {delay: "1e300"}, {delay: "NaN"}, {delay: "soon"}, {pending: "0"}, {pending: "1.5"}} {
		if _, err := Load(env); err == nil || !strings.Contains(err.Error(), "DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_") {
			t.Errorf("%v: %v", env, err)
		}
	}
}

func TestReactionSettings(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  Env
		want Reactions
	}{
		{"unset", Env{}, Reactions{Added: true, MaxAge: 24, StopScope: "all"}},
		{"the other way round", Env{
			"DISCOCLAW_REACTION_HANDLER": "0", "DISCOCLAW_REACTION_REMOVE_HANDLER": "True",
			"DISCOCLAW_REACTION_MAX_AGE_HOURS": "0.5", "DISCOCLAW_STOP_REACTION_SCOPE": "message",
		}, Reactions{Removed: true, MaxAge: 0.5, StopScope: "message"}},
	} {
		cfg, err := Load(tt.env)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, cfg.Reactions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for name, value := range map[string]string{
		"DISCOCLAW_REACTION_HANDLER": "maybe", "DISCOCLAW_REACTION_MAX_AGE_HOURS": "-1", "DISCOCLAW_STOP_REACTION_SCOPE": "some",
	} {
		_, err := Load(Env{name: value})
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	if _, err := Load(Env{"DISCOCLAW_REACTION_MAX_AGE_HOURS": "NaN"}); err == nil {
		t.Error("an age that is no number is accepted")
	}
}

func TestLoadReportsEveryProblem(t *testing.T) {
	_, err := Load(Env{
		"DISCORD_GUILD_ID": "my server", "DISCOCLAW_ACTION_FOLLOWUP_DEPTH": "lots",
		"OPENAI_BASE_URL": "not a url", "RUNTIME_MODEL": "two words", "DEFAULT_TIMEZONE": "Europe/Berln",
		"DISCORD_ALLOW_USER_IDS": "bob 123456789012345678 none", "DISCORD_CHANNEL_IDS": "#general", "COLD_STORAGE_CHANNEL_FILTER": "general",
		"DISCOCLAW_OPERATOR_USER_IDS": "bob", "DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST": "bob", "DISCORD_ALLOW_BOT_IDS": "bob",
	})
	var problems *Error
	if !errors.As(err, &problems) {
		t.Fatalf("error %v", err)
	}
	want := []string{
		`DISCORD_ALLOW_USER_IDS: not a Discord ID (15 to 20 digits): "bob", "none"; for an empty list, write none`,
		`DISCORD_ALLOW_BOT_IDS: not a Discord ID (15 to 20 digits): "bob"; for an empty list, write none`,
		`DISCOCLAW_OPERATOR_USER_IDS: not a Discord ID (15 to 20 digits): "bob"; for an empty list, write none`,
		`DISCORD_GUILD_ID: "my server" is not a Discord ID (15 to 20 digits)`,
		`DISCORD_CHANNEL_IDS: not a Discord ID (15 to 20 digits): "#general"; for an empty list, write none`,
		`OPENAI_BASE_URL: "not a url" is not an address such as https://example.com/v1`,
		`DISCOCLAW_ACTION_FOLLOWUP_DEPTH: "lots" is not a whole number from 0 to 10`,
		`COLD_STORAGE_CHANNEL_FILTER: not a Discord ID (15 to 20 digits): "general"; for an empty list, write none`,
		`DISCOCLAW_HEALTH_VERBOSE_ALLOWLIST: not a Discord ID (15 to 20 digits): "bob"; for an empty list, write none`,
		`RUNTIME_MODEL: "two words" is not a model's name, which has no white space`,
		`DEFAULT_TIMEZONE: there is no time zone "Europe/Berln"; use a name like Europe/Berlin`,
	}
	if diff := cmp.Diff(want, problems.Problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"-1", "11", "2.5"} {
		if _, err := Load(Env{"DISCOCLAW_ACTION_FOLLOWUP_DEPTH": bad}); err == nil {
			t.Errorf("%s follow-ups are accepted", bad)
		}
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"https://example.com/v1": true, "http://127.0.0.1:11434/v1": true,
		"http://localhost": true, "http://[::1]:80": true, "http://example.com": false, "http://10.0.0.1": false,
		"example.com": false, "ftp://example.com": false, "https://": false, "https://me:hunter2@example.com": false,
	} {
		_, err := Load(Env{"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "key"})
		if (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a password is shown: %v", err)
		}
	}
}

func TestAServerForEmbeddingsIsWholeAndSafe(t *testing.T) {
	whole := Env{
		"DISCOCLAW_COLD_STORAGE_ENABLED": "1", "COLD_STORAGE_PROVIDER": "openai-compat", "COLD_STORAGE_MODEL": "mini",
		"COLD_STORAGE_DIMENSIONS": "384", "COLD_STORAGE_BASE_URL": "http://127.0.0.1:8080/v1", "COLD_STORAGE_API_KEY": "key",
	}
	if _, err := Load(whole); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]string{"COLD_STORAGE_MODEL": "", "COLD_STORAGE_DIMENSIONS": "", "COLD_STORAGE_BASE_URL": "", "COLD_STORAGE_PROVIDER": "openai-ish"} {
		env := maps.Clone(whole)
		env.set(name, bad)
		if _, err := Load(env); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, bad, err)
		}
	}
	whole["COLD_STORAGE_BASE_URL"] = "http://example.com/v1"
	if _, err := Load(whole); err == nil {
		t.Error("the key travels openly")
	}
}

func TestPathsMayBeginWithTheHomeDirectory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	cfg, err := Load(Env{"DISCOCLAW_DATA_DIR": "~/d3", "CLAUDE_BIN": "~/bin/claude", "WORKSPACE_CWD": "/srv/~/work", "DISCOCLAW_BOT_NAME": "~/Claw"})
	if err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]string{
		cfg.Operation.DataDir: filepath.Join(home, "d3"), cfg.Programs.Claude: filepath.Join(home, "bin", "claude"),
		cfg.Operation.Workspace: "/srv/~/work", cfg.Chat.Name: "~/Claw",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestHosts(t *testing.T) {
	cfg, err := Load(Env{"DISCORD_CDN_HOSTS": "files.example.com, 127.0.0.1:8080 [::1]:80"})
	if diff := cmp.Diff(Hosts{"files.example.com", "127.0.0.1:8080", "[::1]:80"}, cfg.Discord.CDN); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"https://example.com", "example.com/files", "me@example.com", ":80", "a?b"} {
		if _, err := Load(Env{"DISCORD_CDN_HOSTS": bad}); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func TestPlainHTTPWithoutAKeyIsAWarning(t *testing.T) {
	cfg, err := Load(Env{"OPENAI_BASE_URL": "http://10.0.0.1:8080/v1"})
	if err != nil || len(cfg.Warnings()) != 1 || !strings.Contains(cfg.Warnings()[0], "OPENAI_BASE_URL") {
		t.Errorf("%v, %q", err, cfg.Warnings())
	}
}

func TestLongValuesAreNotEchoed(t *testing.T) {
	const token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.canary-canary-canary-canary"
	for _, name := range []string{"DISCORD_GUILD_ID", "DISCOCLAW_ACTION_FOLLOWUP_DEPTH"} {
		_, err := Load(Env{name: token})
		if err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), name+": a text of 59 characters is not") {
			t.Errorf("%v", err)
		}
	}
	if _, err := (Env{"A": token}).Bool("A", true); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
}

// TestLimitsOfTheTypeScriptVersionAreNotDropped: the bot does not start where it would do what such a setting forbade.
func TestLimitsOfTheTypeScriptVersionAreNotDropped(t *testing.T) {
	for _, tt := range []struct {
		env     Env
		refused string // in what is said; empty if the bot starts
	}{
		{env: Env{"RUNTIME_TOOLS": "Read, Glob"}, refused: "DISCOCLAW_RUNTIME_TOOLS=off"},
		{env: Env{"RUNTIME_TOOLS": "Bash"}, refused: "DISCOCLAW_RUNTIME_TOOLS=off"},
		{env: Env{"RUNTIME_TOOLS": "Bash Read Write Edit Glob Grep WebSearch WebFetch"}},
		{env: Env{"RUNTIME_TOOLS": "Read,Glob,Grep,WebFetch"}},
		{env: Env{"RUNTIME_TOOLS": "Read", "DISCOCLAW_RUNTIME_TOOLS": "read"}}, // the operator has decided
		{env: Env{"OPENAI_COMPAT_TOOLS_ENABLED": "0"}, refused: "DISCOCLAW_RUNTIME_TOOLS=off"},
		{env: Env{"OPENAI_COMPAT_TOOLS_ENABLED": "1"}},
		{env: Env{"OPENAI_COMPAT_TOOLS_ENABLED": "0", "DISCOCLAW_RUNTIME_TOOLS": "off"}},
		{env: Env{"DISCOCLAW_TASKS_SYNC_SKIP_PHASE5": "1"}, refused: "DISCOCLAW_TASKS_ENABLED=0"},
		{env: Env{"DISCOCLAW_TASKS_SYNC_SKIP_PHASE5": "1", "DISCOCLAW_TASKS_ENABLED": "0"}},
		{env: Env{"DISCOCLAW_TASKS_SYNC_SKIP_PHASE5": "0"}},
	} {
		got := strings.Join(tt.env.Refused(), "\n")
		if (got == "") != (tt.refused == "") || !strings.Contains(got, tt.refused) {
			t.Errorf("%v: %q, want %q", tt.env, got, tt.refused)
		}
	}
}

// TestAllProblemsAreFoundAtOnce: settings that cannot be read do not hide those that contradict each other, and have their
// defaults, without problems that only the default has.
func TestAllProblemsAreFoundAtOnce(t *testing.T) {
	cfg, err := Load(Env{
		"DISCORD_GUILD_ID": "disco", "DISCOCLAW_TASKS_AUTO_TAG": "maybe", "DISCOCLAW_TASKS_PREFIX": "1", "DISCOCLAW_USER_TURNS": "12",
		"DISCOCLAW_COLD_STORAGE_ENABLED": "1", "COLD_STORAGE_PROVIDER": "openai-compat", "COLD_STORAGE_BASE_URL": "here", "COLD_STORAGE_MODEL": "m", "COLD_STORAGE_DIMENSIONS": "3",
	})
	var got *Error
	if !errors.As(err, &got) {
		t.Fatal(err)
	}
	want := []string{
		`DISCORD_GUILD_ID: "disco" is not a Discord ID (15 to 20 digits)`,
		`COLD_STORAGE_BASE_URL: "here" is not an address such as https://example.com/v1`,
		`DISCOCLAW_TASKS_AUTO_TAG: "maybe" is not one of 1, true, yes, on, 0, false, no, off`,
		`DISCOCLAW_TASKS_PREFIX: "1" is not a prefix such as ws, of at most ten small letters`,
	}
	if diff := cmp.Diff(want, got.Problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if cfg.Chat.UserTurns != 12 || !cfg.Tasks.AutoTag || cfg.Discord.Guild != "" {
		t.Errorf("%+v", cfg)
	}
}

func TestTheRestOfAFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(path, []byte("DISCORD_TOKEN s3cret\nA_B=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := Read(nil, path)
	if env["A_B"] != "1" {
		t.Errorf("got %v", env)
	}
	all := new(Error)
	all.Join(err)
	all.Add("DISCORD_TOKEN is not set", "DISCORD_TOKEN_OF_ANOTHER is not set")
	if want := []string{path + ":1: not a line of the form NAME=value", "DISCORD_TOKEN_OF_ANOTHER is not set"}; !slices.Equal(all.Problems, want) {
		t.Errorf("got %q, want %q", all.Problems, want)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"DISCOCLAW_DISCORD_ACTIONS", "DISCOCLAW_DISCORD_ACTIONS_UTILITY", "calculate", "ban"}
	for name, want := range map[string]string{
		"DISCOCLAW_DISCORD_ACTIONS_UTILTY": "DISCOCLAW_DISCORD_ACTIONS_UTILITY",
		"DISCOCLAW_DISCORD_ACTION":         "DISCOCLAW_DISCORD_ACTIONS",
		"DISCOCLAW_DISCORD_ACTIONS_POLLS":  "",
		"DISCOCLAW_DISCORD_ACTIONS_GUILD":  "",
		"calclate":                         "calculate",
		"bna":                              "",
		"bans":                             "ban",
		"":                                 "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestBool(t *testing.T) {
	env := NewEnv([]string{"A=1", "B= TRUE ", "C=0", "D=False", "E=", "F=maybe", "H=yes", "I=On", "J=no", "K=OFF"})
	for name, want := range map[string]bool{"A": true, "B": true, "C": false, "D": false, "E": true, "G": true, "H": true, "I": true, "J": false, "K": false} {
		if got, err := env.Bool(name, true); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", name, got, err, want)
		}
	}
	if _, err := env.Bool("F", true); err == nil || err.Error() != `F: "maybe" is not one of 1, true, yes, on, 0, false, no, off` {
		t.Errorf("F: %v", err)
	}
	if env.Has("E") || !env.Has("C") {
		t.Error("blank counts as set, or 0 as not set")
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	const canary = "canary-7f3a"
	cfg, err := Load(Env{"DISCORD_TOKEN": canary, "OPENAI_API_KEY": canary})
	if err != nil {
		t.Fatal(err)
	}
	hiddenField := struct{ key Secret }{cfg.OpenAI.Key}
	encoded, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "cfg", cfg, "key", cfg.OpenAI.Key)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "cfg", cfg, "key", cfg.OpenAI.Key, "hidden", hiddenField)
	for _, shown := range []string{
		fmt.Sprint(cfg), fmt.Sprintf("%+v %#v %q %s", cfg, cfg, cfg.OpenAI.Key, cfg.Discord.Token),
		fmt.Sprintf("%v %+v %#v", hiddenField, hiddenField, hiddenField), string(encoded), log.String(),
	} {
		if strings.Contains(shown, canary) {
			t.Errorf("the secret is in %s", shown)
		}
	}
	if got := fmt.Sprint(cfg.Discord.Token, Secret{}); got != "*** " {
		t.Errorf("prints %q", got)
	}
}

func TestUnknownVariables(t *testing.T) {
	env := Env{"DISCOCLAW_FAST_MODL": "x", "DISCOCLAW_FAST_MODEL": "x", "DISCOCLAW_ZZZ": "x", "HOME": "x"}
	want := map[string]string{"DISCOCLAW_FAST_MODL": "DISCOCLAW_FAST_MODEL", "DISCOCLAW_ZZZ": ""}
	if diff := cmp.Diff(want, env.Unknown([]string{"DISCOCLAW_SLOW_MODEL", "DISCOCLAW_FAST_MODEL"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVariablesAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Variables() {
		if v.Name == "" || seen[v.Name] || v.Group == "" || !strings.HasSuffix(v.Doc, ".") {
			t.Errorf("%+v needs a name of its own, a group and a sentence", v)
		}
		seen[v.Name] = true
	}
}

func TestFile(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "A=b", "b"},
		{"blanks around", "  A = b c  ", "b c"},
		{"export", "export A=b", "b"},
		{"comment behind", "A=b # c", "b"},
		{"hash inside", "A=b#c", "b#c"},
		{"only a comment", "A=# c", ""},
		{"comment line", "# A=x\nA=b", "b"},
		{"last wins", "A=x\nA=b", "b"},
		{"emptied again", "A=x\nA=", ""},
		{"equals sign inside", "A=b=c", "b=c"},
		{"CRLF", "A=b\r\nB=c\r\n", "b"},
		{"byte order mark", "\uFEFFA=b", "b"},
		{"single quotes", `A='b # "c" \n'`, `b # "c" \n`},
		{"double quotes", `A="b\t\"c\" \\n # d" # e`, "b\t\"c\" \\n # d"},
		{"empty quotes", `A=""`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, problems := parseFile(tt.in)
			if env["A"] != tt.want || len(problems.Problems) > 0 {
				t.Errorf("%q: A is %q, want %q; problems %v", tt.in, env["A"], tt.want, problems)
			}
		})
	}
}

func TestMistakesInAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	text := "A=1\nthis is no setting s3cret\n2B=x\nC=\"s3cret\nD='s3cret' more\nE=2\nF=s3cret\x00\x00"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Read(nil, path)
	want := []string{
		path + ":2: not a line of the form NAME=value",
		path + ":3: not a line of the form NAME=value",
		path + `:4: C: the closing " is missing`,
		path + ":5: D: something follows the closing quote",
		path + ":7: there are zero bytes in it; the file is torn, or is not saved as UTF-8",
	}
	var problems *Error
	if !errors.As(err, &problems) {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff(want, problems.Problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Error("a value is shown")
	}
}

func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if env, err := Read([]string{"A=1"}, ""); err != nil || env["A"] != "1" {
		t.Errorf("without a file: %v, %v", env, err)
	}
	if _, err := Read(nil, "missing.env"); err == nil || !strings.Contains(err.Error(), "missing.env") {
		t.Errorf("a named file that is missing: %v", err)
	}
	if err := os.WriteFile(DefaultFile, []byte("A=2\nB=3\nC=4"), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := Read([]string{"A=1", "C="}, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Env{"A": "1", "B": "3", "C": "4"}, env); diff != "" {
		t.Errorf("the process comes before the file (-want +got):\n%s", diff)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("A=1\nexport B='x' # y\nC=\"\\n\\\"\"\n=\n")
	f.Fuzz(func(t *testing.T, text string) {
		env, problems := parseFile(text)
		for name, value := range env {
			if name == "" || value == "" || value != strings.TrimSpace(value) {
				t.Errorf("%q: %q is %q", text, name, value)
			}
		}
		if len(problems.Problems) > strings.Count(text, "\n")+1 {
			t.Errorf("%q: more problems than lines", text)
		}
	})
}

func TestAnAddressWithoutAVersionIsSaid(t *testing.T) {
	for address, warned := range map[string]bool{
		"http://127.0.0.1:11434": true, "https://example.com/": true, "https://example.com/openai": true, "https://example.com/vision": true,
		"http://127.0.0.1:11434/v1": false, "https://example.com/openai/v1/": false, "https://example.com/api/paas/v4": false, "https://example.com/v1beta/openai": false,
	} {
		for _, name := range []string{"OPENAI_BASE_URL", "OPENROUTER_BASE_URL", "DISCOCLAW_STT_BASE_URL", "DISCOCLAW_TTS_BASE_URL", "COLD_STORAGE_BASE_URL"} {
			cfg, err := Load(Env{name: address})
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.ContainsFunc(cfg.Warnings(), func(w string) bool { return strings.HasPrefix(w, name+" does not end in /v1") }); got != warned {
				t.Errorf("%s=%s: the warnings are %q", name, address, cfg.Warnings())
			}
		}
	}
}
