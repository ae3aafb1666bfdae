package commands_test

import (
	"context"
	"errors"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

func table() *commands.Table {
	return commands.New(
		commands.Command{Name: "undo", Summary: "Take it back.", Run: func(context.Context, chat.Message, string) (string, error) { return "", nil }},
		commands.Command{Name: "why", Args: "<message link>", Summary: "Tell why.", Run: func(_ context.Context, _ chat.Message, args string) (string, error) {
			switch args {
			case "":
				return "", &commands.UsageError{Problem: "There is no link."}
			case "broken":
				return "", errors.New("the disk is full")
			}
			return "because of " + args, nil
		}},
	)
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		text, name, args string
	}{
		{"!undo", "undo", ""},
		{"  !Undo  ", "undo", ""},
		{"!why https://x/1", "why", "https://x/1"},
		{"!why\nhttps://x/1\n", "why", "https://x/1"},
		{"!why\u00a0me", "why", "me"},
		{"!undo all of it!", "undo", "all of it!"},
		{"!undo, please", "undo", ", please"},
		{"!undo2", "undo", "2"},
		{"!undoing", "", ""},
		{"! undo", "", ""},
		{"undo", "", ""},
		{"please !undo", "", ""},
		{"!", "", ""},
		{"", "", ""},
		{"!help", "help", ""},
	} {
		c, args, ok := table().Find(tt.text)
		if c.Name != tt.name || args != tt.args || ok != (tt.name != "") {
			t.Errorf("%q is %q with %q, %v", tt.text, c.Name, args, ok)
		}
	}
	var none *commands.Table
	if _, _, ok := none.Find("!undo"); ok {
		t.Error("no table has a command")
	}
}

func TestAnswer(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		fails      bool
	}{
		{"!why me", "because of me", false},
		{"!why", "There is no link.\nUsage: `!why <message link>`", false},
		{"!why broken", "⚠️ `!why` did not work; the bot's log has the details.", true},
		{"!help", "**Commands**\n`!help`: List the commands.\n`!undo`: Take it back.\n`!why <message link>`: Tell why.", false},
	} {
		c, args, _ := table().Find(tt.text)
		got, err := commands.Answer(t.Context(), c, chat.Message{}, args)
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s is answered with %q, %v", tt.text, got, err)
		}
	}
}
