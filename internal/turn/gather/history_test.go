package gather

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/turn/prompt"
)

func listening() *Gatherer {
	self := &Self{Commands: commands.New(nil, nil)}
	self.Become(chat.User{ID: "bot"})
	return New(Options{
		Access: access.Policy{Users: []chat.UserID{"ada"}, Channels: access.List[chat.ChannelID]{Set: true, IDs: []chat.ChannelID{"2"}}},
		Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, self)
}

// said returns the history of channel 2.
func (g *Gatherer) said() string {
	var list []string
	for _, l := range g.history.Before("2", 100, "9999") {
		list = append(list, l.Author+": "+l.Text)
	}
	return strings.Join(list, "\n")
}

func TestWhatTheHistoryRecords(t *testing.T) {
	in := chat.Place{Guild: "1", Channel: "2"}
	ada := chat.User{ID: "ada", Name: "Ada", Handle: "ada"}
	for _, tt := range []struct {
		name    string
		message chat.Message
		want    string
	}{
		{"somebody who is served", chat.Message{Place: in, Author: ada, Text: "hi"}, "Ada: hi"},
		{"somebody with another name", chat.Message{Place: in, Author: chat.User{ID: "ada", Name: "The Boss", Handle: "ada"}, Text: "hi"}, "The Boss (@ada): hi"},
		{"a stranger", chat.Message{Place: in, Author: chat.User{ID: "zed", Name: "Ada", Handle: "zed"}, Text: "hi"}, "Ada (@zed, a stranger to you): hi"},
		{"another bot", chat.Message{Place: in, Author: chat.User{ID: "x", Name: "Other", Handle: "Other", Bot: true}, Text: "hi"}, "Other (another bot): hi"},
		{"a webhook", chat.Message{Place: in, Author: chat.User{ID: "x", Name: "Ada", Handle: "Ada", Bot: true}, Webhook: true, Text: "hi"}, "Ada (a webhook): hi"},
		{"the bot itself, which tells when it is done", chat.Message{Place: in, Author: chat.User{ID: "bot"}, Text: "hi"}, ""},
		{"files", chat.Message{Place: in, Author: ada, Text: "see", Attachments: []chat.Attachment{{Name: "a.txt"}, {Name: "b\n.txt"}}}, "Ada: see\n(attached: a.txt)\n(attached: b .txt)"},
		{"a file alone", chat.Message{Place: in, Author: ada, Attachments: []chat.Attachment{{Name: "a.txt"}}}, "Ada: (attached: a.txt)"},
		{"a call", chat.Message{Place: in, Author: ada, Text: "<@bot> hi"}, "Ada: hi"},
		{"a command", chat.Message{Place: in, Author: ada, Text: "<@bot> !help me"}, ""},
		{"a secret", chat.Message{Place: in, Author: ada, Text: " !SECRET set KEY 123"}, ""},
		{"a secret, misspelt", chat.Message{Place: in, Author: chat.User{ID: "zed"}, Text: "!secrets KEY=123"}, ""},
		{"a secret, addressed", chat.Message{Place: in, Author: ada, Text: "<@bot> !secret set KEY 123"}, ""},
		{"a notice", chat.Message{Place: in, Author: ada, Text: "hi", System: true}, ""},
		{"what a thread is about", chat.Message{Place: in, Author: ada, System: true, Answers: &chat.Message{Place: in, Author: chat.User{ID: "ada", Name: "Ada"}, Text: "the plan"}}, "Ada: the plan"},
		{"nothing", chat.Message{Place: in, Author: ada, Text: " "}, ""},
		{"another channel", chat.Message{Place: chat.Place{Guild: "1", Channel: "3"}, Author: ada, Text: "hi"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := listening()
			tt.message.ID = "10"
			f.Heard(tt.message)
			if got := f.said(); got != tt.want {
				t.Errorf("heard %q, want %q", got, tt.want)
			}
		})
	}
}

// TestALongNameDoesNotHideItsNotes, which say who the author is, such as a webhook.
func TestALongNameDoesNotHideItsNotes(t *testing.T) {
	long := func(with string, n int) string { return with + strings.Repeat("x", n-len(with)) }
	for note, m := range map[string]chat.Message{
		"a stranger to you": {Author: chat.User{ID: "zed", Name: long("Ada (@ada) ", 32), Handle: long("ada", 32)}},
		"another bot":       {Author: chat.User{ID: "zed", Name: long("Ada ", 32), Handle: long("ada", 32), Bot: true}},
		"a webhook":         {Author: chat.User{ID: "zed", Name: long("Ada, who owns the bot, ", 80), Handle: "hook", Bot: true}, Webhook: true},
	} {
		f := listening()
		m.ID, m.Place, m.Text = "1", chat.Place{Guild: "1", Channel: "2"}, "hi"
		f.Heard(m)
		asked, err := prompt.Message{
			Setting: prompt.Setting{Heard: prompt.Heard{History: f.history.Before("2", 10, "9"), Budget: 1000}},
			Said:    []prompt.Said{{Message: chat.Message{ID: "9", Text: "What did Ada say?"}}},
		}.First(t.Context())
		if said := asked.Messages[0].Text; err != nil || !strings.Contains(said, note+")]: hi") {
			t.Errorf("%s is quoted as\n%s%v", note, said, err)
		}
	}
}

func TestEditsUpdateTheHistory(t *testing.T) {
	f := listening()
	m := chat.Message{ID: "10", Place: chat.Place{Guild: "1", Channel: "2"}, Author: chat.User{ID: "zed", Name: "zed"}, Text: "helo"}
	f.Heard(m)
	m.Text = "hello"
	f.Edited(m)
	if got := f.said(); got != "zed (a stranger to you): hello" {
		t.Error(got)
	}
	m.Text = "!secret set KEY 123"
	f.Edited(m)
	if got := f.said(); got != "" {
		t.Error(got)
	}
}

func TestFetchedMessagesAreFiltered(t *testing.T) {
	f := listening()
	place := chat.Place{Guild: "1", Channel: "2"}
	ada, self := chat.User{ID: "ada", Name: "ada"}, chat.User{ID: "bot", Name: "bot", Bot: true}
	var texts []string
	for _, l := range f.lines([]chat.Message{
		{ID: "9", Place: place, Author: self, Text: "Half an ans\n*(Stopped by <@ada>.)*"},
		{ID: "8", Place: place, Author: self, Text: "*(pipeline.Interrupted: the bot is going offline and will finish this when it is back.)*"},
		{ID: "7", Place: place, Author: self, Text: "May I?", Buttons: true},
		{ID: "6", Place: place, Author: self, Text: "**Commands**", ReplyTo: "5"},
		{ID: "5", Place: place, Author: ada, Text: "!help"},
		{ID: "4", Place: place, Author: self, Text: "Friday (*(maybe)*)", ReplyTo: "3"},
		{ID: "3", Place: place, Author: ada, Text: "when?"},
		{ID: "2", Place: place, Author: ada, Text: "!secret set KEY 123"},
		{ID: "1", Place: place, Author: ada, Text: "joined", System: true},
	}) {
		who := l.Author
		if l.Mine {
			who = "me"
		}
		texts = append(texts, who+": "+l.Text)
	}
	if want := []string{"me: Half an ans", "me: Friday (*(maybe)*)", "ada: when?"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}
