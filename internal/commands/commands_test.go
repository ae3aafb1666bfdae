package commands_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

const operator = chat.UserID("1")

func answering(text string) func(context.Context, chat.Message, string) (string, error) {
	return func(_ context.Context, _ chat.Message, args string) (string, error) { return text + args, nil }
}

func table() *commands.Table {
	return commands.New(func(_ context.Context, m chat.Message) bool { return m.Author.ID == operator }, nil,
		commands.Command{Name: "undo", Summary: "Take it back.", Run: answering("")},
		commands.Command{Name: "why", Args: "<message link>", Summary: "Tell why.", Run: func(_ context.Context, _ chat.Message, args string) (string, error) {
			switch args {
			case "":
				return "", &commands.UsageError{Problem: "There is no link."}
			case "broken":
				return "", errors.New("the disk is full")
			}
			return "because of " + args, nil
		}},
		commands.Command{
			Name: "secret", Args: "set <NAME=value>", Summary: "Keep a secret.", Where: commands.InDirectMessages, Operator: true, Run: answering("kept"),
			Misplaced: func(context.Context, chat.Message) (string, error) { return "Not here.", nil },
			Options: []commands.Option{
				{Name: "what", Summary: "What to do.", Required: true, Choices: []string{"set", "list"}},
				{Name: "setting", Summary: "What to set.", Complete: func(_ context.Context, who chat.User, at chat.Place, typed string) []string {
					return []string{"FIRST", "second", strings.Repeat("s", 101), "third"}
				}},
			},
		},
		commands.Command{Name: "topic", Summary: "Tell the topic.", Where: commands.OnServers, Run: answering("topic")},
		commands.Command{Name: "gone", Summary: "Nothing.", Off: func() string { return "set GONE=0" }, Run: answering("gone")},
		commands.Command{Name: "here", Summary: "Something.", Off: func() string { return "" }, Run: answering("here")},
	)
}

func TestFind(t *testing.T) {
	t.Parallel()
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
		{"!secret set A=b c", "secret", "set A=b c"},
		{"!SECRET", "secret", ""},
		{"!secretset A=b", "secret", "set A=b"},
		{"!secrets set A=b", "secret", "s set A=b"},
		{"! secret set A=b", "secret", "set A=b"},
		{"<@123> !secret set A=b", "secret", "set A=b"},
		{"<@&123> !secret set A=b", "secret", "set A=b"},
		{"<@123>, <@!4>: !secret set A=b", "secret", "set A=b"},
		{"`!secret set A=b`", "secret", "set A=b"},
		{"||**!secret set A=b_**||", "secret", "set A=b_"},
		{"```\n!secret set A=b\n```", "secret", "set A=b"},
		{"> \\!secret set A=b", "secret", "set A=b"},
		{"\u200b!secret set A=b", "secret", "set A=b"},
		{"/secret set A=b", "secret", "set A=b"},
		{"/discoclaw secret do:set setting:A=b", "secret", "do:set setting:A=b"},
		{"- !secret set A=b", "secret", "set A=b"},
		{"• ！Secret set A=b", "secret", "set A=b"},
		{"1. !secret set A=b", "secret", "set A=b"},
		{"2) !!secret set A=b", "secret", "set A=b"},
		{"# !secret set A=b", "secret", "set A=b"},
		{"-# !secret set A=b", "secret", "set A=b"},
		{"— !secret set A=b", "secret", "set A=b"},
		{"“!secret set A=b", "secret", "set A=b"},
		{"❗️secret set A=b", "secret", "set A=b"},
		{"!se\u200bcret set A=b", "secret", "set A=b"},
		{"！ｓｅｃｒｅｔ set A=b", "secret", "set A=b"},
		{"here it comes:\n!secret set A=b", "secret", "set A=b"},
		{"could you !secret set A=b", "secret", "set A=b"},
		{"could you !secret A = b", "secret", "A = b"},
		{"what does !secret set do?", "", ""},
		{"secret set A=b", "", ""},
		{"tell me about !secret", "", ""},
	} {
		c, args, ok := table().Find(tt.text)
		if c.Name != tt.name || args != tt.args || ok != (tt.name != "") {
			t.Errorf("%q is %q with %q, %v", tt.text, c.Name, args, ok)
		}
		if commands.Secret(tt.text) != (tt.name == "secret") {
			t.Errorf("%q: secret is %v", tt.text, commands.Secret(tt.text))
		}
	}
	var none *commands.Table
	if _, _, ok := none.Find("!undo"); ok {
		t.Error("no table has a command")
	}
}

var (
	onServer = chat.Place{Guild: "9", Channel: "10"}
	inDirect = chat.Place{Channel: "11"}
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		by         chat.UserID
		at         chat.Place
		text, want string
		fails      bool
	}{
		{"2", onServer, "!why me", "because of me", false},
		{"2", onServer, "!why", "There is no link.\nUsage: `!why <message link>`", false},
		{"2", onServer, "!why broken", "⚠️ `!why` did not work. The log has the details for the people who run me.", true},
		{"2", onServer, "!topic", "topic", false},
		{"2", inDirect, "!topic", "`!topic` works on a server only.", false},
		{"2", inDirect, "!gone", "`!gone` is switched off here.", false},
		{operator, inDirect, "!gone", "`!gone` is switched off here; set GONE=0.", false},
		{"2", inDirect, "!here", "here", false},
		{"2", inDirect, "!secret set", "`!secret` is for the people who run this bot.", false},
		{operator, inDirect, "!secret set", "keptset", false},
		{operator, onServer, "!secret set", "Not here.", false},
		{"2", onServer, "!secret set", "Not here.", false},
		{"2", onServer, "!help", "**Commands**\n`!help`: List the commands.\n`!here`: Something.\n`!topic`: Tell the topic.\n`!undo`: Take it back.\n`!why <message link>`: Tell why.", false},
		{operator, inDirect, "!help me", "**Commands**\n`!help`: List the commands.\n`!here`: Something.\n`!secret set <NAME=value>`: Keep a secret.\n`!undo`: Take it back.\n`!why <message link>`: Tell why.", false},
	} {
		c, args, _ := table().Find(tt.text)
		got, err := table().Answer(t.Context(), c, chat.Message{Author: chat.User{ID: tt.by}, Place: tt.at}, args)
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s by %s is answered with %q, %v", tt.text, tt.by, got, err)
		}
	}
}

func TestBotsCanUseCommandsForBotsOnly(t *testing.T) {
	t.Parallel()
	c, _, _ := table().Find("!help")
	got, err := table().Answer(t.Context(), c, chat.Message{Author: chat.User{ID: "5", Bot: true}, Place: onServer}, "")
	if want := "**Commands**\n`!help`: List the commands."; got != want || err != nil || !c.ForBots {
		t.Errorf("%q, %v", got, err)
	}
	if c, _, _ := table().Find("!undo"); c.ForBots {
		t.Error("a bot may undo")
	}
}

func TestAMenuEntryIsTheWrittenCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		menu, entry string
		values      map[string]string
		name, args  string
	}{
		{"discoclaw", "undo", nil, "undo", ""},
		{"discoclaw", "secret", map[string]string{"setting": " A=b c ", "what": "set"}, "secret", "set A=b c"},
		{"discoclaw", "secret", map[string]string{"what": "list", "setting": ""}, "secret", "list"},
		{"discoclaw", "nothing", nil, "", ""},
		{"another", "undo", nil, "", ""},
	} {
		c, args, ok := table().Chosen(chat.Invocation{Menu: tt.menu, Entry: tt.entry, Values: tt.values})
		if c.Name != tt.name || args != tt.args || ok != (tt.name != "") {
			t.Errorf("%s %s is %q with %q, %v", tt.menu, tt.entry, c.Name, args, ok)
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		by           chat.UserID
		option, text string
		want         string
	}{
		{operator, "setting", "", "FIRST second third"},
		{operator, "setting", "fir", "FIRST"},
		{operator, "setting", "x", ""},
		{operator, "what", "", ""},
		{operator, "nothing", "", ""},
		{"2", "setting", "", ""},
	} {
		got := table().Complete(t.Context(), chat.Completion{User: chat.User{ID: tt.by}, Place: inDirect, Menu: "discoclaw", Entry: "secret", Option: tt.option, Typed: tt.text})
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

func TestTwoCommandsOfOneNamePanic(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("they were accepted")
		}
	}()
	run := answering("")
	commands.New(func(context.Context, chat.Message) bool { return true }, nil,
		commands.Command{Name: "a", Summary: "A.", Run: run}, commands.Command{Name: "a", Summary: "B.", Run: run})
}
