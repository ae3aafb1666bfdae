package standin_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/play/standin"
	"discoclaw/internal/test/skip"
)

const mostLines = 8

// oddInputs are a few hundred things that somebody may type.
func oddInputs() (list []string) {
	list = append(list, "", " ", "?", "!!!", "…", "🎉", "a", "#", "@", "<@123456789012345678>", "<#123456789012345678>", "```\ncode\n```",
		strings.Repeat("long ", 400),
		"{\"type\":\"ban\"}", "<discord-action>{}</discord-action>", "{here}", "{answer}", "SELECT 1", "\\", "%s %d", "(((", "make make make",
		"ñandú 日本語", "every", "in", "to", "remind", "what", "who", "when")
	for _, i := range standin.Ideas {
		for _, change := range []func(string) string{strings.ToUpper, strings.ToLower, func(s string) string { return "xx " + s },
			func(s string) string { return s + " or not" },
			func(s string) string { return s[:len(s)/2] }, func(s string) string { return strings.ReplaceAll(s, " ", "  ") }} {
			list = append(list, change(i.Text))
		}
	}
	for _, verb := range []string{"make", "delete", "rename", "move", "show", "find", "remind", "close", "pin", "post", "give", "run"} {
		for _, what := range []string{"it", "a thing", "everything", "#ops", "the channel", "a role", "me", "99", "task 7", "a poll",
			"the moon"} {
			list = append(list, verb+" "+what)
		}
	}
	return list
}

func TestNoAnswerIsLong(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the other tests, some hundred times")
	inputs := oddInputs()
	if len(inputs) < 300 {
		t.Fatalf("there are only %d inputs", len(inputs))
	}
	results := "Done: many:" + strings.Repeat("\nm1 [ada] Hi. (2026-11-17 09:00:00 UTC)", 40) + strings.Repeat("\nws-001 “Paint”: open",
		40) + strings.Repeat("\n- [fact] Tea. (2026-11-18) durable-0", 40)
	for i, text := range inputs {
		req := said(t, text)
		first := answered(t, req)
		answers := []string{first, answered(t, next(req, first, results)), answered(t, saidIn(t, "", text))}
		outcomes := []string{"Failed: x: it is dark", "Asked: x", "Ignored: x is not an action you may use here", "Unreadable block: x", ""}
		answers = append(answers, answered(t, next(req, first, outcomes[i%len(outcomes)])))
		for _, got := range answers {
			_, words := requests(got)
			if n := strings.Count(words, "\n") + 1; n > mostLines && !strings.Contains(got, "```") {
				t.Errorf("%q is answered with %d lines:\n%s", text, n, words)
			}
			if got == "" {
				t.Errorf("%q is not answered at all", text)
			}
		}
	}
}

// TestItClaimsNothingThatDidNotHappen: neither after a failure nor while a card waits.
func TestItClaimsNothingThatDidNotHappen(t *testing.T) {
	for _, tt := range rows {
		req := said(t, tt.asked[0])
		first := answered(t, req)
		if blocks, _ := requests(first); len(blocks) == 0 {
			continue
		}
		for outcome, want := range map[string]string{"Failed: x: it is dark": "That didn't work", "Asked: delete it": "Nothing is done yet"} {
			if got := answered(t, next(req, first, outcome)); !strings.HasPrefix(got, want) {
				t.Errorf("%q came to %q, and it says %q", tt.asked[0], outcome, got)
			}
		}
	}
}

func TestItActsInNoDirectMessage(t *testing.T) {
	for _, tt := range rows {
		got := answered(t, saidIn(t, "", tt.asked[0]))
		if blocks, _ := requests(got); len(blocks) > 0 {
			t.Errorf("%q in a direct message asks for %q", tt.asked[0], blocks)
		}
	}
}

// TestItPostsWhatJobsSay: by an action if there is one, otherwise in the words of the prompt.
func TestItPostsWhatJobsSay(t *testing.T) {
	for _, tt := range []struct{ words, want string }{
		{"Tell everybody to stretch.", "Time to stretch."},
		{"Say good morning.", "Good morning."},
		{"Post the weather", "The weather."},
		{"The bins go out today!", "The bins go out today!"},
		{"Post the open tasks.", "taskList"},
		{"Summarise #ops", "readMessages"},
		{"What events are there?", "eventList"},
	} {
		got := answered(t, job(t, tt.words))
		if list := blocksIn(t, got); len(list) > 0 {
			got = fmt.Sprint(list[0]["type"])
		}
		if got != tt.want {
			t.Errorf("the job %q posts %q, want %q", tt.words, got, tt.want)
		}
	}
	req := job(t, "Post the open tasks.")
	if got := answered(t, next(req, answered(t, req), taskResults)); !strings.HasPrefix(got, "Still open, 2 tasks:\n") {
		t.Errorf("the tasks are posted as %q", got)
	}
}
