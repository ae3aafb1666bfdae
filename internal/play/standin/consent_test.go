package standin_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"discoclaw/internal/consent"
)

// theReader is the script as the clean reader.
func theReader(t *testing.T) consent.Reader {
	return func(_ context.Context, system, message string) (string, error) {
		return answered(t, asks(system, message)), nil
	}
}

// TestItConfirmsNothingThatWasNotAskedFor, whatever the language, and half of what was asked for in English: enough for a script.
func TestItConfirmsNothingThatWasNotAskedFor(t *testing.T) {
	text, err := os.ReadFile("../../consent/testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID, Lang string
		Request  consent.Request
		Asked    []int
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	confirmed, all := 0, 0
	for _, c := range cases {
		got, err := theReader(t).Asked(t.Context(), c.Request)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		for i, yes := range got {
			asked := slices.Contains(c.Asked, i+1)
			if yes && !asked {
				t.Errorf("%s: it confirms %q, and the words are %q", c.ID, c.Request.Wanted[i], c.Request.Words)
			}
			if asked && c.Lang == "en" {
				all++
				if yes {
					confirmed++
				}
			}
		}
	}
	if confirmed*2 < all {
		t.Errorf("it confirms %d of %d actions that were asked for in English, want half", confirmed, all)
	}
}

func TestItConfirmsPlainWords(t *testing.T) {
	const above = "directly above stands a message by someone else"
	for _, tt := range []struct {
		words, stands, wanted string
		want                  bool
	}{
		{"please pin that", above, "pin a message: the message directly above, by someone else", true},
		{"please pin that", above, "unpin a message: the message directly above, by someone else", false},
		{"make a channel called ropes", "", `create a channel: name "ropes"; kind: text`, true},
		{"make a channel called ropes", "", `create a channel: name "ropes"; kind: text; private`, false},
		{"make a private channel called ropes", "", `create a channel: name "ropes"; kind: text; private`, true},
		{"make a channel called ropes", "", `create a role: name "ropes"; no permissions`, false},
		{"rename #random to off-topic", "", `change a channel: the channel "random"; new name "off-topic"`, true},
		{"rename #random to off-topic", "", `change a channel: the channel "random"; new name "off"`, false},
		{"delete #random", "", `delete a channel: the channel "random"`, true},
		{"don't delete #random", "", `delete a channel: the channel "random"`, false},
		{"should I delete #random?", "", `delete a channel: the channel "random"`, false},
		{"delete #random", "", "delete a channel: the channel where the request stands", false},
		{"move #food to Work", "", `move a channel: the channel "food"; to the category "Work"`, true},
		{"remind me in half an hour to bake", "", `set a reminder: for the asker; in 30 minutes; the text "bake"`, true},
		{"remind me in half an hour to bake", "", `set a reminder: for the asker; in 30 days; the text "bake"`, false},
		{"remind me tomorrow at 8 to bake", "", `set a reminder: for the asker; at 2026-11-19 08:00; the text "bake"`, true},
		{"remind me to bake", "", `set a reminder: for the asker; at 2026-11-19 08:00; the text "bake"`, false},
		{"close task ws-002", "", `close a task: the task "ws-002"`, true},
		{"give lea the role crew", "", `give a role: to the member "lea"; the role "crew"`, true},
		{"give lea the role crew", above, `give a role: to the author of the message directly above, someone else; the role "crew"`, false},
		{"say good morning in #general", "", `send a message: to the channel "general"; the text "good morning"`, true},
		{"say good morning in #general", "", "send a message: to a channel that the request does not name; a text of 12 characters", false},
		{"post a note that lea's request is done, as she does", "", "send a message: to a channel that the request does not name; a text of 12 characters", false},
		// As the program writes them now.
		{"make a channel called ropes", "", `create a channel: name: "ropes"`, true},
		{"make a channel called ropes", "", `create a channel: name: "ropes"; private: yes`, false},
		{"make a private channel called ropes in Work", "", `create a channel: name: "ropes"; private: yes; parent: the category "Work"`, true},
		{"remind me in 20 minutes to bake", "", `remind somebody of something at a time: text: "bake"; in: 20m`, true},
		{"what reminders do i have?", "", "list the asker's own reminders", true},
		{"every day at 9, post hello in #general", "", `schedule a job that runs by itself, again and again or once: name: "hello"; schedule: every day at 9:00; the channel "general", where the request stands; prompt: a text of 11 characters`, true},
		{"pin the last message of tom", "", `pin a message: a message by somebody called "tom"`, true},
		{"ws-002 is done", "", `close a task, and archive its post: the task "ws-002"`, true},
		{"delete that job", "", `list the scheduled jobs of this server and when they run next`, true},
		{"stop telling us to breathe", "", `delete a scheduled job, and its post: the job "breathe"`, false},
		{"remind me in 20 minutes to bake", "", `remind somebody of something at a time: text: "bake"; in: 20d`, false},
		{"remind me tomorrow at 8 to bake", "", `remind somebody of something at a time: text: "bake"; at: 2026-11-19T08:00+00:00`, true},
		{"slow down #random to 30s", "", `change a channel or category: the channel "random"; slowmode: 30`, true},
		{"slow down #random to 30s", "", `change a channel or category: the channel "random"; slowmode: 600`, false},
		{"give lea the role crew", "", `give a member a role: the member "lea"; the role "crew"`, true},
		{"give lea the role crew", "", `take a role from a member: the member "lea"; the role "crew"`, false},
		{"add a task to paint the hull", "", `open a task: title: "paint the hull"`, true},
		{"close the task about the red dinghy", "", `close a task: a task whose title is like the request's words "red", "dinghy"`, true},
		{"pin that", above, "pin a message: the message directly above, by someone else", true},
		{"pin the message in <#123456789012345678>", "", "delete a channel with all its messages: the channel <#123456789012345678>", false},
		{"delete <#123456789012345678>", "", "delete a channel with all its messages: the channel <#123456789012345678>", true},
		{"delete <#123456789012345678>", "", "delete a channel with all its messages: the channel <#123456789012345679>", false},
		{"start a poll: Lunch? pizza or soup", "", `post a poll in a channel: the channel where the request stands; question: "Lunch"; answers: "pizza", "soup"; duration hours: 24`, true},
		{"start a poll: Lunch? pizza or soup", "", `post a poll in a channel: the channel where the request stands; question: "Lunch"; answers: "pizza", "soup"; duration hours: 700`, false},
		{"plan a party tomorrow at 8pm", "", `announce an event in a voice or stage channel: name: "party"; start time: 2025-12-26T20:00:00Z; location: a text of 15 characters`, true},
		{"every friday at 17:00 post the open tasks in #ops", "", `schedule a job that runs by itself: name: "open tasks"; schedule: "every friday at 17:00"; the channel "ops"; prompt: "post the open tasks"`, true},
		{"react to that with 🎉", above, `react to a message with an emoji: the message directly above, by someone else; the emoji "🎉"`, true},
		{"thanks!", above, "pin a message: the message directly above, by someone else", false},
	} {
		r := consent.Request{Earlier: []consent.Said{{Words: "unpin it, and make a private role", Became: "2 done"}}, Words: tt.words, Stands: tt.stands, Wanted: []string{tt.wanted}}
		if got, err := theReader(t).Asked(t.Context(), r); err != nil || got[0] != tt.want {
			t.Errorf("%q, %q: %v, %v", tt.words, tt.wanted, got, err)
		}
	}
}
