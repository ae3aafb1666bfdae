package standin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/cron/schedule"
	"discoclaw/internal/llm"
	"discoclaw/internal/plan/verdict"
)

// asks is a question of the bot's own, outside of conversations.
func asks(system, text string) llm.Request {
	return llm.Request{System: system, Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func TestItDraftsAPlanThatCanBeRead(t *testing.T) {
	text := "What the person asked for:\n```\nGreet people by name in docs/usage.md\n```\n\nWrite the plan now."
	got := answered(t, asks("You write the plan for a change to a software project. …", text))
	for _, part := range []string{"# Plan: Greet people by name in docs/usage.md\n", "## Objective", "## Scope", "## Changes", "## Risks",
		"## Testing", `"files":["docs/usage.md"]`} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
}

func TestItsAuditsPass(t *testing.T) {
	word := verdict.NewWord()
	for _, system := range []string{"You audit the plan for a change to a software project, before …",
		"You work on one phase of a plan for a software project. …"} {
		v, err := verdict.Read(answered(t, asks(system, "Audit the plan now.\n\n"+verdict.Form(word))), word)
		if err != nil || !v.Passes() {
			t.Errorf("%s: %+v, %v", system, v, err)
		}
	}
}

func TestItWorksOnAPhase(t *testing.T) {
	const system = "You work on one phase of a plan for a software project. …"
	question := func(file string) string {
		return "Task: Make the changes that the plan describes for these files: `" + file + "`.\n\n" +
			"What the plan says about these changes:\n```\nThe file gets one more line, or is new with that line: Greet people.\n```\n"
	}
	dir := t.TempDir()
	for _, tt := range []struct {
		name, file string
		level      llm.ToolLevel
		written    bool
	}{
		{"a new text", "notes/greet.md", llm.ToolsWrite, true},
		{"without the right to write", "notes/other.md", llm.ToolsRead, false},
		{"code", "main.go", llm.ToolsWrite, false},
		{"outside of the project", "../out.md", llm.ToolsWrite, false},
	} {
		req := asks(system, question(tt.file))
		req.Workspace = llm.Workspace{Level: tt.level, Root: dir}
		answer := answered(t, req)
		text, err := os.ReadFile(filepath.Join(dir, tt.file))
		if written := err == nil && string(text) == "Greet people.\n"; written != tt.written {
			t.Errorf("%s: written is %t; it says %q", tt.name, written, answer)
		}
	}
}

// TestItMakesEditsThatAPlanDescribesToTheLetter, and no others.
func TestItMakesEditsThatAPlanDescribesToTheLetter(t *testing.T) {
	for _, tt := range []struct{ change, want, says string }{
		{"In `a.go`, replace `one` with `two`.", "two\nthree\n", "1 place"},
		{"In `a.go`, replace `one` with `two`. In `a.go`, replace `three` with ``.", "two\n\n", "2 places"},
		{"In `a.go`, replace `four` with `two`.", "one\nthree\n", "not there once"},
		{"In `a.go`, replace `e` with `two`.", "one\nthree\n", "not there once"},
		{"In `../a.go`, replace `one` with `two`.", "one\nthree\n", "could not do that"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("one\nthree\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		req := asks("You work on one phase of a plan for a software project. …", "Task: Make the changes that the plan describes for these files: `a.go`.\n\n"+
			"What the plan says about these changes:\n````\n"+tt.change+"\n````\n")
		req.Workspace = llm.Workspace{Level: llm.ToolsWrite, Root: dir}
		said := answered(t, req)
		if text, err := os.ReadFile(filepath.Join(dir, "a.go")); err != nil || string(text) != tt.want || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %q, and it says %q", tt.change, text, said)
		}
	}
}

func TestItReadsPostsAboutJobs(t *testing.T) {
	const system = "You turn a person's description of a scheduled job into JSON. …"
	for text, want := range map[string]string{
		"Every day at 7, remind us to drink water in #ops": `{"channel":"ops","prompt":"Tell everybody to drink water.","schedule":"every ` +
			`day at 7"}`,
		"Post the open tasks every Friday at 17:00 in #ops.": `{"channel":"ops","prompt":"Post the open tasks.","schedule":"every friday at ` +
			`17:00"}`,
		"I like trains.": `{}`,
	} {
		if got := answered(t, asks(system, text)); got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}

// TestSchedulesAreOnesThatTheBotReads, in all the words that the script takes for them.
func TestSchedulesAreOnesThatTheBotReads(t *testing.T) {
	for _, often := range []string{
		"every minute", "every 15 minutes", "every hour", "hourly", "every day", "every day at 7", "daily", "daily at 7:30", "each morning",
		"every evening", "every night", "every Friday",
		"every Monday and Thursday at 18:00", "on Mondays", "weekdays at 9", "on weekdays", "at weekends", "every weekend",
		"every weekday at 8 am", "weekly", "every week", "every month", "monthly",
		"on the 1st of every month", "on the 15th of each month at 10:00", "the first Monday of the month at 9",
		"on the last Friday of every month", "at 17:00 every Friday", "every day at noon",
	} {
		got := blocksIn(t, answered(t, said(t, often+", post the open tasks in #ops")))
		if len(got) != 1 || got[0]["type"] != "cronCreate" {
			t.Errorf("%q is not understood: %v", often, got)
			continue
		}
		if _, err := schedule.Parse(got[0]["schedule"].(string), time.Now()); err != nil {
			t.Errorf("%q: %v", often, err)
		}
	}
}

func TestItPlaysTheOtherPartsOfAModel(t *testing.T) {
	for _, tt := range []struct{ system, text, want string }{
		{"You sum up conversations for a chat bot. …", "Said in a channel, the oldest first:\n```\n[ada]: Is the boat ready?\n[ben]: The " +
			"boat needs paint.\n```", "2 messages by ada and ben."},
		{"You keep the notes of a chat bot. …", "Said since then:\n```\n[ada, user 7]: Ahoy.\n```\n\nThen write a line with the one word " +
			"FACTS, and", "1 message by ada. Last: ada: “Ahoy.”\nFACTS\n[]"},
		{"You sort tasks. Reply with one to three of the given tags …", "Tags: bug, daily\nTask: A bug in the login\n", "bug"},
		{"You sort tasks. Reply with one to three of the given tags …", "Tags: bug, daily\nTask: Rope\n", "none"},
		{"This is a test of the connection.", "Answer with the word yes.", "yes"},
	} {
		if got := answered(t, asks(tt.system, tt.text)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("to %q it says %q, want %q", tt.system, got, tt.want)
		}
	}
}
